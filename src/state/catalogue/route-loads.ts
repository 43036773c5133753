import type { Connection } from '../../core/duckdb/duckdb.ts';
import { LAST_LOADS, LEAST_ROWS, type RouteLoad } from '../../project/model/route-pace.ts';
import { hasColumns } from './catalog.ts';

/**
 * The newest loads of each project and dataset by the stream and by data exports, by route and format. A data export that
 * a killed run had asked for is left out, because its wait is not known. So are units under a filter, which no data
 * export takes.
 */
export async function readRouteLoads(connection: Connection): Promise<RouteLoad[]> {
  // Published by a version that did not keep it yet.
  const isKept = await hasColumns(connection, 'ops.loads', ['waited']);
  const rows = await connection.rows(
    `SELECT dataset, project_id, route, format, CAST(received AS DOUBLE) AS rows, seconds, waited
     FROM (SELECT dataset, project_id, route, format, received, seconds, loaded_at, unit,
             ${isKept ? 'waited' : 'CAST(NULL AS DOUBLE)'} AS waited
           FROM ops.loads WHERE source_kind = 'crawl' AND seconds > 0 AND filter IS NULL)
     WHERE (route = 'stream' AND received >= ${LEAST_ROWS}) OR (route = 'export' AND waited IS NOT NULL)
     QUALIFY row_number() OVER (
       PARTITION BY dataset, project_id, route, format ORDER BY loaded_at DESC, unit DESC) <= ${LAST_LOADS}
     ORDER BY dataset, project_id, route, format, loaded_at DESC, unit DESC`,
  );
  return rows as unknown as RouteLoad[];
}
