import { type Connection, given, listed } from '../../../core/duckdb/duckdb.ts';
import type { UnitError } from '../../../project/model/runs/report.ts';

/** Why a unit's last load was taken back out of the working copy: a line of `ops.holds`. */
export interface Hold {
  readonly unit: string;
  readonly model: string;
  /** The name of the test; null for a model that can't be made. */
  readonly test: string | null;
  readonly error: UnitError;
  /** Of the content that is at fault; null where the content of other units has a part in it. */
  readonly content_sha256: string | null;
  /** Of all models, when it was held (`modelsVersion`). */
  readonly models: string;
}

const COLUMNS = ['unit', 'model', 'test', 'code', 'message', 'hint', 'content_sha256', 'models'];

/** Holds by the name of the unit. */
export async function readHolds(connection: Connection): Promise<Map<string, Hold>> {
  const rows = await connection.jsonRows(`SELECT ${COLUMNS.join(', ')} FROM ops.holds`);
  return new Map(
    rows.map(({ code, message, hint, ...row }) => [
      String(row.unit),
      { ...(row as unknown as Hold), error: { code, message, hint } as UnitError },
    ]),
  );
}

/** Writes holds, each in the place of the unit's former one; within the caller's transaction. */
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

/** Forgets the holds of all other units. */
export async function keepHolds(connection: Connection, units: readonly string[]): Promise<void> {
  await connection.run(`DELETE FROM ops.holds WHERE unit NOT IN ${listed('$1')}`, [JSON.stringify(units)]);
}
