import { type Connection, given, listed } from '../../../../core/duckdb/duckdb.ts';
import type { UnitError } from '../../../project/model/runs/unit-report.ts';

/**
 * Why a unit is quarantined, which means that its last load was removed from the working copy. A row of `ops.holds`.
 */
export interface Hold {
  readonly unit: string;
  readonly model: string;
  /** The name of the test; null if a model could not be built. */
  readonly test: string | null;
  readonly error: UnitError;
  /** Hash of the faulty content; null if the content of other units contributes to the fault. */
  readonly content_sha256: string | null;
  /** Version of all models at that time (`modelsVersion`). */
  readonly models: string;
}

const COLUMNS = ['unit', 'model', 'test', 'code', 'message', 'hint', 'content_sha256', 'models'];

/** Returns the holds by unit. */
export async function readHolds(connection: Connection): Promise<Map<string, Hold>> {
  const rows = await connection.jsonRows<Omit<Hold, 'error'> & UnitError>(
    `SELECT ${COLUMNS.join(', ')} FROM ops.holds`,
  );
  return new Map(
    rows.map(({ code, message, hint, ...hold }) => [hold.unit, { ...hold, error: { code, message, hint } }]),
  );
}

/** Writes holds. Each hold replaces the unit's previous hold. Runs within the caller's transaction. */
export async function recordHolds(
  connection: Connection,
  holds: readonly Hold[],
  runId: string,
): Promise<void> {
  await connection.run(`DELETE FROM ops.holds WHERE unit IN ${listed('$1')}`, [
    JSON.stringify(holds.map(({ unit }) => unit)),
  ]);
  await connection.run(
    `INSERT INTO ops.holds BY NAME SELECT ${given('$1', COLUMNS)}, $2 AS run_id, now() AS held_at`,
    [JSON.stringify(holds.map(({ error, ...hold }) => ({ ...hold, ...error }))), runId],
  );
}

/** Removes the holds of all other units. */
export async function keepHolds(connection: Connection, units: readonly string[]): Promise<void> {
  await connection.run(`DELETE FROM ops.holds WHERE unit NOT IN ${listed('$1')}`, [JSON.stringify(units)]);
}
