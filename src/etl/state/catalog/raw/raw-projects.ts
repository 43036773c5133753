import { z } from 'zod';
import { END_REASONS_WITHOUT_REPORT } from '../../../../client/resources/end-reasons.ts';
import { type Connection, listed } from '../../../../core/duckdb/duckdb.ts';
import { typedRows } from '../../../../core/text/typed-rows.ts';
import { hasColumns } from '../catalog.ts';

const ProjectName = z.strictObject({ id: z.string(), name: z.string() });

/** Returns the names of the current projects, by id. */
export async function projectNames(connection: Connection): Promise<ReadonlyMap<string, string>> {
  if (!(await hasColumns(connection, 'raw.projects', ['id', 'name', '_seen_to']))) return new Map();
  const rows = typedRows(
    ProjectName,
    await connection.rows('SELECT id, name FROM raw.projects WHERE _seen_to IS NULL'),
  );
  return new Map(rows.map(({ id, name }) => [id, name]));
}

/** Returns a project as text: its name and id, or only the id if no name is known. */
export function projectText(id: string, names: ReadonlyMap<string, string>): string {
  const name = names.get(id);
  return name === undefined ? id : `${name} (${id})`;
}

/** Returns the id of a project given by id or name. An unknown name is returned unchanged. */
export async function projectNamed(connection: Connection, name: string): Promise<string> {
  if (!(await hasColumns(connection, 'raw.projects', ['name']))) return name;
  const id = await connection.scalar(
    'SELECT id FROM raw.projects WHERE name = ? ORDER BY _seen_to IS NULL DESC LIMIT 1',
    [name],
  );
  return id === undefined ? name : String(id);
}

/**
 * Returns the end times of each project's last crawls with a report, in ascending order and UTC milliseconds: at most
 * 20.
 */
export async function crawlEnds(
  connection: Connection,
): Promise<{ readonly project_id: string; readonly ends: readonly number[] }[]> {
  const needed = ['id', 'project_id', 'ended_at', 'end_reason', '_seen_to'];
  if (!(await hasColumns(connection, 'raw.crawls', needed))) return [];
  const rows = await connection.jsonRows(
    `SELECT project_id, list(ended_at ORDER BY ended_at) AS ends FROM (
       SELECT DISTINCT project_id, id, ended_at FROM raw.crawls
       WHERE _seen_to IS NULL AND ended_at IS NOT NULL
         AND coalesce(end_reason, '') NOT IN ${listed('?')}
       QUALIFY row_number() OVER (PARTITION BY project_id ORDER BY ended_at DESC) <= 20)
     GROUP BY project_id ORDER BY project_id`,
    [JSON.stringify(END_REASONS_WITHOUT_REPORT)],
  );
  return rows.map(({ project_id, ends }) => ({
    project_id: String(project_id),
    ends: (ends as (number | bigint)[]).map(Number),
  }));
}
