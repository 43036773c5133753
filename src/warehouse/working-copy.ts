import { constants, existsSync } from 'node:fs';
import { copyFile, mkdir, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { type Connection, type Database, ident, text } from '../core/duckdb.ts';
import { CrawlhouseError } from '../core/errors.ts';
import type { Logger } from '../core/logger.ts';
import { keepFormer } from './keep-former.ts';
import { removeStaleWal } from './remove-stale-wal.ts';
import { CATALOG, createSchema, FILE_OPTIONS, WAREHOUSE_VERSION } from './schema.ts';

/**
 * Values loaded after which the file is opened anew. 5 million pages of 125 columns and 20 million links, 900 million
 * values, left 280 MB of what DuckDB knows of them (docs/decisions/warehouse-file.md).
 */
const VALUES_KEPT = 50_000_000;

/** Identity of a warehouse file: which publication it is, and which one it was made from. */
export interface Publication {
  readonly id: string | null;
  readonly base_id: string | null;
  readonly dirty: boolean;
  readonly version: number;
}

/**
 * The warehouse that the pipeline writes to. Readers never open it: they open the published one, of which this is a
 * copy that has gone further. Where the two don't belong together the published one is right.
 */
export class WorkingCopy implements AsyncDisposable {
  readonly connection: Connection;
  readonly path: string;
  readonly publishedPath: string;
  #values = 0;
  #attached = false;

  private constructor(connection: Connection, path: string, publishedPath: string) {
    this.connection = connection;
    this.path = path;
    this.publishedPath = publishedPath;
  }

  static async open(
    database: Database,
    stateDir: string,
    publishedPath: string,
    logger: Logger,
  ): Promise<WorkingCopy> {
    const path = join(stateDir, 'work.duckdb');
    await mkdir(dirname(publishedPath), { recursive: true });
    const connection = await database.connect();
    const published = await readPublication(connection, publishedPath);
    if (existsSync(path) && !(await belongsTo(connection, path, published, logger)))
      await removeDatabase(path);
    if (!existsSync(path) && published) {
      logger.info('working copy taken from the published warehouse');
      await copyFile(publishedPath, `${path}.new`, constants.COPYFILE_FICLONE);
      await removeDatabase(path);
      await rename(`${path}.new`, path);
    }
    const working = new WorkingCopy(connection, path, publishedPath);
    await working.attach();
    // A working copy is brought forward once; the published file follows with the next publication.
    if (published && (await working.publication()).version < WAREHOUSE_VERSION) {
      const kept = await keepFormer(publishedPath, published.version);
      logger.info('warehouse of an earlier version, kept as it is beside the new one', { kept });
    }
    await createSchema(connection);
    return working;
  }

  async attach(): Promise<void> {
    await this.connection.run(`ATTACH ${text(this.path)} AS ${ident(CATALOG)} (${FILE_OPTIONS})`);
    await this.connection.run(`USE ${ident(CATALOG)}`);
    this.#attached = true;
    this.#values = 0;
  }

  /** Writes everything to the file and lets go of it, so that it can be copied. */
  async detach(): Promise<void> {
    await this.connection.run(`CHECKPOINT ${ident(CATALOG)}`);
    await this.connection.run('USE memory');
    await this.connection.run(`DETACH ${ident(CATALOG)}`);
    this.#attached = false;
  }

  /** Notes that so many values, rows by columns, were loaded. */
  noteLoaded(values: number): void {
    this.#values += values;
  }

  /**
   * Gives back what DuckDB keeps in memory of every row group that was written since the file was opened, once that is
   * much. Nobody else may be using the working copy.
   */
  async letGoOfWritten(): Promise<void> {
    if (this.#attached && this.#values < VALUES_KEPT) return;
    // Where it could not be attached again, the next load tries.
    if (this.#attached) await this.detach();
    await this.attach();
  }

  async publication(): Promise<Publication> {
    return publicationOf(this.connection, CATALOG);
  }

  /** Notes, within the caller's transaction, that there is something to publish. */
  async markDirty(): Promise<void> {
    await this.connection.run('UPDATE ops.publication SET dirty = true');
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.connection[Symbol.dispose]();
  }
}

/**
 * The identity of a published warehouse, undefined when there is no file.
 *
 * @throws CrawlhouseError `bad_settings` when the file is no warehouse of ours, `newer_version`
 */
export async function readPublication(
  connection: Connection,
  path: string,
): Promise<Publication | undefined> {
  if (!existsSync(path)) return undefined;
  const problem = (message: string, cause?: unknown): CrawlhouseError =>
    new CrawlhouseError('bad_settings', `${path} ${message}`, {
      cause,
      hint: 'move the file away, or set `warehouse` to another path',
    });
  await removeStaleWal(path);
  try {
    await connection.run(`ATTACH ${text(path)} AS published (READ_ONLY)`);
  } catch (error) {
    throw problem('is not a DuckDB file that can be opened', error);
  }
  try {
    const publication = await publicationOf(connection, 'published').catch((error: unknown) => {
      throw problem('is not a warehouse of crawlhouse', error);
    });
    if (publication.version > WAREHOUSE_VERSION) {
      throw new CrawlhouseError(
        'newer_version',
        `${path} was made by a newer crawlhouse (warehouse version ${publication.version}, this one knows ${WAREHOUSE_VERSION})`,
        { hint: 'run that one, or set `warehouse` to another path' },
      );
    }
    return publication;
  } finally {
    await connection.run('DETACH published');
  }
}

async function publicationOf(connection: Connection, catalog: string): Promise<Publication> {
  const rows = await connection.rows(
    `SELECT id, base_id, dirty, version FROM ${ident(catalog)}.ops.publication`,
  );
  const row = rows[0];
  if (!row) throw new Error('ops.publication is empty');
  return row as unknown as Publication;
}

/** Is the working copy sound, and the published warehouse or a later state of it? */
async function belongsTo(
  connection: Connection,
  path: string,
  published: Publication | undefined,
  logger: Logger,
): Promise<boolean> {
  try {
    await connection.run(`ATTACH ${text(path)} AS candidate (${FILE_OPTIONS})`);
  } catch (error) {
    logger.warn('working copy cannot be opened, taking it anew', { error: String(error) });
    return false;
  }
  try {
    const own = await publicationOf(connection, 'candidate');
    if (!published || published.id === own.id) return true;
    // Killed before the rename: what waits to be published is still dirty. Else somebody put an older file back.
    if (published.id === own.base_id && own.dirty) return true;
    logger.warn('working copy does not belong to the published warehouse, taking it anew');
    return false;
  } catch {
    return false;
  } finally {
    await connection.run('DETACH candidate');
  }
}

async function removeDatabase(path: string): Promise<void> {
  await rm(path, { force: true });
  await rm(`${path}.wal`, { force: true });
}
