import { z } from 'zod';
import { footerRows } from '../../../core/duckdb/parquet-rows.ts';
import { CrawlhouseError } from '../../../core/errors/errors.ts';
import { Semaphore } from '../../../core/queue/semaphore.ts';
import { findObject, listObjects } from '../../../core/stores/list-objects.ts';
import type { ObjectStore, StoredObject } from '../../../core/stores/object-store.ts';
import { objectRange, objectText } from '../../../core/stores/read-object.ts';
import { jsonOf } from '../../../core/text/json.ts';
import type { MirroredTable, MirrorPartition } from '../../engines/mirror-sql.ts';

/** A bucket and the prefix of its keys, without a trailing slash. */
export interface MirrorPlace {
  readonly store: ObjectStore;
  readonly prefix: string;
}

/** A difference between the objects of a mirror and the warehouse. */
export interface MirrorDifference {
  readonly object: string;
  /**
   * `missing`: not in the bucket; `outdated`: the rows have changed since; `changed`: written by another program;
   * `foreign`: no partition of the warehouse; `damaged`: an incomplete Parquet file, or another number of rows.
   */
  readonly problem: 'missing' | 'outdated' | 'changed' | 'foreign' | 'damaged';
  readonly rows?: number;
}

interface MirrorPlan {
  readonly upload: readonly MirrorPartition[];
  readonly differences: readonly MirrorDifference[];
}

export const MirroredPartition = z.object({
  table: z.string(),
  key: z.array(z.tuple([z.string(), z.string().nullable()]).readonly()).readonly(),
  rows: z.number(),
  fingerprint: z.string(),
  object: z.string(),
  /** From the store's listing after the upload. Version 1 of the manifest had neither value. */
  bytes: z.number().optional(),
  version: z.string().optional(),
});
export type MirroredPartition = z.infer<typeof MirroredPartition>;
/** A partition, and the object with its rows. */
export type PlacedPartition = MirrorPartition & { readonly object: string; readonly bytes: number };

const MirrorManifest = z.object({
  version: z.union([z.literal(1), z.literal(2)]),
  /** The publication that was copied (`ops.publication.id`). */
  publication: z.string(),
  partitions: z.array(MirroredPartition).readonly(),
  /** Iceberg tables: the version in the hint, and all objects other than the current data. */
  tables: z
    .array(
      z.object({
        table: z.string(),
        version: z.number(),
        objects: z.array(MirroredPartition.pick({ object: true, bytes: true, version: true })).readonly(),
      }),
    )
    .readonly()
    .optional(),
});
export type MirrorManifest = z.infer<typeof MirrorManifest>;

/**
 * Partition columns and their folder names. Many readers skip folders that begin with `_`, and some report a type
 * conflict for a folder named like a column of the file.
 */
const FOLDERS: ReadonlyMap<string, string> = new Map([
  ['_source_id', 'source_id'],
  ['_window', 'window'],
  ['crawl_id', 'crawl'],
  ['project_id', 'project'],
]);

/** A table is partitioned by the first set of columns that it has. */
const CUTS = [['_source_id', '_window'], ['_source_id'], ['crawl_id'], ['project_id']];

export function cutOf(columns: readonly { readonly name: string }[]): readonly string[] {
  const names = new Set(columns.map(({ name }) => name));
  return (
    CUTS.find((cut) => cut.every((column) => names.has(column) && !names.has(FOLDERS.get(column) ?? ''))) ??
    []
  );
}

/** A mirrored table in the settings. */
const TABLE = /^(?:raw|mart)\.\w+$/;
/** Maximum bytes of a manifest, or of the state of a table. A partition takes about 300. */
export const MOST_MANIFEST = 512_000_000;

const under = (prefix: string, ...folders: readonly string[]): string =>
  [...(prefix === '' ? [] : [prefix]), ...folders].join('/');

export const tableFolder = (prefix: string, table: string): string => under(prefix, ...table.split('.'));

export const manifestKey = (prefix: string): string => under(prefix, 'manifest.json');

/** Returns `mirror/raw/crawl_pages/source_id=65a1/data.parquet`, as engines with Hive partitions expect it. */
export function mirrorObject({ table, key }: Pick<MirrorPartition, 'table' | 'key'>, prefix: string): string {
  const folders = key.map(([column, value]) => {
    const named = value === null ? '__HIVE_DEFAULT_PARTITION__' : encodeURIComponent(value);
    return `${FOLDERS.get(column) ?? column}=${named}`;
  });
  return under(prefix, ...table.split('.'), ...folders, 'data.parquet');
}

/** @throws CrawlhouseError `bad_settings` for an object of another kind */
export async function readManifest(
  { store, prefix }: MirrorPlace,
  signal: AbortSignal,
): Promise<MirrorManifest | null> {
  const object = await findObject(store, manifestKey(prefix), signal);
  if (!object) return null;
  const isRead = object.size <= MOST_MANIFEST;
  const { data } = MirrorManifest.safeParse(isRead ? jsonOf(await objectText(store, object, signal)) : null);
  // Other objects in the folders of tables are removed. Other folders are not part of the mirror.
  const isOwn = [...(data?.partitions ?? []), ...(data?.tables ?? [])].every(({ table }) =>
    TABLE.test(table),
  );
  if (data !== undefined && isOwn) return data;
  throw new CrawlhouseError('bad_settings', `${object.url} is not a manifest of a mirror`, {
    hint: 'set another prefix under mirror, or remove that object',
  });
}

/** Returns the objects in the folders of these tables, by key. */
export async function listTables(
  { store, prefix }: MirrorPlace,
  tables: Iterable<string>,
  signal: AbortSignal,
): Promise<ReadonlyMap<string, StoredObject>> {
  const listed = new Map<string, StoredObject>();
  for (const table of new Set(tables))
    for (const object of await listObjects(store, `${tableFolder(prefix, table)}/`, signal))
      listed.set(object.key, object);
  return listed;
}

/**
 * The content of the bucket: the last mirror's manifest, and every object in the folders of its tables and the present
 * ones.
 */
export interface BucketListing {
  readonly manifest: MirrorManifest | null;
  readonly listed: ReadonlyMap<string, StoredObject>;
}

/** Writes an object of the layout. */
export interface LayoutCommit {
  readonly publication: string;
  /** The number of snapshots that stay readable. */
  readonly snapshots: number;
  put(key: string, content: string | Buffer): Promise<void>;
}

/** The layout of tables in a bucket. */
export interface MirrorLayout {
  /** What readers of the bucket see. */
  readonly former: MirrorManifest | null;
  /** Differences other than those of partitions. */
  readonly differences: readonly MirrorDifference[];
  /** Returns a table as in its files. */
  withFields(table: MirroredTable): MirroredTable;
  /** Returns the object with the rows of a partition, or its future object. */
  objectOf(partition: MirrorPartition): string;
  /** Returns the object to write a partition to. */
  newObject(partition: MirrorPartition): string;
  /** Shows readers these partitions, all of which are in the bucket. */
  commit(partitions: readonly PlacedPartition[], commit: LayoutCommit): Promise<void>;
  /** Returns the objects that belong to a table besides its partitions. */
  tables(): readonly {
    readonly table: string;
    readonly version: number;
    readonly objects: readonly string[];
  }[];
}

/** Returns a layout in which each partition is one object, which is replaced as a whole. */
export function parquetLayout(prefix: string, former: MirrorManifest | null): MirrorLayout {
  const objectOf = (partition: MirrorPartition): string => mirrorObject(partition, prefix);
  return {
    former,
    differences: [],
    objectOf,
    newObject: objectOf,
    withFields: (table) => table,
    commit: async () => {},
    tables: () => [],
  };
}

/**
 * Plans the changes that make a mirror match the warehouse.
 *
 * @param listed every object in the folders of its tables, also of those in the former manifest
 */
export function planMirror(
  present: readonly MirrorPartition[],
  layout: MirrorLayout,
  listed: ReadonlyMap<string, StoredObject>,
): MirrorPlan {
  const known = new Map(layout.former?.partitions.map((partition) => [partition.object, partition]));
  const expected = new Map(present.map((partition) => [layout.objectOf(partition), partition]));
  const others = new Set(layout.tables().flatMap(({ objects }) => objects));
  const upload: MirrorPartition[] = [];
  const differences: MirrorDifference[] = [];
  for (const [object, partition] of expected) {
    const problem = problemOf(partition, known.get(object), listed.get(object));
    if (problem === null) continue;
    upload.push(partition);
    differences.push({ object, problem, rows: partition.rows });
  }
  differences.push(...layout.differences);
  for (const object of listed.keys())
    if (!expected.has(object) && !others.has(object)) differences.push({ object, problem: 'foreign' });
  return { upload, differences };
}

function problemOf(
  partition: MirrorPartition,
  known: MirroredPartition | undefined,
  listed: StoredObject | undefined,
): MirrorDifference['problem'] | null {
  if (listed === undefined) return 'missing';
  if (known === undefined || isChanged(known, listed)) return 'changed';
  return known.fingerprint === partition.fingerprint ? null : 'outdated';
}

function isChanged(
  { bytes, version }: Pick<MirroredPartition, 'bytes' | 'version'>,
  listed: StoredObject,
): boolean {
  return listed.size !== bytes || listed.version !== version;
}

const READ_AT_ONCE = 16;

/**
 * Returns the objects that differ from the manifest. Compares only the bucket listing and the row counts.
 *
 * @param rowsOf counts the rows of an object; null if it is not a complete Parquet file
 */
export async function examineObjects(
  manifest: MirrorManifest,
  listed: ReadonlyMap<string, StoredObject>,
  rowsOf: (object: StoredObject) => Promise<number | null>,
): Promise<MirrorDifference[]> {
  const places = new Semaphore(READ_AT_ONCE);
  const others = (manifest.tables ?? []).flatMap(({ objects }) => objects);
  const differing = others.flatMap((known): MirrorDifference[] => {
    const found = listed.get(known.object);
    if (found && !isChanged(known, found)) return [];
    return [{ object: known.object, problem: found ? 'changed' : 'missing' }];
  });
  const examined = await Promise.all(
    manifest.partitions.map(async (known): Promise<MirrorDifference | null> => {
      const { object, rows } = known;
      const found = listed.get(object);
      if (found === undefined) return { object, problem: 'missing', rows };
      if (isChanged(known, found)) return { object, problem: 'changed', rows };
      return (await places.run(() => rowsOf(found))) === rows ? null : { object, problem: 'damaged', rows };
    }),
  );
  return [...differing, ...examined.filter((difference) => difference !== null)];
}

/** Counts rows by the footer, without reading them. */
export async function rowsInFooter(
  store: ObjectStore,
  object: StoredObject,
  signal: AbortSignal,
): Promise<number | null> {
  try {
    return await footerRows(object.size, object.url, (from, to) =>
      objectRange(store, object, { range: { from, to } }, signal),
    );
  } catch (thrown) {
    if (thrown instanceof CrawlhouseError && thrown.code === 'cut_short') return null;
    throw thrown;
  }
}

/** Compares the objects of a mirror with its manifest alone; null before the first copy. */
export async function examineMirror(
  place: MirrorPlace,
  signal: AbortSignal,
): Promise<{ objects: number; rows: number; differences: readonly MirrorDifference[] } | null> {
  const manifest = await readManifest(place, signal);
  if (manifest === null) return null;
  const tables = manifest.partitions.map(({ table }) => table);
  const listed = await listTables(place, tables, signal);
  const rowsOf = (object: StoredObject) => rowsInFooter(place.store, object, signal);
  return {
    objects: manifest.partitions.length,
    rows: manifest.partitions.reduce((sum, { rows }) => sum + rows, 0),
    differences: await examineObjects(manifest, listed, rowsOf),
  };
}
