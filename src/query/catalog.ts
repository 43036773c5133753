import type { QueryProcess } from './query-process.ts';

interface CatalogColumn {
  readonly name: string;
  /** DuckDB's type. */
  readonly type: string;
  readonly comment: string | null;
}

/** A table or view that a reader sees, with its schema: `mart.pages`. */
interface CatalogTable {
  readonly name: string;
  readonly comment: string | null;
  readonly columns: readonly CatalogColumn[];
}

export type Catalog = readonly CatalogTable[];

const COLUMNS = `
  SELECT
    columns.schema_name || '.' || columns.table_name AS "table",
    coalesce(tables.comment, views.comment) AS holds,
    columns.column_name AS name,
    columns.data_type AS type,
    columns.comment AS comment
  FROM duckdb_columns() AS columns
  LEFT JOIN duckdb_tables() AS tables
    USING (database_name, schema_name, table_name)
  LEFT JOIN duckdb_views() AS views
    ON views.database_name = columns.database_name
    AND views.schema_name = columns.schema_name AND views.view_name = columns.table_name
  WHERE NOT columns.internal AND columns.database_name = current_database()
  ORDER BY columns.schema_name, columns.table_name, columns.column_index`;

interface CatalogRow extends CatalogColumn {
  readonly table: string;
  readonly holds: string | null;
}

/** Tables, views and columns of the published warehouse, ordered by name. */
export async function readCatalog(warehouse: QueryProcess, signal: AbortSignal): Promise<Catalog> {
  const rows = (await warehouse.rows(COLUMNS, signal)) as unknown as CatalogRow[];
  const tables = new Map<string, { name: string; comment: string | null; columns: CatalogColumn[] }>();
  for (const { table, holds, name, type, comment } of rows) {
    const known = tables.get(table) ?? { name: table, comment: holds, columns: [] };
    known.columns.push({ name, type, comment });
    tables.set(table, known);
  }
  return [...tables.values()];
}
