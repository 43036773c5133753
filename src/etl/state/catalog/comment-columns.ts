import { z } from 'zod';
import { type Connection, table, text } from '../../../core/duckdb/duckdb.ts';
import { typedRows } from '../../../core/text/typed-rows.ts';
import { baseColumn } from '../../project/model/column-name.ts';
import { type DescribedField, describeField, describeMetaColumn } from './descriptions/describe-field.ts';
import { OPS_TABLES } from './descriptions/ops-tables.ts';

const ColumnField = z.strictObject({
  column: z.string(),
  field: z.string(),
  type: z.string(),
  arity: z.string(),
});

/**
 * Comments in one transaction. Until the commit, DuckDB keeps a version of the table for each comment. In one
 * transaction, 750 comments used 180 MB and took twice as long.
 */
const AT_ONCE = 50;

/**
 * Adds comments to the columns of a raw table that have no comment yet.
 *
 * @param fields the fields of the current load, by column
 */
export async function commentRawColumns(
  connection: Connection,
  dataset: string,
  fields: ReadonlyMap<string, DescribedField>,
): Promise<void> {
  const columns = await connection.column<string>(
    `SELECT column_name FROM duckdb_columns()
     WHERE database_name = current_database() AND schema_name = 'raw' AND table_name = ? AND comment IS NULL
     ORDER BY column_index`,
    [dataset],
  );
  if (columns.length === 0) return;
  const known = new Map([...(await formerFields(connection, dataset)), ...fields]);
  const comments = columns.map((name) => {
    const field = known.get(name) ?? { field: name, type: 'unknown', arity: 'one' };
    const base = baseColumn(field.field, name);
    const variant = base === name ? '' : ` Values of another type than that of ${base}.`;
    const words = describeMetaColumn(name) ?? `${describeField(dataset, field)}${variant}`;
    return comment(['raw', dataset, name], words);
  });
  for (let start = 0; start < comments.length; start += AT_ONCE) {
    const some = comments.slice(start, start + AT_ONCE).join(';');
    await connection.transaction(() => connection.run(some));
  }
}

export async function commentOpsTables(connection: Connection): Promise<void> {
  const comments = Object.entries(OPS_TABLES).flatMap(([name, { holds, columns }]) => [
    `COMMENT ON TABLE ${table('ops', name)} IS ${text(holds)}`,
    ...Object.entries(columns).map(([column, words]) => comment(['ops', name, column], words)),
  ]);
  await connection.run(comments.join(';'));
}

export async function rawTables(connection: Connection): Promise<string[]> {
  return await connection.column(
    `SELECT table_name FROM duckdb_tables()
     WHERE database_name = current_database() AND schema_name = 'raw' ORDER BY table_name`,
  );
}

/** Returns the fields that the units of a dataset have had, by column. */
async function formerFields(connection: Connection, dataset: string): Promise<Map<string, DescribedField>> {
  const rows = typedRows(
    ColumnField,
    await connection.rows(
      `SELECT column_name AS "column", any_value(field) AS field, any_value(type) AS type, any_value(arity) AS arity
       FROM ops.unit_fields WHERE dataset = ? GROUP BY column_name`,
      [dataset],
    ),
  );
  return new Map(rows.map((row) => [row.column, row]));
}

function comment(column: readonly string[], words: string): string {
  return `COMMENT ON COLUMN ${table(...column)} IS ${text(words)}`;
}
