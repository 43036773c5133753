import { constants, existsSync } from 'node:fs';
import { chmod, copyFile, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { verifyBlocks } from '../../core/duckdb/database-blocks.ts';
import { type Connection, type Database, ident, text } from '../../core/duckdb/duckdb.ts';
import { dropUnfinishedCommit } from '../../core/duckdb/unfinished-commit.ts';
import { CrawlhouseError } from '../../core/errors/errors.ts';
import { newerVersion } from '../../core/errors/newer-version.ts';
import { makeFolder } from '../../core/files/make-folder.ts';
import { underUserMask } from '../../core/files/private-files.ts';
import type { Logger } from '../../core/logs/logger.ts';
import type { EngineAddress } from '../project/settings/settings.ts';
import { createSchema } from '../state/catalog/create-schema.ts';
import { markDirty, type Publication, publicationOf } from '../state/catalog/ops/ops-publication.ts';
import { targetOf } from '../state/catalog/published/attach-published.ts';
import { FormerCopies, SPARE_FILE } from '../state/catalog/published/former-copies.ts';
import { readDespiteWriter } from '../state/catalog/published/read-publication.ts';
import { restoreFormer } from '../state/catalog/published/restore-former.ts';
import { keepFormer } from '../state/catalog/published/set-aside-wal.ts';
import { CATALOG, FILE_OPTIONS, WAREHOUSE_VERSION } from '../state/catalog/schema.ts';
import type { WriterParts } from './engine.ts';
import type { MirrorSource } from './mirror-sql.ts';
import type { ModelEngine } from './model-engine.ts';
import { openEngine } from './open-engine.ts';
import type { RowStore } from './row-store.ts';

/**
 * The number of loaded values after which the file is reopened. After 5 million pages with 125 columns and 20 million
 * links (900 million values), DuckDB's metadata used 280 MB (docs/decisions/warehouse.md).
 */
const VALUES_KEPT = 50_000_000;

export interface WorkingPlace {
  readonly stateDir: string;
  /** The published file; a symbolic link is resolved. */
  readonly warehouse: string;
  readonly engine: EngineAddress;
}

/**
 * The warehouse that the pipeline writes to: a copy of the published one with newer work. Readers never open it; they
 * open the published one. If the two do not match, the published one is kept.
 */
export class WorkingCopy implements AsyncDisposable {
  readonly connection: Connection;
  readonly path: string;
  readonly publishedPath: string;
  readonly copies: FormerCopies;
  #parts: WriterParts | undefined;
  readonly #opened: AsyncDisposableStack;
  #values = 0;
  #attached = false;

  private constructor(
    connection: Connection,
    path: string,
    publishedPath: string,
    opened: AsyncDisposableStack,
  ) {
    this.connection = connection;
    this.#opened = opened;
    this.path = path;
    this.publishedPath = publishedPath;
    this.copies = FormerCopies.open(path);
  }

  /**
   * Opens the working copy of a state directory. If it is missing, damaged, or belongs to another publication, replaces
   * it with a copy of the published warehouse.
   *
   * @param anew whether to replace it in any case
   * @throws CrawlhouseError `newer_version`; `damaged_warehouse` when the published warehouse itself is damaged, which
   *   then stays unchanged
   */
  static async open(
    database: Database,
    { stateDir, warehouse, engine }: WorkingPlace,
    logger: Logger,
    anew = false,
    signal?: AbortSignal,
  ): Promise<WorkingCopy> {
    const path = workingFile(stateDir);
    const publishedPath = await targetOf(warehouse);
    underUserMask(() => makeFolder(dirname(publishedPath)));
    const connection = await database.connect();
    await restoreFormer(connection, publishedPath, logger);
    await using opened = new AsyncDisposableStack();
    const place = { connection, stateDir, published: publishedPath, working: path };
    const writer = opened.use(await (await openEngine(engine)).openWriter(place, logger, signal));
    const { publication: published } = await readDespiteWriter(connection, publishedPath, path, logger);
    if (await dropUnfinishedCommit(path))
      logger.warn('the last run was killed during a commit, which is removed from the working copy');
    const isOurs = !anew && existsSync(path) && (await belongsTo(connection, path, published, logger));
    if (!isOurs) await takeAnew(path, published ? publishedPath : null, logger);
    const working = new WorkingCopy(connection, path, publishedPath, opened.move());
    try {
      await working.attach();
      working.copies.follow();
      connection.observe(() => working.copies.observe());
      // A working copy is migrated once. The published file follows with the next publication.
      if (published && (await working.publication()).version < WAREHOUSE_VERSION) {
        const kept = await keepFormer(publishedPath, `v${published.version}`);
        logger.warn('upgrading the warehouse to a new version; the previous file is kept', {
          from: published.version,
          to: WAREHOUSE_VERSION,
          kept,
        });
      }
      await createSchema(connection);
      working.#parts = await writer.begin(signal);
      return working;
    } catch (error) {
      working.copies.close();
      await working.#opened.disposeAsync();
      throw error;
    }
  }

  get rows(): RowStore {
    return this.#begun.rows;
  }

  get models(): ModelEngine {
    return this.#begun.models;
  }

  get mirror(): MirrorSource {
    return this.#begun.mirror;
  }

  get #begun(): WriterParts {
    if (this.#parts === undefined) throw new Error('the working copy is not open');
    return this.#parts;
  }

  async attach(): Promise<void> {
    await this.connection.run(`ATTACH ${text(this.path)} AS ${ident(CATALOG)} (${FILE_OPTIONS})`);
    await this.connection.run(`USE ${ident(CATALOG)}`);
    this.#attached = true;
    this.#values = 0;
  }

  /** Writes everything to the file and detaches it, so that it can be copied. */
  async detach(): Promise<void> {
    await this.connection.run(`CHECKPOINT ${ident(CATALOG)}`);
    await this.connection.run('USE memory');
    await this.connection.run(`DETACH ${ident(CATALOG)}`);
    this.#attached = false;
  }

  /** Adds a number of loaded values, rows times columns. */
  noteLoaded(values: number): void {
    this.#values += values;
  }

  /**
   * Releases the memory that DuckDB keeps for row groups written since the file was opened, once it is large. Nothing
   * else may be using the working copy.
   */
  async releaseMemory(): Promise<void> {
    if (this.#attached && this.#values < VALUES_KEPT) return;
    // If it could not be attached again, the next load tries.
    if (this.#attached) await this.detach();
    await this.attach();
  }

  /** Whether free blocks may still contain deleted data. If so, the next publication rewrites the file. */
  get isToRewrite(): boolean {
    return existsSync(rewriteMark(dirname(this.path)));
  }

  /** Rewrites the detached file, so that no free block and no former copy keeps deleted data. */
  async rewrite(): Promise<void> {
    const fresh = `${this.path}.fresh`;
    await removeDatabase(fresh);
    try {
      await this.connection.run(`ATTACH ${text(this.path)} AS ${ident(CATALOG)} (READ_ONLY)`);
      await this.connection.run(`ATTACH ${text(fresh)} AS fresh (${FILE_OPTIONS})`);
      await this.connection.run(`COPY FROM DATABASE ${ident(CATALOG)} TO fresh`);
      await this.connection.run('CHECKPOINT fresh');
    } catch (error) {
      await this.#close('fresh');
      await removeDatabase(fresh);
      throw error;
    } finally {
      for (const one of ['fresh', CATALOG]) await this.#close(one);
    }
    this.copies.close();
    await rename(fresh, this.path);
    this.copies.followAnew();
  }

  async #close(catalog: string): Promise<void> {
    await this.connection.run(`DETACH DATABASE IF EXISTS ${ident(catalog)}`);
  }

  async publication(): Promise<Publication> {
    return publicationOf(this.connection, CATALOG);
  }

  /** Records, within the caller's transaction, that there are changes to publish. */
  async markDirty(): Promise<void> {
    await markDirty(this.connection);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    try {
      if (this.#attached) await this.detach();
      await this.copies.keep();
    } catch {
      // The former failure has its own error. Without a note, the next publication copies everything.
      this.copies.close();
    }
    this.connection[Symbol.dispose]();
    await this.#opened.disposeAsync();
  }
}

/** Returns the path of the working copy in a state directory. */
export function workingFile(stateDir: string): string {
  return join(stateDir, 'work.duckdb');
}

/** Returns the path of the file that requests a rewrite of the working copy. */
export function rewriteMark(stateDir: string): string {
  return `${workingFile(stateDir)}.rewrite`;
}

/**
 * Returns whether the working copy is undamaged, and matches the published warehouse or a later state of it.
 *
 * @throws CrawlhouseError `newer_version`
 */
async function belongsTo(
  connection: Connection,
  path: string,
  published: Publication | undefined,
  logger: Logger,
): Promise<boolean> {
  try {
    await connection.run(`ATTACH ${text(path)} AS candidate (${FILE_OPTIONS})`);
  } catch (error) {
    logger.warn('working copy cannot be opened, making it again', { error: String(error) });
    return false;
  }
  try {
    const own = await publicationOf(connection, 'candidate');
    if (own.version > WAREHOUSE_VERSION)
      throw newerVersion(
        path,
        { what: 'warehouse', found: own.version, known: WAREHOUSE_VERSION },
        'use the newer version; or remove the file: the next run loads unpublished units again',
      );
    if (!published || published.id === own.id) return true;
    // The process was killed before the rename if unpublished work is still marked dirty. Otherwise, a user restored an
    // older file.
    if (published.id === own.base_id && own.dirty) return true;
    logger.warn('working copy does not belong to the published warehouse, making it again');
    return false;
  } catch (error) {
    if (error instanceof CrawlhouseError && error.code === 'newer_version') throw error;
    logger.warn('working copy cannot be read, making it again', { error: String(error) });
    return false;
  } finally {
    await connection.run('DETACH candidate');
  }
}

/** Replaces the working copy by a verified copy of the published warehouse, or removes it if nothing is published. */
async function takeAnew(path: string, publishedPath: string | null, logger: Logger): Promise<void> {
  // Its known state is void, and the copy needs the space.
  await rm(join(dirname(path), SPARE_FILE), { force: true });
  if (publishedPath === null) return removeDatabase(path);
  logger.info('working copy taken from the published warehouse');
  await copyFile(publishedPath, `${path}.new`, constants.COPYFILE_FICLONE);
  // A copy has the mode of its original.
  await chmod(`${path}.new`, 0o600);
  await verifyBlocks(`${path}.new`, undefined, publishedPath);
  await removeDatabase(path);
  await rename(`${path}.new`, path);
}

async function removeDatabase(path: string): Promise<void> {
  await rm(path, { force: true });
  await rm(`${path}.wal`, { force: true });
}
