import { type Connection, listed } from './duckdb.ts';

export interface CatalogColumn {
  readonly name: string;
  /** DuckDB's type. */
  readonly type: string;
  readonly comment: string | null;
}

/** Returns the columns of the tables and views of some schemas, by `schema.table`, each in the order of its table. */
export async function tableColumns(
  connection: Connection,
  schemas: readonly ('raw' | 'mart' | 'ops')[],
): Promise<Map<string, CatalogColumn[]>> {
  const rows = await connection.rows<{ table: string; name: string; type: string; comment: string | null }>(
    `SELECT schema_name || '.' || table_name AS "table", column_name AS name, data_type AS type, comment
     FROM duckdb_columns()
     WHERE database_name = current_database() AND schema_name IN ${listed('$1')}
     ORDER BY 1, column_index`,
    [JSON.stringify(schemas)],
  );
  const tables = Map.groupBy(rows, ({ table }) => table);
  return new Map([...tables].map(([table, of]) => [table, of.map(columnOf)]));
}

export function columnOf({ name, type, comment }: CatalogColumn): CatalogColumn {
  return { name, type, comment };
}
