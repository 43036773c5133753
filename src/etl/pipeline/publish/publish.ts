import { constants, existsSync } from 'node:fs';
import { copyFile, open, rename, rm, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { compareCopy, patchCopy } from '../../../core/duckdb/copy-blocks.ts';
import {
  type BlockSet,
  type DatabaseState,
  damagedFile,
  readState,
  verifyBlocks,
} from '../../../core/duckdb/database-blocks.ts';
import { type Connection, ident, text } from '../../../core/duckdb/duckdb.ts';
import { withLowerMemory } from '../../../core/duckdb/lower-memory.ts';
import { CrawlhouseError, succeeds, toCrawlhouseError } from '../../../core/errors/errors.ts';
import { isOpenSomewhere } from '../../../core/files/open-files.ts';
import { host } from '../../../core/host/host.ts';
import type { Logger } from '../../../core/logs/logger.ts';
import { countQueryable } from '../../engines/count-queryable.ts';
import { rewriteMark, type WorkingCopy } from '../../engines/working-copy.ts';
import { CHECK_DISK } from '../../project/model/runs/run-summary.ts';
import { freshUnits, recordPublished } from '../../state/catalog/ops/ops-loads.ts';
import { beginPublication, markClean, publicationOf } from '../../state/catalog/ops/ops-publication.ts';
import { attachPublished } from '../../state/catalog/published/attach-published.ts';
import type { FormerCopies, FormerCopy } from '../../state/catalog/published/former-copies.ts';
import { isWrittenByOthers, noteStamp } from '../../state/catalog/published/published-stamp.ts';
import { readDespiteWriter } from '../../state/catalog/published/read-publication.ts';
import { setAsideChanges } from '../../state/catalog/published/set-aside-wal.ts';
import { recentRows } from '../../state/catalog/raw/recent-rows.ts';
import { FILE_OPTIONS } from '../../state/catalog/schema.ts';
import { compareFingerprints, MEMORY_SHARE } from './compare-fingerprints.ts';
import { putInPlace, removeLeftovers } from './put-in-place.ts';

/** 256 MB, read in rotation as long as no program has written to the file. */
const BLOCKS_READ = 8192;

const COPY = 'publication_copy';

/**
 * Replaces the published warehouse with a finished copy of the working copy, in one rename. A reader sees either the
 * complete previous file or the complete new file. Three checks run first. The first compares the content of each unit
 * that is new in the copy with its load. The second counts the rows of each such unit and of each raw table. The third
 * compares every block that is new in the copy with its checksum; previous publications have verified the other blocks.
 *
 * @param confirm called right before the rename; if it throws, the previous publication stays
 * @returns what was wrong with the previous file, and where it is kept
 * @throws CrawlhouseError `damaged_warehouse`: the previous publication stays
 */
export async function publish(
  working: WorkingCopy,
  logger: Logger,
  signal: AbortSignal,
  confirm: () => Promise<void> = async () => {},
): Promise<readonly string[]> {
  const { connection, path, publishedPath, copies } = working;
  const { publication: former, hasWriter } = await readDespiteWriter(connection, publishedPath, path, logger);
  const id = host().uuid();
  await beginPublication(connection, id, former?.id ?? null);
  await working.rows.prepare(signal);
  await removeLeftovers(publishedPath);
  const temporary = `${publishedPath}.${id}.publishing`;
  const healed = hasWriter ? [] : await damageOfFormer(publishedPath, copies, logger, signal);
  const startedAt = host().monotonic();
  await working.detach();
  try {
    signal.throwIfAborted();
    const isRewritten = working.isToRewrite && (await rewrite(working, logger));
    const copied = await makeCopy(working, temporary, former !== undefined, logger, signal);
    logger.debug('copied', { stage: 'publish', how: copied.how, bytes: copied.copiedBytes });
    await checkCopy(working, temporary, signal);
    signal.throwIfAborted();
    let keep = false;
    const kept = await putInPlace(temporary, publishedPath, id, {
      verify: () => verifyBlocks(temporary, signal, temporary, copied.changed),
      confirm,
      async publish() {
        await working.rows.publish({ path: temporary, id }, signal);
        const isChanged = hasWriter || isWrittenByOthers(path, publishedPath, former?.id ?? null);
        const aside = await setAsideChanges(publishedPath, isChanged, logger);
        if (aside) healed.push(`another program wrote to ${publishedPath}; its file is kept as ${aside}`);
        keep = copied.how !== 'clone' && !hasWriter && copies.isPublished(publishedPath);
      },
      check: () => checkPublished(connection, publishedPath, id),
    });
    if (keep) await copies.keepSpare(kept);
    else await host().files.rm(kept, { force: true });
    await noteStamp(path, publishedPath, id);
    if (isRewritten) await host().files.rm(rewriteMark(dirname(path)), { force: true });
    copies.publishedFrom(copied.state, publishedPath, copied.next);
  } finally {
    await host().files.rm(temporary, { force: true });
    await working.attach();
  }
  await connection.transaction(async () => {
    await recordPublished(connection);
    await markClean(connection);
  });
  const seconds = Math.round(host().monotonic() - startedAt) / 1000;
  logger.info('published', { stage: 'publish', warehouse: publishedPath, seconds });
  return healed;
}

/**
 * Compares the new units of a copy with their loads, counts rows, and marks the copy as published.
 *
 * @throws CrawlhouseError `damaged_warehouse`
 */
async function checkCopy(
  { connection, rows }: WorkingCopy,
  copy: string,
  signal: AbortSignal,
): Promise<void> {
  const close = (): Promise<unknown> => connection.run(`DETACH DATABASE IF EXISTS ${ident(COPY)}`);
  const reopen = async (options = 'READ_ONLY'): Promise<void> => {
    await close();
    await connection.run(`ATTACH ${text(copy)} AS ${ident(COPY)} (${options})`);
  };
  try {
    await reopen();
    const fresh = await freshUnits(connection, COPY);
    const recent = await recentRows(connection, COPY);
    const damage = await compareFingerprints(connection, { catalog: COPY, fresh, recent, reopen, signal });
    // Only one checkpoint from here on, so that the blocks that it writes are known.
    await reopen(FILE_OPTIONS);
    await withLowerMemory(connection, MEMORY_SHARE, () =>
      countQueryable(connection, COPY, recent, { store: rows, signal }),
    );
    if (damage) throw damage;
    await markClean(connection, COPY);
    await connection.run(`CHECKPOINT ${ident(COPY)}`);
  } finally {
    await close();
  }
}

/**
 * Rewrites the file. If this fails, such as on a full disk, the file stays unchanged, and the next publication tries
 * again.
 */
async function rewrite(working: WorkingCopy, logger: Logger): Promise<boolean> {
  try {
    await working.rewrite();
    return true;
  } catch (error) {
    logger.warn('the warehouse could not be rewritten: its free blocks may still contain removed rows', {
      stage: 'publish',
      error: String(error),
    });
    return false;
  }
}

/** Opens the published file like a reader. */
async function checkPublished(connection: Connection, publishedPath: string, id: string): Promise<void> {
  try {
    await attachPublished(connection, publishedPath, 'replaced');
    try {
      const found = await publicationOf(connection, 'replaced');
      if (found.id !== id) throw damagedFile(publishedPath, 'it differs from the written file');
    } finally {
      await connection.run('DETACH replaced');
    }
  } catch (error) {
    // A program that opens it for writing has found it intact.
    if (!(error instanceof CrawlhouseError && error.code === 'locked')) throw error;
  }
}

/**
 * Returns the damage of a published file before the file is replaced, so that the damage is reported and not only
 * repaired. Reads a file completely if it was changed since its publication.
 */
async function damageOfFormer(
  path: string,
  copies: FormerCopies,
  logger: Logger,
  signal: AbortSignal,
): Promise<string[]> {
  if (!existsSync(path)) return [];
  const first = copies.published?.next ?? 0;
  const some = { has: (block: number) => block >= first && block < first + BLOCKS_READ };
  try {
    await verifyBlocks(path, signal, path, copies.isPublished(path) ? some : undefined);
    return [];
  } catch (thrown) {
    signal.throwIfAborted();
    // Whatever is wrong with it, the publication replaces it.
    const { message } = toCrawlhouseError(thrown);
    const instead = 'publishing a complete file instead';
    logger.warn(`the published warehouse is damaged: ${instead}`, {
      stage: 'publish',
      error: message,
      hint: CHECK_DISK,
    });
    return [`${message}; ${instead}`];
  }
}

/**
 * Minimum bytes that a program reads per millisecond. A program that reads without a lock, such as `cp`, may belong to
 * another user or run in another container. A spare file is not touched for as long as such a program may need to read
 * it.
 */
const SLOWEST_READ = 10_000;
interface Copied {
  readonly how: 'clone' | 'patch' | 'whole';
  /** The state of the copied working copy. */
  readonly state: DatabaseState;
  readonly copiedBytes: number;
  /** The blocks that may contain something new; undefined for all. The others were verified when they were new. */
  readonly changed: BlockSet | undefined;
  /** The block where the next comparison begins. */
  readonly next: number;
}

/**
 * Copies a detached working copy. If the file system can share blocks, the copy shares them. Otherwise, only changed
 * blocks are copied to the spare file. If anything about the spare file is uncertain, everything is copied.
 *
 * @param hasFormer whether there is a published file
 * @throws CrawlhouseError `damaged_warehouse` for a damaged block of the working copy
 */
async function makeCopy(
  { connection, path, copies }: WorkingCopy,
  target: string,
  hasFormer: boolean,
  logger: Logger,
  signal: AbortSignal,
): Promise<Copied> {
  const state = await stateOf(path);
  const { spare, sparePath, published } = copies;
  copies.takeSpare();
  if (hasFormer && published && (await succeeds(copyFile(path, target, constants.COPYFILE_FICLONE_FORCE)))) {
    const { isEqual, next } = await compareCopy(path, target, published, signal);
    await rm(sparePath, { force: true });
    if (isEqual) return { how: 'clone', state, copiedBytes: 0, changed: published.changed, next };
  } else if (
    hasFormer &&
    spare &&
    (await isUnread(connection, sparePath, spare)) &&
    // Not to another file system, where the warehouse may be by now.
    (await succeeds(rename(sparePath, target)))
  ) {
    // From here on, a killed process leaves no spare file.
    const { isEqual, next } = await compareCopy(path, target, spare, signal);
    if (isEqual) {
      const copiedBytes = await patchCopy(path, target, spare.changed, signal);
      return { how: 'patch', state, copiedBytes, changed: spare.changed, next };
    }
    const problem = 'the spare file differs from the working copy in unchanged blocks';
    logger.warn(`${problem}; copying everything`, { stage: 'publish' });
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

/** Returns whether no program reads the file anymore. A reader may have opened the file while it was published. */
async function isUnread(connection: Connection, path: string, { replacedAt }: FormerCopy): Promise<boolean> {
  const { size } = await stat(path);
  if (replacedAt === null || Date.now() - replacedAt < size / SLOWEST_READ) return false;
  if (isOpenSomewhere(path) !== false) return false;
  // DuckDB's lock, which readers hold even where their processes are invisible. It does not change the file.
  try {
    await connection.run(`ATTACH ${text(path)} AS spare (${FILE_OPTIONS})`);
    await connection.run(`DETACH ${ident('spare')}`);
    return true;
  } catch {
    // A reader has it open.
    return false;
  }
}
