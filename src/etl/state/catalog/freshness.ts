import { z } from 'zod';
import { type Connection, isoTime } from '../../../core/duckdb/duckdb.ts';
import { hasColumns } from './catalog.ts';

/** The last crawl of a project in the warehouse; times are ISO 8601. */
export const Freshness = z.strictObject({
  project_id: z.string(),
  project_name: z.string().nullable(),
  crawl_id: z.string(),
  /** Null until the service's list of crawls is read. */
  ended_at: z.string().nullable(),
  loaded_at: z.string(),
});
export type Freshness = z.infer<typeof Freshness>;

/** Returns the freshness of each project, the project with the oldest last crawl first. */
export async function freshness(connection: Connection): Promise<Freshness[]> {
  // A published file of an earlier version; the next publication replaces it.
  if (!(await hasColumns(connection, 'ops.listed', ['id']))) return [];
  // The last name of a project, also of a deleted project.
  const names = (await hasColumns(connection, 'raw.projects', ['id', 'name', '_seen_from']))
    ? '(SELECT id, max_by(name, _seen_from) AS name FROM raw.projects GROUP BY id)'
    : `(SELECT '' AS id, NULL AS name)`;
  return connection.jsonRows<Freshness>(
    `SELECT l.project_id, p.name AS project_name, l.source_id AS crawl_id, ${isoTime('c.ended_at')} AS ended_at,
       ${isoTime('l.loaded_at')} AS loaded_at
     FROM ops.loads AS l
     LEFT JOIN (SELECT id, max(ended_at) AS ended_at FROM ops.listed WHERE list = 'crawls' GROUP BY id) AS c
       ON c.id = l.source_id
     LEFT JOIN ${names} AS p ON p.id = l.project_id
     WHERE l.source_kind = 'crawl'
     QUALIFY row_number() OVER (PARTITION BY l.project_id ORDER BY c.ended_at DESC NULLS LAST, l.loaded_at DESC) = 1
     ORDER BY c.ended_at NULLS FIRST, l.project_id`,
  );
}
