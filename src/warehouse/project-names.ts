import type { Connection } from '../core/duckdb.ts';
import { rawTableColumns } from './raw-table.ts';

/** Names by id, of the projects that are there now. */
export async function projectNames(connection: Connection): Promise<ReadonlyMap<string, string>> {
  const columns = await rawTableColumns(connection, 'projects');
  if (!['id', 'name', '_seen_to'].every((column) => columns.has(column))) return new Map();
  const rows = await connection.rows<{ id: string; name: string }>(
    'SELECT id, name FROM raw.projects WHERE _seen_to IS NULL',
  );
  return new Map(rows.map(({ id, name }) => [id, name]));
}
