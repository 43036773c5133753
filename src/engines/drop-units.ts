import { ident } from '../core/duckdb/duckdb.ts';
import type { Unit } from '../project/model/unit.ts';
import { markDirty } from '../state/catalogue/ops/ops-publication.ts';
import { recordDropped } from '../state/catalogue/ops/ops-units.ts';
import type { WorkingCopy } from './working-copy.ts';

/** Units that leave the warehouse, or are never to come into it, and why. */
export interface Drop {
  readonly units: readonly (Unit & { readonly unit: string })[];
  readonly reason: string;
}

const LISTED = `(SELECT unnest(from_json($1, '["VARCHAR"]')))`;
/** The entries of a unit besides its rows. `ops.schema_changes` is history and stays. */
export const ABOUT_UNITS = ['loads', 'unit_fields', 'rejects'] as const;

/**
 * Drops the rows of units in one transaction, and marks the units in `ops.units` as dropped. After a kill, both are
 * done or neither is.
 *
 * @returns rows taken out
 */
export async function dropUnits(
  { connection, rows: stored }: Pick<WorkingCopy, 'connection' | 'rows'>,
  { units, reason }: Drop,
): Promise<bigint> {
  const unitNames = units.map(({ unit }) => unit);
  const names = JSON.stringify(unitNames);
  return connection.transaction(async () => {
    const datasets = await connection.rows<{ dataset: string }>(
      `SELECT DISTINCT dataset FROM ops.loads WHERE unit IN ${LISTED} ORDER BY dataset`,
      [names],
    );
    await recordDropped(connection, units, reason);
    let rows = 0n;
    for (const { dataset } of datasets) rows += await stored.removeUnits(`raw.${dataset}`, unitNames);
    for (const name of [...ABOUT_UNITS, 'holds'])
      await connection.run(`DELETE FROM ops.${ident(name)} WHERE unit IN ${LISTED}`, [names]);
    await markDirty(connection);
    return rows;
  });
}
