import { constants } from 'node:fs';
import { copyFile, open, rename, rm, stat } from 'node:fs/promises';
import { compareCopy, patchCopy } from '../../core/duckdb/copy-blocks.ts';
import { type BlockSet, type DatabaseState, readState } from '../../core/duckdb/database-blocks.ts';
import { type Connection, ident, text } from '../../core/duckdb/duckdb.ts';
import { isOpenSomewhere } from '../../core/files/open-files.ts';
import type { Logger } from '../../core/logs/logger.ts';
import type { WorkingCopy } from '../../engines/working-copy.ts';
import type { FormerCopy } from '../../state/catalogue/published/former-copies.ts';
import { FILE_OPTIONS } from '../../state/catalogue/schema.ts';

/**
 * Bytes that a program reads in a millisecond at least. One that reads without a lock, as `cp` does, may belong to another
 * user or run in another container. A spare file is left alone for as long as such a program may have taken for it.
 */
const SLOWEST_READ = 10_000;

export interface Copied {
  readonly how: 'clone' | 'patch' | 'whole';
  /** The state of the working copy that it has. */
  readonly state: DatabaseState;
  readonly copiedBytes: number;
  /** The blocks that may hold something new; undefined for all. The others were verified when they were new. */
  readonly changed: BlockSet | undefined;
  /** The block with which the next comparison begins. */
  readonly next: number;
}

/**
 * Copies a working copy that is detached. Where the file system can share blocks, the copy shares them. Else the file
 * that was published before the present one gets the blocks that have changed since. Where anything about that file is
 * uncertain, everything is copied.
 *
 * @param hasFormer whether there is a published file
 * @throws CrawlhouseError `damaged_warehouse` for a damaged block of the working copy
 */
export async function makeCopy(
  { connection, path, copies }: WorkingCopy,
  target: string,
  hasFormer: boolean,
  logger: Logger,
  signal: AbortSignal,
): Promise<Copied> {
  const state = await stateOf(path);
  const { spare, sparePath, published } = copies;
  copies.takeSpare();
  if (hasFormer && published && (await clone(path, target))) {
    const { isEqual, next } = await compareCopy(path, target, published, signal);
    await rm(sparePath, { force: true });
    if (isEqual) return { how: 'clone', state, copiedBytes: 0, changed: published.changed, next };
  } else if (
    hasFormer &&
    spare &&
    (await isUnread(connection, sparePath, spare)) &&
    (await move(sparePath, target))
  ) {
    // From here on a killed process leaves no spare file.
    const { isEqual, next } = await compareCopy(path, target, spare, signal);
    if (isEqual) {
      const copiedBytes = await patchCopy(path, target, spare.changed, signal);
      return { how: 'patch', state, copiedBytes, changed: spare.changed, next };
    }
    logger.warn(
      'the spare file differs from the working copy where nothing was written; everything is copied',
      {
        stage: 'publish',
      },
    );
  }
  await rm(sparePath, { force: true });
  await rm(target, { force: true });
  await copyFile(path, target, constants.COPYFILE_FICLONE);
  const { size } = await stat(target);
  return { how: 'whole', state, copiedBytes: size, changed: undefined, next: 0 };
}

async function stateOf(path: string): Promise<DatabaseState> {
  await using file = await open(path, 'r');
  return readState(file.fd, path);
}

/** Not to another file system, where the warehouse may be since. */
async function move(path: string, target: string): Promise<boolean> {
  return rename(path, target).then(
    () => true,
    () => false,
  );
}

async function clone(path: string, target: string): Promise<boolean> {
  return copyFile(path, target, constants.COPYFILE_FICLONE_FORCE).then(
    () => true,
    () => false,
  );
}

/** Is nobody reading the file any more? A reader may have opened it while it was the published one. */
async function isUnread(connection: Connection, path: string, { replacedAt }: FormerCopy): Promise<boolean> {
  const { size } = await stat(path);
  if (replacedAt === null || Date.now() - replacedAt < size / SLOWEST_READ) return false;
  if (isOpenSomewhere(path) !== false) return false;
  // DuckDB's lock, which readers hold also where their processes can't be seen. It does not change the file.
  try {
    await connection.run(`ATTACH ${text(path)} AS spare (${FILE_OPTIONS})`);
    await connection.run(`DETACH ${ident('spare')}`);
    return true;
  } catch {
    // A reader has it.
    return false;
  }
}
