import { z } from 'zod';
import { type Typed, typedRows } from '../text/typed-rows.ts';
import { type Connection, listed } from './duckdb.ts';

const DescribedColumn = z.object({ column_name: z.string(), column_type: z.string() });

const ColumnRow = z.strictObject({
  table: z.string(),
  name: z.string(),
  type: z.string(),
  comment: z.string().nullable(),
});

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
  const rows = typedRows(
    ColumnRow,
    await connection.rows(
      `SELECT schema_name || '.' || table_name AS "table", column_name AS name, data_type AS type, comment
       FROM duckdb_columns()
       WHERE database_name = current_database() AND schema_name IN ${listed('$1')}
       ORDER BY 1, column_index`,
      [JSON.stringify(schemas)],
    ),
  );
  const tables = Map.groupBy(rows, ({ table }) => table);
  return new Map([...tables].map(([table, of]) => [table, of.map(columnOf)]));
}

export function columnOf({ name, type, comment }: CatalogColumn): CatalogColumn {
  return { name, type, comment };
}

/** Returns the columns of a SELECT or of a table, in their order. */
export async function describeColumns(
  connection: Connection,
  of: string,
  signal?: AbortSignal,
): Promise<readonly Typed<typeof DescribedColumn>[]> {
  return typedRows(DescribedColumn, await connection.rows(`DESCRIBE ${of}`, [], signal));
}
