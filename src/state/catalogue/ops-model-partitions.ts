import { type Connection, type Row, text } from '../../core/duckdb.ts';

/** Partitions of a model that are out of date, by their key: a JSON list of the values of its `by` columns, as text. */
export interface PartitionChanges {
  /** To build. */
  readonly behind: readonly string[];
  /** To remove. */
  readonly gone: readonly string[];
}

/**
 * Compares the recorded partitions of a model with those that it should have now.
 *
 * @param current SELECT of `partition_key` and `stamp`, a row for each partition that the model should have
 */
export async function changedPartitions(
  connection: Connection,
  model: string,
  current: string,
): Promise<PartitionChanges> {
  const rows = await connection.rows<{ partition_key: string; gone: boolean } & Row>(
    `SELECT coalesce(now.partition_key, former.partition_key) AS partition_key, now.partition_key IS NULL AS gone
     FROM (${current}) AS now
     FULL JOIN (FROM ops.model_partitions WHERE model = $1) AS former ON former.partition_key = now.partition_key
     WHERE now.stamp IS DISTINCT FROM former.stamp
     ORDER BY partition_key`,
    [model],
  );
  const keys = (gone: boolean): string[] =>
    rows.filter((row) => row.gone === gone).map((row) => row.partition_key);
  return { behind: keys(false), gone: keys(true) };
}

/** Counts the recorded partitions of a model. */
export async function partitionCount(connection: Connection, model: string): Promise<number> {
  return Number(
    await connection.scalar('SELECT count(*) FROM ops.model_partitions WHERE model = $1', [model]),
  );
}

/** Records the changed partitions, or all, with their present stamps. They are untested. */
export async function recordPartitions(
  connection: Connection,
  model: string,
  current: string,
  changes: PartitionChanges | 'all',
): Promise<void> {
  const among =
    changes === 'all'
      ? 'true'
      : `partition_key IN (${[...changes.behind, ...changes.gone, ''].map(text).join(', ')})`;
  await connection.run(`DELETE FROM ops.model_partitions WHERE model = $1 AND ${among}`, [model]);
  await connection.run(
    `INSERT INTO ops.model_partitions BY NAME
     SELECT $1 AS model, partition_key, stamp, false AS tested FROM (${current}) WHERE ${among}`,
    [model],
  );
}

/** The partitions that have not passed their tests; undefined where there are none, or most of all. */
export async function untestedPartitions(
  connection: Connection,
  model: string,
): Promise<string[] | undefined> {
  const rows = await connection.rows<{ partition_key: string; tested: boolean }>(
    'SELECT partition_key, tested FROM ops.model_partitions WHERE model = $1 ORDER BY partition_key',
    [model],
  );
  const untested = rows.filter((row) => !row.tested).map((row) => row.partition_key);
  const few = untested.length > 0 && untested.length * 2 <= rows.length;
  return few ? untested : undefined;
}

/** Records that all partitions of models have passed their tests. */
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
