import type { Connection } from '../../../core/duckdb/duckdb.ts';
import { hasColumns } from '../catalog.ts';

/** Names by id, of the projects that are there now. */
export async function projectNames(connection: Connection): Promise<ReadonlyMap<string, string>> {
  if (!(await hasColumns(connection, 'raw.projects', ['id', 'name', '_seen_to']))) return new Map();
  const rows = await connection.rows<{ id: string; name: string }>(
    'SELECT id, name FROM raw.projects WHERE _seen_to IS NULL',
  );
  return new Map(rows.map(({ id, name }) => [id, name]));
}

/** The id of a project that is given by id or name; what no project is called, as it came. */
export async function projectNamed(connection: Connection, name: string): Promise<string> {
  if (!(await hasColumns(connection, 'raw.projects', ['name']))) return name;
  const id = await connection.scalar(
    'SELECT id FROM raw.projects WHERE name = ? ORDER BY _seen_to IS NULL DESC LIMIT 1',
    [name],
  );
  return id === undefined ? name : String(id);
}
