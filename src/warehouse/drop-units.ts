import { type Connection, ident, table } from '../core/duckdb.ts';
import type { Unit } from '../model/unit.ts';

/** Units that leave the warehouse, or are never to come into it, and why. */
export interface Drop {
  readonly units: readonly (Unit & { readonly unit: string })[];
  readonly reason: string;
}

const LISTED = `(SELECT unnest(from_json($1, '["VARCHAR"]')))`;
/** What the warehouse holds of a unit besides its rows. `ops.schema_changes` is history and stays. */
export const ABOUT_UNITS = ['loads', 'unit_fields', 'rejects'] as const;

const UNIT_JSON = `[{"unit":"VARCHAR","dataset":"VARCHAR","source_kind":"VARCHAR","source_id":"VARCHAR",
  "project_id":"VARCHAR","window_from":"VARCHAR","window_to":"VARCHAR"}]`;

/**
 * Takes the rows of units out of the warehouse in one transaction, and notes in `ops.units` that they are to stay out:
 * a kill after it leaves both done, before it neither.
 *
 * @returns rows taken out
 */
export async function dropUnits(connection: Connection, { units, reason }: Drop): Promise<bigint> {
  const names = JSON.stringify(units.map(({ unit }) => unit));
  const specs = units.map(({ unit, dataset, source, window }) => ({
    unit,
    dataset,
    source_kind: source.kind,
    source_id: source.id,
    project_id: source.project_id,
    window_from: window?.from ?? null,
    window_to: window?.to ?? null,
  }));
  return connection.transaction(async () => {
    const datasets = await connection.rows<{ dataset: string }>(
      `SELECT DISTINCT dataset FROM ops.loads WHERE unit IN ${LISTED} ORDER BY dataset`,
      [names],
    );
    await connection.run(`DELETE FROM ops.units WHERE unit IN ${LISTED}`, [names]);
    await connection.run(
      `INSERT INTO ops.units BY NAME
       SELECT unnest(from_json($1, '${UNIT_JSON}'), recursive := true), 'dropped' AS status,
         0 AS attempts, 'dropped' AS error_code, $2 AS error_message, now() AS updated_at, 0 AS failures`,
      [JSON.stringify(specs), reason],
    );
    let rows = 0n;
    for (const { dataset } of datasets)
      rows += await connection.run(`DELETE FROM ${table('raw', dataset)} WHERE _unit IN ${LISTED}`, [names]);
    for (const name of [...ABOUT_UNITS, 'holds'])
      await connection.run(`DELETE FROM ops.${ident(name)} WHERE unit IN ${LISTED}`, [names]);
    await connection.run('UPDATE ops.publication SET dirty = true');
    return rows;
  });
}
