import { type Connection, given, isoTime, listed } from '../../../../core/duckdb/duckdb.ts';
import type { LedgerUnit, UnitState } from '../../../project/model/runs/ledger-records.ts';
import { type NamedUnit, UNIT_COLUMNS, unitOf, unitRow } from './ops-rows.ts';

const TEXTS = [...UNIT_COLUMNS, 'status', 'error_code', 'error_message', 'error_hint'];
const OTHERS = {
  attempts: 'BIGINT',
  updated_at: 'TIMESTAMPTZ',
  failures: 'BIGINT',
  next_try_at: 'TIMESTAMPTZ',
};

/** Replaces all units by those of the ledger. Loaded units count as published. */
export async function recordUnits(connection: Connection, units: readonly LedgerUnit[]): Promise<void> {
  const rows = units.map((unit) => ({
    ...unitRow(unit),
    status: unit.status,
    attempts: unit.attempts,
    error_code: unit.error?.code,
    error_message: unit.error?.message,
    error_hint: unit.error?.hint,
    updated_at: unit.updated_at,
    failures: unit.failures,
    next_try_at: unit.next_try_at,
    ...(unit.status === 'loaded' ? { status: 'published', failures: 0, next_try_at: null } : {}),
  }));
  await connection.run('DELETE FROM ops.units');
  await connection.run(`INSERT INTO ops.units BY NAME SELECT ${given('?', TEXTS, OTHERS)}`, [
    JSON.stringify(rows),
  ]);
}

/** Records that units must stay out of the warehouse, and why. Each replaces its former row. */
export async function recordDropped(
  connection: Connection,
  units: readonly NamedUnit[],
  reason: string,
): Promise<void> {
  await connection.run(`DELETE FROM ops.units WHERE unit IN ${listed('?')}`, [
    JSON.stringify(units.map(({ unit }) => unit)),
  ]);
  await connection.run(
    `INSERT INTO ops.units BY NAME
     SELECT ${given('$1', UNIT_COLUMNS)}, 'dropped' AS status,
       0 AS attempts, 'dropped' AS error_code, $2 AS error_message, now() AS updated_at, 0 AS failures`,
    [JSON.stringify(units.map(unitRow)), reason],
  );
}

/** Returns all units, or the dropped ones, as records of the ledger. */
export async function readUnits(
  connection: Connection,
  only: 'all' | 'dropped' = 'all',
): Promise<LedgerUnit[]> {
  const units = await connection.jsonRows(
    `SELECT * REPLACE (${isoTime('updated_at')} AS updated_at, CAST(attempts AS INTEGER) AS attempts,
       ${isoTime('next_try_at')} AS next_try_at) FROM ops.units WHERE ${only === 'all' ? 'true' : `status = 'dropped'`}`,
  );
  return units.map((row) => ({
    ...unitOf(row),
    status: row.status as UnitState,
    attempts: Number(row.attempts),
    error: errorOf(row),
    failures: Number(row.failures ?? 0),
    failing_since: null,
    next_try_at: row.next_try_at === null ? null : String(row.next_try_at),
    updated_at: String(row.updated_at),
  }));
}

/** Returns the names of units that were dropped on purpose and must stay out. */
export async function droppedUnits(connection: Connection): Promise<ReadonlySet<string>> {
  return new Set(await connection.column<string>(`SELECT unit FROM ops.units WHERE status = 'dropped'`));
}

function errorOf({ error_code: code, error_message: message, error_hint: hint }: Record<string, unknown>) {
  return code === null ? null : ({ code, message, hint } as LedgerUnit['error']);
}
