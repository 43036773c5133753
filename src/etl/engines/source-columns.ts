import { z } from 'zod';
import { ident } from '../../core/duckdb/duckdb.ts';
import { typedRows } from '../../core/text/typed-rows.ts';
import type { SourcePlace } from './engine.ts';

const SourceColumn = z.strictObject({ name: z.string(), type: z.string() });

interface Column {
  readonly name: string;
  /** A type of DuckDB. */
  readonly type: string;
}

/** Returns the columns of a relation of an attached catalog, and SQL of a unit's rows with values for all of them. */
export async function sourceColumns(
  { connection, source }: Pick<SourcePlace, 'connection' | 'source'>,
  relation: string,
): Promise<{ readonly columns: readonly Column[]; readonly values: ReadonlyMap<string, string> }> {
  const columns = typedRows(
    SourceColumn,
    await connection.rows(
      `SELECT column_name AS name, data_type AS type FROM duckdb_columns()
       WHERE database_name = $1 AND schema_name || '.' || table_name = $2 ORDER BY column_index`,
      [source, relation],
    ),
  );
  return { columns, values: new Map(columns.map(({ name }) => [name, ident(name)])) };
}
