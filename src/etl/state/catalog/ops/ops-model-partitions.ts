import { z } from 'zod';
import { type Connection, given, text } from '../../../../core/duckdb/duckdb.ts';
import { typedRows } from '../../../../core/text/typed-rows.ts';
import { recordRemovedPartitions } from './ops-tombstones.ts';

const ChangedPartition = z.strictObject({
  partition_key: z.string(),
  stamp: z.string().nullable(),
  total: z.bigint(),
});

const TestedPartition = z.strictObject({ partition_key: z.string(), tested: z.boolean() });

/** Out-of-date partitions of a model by key: a JSON list of the values of its `by` columns, as text. */
export interface PartitionChanges {
  /** To build. */
  readonly behind: readonly string[];
  /** To remove. */
  readonly gone: readonly string[];
  /** Current stamps of the partitions to build. */
  readonly stamps: ReadonlyMap<string, string>;
}

/**
 * Compares the recorded partitions of a model with the partitions that it should have now.
 *
 * @param current SELECT of `partition_key` and `stamp`, with a row for each partition that the model should have
 */
export async function changedPartitions(
  connection: Connection,
  model: string,
  current: string,
): Promise<PartitionChanges & { readonly total: number }> {
  const rows = typedRows(
    ChangedPartition,
    await connection.rows(
      `SELECT coalesce(now.partition_key, former.partition_key) AS partition_key, now.stamp AS stamp,
         (SELECT count(*) FROM ops.model_partitions WHERE model = $1) AS total
       FROM (${current}) AS now
       FULL JOIN (FROM ops.model_partitions WHERE model = $1) AS former ON former.partition_key = now.partition_key
       WHERE now.stamp IS DISTINCT FROM former.stamp
       ORDER BY partition_key`,
      [model],
    ),
  );
  const stamps = new Map<string, string>();
  for (const { partition_key: key, stamp } of rows) if (stamp !== null) stamps.set(key, stamp);
  const gone = rows.map((row) => row.partition_key).filter((key) => !stamps.has(key));
  return { behind: [...stamps.keys()], gone, stamps, total: Number(rows[0]?.total ?? 0) };
}

interface BuiltPartitions {
  readonly model: string;
  /** The `current` of `changedPartitions`. */
  readonly current: string;
  /** The build, as in `_load_id` of the rows; null for a view, which shows the loads of its sources. */
  readonly build: string | null;
}

/** Records the changed partitions, or all, with their current stamps, as untested. */
export async function recordPartitions(
  connection: Connection,
  { model, current, build }: BuiltPartitions,
  changes: PartitionChanges | 'all',
): Promise<void> {
  const insert = `INSERT INTO ops.model_partitions BY NAME SELECT $1 AS model, false AS tested,
    ${build === null ? 'NULL' : `${text(build)} || array_to_string([' ' || coalesce(value, '') FOR value IN from_json(partition_key, '["VARCHAR"]')], '')`} AS load_id`;
  if (changes === 'all') {
    await recordRemovedPartitions(connection, model, 'all');
    await forgetPartitions(connection, model);
    await connection.run(`${insert}, partition_key, stamp FROM (${current})`, [model]);
    return;
  }
  const keys = [...changes.behind, ...changes.gone].map(text);
  if (keys.length === 0) return;
  await recordRemovedPartitions(connection, model, [...changes.behind, ...changes.gone]);
  await connection.run(
    `DELETE FROM ops.model_partitions WHERE model = $1 AND partition_key IN (${keys.join(', ')})`,
    [model],
  );
  const stamps = [...changes.stamps].map(([partition_key, stamp]) => ({ partition_key, stamp }));
  await connection.run(
    `${insert}, partition_key, stamp FROM (SELECT ${given('$2', ['partition_key', 'stamp'])})`,
    [model, JSON.stringify(stamps)],
  );
}

/**
 * Returns the partitions that have not passed their tests; undefined if there are none, or most partitions are
 * untested.
 */
export async function untestedPartitions(
  connection: Connection,
  model: string,
): Promise<string[] | undefined> {
  const rows = typedRows(
    TestedPartition,
    await connection.rows(
      'SELECT partition_key, tested FROM ops.model_partitions WHERE model = $1 ORDER BY partition_key',
      [model],
    ),
  );
  const untested = rows.filter((row) => !row.tested).map((row) => row.partition_key);
  const few = untested.length > 0 && untested.length * 2 <= rows.length;
  return few ? untested : undefined;
}

/** Records that every partition of a model must pass its tests again. */
export async function recordPartitionsUntested(connection: Connection, model: string): Promise<void> {
  await connection.run('UPDATE ops.model_partitions SET tested = false WHERE model = $1', [model]);
}

export async function recordPartitionsTested(
  connection: Connection,
  models: readonly string[],
): Promise<void> {
  await connection.run(
    `UPDATE ops.model_partitions SET tested = true
     WHERE model IN (${[...models, ''].map(text).join(', ')}) AND NOT tested`,
  );
}

/** Removes the partitions of a model that is dropped or no longer partitioned. */
export async function forgetPartitions(connection: Connection, model: string): Promise<void> {
  await connection.run('DELETE FROM ops.model_partitions WHERE model = $1', [model]);
}
