import { z } from 'zod';
import { type Connection, given, listed, text } from '../../../../core/duckdb/duckdb.ts';
import { typedRows } from '../../../../core/text/typed-rows.ts';
import { martObjects } from '../catalog.ts';
import { exactRows } from './ops-rows.ts';

const BuiltModelRow = z.strictObject({
  name: z.string(),
  kind: z.enum(['table', 'view']),
  fingerprint: z.string(),
  definition: z.string(),
  sources: z.string(),
  looked_at: z.string(),
  rows: z.bigint().nullable(),
  tested: z.boolean(),
});

export interface BuildStamp {
  readonly fingerprint: string;
  readonly definition: string;
  /** Versions of its sources. */
  readonly sources: string;
  /** A stamp of all loads so far. */
  readonly lookedAt: string;
  readonly runId: string;
}

export interface BuiltModel {
  readonly kind: 'table' | 'view';
  readonly fingerprint: string;
  readonly definition: string;
  readonly sources: string;
  /** The stamp of all loads when the model was last current; empty if there is none. */
  readonly looked_at: string;
  readonly rows: number | null;
  /** Whether its tests have run since, without a failure of severity `error`. */
  readonly tested: boolean;
}

/** Returns the models that exist as they were built, by name. */
export async function builtModels(connection: Connection): Promise<Map<string, BuiltModel>> {
  const objects = await martObjects(connection);
  const rows = typedRows(
    BuiltModelRow,
    await connection.rows(
      `SELECT name, kind, fingerprint, coalesce(definition, '') AS definition, sources,
       coalesce(looked_at, '') AS looked_at, rows, tested_at IS NOT NULL AS tested FROM ops.models`,
    ),
  );
  const present = rows.filter((row) => objects.get(row.name) === row.kind);
  return new Map(
    present.map(({ name, ...row }) => [name, { ...row, rows: row.rows === null ? null : Number(row.rows) }]),
  );
}

export async function modelNames(connection: Connection): Promise<string[]> {
  return await connection.column('SELECT name FROM ops.models ORDER BY name');
}

export async function modelsOfRun(
  connection: Connection,
  runId: string,
): Promise<{ name: string; kind: string; rows: number | bigint | null }[]> {
  return await exactRows(
    connection,
    'SELECT name, kind, rows FROM ops.models WHERE run_id = ? ORDER BY name',
    [runId],
  );
}

/** Records that a model was built. The row replaces its former one and is untested until `recordTested`. */
export async function recordBuild(
  connection: Connection,
  { name, kind }: { readonly name: string; readonly kind: 'table' | 'view' },
  rows: bigint | null,
  stamp: BuildStamp,
): Promise<void> {
  await forgetModel(connection, name);
  await connection.run(
    `INSERT INTO ops.models BY NAME SELECT $1 AS name, $2 AS kind, $3 AS fingerprint, $4 AS definition,
       $5 AS sources, $6::BIGINT AS rows, now() AS built_at, $7 AS run_id, $8 AS looked_at`,
    [name, kind, stamp.fingerprint, stamp.definition, stamp.sources, rows, stamp.runId, stamp.lookedAt],
  );
}

/** Records that unchanged views show new rows. The views are untested. */
export async function recordNewRows(
  connection: Connection,
  views: ReadonlyMap<string, BuildStamp>,
): Promise<void> {
  const stamps = [...views].map(([name, stamp]) => ({ name, ...stamp }));
  await connection.run(
    `UPDATE ops.models SET sources = stamp.sources, looked_at = stamp."lookedAt", run_id = stamp."runId",
       built_at = now(), tested_at = NULL
     FROM (SELECT ${given('$1', ['name', 'sources', 'lookedAt', 'runId'])}) AS stamp
     WHERE models.name = stamp.name`,
    [JSON.stringify(stamps)],
  );
}

/** Records that models are current with all loads. */
export async function recordLooks(
  connection: Connection,
  names: readonly string[],
  lookedAt: string,
): Promise<void> {
  await connection.run(`UPDATE ops.models SET looked_at = $1 WHERE name IN ${listed('$2')}`, [
    lookedAt,
    JSON.stringify(names),
  ]);
}

/** Records whether models have passed all tests of severity `error`. */
export async function recordTested(
  connection: Connection,
  names: readonly string[],
  passed: readonly string[],
): Promise<void> {
  await connection.run(
    `UPDATE ops.models SET tested_at = CASE WHEN name IN (${[...passed, ''].map(text).join(', ')}) THEN now() END
     WHERE name IN (${names.map(text).join(', ')})`,
  );
}

export async function forgetModel(connection: Connection, name: string): Promise<void> {
  await connection.run('DELETE FROM ops.models WHERE name = $1', [name]);
}
