import type { Connection } from '../../../core/duckdb/duckdb.ts';
import type { LedgerUnit, UnitState } from '../../../project/model/runs/ledger-records.ts';
import type { Unit } from '../../../project/model/unit.ts';

const UNIT_JSON = `[{"unit":"VARCHAR","dataset":"VARCHAR","kind":"VARCHAR","id":"VARCHAR","project_id":"VARCHAR",
  "from":"VARCHAR","to":"VARCHAR","status":"VARCHAR","attempts":"BIGINT",
  "code":"VARCHAR","message":"VARCHAR","hint":"VARCHAR","updated_at":"TIMESTAMPTZ",
  "failures":"BIGINT","next_try_at":"TIMESTAMPTZ"}]`;

const DROPPED_JSON = `[{"unit":"VARCHAR","dataset":"VARCHAR","source_kind":"VARCHAR","source_id":"VARCHAR",
  "project_id":"VARCHAR","window_from":"VARCHAR","window_to":"VARCHAR"}]`;

/** Replaces all units by those of the ledger; what is loaded counts as published. */
export async function recordUnits(connection: Connection, units: readonly LedgerUnit[]): Promise<void> {
  const rows = units.map((unit) => ({
    unit: unit.unit,
    dataset: unit.dataset,
    ...unit.source,
    from: unit.window?.from ?? null,
    to: unit.window?.to ?? null,
    status: unit.status,
    attempts: unit.attempts,
    ...(unit.error ?? { code: null, message: null, hint: null }),
    updated_at: unit.updated_at,
    failures: unit.failures,
    next_try_at: unit.next_try_at,
    ...(unit.status === 'loaded' ? { status: 'published', failures: 0, next_try_at: null } : {}),
  }));
  await connection.run('DELETE FROM ops.units');
  await connection.run(
    `INSERT INTO ops.units SELECT unnest(from_json(?, '${UNIT_JSON}'), recursive := true)`,
    [JSON.stringify(rows)],
  );
}

/** Records that units are to stay out of the warehouse, each in the place of its former row, and why. */
export async function recordDropped(
  connection: Connection,
  units: readonly (Unit & { readonly unit: string })[],
  reason: string,
): Promise<void> {
  await connection.run(`DELETE FROM ops.units WHERE unit IN (SELECT unnest(from_json(?, '["VARCHAR"]')))`, [
    JSON.stringify(units.map(({ unit }) => unit)),
  ]);
  const rows = units.map(({ unit, dataset, source, window }) => ({
    unit,
    dataset,
    source_kind: source.kind,
    source_id: source.id,
    project_id: source.project_id,
    window_from: window?.from ?? null,
    window_to: window?.to ?? null,
  }));
  await connection.run(
    `INSERT INTO ops.units BY NAME
     SELECT unnest(from_json($1, '${DROPPED_JSON}'), recursive := true), 'dropped' AS status,
       0 AS attempts, 'dropped' AS error_code, $2 AS error_message, now() AS updated_at, 0 AS failures`,
    [JSON.stringify(rows), reason],
  );
}

/** Units as records of the ledger; all, or those that were dropped. */
export async function readUnits(
  connection: Connection,
  only: 'all' | 'dropped' = 'all',
): Promise<LedgerUnit[]> {
  const iso = (column: string): string => `strftime(${column}, '%Y-%m-%dT%H:%M:%S.%gZ')`;
  const units = await connection.jsonRows(
    `SELECT * REPLACE (${iso('updated_at')} AS updated_at, CAST(attempts AS INTEGER) AS attempts,
       ${iso('next_try_at')} AS next_try_at) FROM ops.units WHERE ${only === 'all' ? 'true' : `status = 'dropped'`}`,
  );
  return units.map((row) => ({
    unit: String(row.unit),
    dataset: String(row.dataset),
    source: {
      kind: row.source_kind,
      id: row.source_id,
      project_id: row.project_id,
    } as LedgerUnit['source'],
    window: row.window_from === null ? null : { from: String(row.window_from), to: String(row.window_to) },
    status: row.status as UnitState,
    attempts: Number(row.attempts),
    error:
      row.error_code === null
        ? null
        : ({
            code: row.error_code,
            message: row.error_message,
            hint: row.error_hint,
          } as LedgerUnit['error']),
    failures: Number(row.failures ?? 0),
    failing_since: null,
    next_try_at: row.next_try_at === null ? null : String(row.next_try_at),
    updated_at: String(row.updated_at),
  }));
}

/** Names of the units that were taken out on purpose, and are to stay out. */
export async function droppedUnits(connection: Connection): Promise<ReadonlySet<string>> {
  const rows = await connection.rows<{ unit: string }>(`SELECT unit FROM ops.units WHERE status = 'dropped'`);
  return new Set(rows.map((row) => row.unit));
}
