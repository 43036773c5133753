import { existsSync } from 'node:fs';
import { dirname } from 'node:path';
import { damagedFile, verifyBlocks } from '../../core/duckdb/database-blocks.ts';
import { type Connection, ident, text } from '../../core/duckdb/duckdb.ts';
import { withLowerMemory } from '../../core/duckdb/lower-memory.ts';
import { CrawlhouseError, toCrawlhouseError } from '../../core/errors/errors.ts';
import { host } from '../../core/host/host.ts';
import type { Logger } from '../../core/logs/logger.ts';
import { countQueryable } from '../../engines/count-queryable.ts';
import { rewriteMark, type WorkingCopy } from '../../engines/working-copy.ts';
import { freshUnits, recordPublished } from '../../state/catalogue/ops/ops-loads.ts';
import { beginPublication, markClean, publicationOf } from '../../state/catalogue/ops/ops-publication.ts';
import { attachPublished } from '../../state/catalogue/published/attach-published.ts';
import type { FormerCopies } from '../../state/catalogue/published/former-copies.ts';
import { readDespiteWriter } from '../../state/catalogue/published/read-publication.ts';
import { setAsideChanges } from '../../state/catalogue/published/set-aside-wal.ts';
import { recentRows } from '../../state/catalogue/raw/recent-rows.ts';
import { FILE_OPTIONS } from '../../state/catalogue/schema.ts';
import { compareFingerprints, MEMORY_SHARE } from './compare-fingerprints.ts';
import { makeCopy } from './make-copy.ts';
import { putInPlace, removeLeftovers } from './put-in-place.ts';

/** 256 MB, which are read in rotation where nobody has written to the file. */
const BLOCKS_READ = 8192;

const COPY = 'publication_copy';

/**
 * Puts a finished copy of the working copy in the place of the published warehouse, by one rename: a reader has either
 * the former file or the new one, whole. Three checks come first. The content of each unit that is new in the copy is
 * compared with what was loaded. The rows of each such unit and of each raw table are counted. Every block that is new in
 * the copy is compared with its checksum; the others were verified by former publications.
 *
 * @param confirm called right before the rename; what it throws leaves the former publication
 * @returns the damage that was found in the former file; null if none
 * @throws CrawlhouseError `unreconciled`, `damaged_warehouse`: the former publication stays
 */
export async function publish(
  working: WorkingCopy,
  logger: Logger,
  signal: AbortSignal,
  confirm: () => Promise<void> = async () => {},
): Promise<string | null> {
  const { connection, path, publishedPath, copies } = working;
  const { publication: former, hasWriter } = await readDespiteWriter(connection, publishedPath, path, logger);
  const id = host().uuid();
  await beginPublication(connection, id, former?.id ?? null);
  await working.rows.prepare(signal);
  await removeLeftovers(publishedPath);
  const temporary = `${publishedPath}.${id}.publishing`;
  const startedAt = host().monotonic();
  const healed = hasWriter ? null : await damageOfFormer(publishedPath, copies, signal);
  await working.detach();
  try {
    signal.throwIfAborted();
    const isRewritten = working.isToRewrite && (await rewrite(working, logger));
    const copied = await makeCopy(working, temporary, former !== undefined, logger, signal);
    const reopen = async (options = 'READ_ONLY'): Promise<void> => {
      await close();
      await connection.run(`ATTACH ${text(temporary)} AS ${ident(COPY)} (${options})`);
    };
    const close = (): Promise<unknown> => connection.run(`DETACH DATABASE IF EXISTS ${ident(COPY)}`);
    try {
      await reopen();
      const fresh = await freshUnits(connection, COPY);
      const recent = await recentRows(connection, COPY);
      const damage = await compareFingerprints(connection, { catalog: COPY, fresh, recent, reopen, signal });
      // One checkpoint from here on: the blocks that it writes are known.
      await reopen(FILE_OPTIONS);
      await withLowerMemory(connection, MEMORY_SHARE, () =>
        countQueryable(connection, COPY, recent, { store: working.rows, signal }),
      );
      if (damage) throw damage;
      await markClean(connection, COPY);
      await connection.run(`CHECKPOINT ${ident(COPY)}`);
    } finally {
      await close();
    }
    signal.throwIfAborted();
    let keep = false;
    const kept = await putInPlace(temporary, publishedPath, id, {
      verify: () => verifyBlocks(temporary, signal, temporary, copied.changed),
      confirm,
      async publish() {
        await working.rows.publish({ path: temporary, id }, signal);
        await setAsideChanges(publishedPath, hasWriter, logger);
        keep = copied.how !== 'clone' && !hasWriter && copies.isPublished(publishedPath);
      },
      check: () => checkPublished(connection, publishedPath, id),
    });
    if (keep) await copies.keepSpare(kept);
    else await host().files.rm(kept, { force: true });
    if (isRewritten) await host().files.rm(rewriteMark(dirname(path)), { force: true });
    copies.publishedFrom(copied.state, publishedPath, copied.next);
    logger.debug('copied', { stage: 'publish', how: copied.how, bytes: copied.copiedBytes });
  } finally {
    await host().files.rm(temporary, { force: true });
    await working.attach();
  }
  await connection.transaction(async () => {
    await recordPublished(connection);
    await markClean(connection);
  });
  logger.info('published', { stage: 'publish', warehouse: publishedPath, seconds: secondsSince(startedAt) });
  return healed;
}

/** Leaves the file as it is where that fails, as on a full disk: the next publication tries again. */
async function rewrite(working: WorkingCopy, logger: Logger): Promise<boolean> {
  try {
    await working.rewrite();
    return true;
  } catch (error) {
    logger.warn('the warehouse could not be written anew: free blocks may have what was to be forgotten', {
      stage: 'publish',
      error: String(error),
    });
    return false;
  }
}

/** Opens the published file as a reader does. */
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
    // A program that opens it for writing has found it whole.
    if (!(error instanceof CrawlhouseError && error.code === 'locked')) throw error;
  }
}

function secondsSince(startedAt: number): number {
  return Math.round(host().monotonic() - startedAt) / 1000;
}

/**
 * The damage of a published file that is about to be replaced, so that it is said and not only healed; null if none is
 * found. A file that was changed since it was published is read completely.
 */
async function damageOfFormer(
  path: string,
  copies: FormerCopies,
  signal: AbortSignal,
): Promise<string | null> {
  if (!existsSync(path)) return null;
  const first = copies.published?.next ?? 0;
  const some = { has: (block: number) => block >= first && block < first + BLOCKS_READ };
  try {
    await verifyBlocks(path, signal, path, copies.isPublished(path) ? some : undefined);
    return null;
  } catch (error) {
    signal.throwIfAborted();
    // Whatever is wrong with it, the publication brings a whole one.
    return toCrawlhouseError(error).message;
  }
}
