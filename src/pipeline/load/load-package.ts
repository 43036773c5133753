import { join } from 'node:path';
import {
  type Connection,
  DUCKDB_VERSION,
  ident,
  parquetFiles,
  table,
  text,
} from '../../core/duckdb/duckdb.ts';
import { withLowerMemory, withOneThread } from '../../core/duckdb/lower-memory.ts';
import { CrawlhouseError } from '../../core/errors/errors.ts';
import type { WorkingCopy } from '../../engines/working-copy.ts';
import type { Manifest } from '../../project/model/manifest.ts';
import type { SchemaChangeRule } from '../../project/model/pipeline.ts';
import type { Volume } from '../../project/model/route-pace.ts';
import { type Counts, reconcile } from '../../project/model/runs/counts.ts';
import { fingerprintSql, renewFingerprints, unitFingerprints } from '../../state/catalogue/fingerprint.ts';
import {
  forgetFingerprints,
  forgetLoads,
  type NewLoad,
  recordLoads,
} from '../../state/catalogue/ops/ops-loads.ts';
import { recordRejects } from '../../state/catalogue/ops/ops-rejects.ts';
import { recordNotes, recordSchemaChanges } from '../../state/catalogue/ops/ops-schema-changes.ts';
import { recordRemovedUnits } from '../../state/catalogue/ops/ops-tombstones.ts';
import {
  fieldChanges,
  fieldRegistry,
  forgetFields,
  keepFields,
  recordFields,
  removeFields,
} from '../../state/catalogue/ops/ops-unit-fields.ts';
import {
  applyRawTable,
  planRawTable,
  type RawTablePlan,
  type ReadField,
  rawTableColumns,
} from '../../state/catalogue/raw/raw-table.ts';
import { CATALOG, RAW_META_COLUMNS, type RawMetaColumn } from '../../state/catalogue/schema.ts';
import { mergeHistory } from './merge-history.ts';
import { checkFiles, type StagedPackage } from './read-package.ts';
import { type ColumnContract, refuseDrift, refuseTypesModelsCannotRead, typeRules } from './refuse-drift.ts';

/** SQL of a column's value in all rows of a unit, by column. */
type MetaValues = Partial<Record<RawMetaColumn, string>>;

/** From so many columns on, the row groups of two threads do not fit into half of the limit (docs/decisions/warehouse.md). */
const MANY_COLUMNS = 50;

/** From so many on, they do not fit into all of it. */
const WIDE_COLUMNS = 200;

/** Rows times columns, and bytes of Parquet, below which a load takes no memory that a limit would have to hold. */
const FEW_VALUES = 100_000;
const FEW_BYTES = 4_000_000;

/** Packages that are loaded together, at most: so many small ones are below both. */
export const MOST_TOGETHER = 32;

/** Whether a package is so small that others may be loaded with it. Rejects and lists of resources are loaded alone. */
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
  /** Field → what a pipeline file says of it. */
  readonly columnContracts?: ReadonlyMap<string, ColumnContract>;
  /** The fields of the dataset that models read. */
  readonly fieldsRead?: ReadonlyMap<string, ReadField>;
  readonly volume?: Volume;
  readonly signal: AbortSignal;
}

/** A package that was accepted, and what it needs of its table. */
export interface PlannedLoad {
  readonly staged: StagedPackage;
  readonly options: LoadOptions;
  readonly manifest: Manifest;
  readonly plan: RawTablePlan;
  readonly meta: MetaValues;
  readonly registry: ReadonlyMap<string, string>;
}

/**
 * Loads a package into `raw.<dataset>` in one transaction: it deletes the unit's former rows, inserts the new ones and
 * writes `ops.loads`. New columns come before it. Empty columns do no harm, and hundreds of them within the transaction
 * cost DuckDB seconds and memory (docs/decisions/warehouse.md).
 *
 * @returns the counts, `queryable` still open
 * @throws CrawlhouseError `unreconciled` or `contract_drift`; the unit keeps its former rows
 */
export async function loadPackage(
  working: WorkingCopy,
  staged: StagedPackage,
  options: LoadOptions,
): Promise<Counts> {
  await working.releaseMemory();
  const planned = await planLoad(working, staged, options);
  await applyPlan(working, planned);
  const [counts] = await withLoadMemory(working.connection, staged.manifest, () =>
    commitLoads(working, [planned]),
  );
  if (!counts) throw new Error(`${staged.manifest.name}: its load gave no counts`);
  return counts;
}

/** Accepts a package or refuses it. */
export async function planLoad(
  { connection }: WorkingCopy,
  staged: StagedPackage,
  options: LoadOptions,
): Promise<PlannedLoad> {
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
  return { staged, options, manifest, plan, meta, registry };
}

/** Gives the table the columns that a package needs. */
export async function applyPlan(
  { connection }: WorkingCopy,
  { manifest, options, plan, meta }: PlannedLoad,
): Promise<void> {
  const { dataset } = manifest.unit;
  const isRetyped = plan.targets.some(({ merged }) => merged.existing !== null);
  if (isRetyped) await forgetFingerprints(connection, dataset);
  await applyRawTable(connection, dataset, plan, Object.keys(meta) as RawMetaColumn[]);
  if (isRetyped) await renewFingerprints(connection, dataset, options.signal);
}

/** The transaction of packages of one dataset, which write the same columns. */
export async function commitLoads(working: WorkingCopy, loads: readonly PlannedLoad[]): Promise<Counts[]> {
  const { connection } = working;
  const names = loads.map(({ manifest }) => manifest.name);
  let former: ReadonlySet<string> = new Set();
  const all = await connection.transaction(async () => {
    await recordRemovedUnits(connection, names, 'reloaded');
    former = await forgetLoads(connection, names);
    const rows = await replaceRows(working, loads, former);
    if (former.size > 0) await removeFields(connection, [...former]);
    await recordFields(connection, loads);
    const done: NewLoad[] = [];
    for (const load of loads) {
      const { manifest, staged, plan, options } = load;
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
    return done.map(({ counts }) => counts);
  });
  for (const { manifest, plan, registry } of loads) {
    if (former.has(manifest.name)) forgetFields(connection, manifest.unit.dataset);
    else keepFields(connection, manifest, plan, registry);
  }
  return all;
}

/** The plan of a package with the values that each variant column gets. */
async function withCounts(connection: Connection, { staged, plan }: PlannedLoad): Promise<RawTablePlan> {
  const variants = plan.targets.filter(({ variant }) => variant);
  const from = staged.prepared ? null : partsOf(staged);
  if (variants.length === 0 || from === null) return plan;
  const counts = variants.map(({ source }, at) => `count(${ident(source)}) AS v${at}`);
  const [row] = await connection.rows<Record<string, bigint>>(`SELECT ${counts.join(', ')} FROM ${from}`);
  const byField = new Map(variants.map(({ field }, at) => [field, Number(row?.[`v${at}`])]));
  const changes = plan.changes.map((one) =>
    one.change === 'variant' ? { ...one, value_count: byField.get(one.field) ?? 0 } : one,
  );
  return { ...plan, changes };
}

/**
 * Replaces the former rows of units; a list of resources keeps its history.
 *
 * @param former the units that may have rows
 * @returns the rows of each unit that has some
 */
async function replaceRows(
  { connection, rows }: WorkingCopy,
  loads: readonly PlannedLoad[],
  former: ReadonlySet<string>,
): Promise<ReadonlyMap<string, bigint | number>> {
  const [first] = loads;
  if (!first) return new Map();
  const { staged, plan, meta, options, manifest } = first;
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

/** Inserts the rows of several packages, each with the own columns of its unit. */
async function insertTogether(
  connection: Connection,
  loads: readonly PlannedLoad[],
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
    `INSERT INTO ${table('raw', first.manifest.unit.dataset)} (${[...values.keys()].map(ident).join(', ')})
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
 * The fingerprint of the unit's rows: the package's own where the table takes its values as they are, else computed from
 * the package, so that it covers the staged values. For a list of resources it is computed from the table, because a
 * package may have only new records. Rows in another engine have none.
 *
 * @throws CrawlhouseError `bad_package` if a file has changed since it was sealed. Where the package's own fingerprint
 *   counts, the publication finds changed rows by it, so only the files of rejects are hashed again.
 */
async function contentFingerprint(
  { connection, rows }: WorkingCopy,
  { folder, manifest, prepared }: StagedPackage,
  plan: RawTablePlan,
  signal: AbortSignal,
): Promise<string | null> {
  const { name, unit, parts, columns, fingerprint } = manifest;
  const isResource = unit.source.kind === 'resource';
  const isPlain = plan.targets.every(
    ({ column, source, merged }, index) => column === source && merged.type === columns[index]?.sql_type,
  );
  const own = isPlain && fingerprint?.duckdb === DUCKDB_VERSION ? fingerprint.sum : null;
  const sum = parts.length === 0 ? '0' : own;
  const isOwn = rows.isInCatalogue && !isResource && sum !== null;
  if (!prepared) await checkFiles(folder, isOwn ? { ...manifest, parts: [] } : manifest);
  if (isOwn) return sum;
  if (isResource) {
    const units = { dataset: unit.dataset, units: [name] };
    const found = await unitFingerprints(connection, CATALOG, units, signal);
    return found.get(name) ?? '0';
  }
  if (!rows.isInCatalogue) return null;
  const values = plan.targets.map(({ column, source, merged }) => ({
    column,
    sql: `CAST(${merged.incoming(ident(source))} AS ${merged.type})`,
  }));
  const select = `SELECT ${fingerprintSql(values)} FROM ${partsOf({ folder, manifest })}`;
  return String(await connection.scalar(select, [], signal));
}

/**
 * Runs the INSERT of a package with memory and threads that keep the process below its ceiling and DuckDB from
 * spilling. Parquet files of the service, whose row groups are larger than ours, need more (docs/decisions/warehouse.md).
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

/** SQL of the values of a unit's rows, by column, from the files of its package. */
export function unitValues({ targets }: RawTablePlan, meta: MetaValues): ReadonlyMap<string, string> {
  return new Map([
    ...Object.entries(meta),
    ...targets.map(({ column, source, merged }) => [column, merged.incoming(ident(source))] as const),
  ]);
}

/** The FROM clause of a package's rows; null if it has none. */
export function partsOf({ folder, manifest: { parts } }: StagedPackage): string | null {
  return parts.length === 0 ? null : parquetFiles(parts.map(({ file }) => join(folder, file)));
}
