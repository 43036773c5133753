import { type Connection, listed, text } from '../../../../core/duckdb/duckdb.ts';
import { UNIT_COLUMNS } from './ops-rows.ts';

/** Records that the rows of units will be replaced or removed. Lists of resources keep their rows as history. */
export async function recordRemovedUnits(
  connection: Connection,
  units: readonly string[],
  reason: 'reloaded' | 'dropped',
): Promise<void> {
  await connection.run(
    `INSERT INTO ops.tombstones BY NAME
     SELECT run_id || ' ' || unit AS load_id, 'raw.' || dataset AS relation, ${UNIT_COLUMNS.join(', ')},
       $2 AS reason, now() AS removed_at
     FROM ops.loads WHERE unit IN ${listed('$1')} AND source_kind <> 'resource'`,
    [JSON.stringify(units), reason],
  );
}

/** Records that the rows of some or all partitions of a model are replaced or gone. */
export async function recordRemovedPartitions(
  connection: Connection,
  model: string,
  keys: readonly string[] | 'all',
): Promise<void> {
  const among = keys === 'all' ? '' : `AND partition_key IN (${keys.map(text).join(', ') || 'NULL'})`;
  await connection.run(
    `INSERT INTO ops.tombstones BY NAME
     SELECT load_id, model AS relation, partition_key, 'replaced' AS reason, now() AS removed_at
     FROM ops.model_partitions WHERE model = $1 AND load_id IS NOT NULL ${among}`,
    [model],
  );
}
