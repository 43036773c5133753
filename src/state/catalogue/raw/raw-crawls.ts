import type { Connection } from '../../../core/duckdb/duckdb.ts';
import { END_REASONS_WITHOUT_REPORT } from '../../../service/api/resources/crawls.ts';
import { hasColumns } from '../catalog.ts';

/** When the last crawls of each project ended that left a report, UTC milliseconds in ascending order; 20 at most. */
export async function crawlEnds(
  connection: Connection,
): Promise<{ readonly project_id: string; readonly ends: readonly number[] }[]> {
  const needed = ['id', 'project_id', 'ended_at', 'end_reason', '_seen_to'];
  if (!(await hasColumns(connection, 'raw.crawls', needed))) return [];
  const rows = await connection.jsonRows(
    `SELECT project_id, list(ended_at ORDER BY ended_at) AS ends FROM (
       SELECT DISTINCT project_id, id, ended_at FROM raw.crawls
       WHERE _seen_to IS NULL AND ended_at IS NOT NULL
         AND NOT list_contains(CAST(from_json(?, '["VARCHAR"]') AS VARCHAR[]), coalesce(end_reason, ''))
       QUALIFY row_number() OVER (PARTITION BY project_id ORDER BY ended_at DESC) <= 20)
     GROUP BY project_id ORDER BY project_id`,
    [JSON.stringify(END_REASONS_WITHOUT_REPORT)],
  );
  return rows.map(({ project_id, ends }) => ({
    project_id: String(project_id),
    ends: (ends as (number | bigint)[]).map(Number),
  }));
}
