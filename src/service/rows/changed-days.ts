import type { ChangedDay, LoadedDays } from '../../client/resources/changed-day.ts';
import type { Connection } from '../../core/duckdb/duckdb.ts';
import { ServiceRows } from './service-rows.ts';

const TABLE = ServiceRows.table('changed_days');

/**
 * Notes days whose rows have changed, in the transaction that changes them. Clients of the service request these days
 * again.
 *
 * @param days SQL that selects one column of DATEs
 */
export async function noteChangedDays(
  connection: Connection,
  { project_id, kind }: Pick<ChangedDay, 'project_id' | 'kind'>,
  days: string,
): Promise<void> {
  await makeTable(connection);
  await connection.run(
    `INSERT INTO ${TABLE} SELECT DISTINCT ?, ?, day, []::VARCHAR[] FROM (${days}) AS found(day) WHERE day IS NOT NULL
      ON CONFLICT DO UPDATE SET loaded_by = excluded.loaded_by`,
    [project_id, kind],
  );
}

/** Returns all days that ever changed, oldest first. */
export async function changedDays(rows: ServiceRows): Promise<ChangedDay[]> {
  return rows.use(async (connection) => {
    await makeTable(connection);
    const sql = `SELECT project_id, kind, CAST(day AS VARCHAR) AS day, loaded_by FROM ${TABLE} ORDER BY ALL`;
    return connection.jsonRows<ChangedDay>(sql);
  });
}

/** Records that datasets were loaded with the current state of the days in some spans. */
export async function noteLoadedDays(rows: ServiceRows, spans: readonly LoadedDays[]): Promise<void> {
  if (spans.length === 0) return;
  await rows.use(async (connection) => {
    await makeTable(connection);
    const shape = '[{"dataset": "VARCHAR", "project_id": "VARCHAR", "from": "DATE", "to": "DATE"}]';
    await connection.run(
      `UPDATE ${TABLE} SET loaded_by = list_distinct(list_concat(loaded_by, found.datasets))
        FROM (
          SELECT changed.project_id, changed.day, list(span.dataset) AS datasets
          FROM ${TABLE} AS changed
          JOIN (SELECT unnest(from_json(?::JSON, '${shape}')) AS span)
            ON span.project_id = changed.project_id AND changed.day >= span."from" AND changed.day < span."to"
          GROUP BY ALL
        ) AS found
        WHERE found.project_id = ${TABLE}.project_id AND found.day = ${TABLE}.day`,
      [JSON.stringify(spans)],
    );
  });
}

async function makeTable(connection: Connection): Promise<void> {
  await connection.run(
    `CREATE TABLE IF NOT EXISTS ${TABLE} (
      project_id VARCHAR, kind VARCHAR, day DATE, loaded_by VARCHAR[], PRIMARY KEY (project_id, kind, day))`,
  );
}
