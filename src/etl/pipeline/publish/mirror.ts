import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { readFile, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { type Connection, text } from '../../../core/duckdb/duckdb.ts';
import { type CatalogColumn, tableColumns } from '../../../core/duckdb/table-columns.ts';
import { CrawlhouseError } from '../../../core/errors/errors.ts';
import { writeFileAtomic } from '../../../core/files/atomic-file.ts';
import { makeFolder } from '../../../core/files/make-folder.ts';
import type { Logger } from '../../../core/logs/logger.ts';
import type { StoredObject } from '../../../core/stores/object-store.ts';
import { objectBytes } from '../../../core/stores/read-object.ts';
import { openConfiguredStore, type StorePrefix, type StoreSettings } from '../../../core/stores/registry.ts';
import { didYouMean } from '../../../core/text/nearest-name.ts';
import { typedRows } from '../../../core/text/typed-rows.ts';
import type { MirroredTable, MirrorPartition, MirrorSource } from '../../engines/mirror-sql.ts';
import type { WorkingCopy } from '../../engines/working-copy.ts';
import {
  type BucketListing,
  cutOf,
  examineObjects,
  listTables,
  type MirrorDifference,
  type MirrorLayout,
  type MirrorManifest,
  type MirrorPlace,
  manifestKey,
  type PlacedPartition,
  parquetLayout,
  planMirror,
  readManifest,
  rowsInFooter,
} from './mirror-objects.ts';

const RowCount = z.strictObject({ n: z.bigint() });

export interface MirrorSettings extends StoreSettings {
  readonly state_dir: string;
  readonly mirror?: (StorePrefix & MirrorFormat & { readonly tables: readonly string[] }) | undefined;
}

interface MirrorFormat {
  readonly format: 'parquet' | 'iceberg';
  /** Number of snapshots of an Iceberg table that stay readable. */
  readonly snapshots: number;
}

export interface MirrorOptions extends MirrorPlace, MirrorFormat {
  /** Tables and views of `raw` and `mart`. */
  readonly tables: readonly string[];
  readonly columns: ReadonlyMap<string, readonly CatalogColumn[]>;
  readonly publication: string;
  readonly folder: string;
  /** Whether to copy existing objects too, and to compare whole objects. */
  readonly full?: boolean;
}

export interface MirrorReport {
  readonly partitions: number;
  readonly rows: number;
  readonly uploaded: number;
  readonly removed: number;
}

export interface MirrorComparison {
  readonly partitions: number;
  readonly rows: number;
  readonly differences: readonly MirrorDifference[];
}

/**
 * Copies chosen tables to a store as partitioned Parquet (zstd), one file for each crawl or window. Copies only
 * partitions that are missing in the listing, were written by another program, or changed since the last manifest.
 * Removes everything else in the folders of the tables. Replaces each object as a whole, and writes the manifest last.
 *
 * @throws CrawlhouseError `bad_settings` for an unknown table; the store's errors
 */
export async function mirror(
  source: MirrorSource,
  options: MirrorOptions,
  signal: AbortSignal,
): Promise<MirrorReport> {
  const { store, prefix, publication, folder, snapshots } = options;
  const { tables, names, present, layout, listed, plan } = await compared(source, options, signal);
  const upload = new Set(options.full ? present : plan.upload);
  await rm(folder, { recursive: true, force: true });
  makeFolder(folder);
  let removed = 0;
  try {
    const put = async (key: string, content: string | Buffer): Promise<void> => {
      const file = join(folder, 'object');
      await writeFile(file, content);
      await store.put(key, file, signal);
    };
    const placed: PlacedPartition[] = [];
    for (const [index, partition] of present.entries()) {
      signal.throwIfAborted();
      const object = upload.has(partition) ? layout.newObject(partition) : layout.objectOf(partition);
      if (!upload.has(partition)) {
        placed.push({ ...partition, object, bytes: listed.get(object)?.size ?? 0 });
        continue;
      }
      const file = join(folder, `${index}.parquet`);
      await writePartition(source, tables, partition, file, signal);
      placed.push({ ...partition, object, bytes: (await stat(file)).size });
      await store.put(object, file, signal);
      await rm(file);
    }
    await layout.commit(placed, { publication, snapshots, put });
    const left = new Map(await listTables(options, names, signal));
    const noted = <T extends { readonly object: string }>(of: T) => {
      const { size: bytes, version } = left.get(of.object) ?? {};
      left.delete(of.object);
      return { ...of, bytes, version };
    };
    const partitions = placed.map(noted);
    const others = layout
      .tables()
      .map(({ objects, ...table }) => ({ ...table, objects: objects.map((object) => noted({ object })) }));
    const manifest: MirrorManifest = {
      version: 2,
      publication,
      partitions,
      ...(others.length > 0 ? { tables: others } : {}),
    };
    await put(manifestKey(prefix), JSON.stringify(manifest, null, 2));
    for (const object of left.values()) await store.remove(object, signal);
    removed = left.size;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
  return { ...sumOf(present), uploaded: upload.size, removed };
}

/**
 * Returns what `mirror` would change, and objects that differ from the manifest. Writes nothing. Counts rows by the
 * footers; with `full`, downloads every object and decodes all values.
 */
export async function compareMirror(
  { mirror: source, connection }: Pick<WorkingCopy, 'mirror' | 'connection'>,
  options: MirrorOptions,
  signal: AbortSignal,
): Promise<MirrorComparison> {
  const { present, plan, layout, listed } = await compared(source, options, signal);
  const named = new Set(plan.differences.map(({ object }) => object));
  const rowsOf = (object: StoredObject): Promise<number | null> =>
    options.full
      ? rowsInObject(connection, options, object, signal)
      : rowsInFooter(options.store, object, signal);
  const examined = layout.former === null ? [] : await examineObjects(layout.former, listed, rowsOf);
  return {
    ...sumOf(present),
    differences: [...plan.differences, ...examined.filter(({ object }) => !named.has(object))],
  };
}

/** Counts the rows that DuckDB decodes from the whole object; null if it cannot. */
async function rowsInObject(
  connection: Connection,
  { store, folder }: MirrorOptions,
  object: StoredObject,
  signal: AbortSignal,
): Promise<number | null> {
  makeFolder(folder);
  const file = join(folder, `${randomUUID()}.parquet`);
  try {
    await writeFile(file, objectBytes(store, object, {}, signal), { signal });
    const [row] = typedRows(
      RowCount,
      await connection.rows(
        `SELECT count(hash(t)) AS n FROM read_parquet(${text(file)}, hive_partitioning = false) AS t`,
        [],
        signal,
      ),
    );
    return Number(row?.n);
  } catch (error) {
    signal.throwIfAborted();
    if (error instanceof CrawlhouseError && error.code !== 'object_corrupt') throw error;
    return null;
  } finally {
    await rm(file, { force: true });
  }
}

async function compared(source: MirrorSource, options: MirrorOptions, signal: AbortSignal) {
  const manifest = await readManifest(options, signal);
  const tables: MirroredTable[] = [];
  const present: MirrorPartition[] = [];
  for (const name of options.tables) {
    const { table, partitions } = await partitionsOf(source, name, options.columns.get(name), signal);
    tables.push(table);
    present.push(...partitions);
  }
  const names = new Set([...options.tables, ...(manifest?.partitions.map(({ table }) => table) ?? [])]);
  const listed = await listTables(options, names, signal);
  const layout = await layoutOf(options, tables, { manifest, listed }, signal);
  const plan = planMirror(present, layout, listed);
  return { tables: tables.map((table) => layout.withFields(table)), names, present, layout, listed, plan };
}

async function layoutOf(
  options: MirrorOptions,
  tables: readonly MirroredTable[],
  bucket: BucketListing,
  signal: AbortSignal,
): Promise<MirrorLayout> {
  if (options.format === 'parquet') return parquetLayout(options.prefix, bucket.manifest);
  const { icebergLayout } = await import('./iceberg/iceberg-layout.ts');
  return await icebergLayout(options, tables, bucket, signal);
}

/**
 * Partitions a table if this is useful. A model with hardly more rows than crawls becomes one file, and so does a table
 * without rows.
 *
 * @throws CrawlhouseError `bad_settings` for an unknown table
 */
async function partitionsOf(
  source: MirrorSource,
  name: string,
  columns: readonly CatalogColumn[] | undefined,
  signal: AbortSignal,
): Promise<{ readonly table: MirroredTable; readonly partitions: readonly MirrorPartition[] }> {
  if (columns === undefined) throw notMirrored(name);
  const cut: MirroredTable = { name, columns, cut: cutOf(columns) };
  const partitions = await source.partitions(cut, signal);
  const isCut =
    name.startsWith('raw.') || partitions.length === 1 || sumOf(partitions).rows >= 2 * partitions.length;
  if (isCut && partitions.length > 0) return { table: cut, partitions };
  const whole: MirroredTable = { name, columns, cut: [] };
  return { table: whole, partitions: await source.partitions(whole, signal) };
}

function sumOf(partitions: readonly MirrorPartition[]): { partitions: number; rows: number } {
  return { partitions: partitions.length, rows: partitions.reduce((sum, { rows }) => sum + rows, 0) };
}

/** @param known the existing tables, for a hint */
export function notMirrored(name: string, known: readonly string[] = []): CrawlhouseError {
  return new CrawlhouseError('bad_settings', `mirror.tables: there is no ${name} in the warehouse`, {
    hint: `${didYouMean(name, known)}crawlhouse query 'SHOW ALL TABLES' lists the tables`,
  });
}

async function writePartition(
  source: MirrorSource,
  tables: readonly MirroredTable[],
  partition: MirrorPartition,
  file: string,
  signal: AbortSignal,
): Promise<void> {
  const table = tables.find(({ name }) => name === partition.table);
  if (table === undefined) throw new Error(`${partition.table} is not mirrored`);
  const written = await source.write(table, partition, file, signal);
  if (Number(written) === partition.rows) return;
  throw new CrawlhouseError(
    'unreconciled',
    `mirror of ${table.name}: ${partition.rows} rows, but ${written} written`,
    { hint: 'the mirror keeps its former objects; the next run tries again' },
  );
}

/**
 * Copies the tables in the `mirror` setting to their store, unless they were already copied for this publication.
 *
 * @throws CrawlhouseError `bad_settings` for an unknown table; the store's errors. The publication stays valid.
 */
export async function mirrorPublished(
  settings: MirrorSettings,
  working: WorkingCopy,
  logger: Logger,
  signal: AbortSignal,
): Promise<void> {
  if (!settings.mirror) return;
  const { id, dirty } = await working.publication();
  // Unpublished data, such as after a failed test, is not mirrored.
  if (id === null || dirty) return;
  const note = join(settings.state_dir, 'mirror.json');
  const done = JSON.stringify({ publication: id, ...settings.mirror });
  if (existsSync(note) && (await readFile(note, 'utf8')) === done) return;
  const startedAt = performance.now();
  const { store, prefix } = settings.mirror;
  const report = await withMirror(settings, working, id, (options) =>
    mirror(working.mirror, options, signal),
  );
  await writeFileAtomic(note, done);
  const seconds = Math.round(performance.now() - startedAt) / 1000;
  logger.info('mirrored', { store, prefix, ...report, seconds });
}

/** @param publication the published identity of the working copy */
export async function withMirror<T>(
  settings: MirrorSettings,
  working: WorkingCopy,
  publication: string,
  use: (options: MirrorOptions) => Promise<T>,
): Promise<T> {
  if (!settings.mirror) throw new Error('no mirror is set');
  const { store: kind, prefix, tables, format, snapshots } = settings.mirror;
  await using store = await openConfiguredStore(settings, kind);
  const columns = await tableColumns(working.connection, ['raw', 'mart']);
  const folder = join(settings.state_dir, 'mirror');
  return await use({ store, prefix, tables, format, snapshots, columns, publication, folder });
}
