import { existsSync } from 'node:fs';
import { readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { CrawlhouseError } from '../../core/errors/errors.ts';
import { writeFileAtomic } from '../../core/files/atomic-file.ts';
import { makeFolder } from '../../core/files/make-folder.ts';
import type { Logger } from '../../core/logs/logger.ts';
import { jsonOf } from '../../core/text/json.ts';
import { didYouMean } from '../../core/text/nearest-name.ts';
import type { MirroredTable, MirrorPartition, MirrorSource } from '../../engines/mirror-sql.ts';
import type { WorkingCopy } from '../../engines/working-copy.ts';
import { type CatalogColumn, tableColumns } from '../../state/catalogue/catalog.ts';
import { findObject } from '../../stores/list-objects.ts';
import type { ObjectStore } from '../../stores/object-store.ts';
import { objectText } from '../../stores/read-object.ts';
import { openConfiguredStore, type StorePrefix, type StoreSettings } from '../../stores/registry.ts';

interface MirrorSettings extends StoreSettings {
  readonly state_dir: string;
  readonly mirror?: (StorePrefix & { readonly tables: readonly string[] }) | undefined;
}

interface MirrorPlan {
  readonly upload: readonly MirrorPartition[];
  /** Objects of partitions that are there no longer. */
  readonly remove: readonly string[];
}

export interface MirrorOptions {
  readonly store: ObjectStore;
  /** The prefix of the keys, without a slash at its end. */
  readonly prefix: string;
  /** Tables and views of `raw` and `mart`. */
  readonly tables: readonly string[];
  readonly columns: ReadonlyMap<string, readonly CatalogColumn[]>;
  readonly publication: string;
  readonly folder: string;
}

export interface MirrorReport {
  readonly partitions: number;
  readonly uploaded: number;
  readonly removed: number;
}

const MirrorManifest = z.object({
  version: z.literal(1),
  /** The publication that it is a copy of (`ops.publication.id`). */
  publication: z.string(),
  partitions: z
    .array(
      z.object({
        table: z.string(),
        key: z.array(z.tuple([z.string(), z.string().nullable()]).readonly()).readonly(),
        rows: z.number(),
        fingerprint: z.string(),
        object: z.string(),
      }),
    )
    .readonly(),
});
type MirrorManifest = z.infer<typeof MirrorManifest>;

/** Columns that a table is cut by, the first set that it has. */
const CUTS: readonly (readonly string[])[] = [
  ['_source_id', '_window'],
  ['_source_id'],
  ['crawl_id'],
  ['project_id'],
  [],
];

/**
 * Copies chosen tables to a store as partitioned Parquet (zstd), one file for each crawl or window. Only partitions
 * that changed since the last manifest are copied. Each object is replaced as a whole, and the manifest is written
 * last.
 *
 * @throws CrawlhouseError `bad_settings` for a table that is not there; what the store throws
 */
export async function mirror(
  source: MirrorSource,
  options: MirrorOptions,
  signal: AbortSignal,
): Promise<MirrorReport> {
  const { store, prefix, publication, folder } = options;
  const former = await readManifest(store, prefix, signal);
  const tables = options.tables.map((name) => mirroredTable(name, options.columns.get(name)));
  const present: MirrorPartition[] = [];
  for (const table of tables) present.push(...(await source.partitions(table, signal)));
  const plan = planMirror(present, former, prefix);
  await rm(folder, { recursive: true, force: true });
  makeFolder(folder);
  try {
    for (const [index, partition] of plan.upload.entries()) {
      signal.throwIfAborted();
      const file = join(folder, `${index}.parquet`);
      await writePartition(source, tables, partition, file, signal);
      await store.put(mirrorObject(partition, prefix), file, signal);
      await rm(file);
    }
    const partitions = present.map((one) => ({ ...one, object: mirrorObject(one, prefix) }));
    const manifest: MirrorManifest = { version: 1, publication, partitions };
    const file = join(folder, 'manifest.json');
    await writeFile(file, JSON.stringify(manifest, null, 2));
    await store.put(manifestKey(prefix), file, signal);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
  for (const key of plan.remove) {
    const object = await findObject(store, key, signal);
    if (object) await store.remove(object, signal);
  }
  return { partitions: present.length, uploaded: plan.upload.length, removed: plan.remove.length };
}

const manifestKey = (prefix: string): string => (prefix === '' ? 'manifest.json' : `${prefix}/manifest.json`);

async function readManifest(
  store: ObjectStore,
  prefix: string,
  signal: AbortSignal,
): Promise<MirrorManifest | null> {
  const object = await findObject(store, manifestKey(prefix), signal);
  if (!object) return null;
  const parsed = MirrorManifest.safeParse(jsonOf(await objectText(store, object, signal)));
  if (parsed.success) return parsed.data;
  throw new CrawlhouseError('bad_settings', `${object.url} is not a manifest of a mirror`, {
    hint: 'set another prefix under mirror, or remove that object',
  });
}

/** @throws CrawlhouseError `bad_settings` for a table that is not there */
function mirroredTable(name: string, columns: readonly CatalogColumn[] | undefined): MirroredTable {
  if (columns === undefined) throw notMirrored(name);
  const has = (wanted: string): boolean => columns.some((column) => column.name === wanted);
  return { name, columns, cut: CUTS.find((names) => names.every(has)) ?? [] };
}

/** @param known the tables that there are, for a hint */
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

/** The steps that update a mirror: upload new and changed partitions, remove the others. */
export function planMirror(
  present: readonly MirrorPartition[],
  former: MirrorManifest | null,
  prefix: string,
): MirrorPlan {
  const known = new Map(former?.partitions.map((partition) => [partition.object, partition]));
  const objects = new Set(present.map((partition) => mirrorObject(partition, prefix)));
  return {
    upload: present.filter(
      (partition) => known.get(mirrorObject(partition, prefix))?.fingerprint !== partition.fingerprint,
    ),
    remove: [...known.keys()].filter((object) => !objects.has(object)),
  };
}

/** `mirror/raw/crawl_pages/_source_id=65a1/data.parquet`, as engines that know Hive's partitions expect it. */
export function mirrorObject({ table, key }: Pick<MirrorPartition, 'table' | 'key'>, prefix: string): string {
  const folders = key.map(
    ([column, value]) =>
      `${encodeURIComponent(column)}=${value === null ? '__HIVE_DEFAULT_PARTITION__' : encodeURIComponent(value)}`,
  );
  return [...(prefix === '' ? [] : [prefix]), ...table.split('.'), ...folders, 'data.parquet'].join('/');
}

/**
 * Brings the tables under the setting `mirror` to their store, unless that was done for this publication already.
 *
 * @throws CrawlhouseError `bad_settings` for a table that is not there; what the store throws. The publication stands all the same.
 */
export async function mirrorPublished(
  settings: MirrorSettings,
  working: WorkingCopy,
  logger: Logger,
  signal: AbortSignal,
): Promise<void> {
  if (!settings.mirror) return;
  const { id, dirty } = await working.publication();
  // Unpublished data, as after a failed test, is not mirrored.
  if (id === null || dirty) return;
  const note = join(settings.state_dir, 'mirror.json');
  const done = JSON.stringify({ publication: id, ...settings.mirror });
  if (existsSync(note) && (await readFile(note, 'utf8')) === done) return;
  const startedAt = performance.now();
  const { store: kind, prefix, tables } = settings.mirror;
  await using store = await openConfiguredStore(settings, kind);
  const folder = join(settings.state_dir, 'mirror');
  const columns = await tableColumns(working.connection, ['raw', 'mart']);
  const options = { store, prefix, tables, columns, publication: id, folder };
  const report = await mirror(working.mirror, options, signal);
  await writeFileAtomic(note, done);
  const seconds = Math.round(performance.now() - startedAt) / 1000;
  logger.info('mirrored', { store: kind, prefix, ...report, seconds });
}
