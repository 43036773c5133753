import { z } from 'zod';
import { type Connection, listed } from '../../../core/duckdb/duckdb.ts';
import { type CatalogColumn, columnOf } from '../../../core/duckdb/table-columns.ts';
import { typedRows } from '../../../core/text/typed-rows.ts';

const FactsRow = z.strictObject({ table: z.string(), comment: z.string().nullable(), rows: z.bigint() });

const RecordedRow = z.strictObject({ table: z.string(), rows: z.bigint() });

const MartObject = z.strictObject({ name: z.string(), kind: z.enum(['table', 'view']) });

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

const CatalogRow = z.strictObject({
  table: z.string(),
  holds: z.string().nullable(),
  name: z.string(),
  type: z.string(),
  comment: z.string().nullable(),
});

/** Reads the catalog in a separate process. */
export interface CatalogReader {
  rows(
    sql: string,
    signal: AbortSignal,
    parameters?: ReadonlyMap<string, string | null>,
  ): Promise<readonly object[]>;
  /** Shows a sentence to the user. */
  readonly say?: (sentence: string) => void;
}

/** Tables, views and columns of the published warehouse, ordered by name. */
export async function readCatalog(warehouse: CatalogReader, signal: AbortSignal): Promise<Catalog> {
  const rows = typedRows(CatalogRow, await warehouse.rows(COLUMNS, signal));
  return [...Map.groupBy(rows, ({ table }) => table)].map(([name, of]) => ({
    name,
    comment: of[0]?.holds ?? null,
    columns: of.map(columnOf),
  }));
}

/** Returns whether the table `schema.table` exists and has these columns. */
export async function hasColumns(
  connection: Connection,
  table: string,
  columns: readonly string[],
): Promise<boolean> {
  const [schema = '', name = ''] = table.split('.');
  const found = await connection.scalar(
    `SELECT count(*) FROM duckdb_columns() WHERE database_name = current_database() AND column_name IN ${listed('$1')}
       AND schema_name = $2 AND table_name = $3`,
    [JSON.stringify(columns), schema, name],
  );
  return Number(found) === columns.length;
}

/** The comment of a table and DuckDB's estimate of its rows. */
export interface TableFacts {
  readonly comment: string | null;
  readonly rows: number;
}

/** Returns DuckDB's own facts about the tables, by `schema.table`. */
export async function tableFacts(connection: Connection): Promise<Map<string, TableFacts>> {
  const rows = typedRows(
    FactsRow,
    await connection.rows(
      `SELECT schema_name || '.' || table_name AS "table", comment, estimated_size AS rows
       FROM duckdb_tables() WHERE database_name = current_database()`,
    ),
  );
  return new Map(rows.map(({ table, comment, rows }) => [table, { comment, rows: Number(rows) }]));
}

/** Returns the facts recorded at load and build, for tables whose rows are in another engine. */
export async function recordedFacts(connection: Connection): Promise<Map<string, TableFacts>> {
  const facts = await tableFacts(connection);
  const recorded = typedRows(
    RecordedRow,
    await connection.rows(
      `SELECT 'raw.' || dataset AS "table", CAST(sum(loaded) AS BIGINT) AS rows FROM ops.loads
       WHERE source_kind <> 'resource' GROUP BY dataset
       UNION ALL SELECT name, rows FROM ops.models WHERE rows IS NOT NULL`,
    ),
  );
  for (const { table, rows } of recorded)
    facts.set(table, { comment: facts.get(table)?.comment ?? null, rows: Number(rows) });
  return facts;
}

/** Returns DuckDB's estimate of the rows of all raw tables together. */
export async function rawRows(connection: Connection): Promise<number> {
  const facts = await tableFacts(connection);
  return [...facts].reduce((sum, [name, { rows }]) => (name.startsWith('raw.') ? sum + rows : sum), 0);
}

/** The tables and views of `mart`, by `mart.name`. */
export type MartObjects = ReadonlyMap<string, 'table' | 'view'>;

export async function martObjects(connection: Connection): Promise<MartObjects> {
  const rows = typedRows(
    MartObject,
    await connection.rows(
      `SELECT 'mart.' || table_name AS name, 'table' AS kind FROM duckdb_tables()
       WHERE database_name = current_database() AND schema_name = 'mart'
       UNION ALL
       SELECT 'mart.' || view_name, 'view' FROM duckdb_views()
       WHERE database_name = current_database() AND schema_name = 'mart'`,
    ),
  );
  return new Map(rows.map((row) => [row.name, row.kind]));
}
