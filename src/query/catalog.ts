import type { PublishedWarehouse } from './query-warehouse.ts';

export interface CatalogColumn {
  readonly name: string;
  /** DuckDB's type. */
  readonly type: string;
  readonly comment: string | null;
}

/** A table or view that a reader sees, with its schema: `mart.pages`. */
export interface CatalogTable {
  readonly name: string;
  readonly comment: string | null;
  readonly columns: readonly CatalogColumn[];
}

export type Catalog = readonly CatalogTable[];

const COLUMNS = `
  SELECT
    columns.schema_name || '.' || columns.table_name,
    coalesce(tables.comment, views.comment),
    columns.column_name,
    columns.data_type,
    columns.comment
  FROM duckdb_columns() AS columns
  LEFT JOIN duckdb_tables() AS tables
    USING (database_name, schema_name, table_name)
  LEFT JOIN duckdb_views() AS views
    ON views.database_name = columns.database_name
    AND views.schema_name = columns.schema_name AND views.view_name = columns.table_name
  WHERE NOT columns.internal AND columns.database_name = current_database()
  ORDER BY columns.schema_name, columns.table_name, columns.column_index`;

/** Tables, views and columns of the published warehouse, ordered by name. */
export async function readCatalog(warehouse: PublishedWarehouse, signal: AbortSignal): Promise<Catalog> {
  const rows = (await warehouse.ask(COLUMNS, signal, (result) => result.rows())) as string[][];
  const tables = new Map<string, { name: string; comment: string | null; columns: CatalogColumn[] }>();
  for (const [table = '', comment = null, name = '', type = '', note = null] of rows) {
    const known = tables.get(table) ?? { name: table, comment, columns: [] };
    known.columns.push({ name, type, comment: note });
    tables.set(table, known);
  }
  return [...tables.values()];
}
