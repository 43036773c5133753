import { createHash } from 'node:crypto';
import type { Connection } from '../core/duckdb.ts';
import type { ModelKind } from './model.ts';
import type { PlannedModel } from './plan-models.ts';

/** What the warehouse knows of a model that was built. */
export interface BuiltModel {
  readonly kind: ModelKind;
  readonly fingerprint: string;
  readonly definition: string;
  readonly sources: string;
  /** What had been loaded, of anything, when it was last known to be as it should; empty where that was not kept. */
  readonly looked_at: string;
  readonly rows: number | null;
  /** Whether its tests ran since, without a failure of severity `error`. */
  readonly tested: boolean;
}

/** The models that were built and still stand as they were built, by name. */
export async function builtModels(connection: Connection): Promise<Map<string, BuiltModel>> {
  const objects = await martObjects(connection);
  const rows = await connection.rows<{
    name: string;
    kind: ModelKind;
    fingerprint: string;
    definition: string;
    sources: string;
    looked_at: string;
    rows: bigint | null;
    tested: boolean;
  }>(`SELECT name, kind, fingerprint, coalesce(definition, '') AS definition, sources,
        coalesce(looked_at, '') AS looked_at, rows,
        tested_at IS NOT NULL AS tested FROM ops.models`);
  const standing = rows.filter((row) => objects.get(row.name) === row.kind);
  return new Map(
    standing.map(({ name, ...row }) => [name, { ...row, rows: row.rows === null ? null : Number(row.rows) }]),
  );
}

/** Takes note that a model is as it should be, with all that has been loaded. */
export async function recordLook(connection: Connection, name: string, lookedAt: string): Promise<void> {
  await connection.run('UPDATE ops.models SET looked_at = ? WHERE name = ?', [lookedAt, name]);
}

/** What stands in `mart`, by `mart.name`. */
export async function martObjects(connection: Connection): Promise<Map<string, ModelKind>> {
  const rows = await connection.rows<{ name: string; kind: ModelKind }>(`
    SELECT 'mart.' || table_name AS name, 'table' AS kind FROM duckdb_tables()
    WHERE database_name = current_database() AND schema_name = 'mart'
    UNION ALL
    SELECT 'mart.' || view_name, 'view' FROM duckdb_views()
    WHERE database_name = current_database() AND schema_name = 'mart'`);
  return new Map(rows.map((row) => [row.name, row.kind]));
}

/** Changes when anything does that the model is made of: its SQL, its kind, its words, its tests. */
export function fingerprint({ model, sql, tests }: PlannedModel): string {
  const parts = [
    model.kind,
    sql,
    model.description,
    [...model.columns],
    tests.map((test) => [test.severity, test.sql]),
    model.incremental,
  ];
  return createHash('sha256').update(JSON.stringify(parts)).digest('hex');
}

/**
 * Changes when the rows of a model would, from the same data: its SQL, that of the models it reads, a type that one of
 * them puts out. A declared column that a source has now and had not before changes no row of before.
 */
export function definitionOf(
  { model, models, outputs }: PlannedModel,
  definitions: ReadonlyMap<string, string>,
): string {
  const reads = [...model.reads].map(([source, columns]) => [source, [...columns]]);
  const parts = [
    [model.kind, model.sql, reads, model.incremental, [...outputs]],
    [...models].map((name) => `${name} ${definitions.get(name) ?? ''}`).sort(),
  ];
  return createHash('sha256').update(JSON.stringify(parts)).digest('hex');
}

/**
 * What a model is made from, in few characters: the versions of its sources and the stamps of the models it reads.
 * Kept with the model, it tells a run that follows a killed one what is behind, whatever the killed run knew.
 */
export function madeFrom(
  { sources, models }: PlannedModel,
  versionOf: (source: string) => string,
  stamps: ReadonlyMap<string, string>,
): string {
  const parts = [
    ...[...sources].map((source) => `${source} ${versionOf(source)}`),
    ...[...models].map((name) => `${name} ${stamps.get(name) ?? ''}`),
  ];
  return createHash('sha256').update(parts.sort().join('\n')).digest('hex');
}

/** What was loaded into each source so far, in few characters. */
export async function sourceVersions(connection: Connection): Promise<(source: string) => string> {
  const there = await connection.scalar(`
    SELECT count(*) > 0 FROM duckdb_tables()
    WHERE database_name = current_database() AND schema_name = 'ops' AND table_name = 'loads'`);
  if (there !== true) return () => '';
  const rows = await connection.rows<{ dataset: string; version: string }>(`
    SELECT dataset, md5(string_agg(concat_ws(' ', unit, run_id, epoch_us(loaded_at)), ',' ORDER BY unit)) AS version
    FROM ops.loads GROUP BY dataset ORDER BY dataset`);
  const versions = new Map(rows.map((row) => [`raw.${row.dataset}`, row.version]));
  // Every load writes into `ops`.
  const all = createHash('md5')
    .update([...versions.values()].join())
    .digest('hex');
  return (source) => (source.startsWith('ops.') ? all : (versions.get(source) ?? ''));
}
