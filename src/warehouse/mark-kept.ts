import type { Connection } from '../core/duckdb.ts';

/** Notes of units that a person brought back: `keep` leaves them alone until they are dropped. */
export async function markKept(connection: Connection, units: readonly string[]): Promise<void> {
  if (units.length === 0) return;
  await connection.run(
    `UPDATE ops.loads SET kept = true WHERE unit IN (SELECT unnest(from_json(?, '["VARCHAR"]')))`,
    [JSON.stringify(units)],
  );
}
