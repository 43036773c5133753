import type { Connection } from '../core/duckdb/duckdb.ts';
import { tableColumns } from '../state/catalogue/catalog.ts';

/** Relations whose rows are in the catalogue, of which another engine has a copy: `ops` and the lists of resources. */
export async function catalogueRelations(connection: Connection): Promise<string[]> {
  const tables = await tableColumns(connection, ['raw', 'ops']);
  return [...tables]
    .filter(([name, columns]) =>
      // The table of pointers would change with each copy of itself.
      name.startsWith('ops.')
        ? name !== 'ops.pointers'
        : columns.some((column) => column.name === '_seen_to'),
    )
    .map(([name]) => name);
}
