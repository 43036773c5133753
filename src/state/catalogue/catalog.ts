import { type Connection, listed } from '../../core/duckdb/duckdb.ts';

export interface CatalogColumn {
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

/** Where the catalogue is read: in a process of its own. */
export interface CatalogReader {
  rows(
    sql: string,
    signal: AbortSignal,
    parameters?: ReadonlyMap<string, string | null>,
  ): Promise<readonly object[]>;
  /** Takes a sentence to the person who asks. */
  readonly say?: (sentence: string) => void;
}

/** Tables, views and columns of the published warehouse, ordered by name. */
export async function readCatalog(warehouse: CatalogReader, signal: AbortSignal): Promise<Catalog> {
  const rows = (await warehouse.rows(COLUMNS, signal)) as unknown as CatalogRow[];
  return [...Map.groupBy(rows, ({ table }) => table)].map(([name, of]) => ({
    name,
    comment: of[0]?.holds ?? null,
    columns: of.map(columnOf),
  }));
}

/** The columns of the tables and views of some schemas, by `schema.table`, each in the order of its table. */
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

function columnOf({ name, type, comment }: CatalogColumn): CatalogColumn {
  return { name, type, comment };
}

/** Whether a table, given as `schema.table`, is there and has these columns. */
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

/** The comment of a table, and its rows as DuckDB estimates them. */
export interface TableFacts {
  readonly comment: string | null;
  readonly rows: number;
}

/** DuckDB's own facts about the tables, by `schema.table`. */
export async function tableFacts(connection: Connection): Promise<Map<string, TableFacts>> {
  const rows = await connection.rows<{ table: string; comment: string | null; rows: bigint }>(
    `SELECT schema_name || '.' || table_name AS "table", comment, estimated_size AS rows
     FROM duckdb_tables() WHERE database_name = current_database()`,
  );
  return new Map(rows.map(({ table, comment, rows }) => [table, { comment, rows: Number(rows) }]));
}

/** Facts of tables whose rows are in another engine: as they were loaded and built. */
export async function recordedFacts(connection: Connection): Promise<Map<string, TableFacts>> {
  const facts = await tableFacts(connection);
  const recorded = await connection.rows<{ table: string; rows: bigint }>(
    `SELECT 'raw.' || dataset AS "table", CAST(sum(loaded) AS BIGINT) AS rows FROM ops.loads
     WHERE source_kind <> 'resource' GROUP BY dataset
     UNION ALL SELECT name, rows FROM ops.models WHERE rows IS NOT NULL`,
  );
  for (const { table, rows } of recorded)
    facts.set(table, { comment: facts.get(table)?.comment ?? null, rows: Number(rows) });
  return facts;
}

/** The rows of all raw tables, as DuckDB estimates them. */
export async function rawRows(connection: Connection): Promise<number> {
  const facts = await tableFacts(connection);
  return [...facts].reduce((sum, [name, { rows }]) => (name.startsWith('raw.') ? sum + rows : sum), 0);
}

/** The tables and views of `mart`, by `mart.name`. */
export type MartObjects = ReadonlyMap<string, 'table' | 'view'>;

export async function martObjects(connection: Connection): Promise<MartObjects> {
  const rows = await connection.rows<{ name: string; kind: 'table' | 'view' }>(
    `SELECT 'mart.' || table_name AS name, 'table' AS kind FROM duckdb_tables()
     WHERE database_name = current_database() AND schema_name = 'mart'
     UNION ALL
     SELECT 'mart.' || view_name, 'view' FROM duckdb_views()
     WHERE database_name = current_database() AND schema_name = 'mart'`,
  );
  return new Map(rows.map((row) => [row.name, row.kind]));
}
