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
import type { Pipeline } from '../../project/model/pipeline.ts';
import type { Volume } from '../../project/model/route-pace.ts';
import { type Counts, reconcile } from '../../project/model/runs/counts.ts';
import { fingerprintSql, renewFingerprints, unitFingerprints } from '../../state/catalogue/fingerprint.ts';
import { forgetFingerprints, forgetLoad, recordLoad } from '../../state/catalogue/ops/ops-loads.ts';
import { recordRejects } from '../../state/catalogue/ops/ops-rejects.ts';
import { recordNotes, recordSchemaChanges } from '../../state/catalogue/ops/ops-schema-changes.ts';
import {
  fieldChanges,
  fieldRegistry,
  forgetFields,
  keepFields,
  recordFields,
} from '../../state/catalogue/ops/ops-unit-fields.ts';
import { mergeType } from '../../state/catalogue/raw/merge-type.ts';
import {
  applyRawTable,
  planRawTable,
  type RawTablePlan,
  type ReadField,
  rawTableColumns,
} from '../../state/catalogue/raw/raw-table.ts';
import { CATALOG, RAW_META_COLUMNS, type RawMetaColumn } from '../../state/catalogue/schema.ts';
import { checkFiles, type StagedPackage } from './read-package.ts';
import { type ColumnContract, refuseDrift } from './refuse-drift.ts';

/** SQL of a column's value in all rows of a unit, by column. */
type MetaValues = Partial<Record<RawMetaColumn, string>>;

/** From so many columns on, the row groups of two threads do not fit into half of the limit (docs/decisions/warehouse.md). */
const MANY_COLUMNS = 50;

/** From so many on, they do not fit into all of it. */
const WIDE_COLUMNS = 200;

/** Rows times columns, and bytes of Parquet, below which a load takes no memory that a limit would have to hold. */
const FEW_VALUES = 100_000;
const FEW_BYTES = 4_000_000;

export interface LoadOptions {
  readonly runId: string;
  readonly schemaChange: 'evolve' | 'freeze';
  /** Field → what a pipeline file says of it. */
  readonly columnContracts?: ReadonlyMap<string, ColumnContract>;
  /** The fields of the dataset that models read. */
  readonly fieldsRead?: ReadonlyMap<string, ReadField>;
  readonly volume?: Volume;
  readonly signal: AbortSignal;
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
  const { connection } = working;
  const { manifest } = staged;
  const dataset = manifest.unit.dataset;
  const tableColumns = await rawTableColumns(connection, dataset);
  const registry = await fieldRegistry(connection, dataset);
  const contracts = options.columnContracts ?? new Map<string, ColumnContract>();
  const retype = (field: string): boolean => contracts.get(field)?.retype === 'allow';
  refuseTypesModelsCannotRead(manifest, options.fieldsRead ?? new Map(), retype);
  const planned = planRawTable(dataset, manifest.columns, {
    tableColumns,
    registry,
    retype,
    reads: options.fieldsRead,
  });
  const plan = { ...planned, changes: [...planned.changes, ...(await fieldChanges(connection, manifest))] };
  refuseDrift(manifest, plan, registry, { dataset: options.schemaChange, columns: contracts });
  const loadedAt = staged.prepared?.load.loaded_at ?? new Date().toISOString();
  const meta = metaValues(manifest, options.runId, loadedAt);
  const isRetyped = plan.targets.some(({ merged }) => merged.existing !== null);
  if (isRetyped) await forgetFingerprints(connection, dataset);
  await applyRawTable(connection, dataset, plan, Object.keys(meta) as RawMetaColumn[]);
  if (isRetyped) await renewFingerprints(connection, dataset, options.signal);
  let isNew = false;
  const load = (): Promise<Counts> =>
    connection.transaction(async () => {
      isNew = !(await forgetLoad(connection, manifest.name));
      const loaded = await replaceRows(working, { ...staged, isNew }, plan, meta, options.signal);
      const counts: Counts = { ...manifest.counts, loaded, queryable: null };
      const difference = reconcile(counts);
      if (difference) {
        throw new CrawlhouseError(
          'unreconciled',
          `${manifest.name}: ${difference.leftCount} rows ${difference.left}, but ${difference.rightCount} ${difference.right}`,
        );
      }
      await recordFields(connection, manifest, plan, isNew);
      await recordSchemaChanges(connection, manifest, plan, options.runId);
      const fingerprint = await contentFingerprint(working, staged, plan, options.signal);
      await recordLoad(connection, manifest, counts, { ...options, fingerprint });
      await recordNotes(connection, manifest, options.runId);
      await recordRejects(connection, staged, options.runId);
      await working.markDirty();
      working.noteLoaded(loaded * plan.targets.length);
      return counts;
    });
  const counts = await withLoadMemory(connection, manifest, load);
  if (isNew) keepFields(connection, manifest, plan, registry);
  else forgetFields(connection, dataset);
  return counts;
}

/** Replaces the unit's former rows; a list of resources keeps its history. */
async function replaceRows(
  { connection, rows }: WorkingCopy,
  staged: StagedPackage & { readonly isNew: boolean },
  plan: RawTablePlan,
  meta: Partial<Record<RawMetaColumn, string>>,
  signal: AbortSignal,
): Promise<number> {
  const { manifest, prepared, isNew } = staged;
  const { dataset, source } = manifest.unit;
  if (source.kind === 'resource') return mergeHistory(connection, staged, plan, meta, signal);
  const unit = { relation: `raw.${dataset}`, unit: manifest.name, prepared, isNew };
  const [values, from] = [unitValues(plan, meta), partsOf(staged)];
  return Number(await rows.replaceUnit({ ...unit, values, from }, signal));
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
 * Refuses a unit whose fields the models can't read. A field may have a type that does not fit the one that they read,
 * or only a name that differs in case. As the first unit of its dataset, it would set the column for all later units.
 *
 * @param reads what the models read of the dataset
 * @param retype whether a field may come with another type
 * @throws CrawlhouseError `contract_drift`
 */
function refuseTypesModelsCannotRead(
  { name, columns }: Manifest,
  reads: ReadonlyMap<string, ReadField>,
  retype: (field: string) => boolean,
): void {
  const present = new Set(columns.map(({ field }) => field));
  const lowered = new Map([...reads.keys()].map((field) => [field.toLowerCase(), field]));
  for (const { field, type, sql_type } of columns) {
    const read = reads.get(field);
    if (read) {
      if (retype(field) || fits(read.type, sql_type)) continue;
      throw new CrawlhouseError(
        'contract_drift',
        `${name}: the field ${field} came as ${sql_type} (${type}), but ${read.file} reads it as ${read.type}`,
        {
          hint: `the unit keeps its former rows; retype: allow in the pipeline file, in an entry of columns for ${field}, accepts it`,
        },
      );
    }
    const meant = lowered.get(field.toLowerCase());
    if (meant === undefined || present.has(meant)) continue;
    throw new CrawlhouseError(
      'contract_drift',
      `${name}: the field ${JSON.stringify(field)} came without ${JSON.stringify(meant)}, which ${reads.get(meant)?.file} reads`,
      {
        hint: 'the names differ only in case, so the field may be the same or another; fields.exclude in the pipeline file leaves it out',
      },
    );
  }
}

/** Whole numbers may be wide, and a lone value may go to a list. A list may not go to a lone value. */
function fits(read: string, incoming: string): boolean {
  const merged = mergeType(read, incoming)?.type;
  return merged !== undefined && merged.endsWith('[]') === read.endsWith('[]');
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

/** The rules of a pipeline file for changes, for each column that has its own. */
export function columnContracts(columns: Pipeline['columns']): Map<string, ColumnContract> {
  return new Map(
    Object.entries(columns).flatMap(([name, column]) =>
      typeof column === 'string'
        ? []
        : [[name, { schemaChange: column.schema_change, retype: column.retype }] as const],
    ),
  );
}

const INCOMING = 'incoming_resources';

/**
 * Updates a list of resources and keeps its history. An unchanged record stays; a changed or removed one ends
 * (`_seen_to`); a new one begins (`_seen_from`). Nothing is stored twice. An update has only new or changed records:
 * all others stay.
 *
 * @returns the records that the service lists now
 */
async function mergeHistory(
  connection: Connection,
  { folder, manifest }: StagedPackage,
  plan: RawTablePlan,
  meta: Partial<Record<RawMetaColumn, string>>,
  signal: AbortSignal,
): Promise<number> {
  const { name: unit, update } = manifest;
  const paths = manifest.parts.map((part) => join(folder, part.file));
  const raw = table('raw', manifest.unit.dataset);
  const columns = plan.targets.map((target) => ident(target.column));
  // By its content, whatever the order in which the service lists it.
  const content = `md5(CAST(to_json([${columns.map((column) => `CAST(${column} AS VARCHAR)`).join(', ')}]) AS VARCHAR))`;
  const values = plan.targets.map(
    (target) => `${target.merged.incoming(ident(target.source))} AS ${ident(target.column)}`,
  );
  const source =
    paths.length === 0
      ? emptySource(raw, columns)
      : `SELECT ${values.join(', ')} FROM ${parquetFiles(paths)}`;
  const isInUpdate = update
    ? `${idOf(plan)} IN (SELECT ${idOf(plan)} FROM ${INCOMING} UNION ALL SELECT unnest(from_json(${text(JSON.stringify(update.gone))}, '["VARCHAR"]')))`
    : 'true';
  const current = `_unit = ${text(unit)} AND _seen_to IS NULL`;
  try {
    await connection.run(
      `CREATE OR REPLACE TEMP TABLE ${INCOMING} AS SELECT *, ${content} AS _content FROM (${source})`,
      [],
      signal,
    );
    await connection.run(
      `UPDATE ${raw} SET _seen_to = ${meta._loaded_at} WHERE ${current} AND ${isInUpdate} AND ${content} NOT IN (SELECT _content FROM ${INCOMING})`,
      [],
      signal,
    );
    const names = [...Object.keys(meta).map(ident), ...columns].join(', ');
    await connection.run(
      `INSERT INTO ${raw} (${names}) SELECT ${[...Object.values(meta), ...columns].join(', ')} FROM ${INCOMING}
       WHERE _content NOT IN (SELECT ${content} FROM ${raw} WHERE ${current})`,
      [],
      signal,
    );
    return Number(await connection.scalar(`SELECT count(*) FROM ${raw} WHERE ${current}`));
  } finally {
    await connection.run(`DROP TABLE IF EXISTS ${INCOMING}`);
  }
}

/** The column of the records' ids. */
function idOf(plan: RawTablePlan): string {
  return ident(plan.targets.find(({ field }) => field === 'id')?.column ?? 'id');
}

/** A list without records has no parts, and so no columns. */
function emptySource(raw: string, columns: readonly string[]): string {
  return `SELECT ${columns.join(', ')} FROM ${raw} LIMIT 0`;
}
