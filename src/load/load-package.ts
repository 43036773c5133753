import { join } from 'node:path';
import { type Connection, ident, table, text } from '../core/duckdb.ts';
import { CrawlhouseError } from '../core/errors.ts';
import { stringifyJson } from '../core/json.ts';
import { withLowerMemory, withOneThread } from '../core/lower-memory.ts';
import { type Counts, reconcile } from '../model/counts.ts';
import type { Manifest } from '../model/manifest.ts';
import type { Volume } from '../model/volume.ts';
import { fieldChanges } from '../warehouse/field-changes.ts';
import {
  applyRawTable,
  fieldRegistry,
  planRawTable,
  type RawTablePlan,
  rawTableColumns,
} from '../warehouse/raw-table.ts';
import { RAW_META_COLUMNS, type RawMetaColumn } from '../warehouse/schema.ts';
import type { WorkingCopy } from '../warehouse/working-copy.ts';
import { mergeHistory } from './merge-history.ts';
import type { StagedPackage } from './read-package.ts';
import { type ColumnContract, refuseDrift } from './refuse-drift.ts';

/** From so many columns on, an INSERT takes a good deal more memory than DuckDB's limit counts (docs/decisions/load.md). */
const MANY_COLUMNS = 50;
/** From so many on, two threads' worth of it spills even so. */
const WIDE_COLUMNS = 200;

export interface LoadOptions {
  readonly runId: string;
  readonly schemaChange: 'evolve' | 'freeze';
  /** Field → what a pipeline file says of it. */
  readonly columnContracts?: ReadonlyMap<string, ColumnContract>;
  readonly volume?: Volume;
  readonly signal: AbortSignal;
}

/**
 * Puts a package into `raw.<dataset>` in one transaction: the unit's former rows out, its rows in, `ops.loads`. Either
 * all of it is there afterwards or nothing is. New columns come before it: empty ones harm nobody, and hundreds of them
 * within the transaction cost DuckDB seconds and memory (docs/decisions/load.md).
 *
 * @returns the counts, `queryable` still open
 * @throws CrawlhouseError `unreconciled` or `contract_drift`; the unit keeps its former rows
 */
export async function loadPackage(
  working: WorkingCopy,
  { folder, manifest }: StagedPackage,
  options: LoadOptions,
): Promise<Counts> {
  await working.letGoOfWritten();
  const { connection } = working;
  const dataset = manifest.unit.dataset;
  const tableColumns = await rawTableColumns(connection, dataset);
  const registry = await fieldRegistry(connection, dataset);
  const contracts = options.columnContracts ?? new Map<string, ColumnContract>();
  const retype = (field: string): boolean => contracts.get(field)?.retype === 'allow';
  const planned = planRawTable(dataset, manifest.columns, tableColumns, registry, retype);
  const plan = { ...planned, changes: [...planned.changes, ...(await fieldChanges(connection, manifest))] };
  refuseDrift(manifest, plan, registry, options.schemaChange, contracts);
  const meta = metaValues(manifest, options.runId);
  await applyRawTable(connection, dataset, plan, Object.keys(meta) as RawMetaColumn[]);
  const load = (): Promise<Counts> =>
    connection.transaction(async () => {
      const loaded = await replaceRows(connection, folder, manifest, plan, meta, options.signal);
      const counts: Counts = { ...manifest.counts, loaded, queryable: null };
      const difference = reconcile(counts);
      if (difference) {
        throw new CrawlhouseError(
          'unreconciled',
          `${manifest.name}: ${difference.leftCount} rows ${difference.left}, but ${difference.rightCount} ${difference.right}`,
        );
      }
      await recordLoad(connection, manifest, counts, options);
      await recordFields(connection, manifest, plan, options.runId);
      await recordNotes(connection, manifest, options.runId);
      await recordRejects(connection, manifest.name, dataset, folder, manifest.rejects, options.runId);
      await working.markDirty();
      working.noteLoaded(loaded * plan.targets.length);
      return counts;
    });
  return withMemoryFor(connection, plan.targets.length, load);
}

/** Replaces the unit's entries in `ops.rejects` by those of its reject files. */
export async function recordRejects(
  connection: Connection,
  unit: string,
  dataset: string,
  folder: string,
  files: readonly string[],
  runId: string,
): Promise<void> {
  await connection.run('DELETE FROM ops.rejects WHERE unit = ?', [unit]);
  if (files.length === 0) return;
  const paths = files.map((file) => text(join(folder, file))).join(', ');
  await connection.run(
    `INSERT INTO ops.rejects
     SELECT ?, ?, file, line, field, value, reason, ?, now() FROM read_parquet([${paths}])`,
    [unit, dataset, runId],
  );
}

/**
 * Runs the transaction that loads so many columns with what keeps the process within its ceiling
 * (docs/decisions/load.md).
 */
async function withMemoryFor<T>(connection: Connection, columns: number, load: () => Promise<T>): Promise<T> {
  const isWide = columns > WIDE_COLUMNS;
  const share = isWide ? 0.6 : columns > MANY_COLUMNS ? 0.75 : 0.5;
  const loadWithin = (): Promise<T> => withLowerMemory(connection, share, load);
  return isWide ? withOneThread(connection, loadWithin) : loadWithin();
}

function metaValues(manifest: Manifest, runId: string): Partial<Record<RawMetaColumn, string>> {
  const { source, window } = manifest.unit;
  const now = `CAST(${text(new Date().toISOString())} AS ${RAW_META_COLUMNS._loaded_at})`;
  return {
    _unit: text(manifest.name),
    _source_id: text(source.id),
    ...(source.kind === 'crawl' ? { _crawl_id: text(source.id) } : {}),
    _project_id: source.project_id === null ? 'NULL' : text(source.project_id),
    ...(window ? { _window: text(window.from) } : {}),
    _run_id: text(runId),
    _loaded_at: now,
    ...(source.kind === 'resource'
      ? { _seen_from: now, _seen_to: `CAST(NULL AS ${RAW_META_COLUMNS._seen_to})` }
      : {}),
  };
}

/** The unit's former rows out, its rows in; a list of resources keeps what it was before. */
async function replaceRows(
  connection: Connection,
  folder: string,
  manifest: Manifest,
  plan: RawTablePlan,
  meta: Partial<Record<RawMetaColumn, string>>,
  signal: AbortSignal,
): Promise<number> {
  const { dataset, source } = manifest.unit;
  if (source.kind === 'resource') {
    const parts = manifest.parts.map((part) => join(folder, part.file));
    return mergeHistory(connection, manifest, parts, plan, meta, signal);
  }
  await connection.run(`DELETE FROM ${table('raw', dataset)} WHERE _unit = ?`, [manifest.name]);
  if (manifest.parts.length === 0) return 0;
  const paths = manifest.parts.map((part) => text(join(folder, part.file))).join(', ');
  const columns = [...Object.keys(meta), ...plan.targets.map((target) => target.column)]
    .map(ident)
    .join(', ');
  const values = [
    ...Object.values(meta),
    ...plan.targets.map((target) => target.merged.incoming(ident(target.source))),
  ].join(', ');
  const inserted = await connection.run(
    `INSERT INTO ${table('raw', dataset)} (${columns}) SELECT ${values} FROM read_parquet([${paths}])`,
    [],
    signal,
  );
  return Number(inserted);
}

async function recordLoad(
  connection: Connection,
  manifest: Manifest,
  counts: Counts,
  { runId, volume }: LoadOptions,
): Promise<void> {
  const { unit, source } = manifest;
  await connection.run('DELETE FROM ops.loads WHERE unit = ?', [manifest.name]);
  const row = {
    unit: manifest.name,
    dataset: unit.dataset,
    source_kind: unit.source.kind,
    source_id: unit.source.id,
    project_id: unit.source.project_id,
    window_from: unit.window?.from ?? null,
    window_to: unit.window?.to ?? null,
    ...counts,
    route: source.route,
    format: source.format,
    reason: source.reason ?? null,
    bytes: manifest.bytes,
    seconds: manifest.seconds,
    attempts: manifest.attempts,
    content_sha256: manifest.content_sha256,
    filter: source.filter === null ? null : stringifyJson(source.filter),
    run_id: runId,
    usual: volume?.usual ?? null,
    flag: volume?.isFew ? 'few_rows' : null,
  };
  const columns = Object.keys(row);
  await connection.run(
    `INSERT INTO ops.loads (${columns.map(ident).join(', ')}, loaded_at, source_ended_at)
     VALUES (${columns.map(() => '?').join(', ')}, make_timestamptz(CAST(? AS BIGINT) * 1000),
       make_timestamptz(CAST(? AS BIGINT) * 1000))`,
    [...Object.values(row), BigInt(Date.now()), source.ended_at == null ? null : BigInt(source.ended_at)],
  );
}

async function recordFields(
  connection: Connection,
  manifest: Manifest,
  plan: RawTablePlan,
  runId: string,
): Promise<void> {
  const { name, unit } = manifest;
  await connection.run('DELETE FROM ops.unit_fields WHERE unit = ?', [name]);
  const types = new Map(manifest.columns.map((column) => [column.field, column]));
  const fields = plan.targets.map(({ field, column }) => {
    const { type, arity } = types.get(field) ?? { type: 'unknown', arity: 'one' };
    return { field, type, arity, column };
  });
  await connection.run(
    `INSERT INTO ops.unit_fields SELECT ?, ?, f.field, f.type, f.arity, f."column"
     FROM (SELECT unnest(from_json(?, '[{"field":"VARCHAR","type":"VARCHAR","arity":"VARCHAR","column":"VARCHAR"}]')) AS f)`,
    [name, unit.dataset, JSON.stringify(fields)],
  );
  const changes = plan.exists ? plan.changes : plan.changes.filter((change) => change.change !== 'added');
  await connection.run(
    `INSERT INTO ops.schema_changes SELECT ?, ?, c.field, c.change, c.before, c.after, ?, now()
     FROM (SELECT unnest(from_json(?, '[{"field":"VARCHAR","change":"VARCHAR","before":"VARCHAR","after":"VARCHAR"}]')) AS c)`,
    [unit.dataset, name, runId, JSON.stringify(changes)],
  );
}

/** Values that the schema does not foresee are loaded and told of, each once a dataset: they refuse no unit. */
async function recordNotes(connection: Connection, manifest: Manifest, runId: string): Promise<void> {
  if (manifest.notes.length === 0) return;
  const { dataset } = manifest.unit;
  await connection.run(
    `INSERT INTO ops.schema_changes SELECT $1, $2, n.field, n.change, n.before, n.after, $3, now()
     FROM (SELECT unnest(from_json($4, '[{"field":"VARCHAR","change":"VARCHAR","before":"VARCHAR","after":"VARCHAR"}]')) AS n)
     WHERE NOT EXISTS (FROM ops.schema_changes AS known WHERE known.dataset = $1 AND known.field = n.field
       AND known.change = n.change AND known.after = n.after)`,
    [dataset, manifest.name, runId, JSON.stringify(manifest.notes)],
  );
}
