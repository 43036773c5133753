import { type Connection, ident, table } from '../core/duckdb.ts';

/** Units that leave the warehouse, and why. */
export interface Drop {
  /** Names of units. */
  readonly units: readonly string[];
  readonly reason: string;
}

const LISTED = `(SELECT unnest(from_json($1, '["VARCHAR"]')))`;
/** What the warehouse holds of a unit besides its rows. `ops.schema_changes` is history and stays. */
const ABOUT_UNITS = ['loads', 'unit_fields', 'rejects'] as const;

/**
 * Takes the rows of units out of the warehouse in one transaction, and notes in `ops.units` that they are to stay out:
 * a kill after it leaves both done, before it neither.
 *
 * @returns rows taken out
 */
export async function dropUnits(connection: Connection, { units, reason }: Drop): Promise<bigint> {
  const names = JSON.stringify(units);
  return connection.transaction(async () => {
    const datasets = await connection.rows<{ dataset: string }>(
      `SELECT DISTINCT dataset FROM ops.loads WHERE unit IN ${LISTED} ORDER BY dataset`,
      [names],
    );
    await connection.run(`DELETE FROM ops.units WHERE unit IN ${LISTED}`, [names]);
    await connection.run(
      `INSERT INTO ops.units BY NAME
       SELECT unit, dataset, source_kind, source_id, project_id, window_from, window_to, 'dropped' AS status,
         0 AS attempts, 'dropped' AS error_code, $2 AS error_message, now() AS updated_at, 0 AS failures
       FROM ops.loads WHERE unit IN ${LISTED}`,
      [names, reason],
    );
    let rows = 0n;
    for (const { dataset } of datasets)
      rows += await connection.run(`DELETE FROM ${table('raw', dataset)} WHERE _unit IN ${LISTED}`, [names]);
    for (const name of ABOUT_UNITS)
      await connection.run(`DELETE FROM ops.${ident(name)} WHERE unit IN ${LISTED}`, [names]);
    await connection.run('UPDATE ops.publication SET dirty = true');
    return rows;
  });
}
