import { join } from 'node:path';
import { z } from 'zod';
import {
  type Connection,
  DUCKDB_VERSION,
  ident,
  parquetFiles,
  table,
  text,
} from '../../../core/duckdb/duckdb.ts';
import { withLowerMemory, withOneThread } from '../../../core/duckdb/lower-memory.ts';
import { CrawlhouseError } from '../../../core/errors/errors.ts';
import { typedRows } from '../../../core/text/typed-rows.ts';
import type { WorkingCopy } from '../../engines/working-copy.ts';
import type { Manifest } from '../../project/model/manifest.ts';
import type { SchemaChangeRule } from '../../project/model/pipeline.ts';
import type { Volume } from '../../project/model/route-pace.ts';
import { type Counts, reconcile } from '../../project/model/runs/six-counts.ts';
import type { ReadField } from '../../project/sql/models/model.ts';
import { fingerprintSql, renewFingerprints, unitFingerprints } from '../../state/catalog/fingerprint.ts';
import { forgetFingerprints, forgetLoads, recordLoads } from '../../state/catalog/ops/ops-loads.ts';
import { recordRejects } from '../../state/catalog/ops/ops-rejects.ts';
import { recordNotes, recordSchemaChanges } from '../../state/catalog/ops/ops-schema-changes.ts';
import { recordRemovedUnits } from '../../state/catalog/ops/ops-tombstones.ts';
import {
  fieldChanges,
  fieldRegistry,
  forgetFields,
  keepFields,
  recordFields,
  removeFields,
} from '../../state/catalog/ops/ops-unit-fields.ts';
import {
  applyRawTable,
  planRawTable,
  type RawTablePlan,
  rawTableColumns,
} from '../../state/catalog/raw/raw-table.ts';
import { CATALOG, RAW_META_COLUMNS, type RawMetaColumn } from '../../state/catalog/schema.ts';
import { mergeHistory } from './merge-history.ts';
import { checkFiles, type Package } from './read-package.ts';
import { type ColumnContract, refuseDrift, refuseTypesModelsCannotRead, typeRules } from './refuse-drift.ts';

const VariantCounts = z.record(z.string(), z.bigint());

/** SQL of the constant values of a unit's rows, by column. */
type MetaValues = Partial<Record<RawMetaColumn, string>>;

/**
 * With this many columns, the row groups of two threads exceed half of the limit (docs/decisions/warehouse.md).
 */
const MANY_COLUMNS = 50;

/** From this number of columns on, the row groups of two threads exceed the whole limit. */
const WIDE_COLUMNS = 200;

/** Values (rows times columns) and bytes of Parquet below which a load needs no extra memory. */
const FEW_VALUES = 100_000;
const FEW_BYTES = 4_000_000;

/** Maximum packages of one load. This many small packages stay below both limits. */
export const MOST_TOGETHER = 32;

/**
 * Returns whether a package is so small that others may be loaded with it. Packages with rejects and lists of resources
 * are loaded alone.
 */
export function isSmall({ unit, columns, counts, parts, rejects }: Manifest): boolean {
  const bytes = parts.reduce((sum, part) => sum + part.bytes, 0);
  return (
    unit.source.kind !== 'resource' &&
    rejects.length === 0 &&
    counts.staged * columns.length < FEW_VALUES / MOST_TOGETHER &&
    bytes < FEW_BYTES / MOST_TOGETHER
  );
}

export interface LoadOptions {
  readonly runId: string;
  readonly schemaChange: SchemaChangeRule;
  /** Field → its rules in the pipeline file. */
  readonly columnContracts?: ReadonlyMap<string, ColumnContract>;
  /** The fields of the dataset that models read. */
  readonly fieldsRead?: ReadonlyMap<string, ReadField>;
  readonly volume?: Volume;
  readonly signal: AbortSignal;
}

/** A package to load, and the changes of the table that it needs. */
export interface Load {
  readonly staged: Package;
  readonly options: LoadOptions;
  readonly plan: RawTablePlan;
  readonly meta: MetaValues;
  readonly registry: ReadonlyMap<string, string>;
}

/**
 * Loads a package into `raw.<dataset>` in one transaction that deletes the unit's previous rows, inserts the new ones
 * and writes `ops.loads`. New columns are added before the transaction. Empty columns are harmless, but adding hundreds
 * of columns within the transaction would cost seconds and memory (docs/decisions/warehouse.md).
 *
 * @returns the counts, without `queryable`
 * @throws CrawlhouseError `unreconciled` or `contract_drift`; the unit keeps its previous rows
 */
export async function loadPackage(
  working: WorkingCopy,
  staged: Package,
  options: LoadOptions,
): Promise<Counts> {
  await working.releaseMemory();
  const load = await planLoad(working, staged, options);
  await applyPlan(working, load);
  const [counts] = await withLoadMemory(working.connection, staged.manifest, () =>
    commitLoads(working, [load]),
  );
  if (!counts) throw new Error(`${staged.manifest.name}: its load returned no counts`);
  return counts;
}

/** Accepts a package or refuses it. */
export async function planLoad(
  { connection }: WorkingCopy,
  staged: Package,
  options: LoadOptions,
): Promise<Load> {
  const { manifest } = staged;
  const dataset = manifest.unit.dataset;
  const tableColumns = await rawTableColumns(connection, dataset);
  const registry = await fieldRegistry(connection, dataset);
  const { schemaChange, columnContracts = new Map(), fieldsRead: reads = new Map() } = options;
  const contracts = { dataset: schemaChange, columns: columnContracts };
  const rule = typeRules(contracts, reads, manifest.unit.source.kind);
  refuseTypesModelsCannotRead(manifest, reads, rule);
  const planned = planRawTable(dataset, manifest.columns, { tableColumns, registry, rule, reads });
  const plan = { ...planned, changes: [...planned.changes, ...(await fieldChanges(connection, manifest))] };
  refuseDrift(manifest, plan, registry, contracts);
  const loadedAt = staged.prepared?.load.loaded_at ?? new Date().toISOString();
  const meta = metaValues(manifest, options.runId, loadedAt);
  return { staged, options, plan, meta, registry };
}

/** Adds the columns that a package needs to the table. */
export async function applyPlan(
  { connection }: WorkingCopy,
  { staged, options, plan, meta }: Load,
): Promise<void> {
  const { dataset } = staged.manifest.unit;
  const isRetyped = plan.targets.some(({ merged }) => merged.existing !== null);
  if (isRetyped) await forgetFingerprints(connection, dataset);
  await applyRawTable(connection, dataset, plan, Object.keys(meta) as RawMetaColumn[]);
  if (isRetyped) await renewFingerprints(connection, dataset, options.signal);
}

/** Commits packages of one dataset with the same columns, in one transaction. */
export async function commitLoads(working: WorkingCopy, loads: readonly Load[]): Promise<Counts[]> {
  const { connection } = working;
  const names = loads.map(({ staged }) => staged.manifest.name);
  await using transaction = await connection.begin();
  await recordRemovedUnits(connection, names, 'reloaded');
  const former = await forgetLoads(connection, names);
  const rows = await replaceRows(working, loads, former);
  if (former.size > 0) await removeFields(connection, [...former]);
  await recordFields(connection, loads);
  const done: Parameters<typeof recordLoads>[1] = [];
  for (const load of loads) {
    const { staged, plan, options } = load;
    const { manifest } = staged;
    const loaded = Number(rows.get(manifest.name) ?? 0);
    const counts: Counts = { ...manifest.counts, loaded, queryable: null };
    const difference = reconcile(counts);
    if (difference) {
      throw new CrawlhouseError(
        'unreconciled',
        `${manifest.name}: ${difference.leftCount} rows ${difference.left}, but ${difference.rightCount} ${difference.right}`,
      );
    }
    await recordSchemaChanges(connection, manifest, await withCounts(connection, load), options.runId);
    const fingerprint = await contentFingerprint(working, staged, plan, options.signal);
    done.push({ manifest, counts, runId: options.runId, fingerprint, volume: options.volume });
    await recordNotes(connection, manifest, options.runId);
    await recordRejects(connection, staged, options.runId);
    working.noteLoaded(loaded * plan.targets.length);
  }
  await recordLoads(connection, done);
  await working.markDirty();
  await transaction.commit();
  for (const { staged, plan, registry } of loads) {
    const { manifest } = staged;
    if (former.has(manifest.name)) forgetFields(connection, manifest.unit.dataset);
    else keepFields(connection, manifest, plan, registry);
  }
  return done.map(({ counts }) => counts);
}

/** Returns the plan of a package with the number of values of each variant column. */
async function withCounts(connection: Connection, { staged, plan }: Load): Promise<RawTablePlan> {
  const variants = plan.targets.filter(({ variant }) => variant);
  const from = staged.prepared ? null : partsOf(staged);
  if (variants.length === 0 || from === null) return plan;
  const counts = variants.map((target, at) => `count(${ident(target.from)}) AS v${at}`);
  const [row] = typedRows(VariantCounts, await connection.rows(`SELECT ${counts.join(', ')} FROM ${from}`));
  const byField = new Map(variants.map(({ field }, at) => [field, Number(row?.[`v${at}`])]));
  const changes = plan.changes.map((change) =>
    change.change === 'variant' ? { ...change, value_count: byField.get(change.field) ?? 0 } : change,
  );
  return { ...plan, changes };
}

/**
 * Replaces the previous rows of units. A list of resources keeps its history.
 *
 * @param former the units that may have rows
 * @returns the number of rows of each unit with rows
 */
async function replaceRows(
  { connection, rows }: WorkingCopy,
  loads: readonly Load[],
  former: ReadonlySet<string>,
): Promise<ReadonlyMap<string, bigint | number>> {
  const [first] = loads;
  if (!first) return new Map();
  const { staged, plan, meta, options } = first;
  const { manifest } = staged;
  const { dataset, source } = manifest.unit;
  const relation = `raw.${dataset}`;
  if (loads.length > 1) {
    if (former.size > 0) await rows.removeUnits(relation, [...former], options.signal);
    return insertTogether(connection, loads);
  }
  if (source.kind === 'resource')
    return new Map([[manifest.name, await mergeHistory(connection, staged, plan, meta, options.signal)]]);
  const unit = {
    relation,
    unit: manifest.name,
    prepared: staged.prepared,
    isNew: !former.has(manifest.name),
  };
  const [values, from] = [unitValues(plan, meta), partsOf(staged)];
  return new Map([[manifest.name, await rows.replaceUnit({ ...unit, values, from }, options.signal)]]);
}

/** Inserts the rows of several packages, each with the columns of its unit. */
async function insertTogether(
  connection: Connection,
  loads: readonly Load[],
): Promise<ReadonlyMap<string, number>> {
  const [first] = loads;
  const files = loads.flatMap(({ staged: { folder, manifest }, meta }) =>
    manifest.parts.map(({ file }) => ({ path: join(folder, file), meta })),
  );
  if (!first || files.length === 0) return new Map();
  const own = Object.keys(first.meta) as RawMetaColumn[];
  const rows = files.map(
    ({ path, meta }) => `(${[text(path), ...own.map((column) => meta[column])].join(', ')})`,
  );
  const values = unitValues(
    first.plan,
    Object.fromEntries(own.map((column) => [column, `own.${ident(column)}`])),
  );
  const inserted = await connection.column<string>(
    `INSERT INTO ${table('raw', first.staged.manifest.unit.dataset)} (${[...values.keys()].map(ident).join(', ')})
     SELECT ${[...values.values()].join(', ')}
     FROM (VALUES ${rows.join(', ')}) AS own (${['_part', ...own].map(ident).join(', ')})
     JOIN ${parquetFiles(
       files.map(({ path }) => path),
       { fileNames: '_file' },
     )} AS parts ON parts._file = own._part
     RETURNING _unit`,
    [],
    first.options.signal,
  );
  const counts = new Map<string, number>();
  for (const unit of inserted) counts.set(unit, (counts.get(unit) ?? 0) + 1);
  return counts;
}

/**
 * Returns the fingerprint of the unit's rows: that of the package if the table stores its values unchanged, else one
 * computed from the package, so that it covers the staged values. For a list of resources it is computed from the
 * table, because a package may contain only new records. Rows in another engine have no fingerprint.
 *
 * @throws CrawlhouseError `bad_package` if a file has changed since it was sealed. Where the package's own fingerprint
 *   counts, the publication detects changed rows, so only the files of rejects are hashed again.
 */
async function contentFingerprint(
  { connection, rows }: WorkingCopy,
  { folder, manifest, prepared }: Package,
  plan: RawTablePlan,
  signal: AbortSignal,
): Promise<string | null> {
  const { name, unit, parts, columns, fingerprint } = manifest;
  const isResource = unit.source.kind === 'resource';
  const isPlain = plan.targets.every(
    ({ column, from, merged }, index) => column === from && merged.type === columns[index]?.sql_type,
  );
  const own = isPlain && fingerprint?.duckdb === DUCKDB_VERSION ? fingerprint.sum : null;
  const sum = parts.length === 0 ? '0' : own;
  const isOwn = rows.isInCatalog && !isResource && sum !== null;
  if (!prepared) await checkFiles(folder, isOwn ? { ...manifest, parts: [] } : manifest);
  if (isOwn) return sum;
  if (isResource) {
    const units = { dataset: unit.dataset, units: [name] };
    const fingerprints = await unitFingerprints(connection, CATALOG, units, signal);
    return fingerprints.get(name) ?? '0';
  }
  if (!rows.isInCatalog) return null;
  const values = plan.targets.map(({ column, from, merged }) => ({
    column,
    sql: `CAST(${merged.incoming(ident(from))} AS ${merged.type})`,
  }));
  const select = `SELECT ${fingerprintSql(values)} FROM ${partsOf({ folder, manifest })}`;
  return String(await connection.scalar(select, [], signal));
}

/**
 * Runs the INSERT of a package with memory and threads that keep the process below its ceiling and DuckDB from
 * spilling. Parquet files of the service have larger row groups and need more (docs/decisions/warehouse.md).
 */
export async function withLoadMemory<T>(
  connection: Connection,
  { columns, source, counts, parts }: Pick<Manifest, 'columns' | 'source' | 'counts' | 'parts'>,
  load: () => Promise<T>,
): Promise<T> {
  const bytes = parts.reduce((sum, part) => sum + part.bytes, 0);
  if (counts.staged * columns.length < FEW_VALUES && bytes < FEW_BYTES) return load();
  const isWide = columns.length > WIDE_COLUMNS;
  const isForeign = source.format === 'parquet';
  const onOneThread = isWide || (isForeign && columns.length > MANY_COLUMNS);
  const share = isWide ? 0.6 : columns.length > MANY_COLUMNS && !onOneThread ? 0.75 : 0.5;
  const loadWithin = (): Promise<T> => withLowerMemory(connection, share, load);
  return onOneThread ? withOneThread(connection, loadWithin) : loadWithin();
}

/** @param loadedAt ISO 8601 */
export function metaValues(manifest: Manifest, runId: string, loadedAt: string): MetaValues {
  const { source, window } = manifest.unit;
  const at = `CAST(${text(loadedAt)} AS ${RAW_META_COLUMNS._loaded_at})`;
  return {
    _unit: text(manifest.name),
    _source_id: text(source.id),
    ...(source.kind === 'crawl' ? { _crawl_id: text(source.id) } : {}),
    _project_id: source.project_id === null ? 'NULL' : text(source.project_id),
    ...(window ? { _window: text(window.from) } : {}),
    _run_id: text(runId),
    _loaded_at: at,
    ...(source.kind === 'resource'
      ? { _seen_from: at, _seen_to: `CAST(NULL AS ${RAW_META_COLUMNS._seen_to})` }
      : {}),
  };
}

/** Returns SQL of the values of a unit's rows, by column, from the files of its package. */
export function unitValues({ targets }: RawTablePlan, meta: MetaValues): ReadonlyMap<string, string> {
  return new Map([
    ...Object.entries(meta),
    ...targets.map(({ column, from, merged }) => [column, merged.incoming(ident(from))] as const),
  ]);
}

/** Returns the FROM clause of a package's rows; null if it has none. */
export function partsOf({ folder, manifest: { parts } }: Package): string | null {
  return parts.length === 0 ? null : parquetFiles(parts.map(({ file }) => join(folder, file)));
}
