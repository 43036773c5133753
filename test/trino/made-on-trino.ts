import { DuckDBListValue } from '@duckdb/node-api';
import { type Connection, ident, table } from '../../src/core/duckdb/duckdb.ts';
import { createModel } from '../../src/etl/engines/duckdb/duckdb-models.ts';
import { literal } from '../../src/etl/engines/trino/client/literal.ts';
import { translateModel, trinoType } from '../../src/etl/engines/trino/trino-dialect.ts';
import { type ModelCase, rowsSql } from '../../src/etl/pipeline/transform/tests/model-cases.ts';
import { type PlannedModel, planModels } from '../../src/etl/project/sql/plan/plan-models.ts';
import { selectModels } from '../../src/etl/project/sql/plan/select-models.ts';
import { replaceTables } from '../../src/etl/project/sql/text/replace-tables.ts';
import { sqlReferences } from '../../src/etl/project/sql/text/sql-references.ts';

/** Makes a model and what it reads in DuckDB. Gives the statement that makes the model of the same rows on Trino. */
export async function madeOnTrino(
  connection: Connection,
  plan: readonly PlannedModel[],
  model: string,
  { input }: Pick<ModelCase, 'input'>,
): Promise<string> {
  for (const [name, { columns, rows }] of Object.entries(input)) {
    await connection.run(`CREATE OR REPLACE TABLE ${table(...name.split('.'))} AS ${rowsSql(columns, rows)}`);
  }
  const models = selectModels(plan, [`+${model}`]).map((planned) => planned.model);
  const planned = await planModels({ connection, models });
  for (const one of planned) await createModel(connection, one);
  const target = planned.find((one) => one.model.name === model);
  if (target === undefined) throw new Error(`${model} is not planned`);
  const parts: string[] = [];
  for (const read of new Set([...target.sources, ...target.models])) {
    const rows = await literalRows(connection, read);
    if (rows !== undefined) parts.push(`${local(read)} AS (${rows})`);
  }
  const references = await sqlReferences(connection, target.sql, { file: model, line: 1 });
  const sql = replaceTables(
    target.sql,
    references,
    ({ schema, name }) => `SELECT * FROM ${local(`${schema}.${name}`)}`,
  );
  const translated = translateModel(sql, target.outputs);
  return parts.length === 0 ? translated : `WITH ${parts.join(',\n')}\n${translated}`;
}

const local = (name: string): string => ident(name.replaceAll('.', ' '));

/** The rows of a table as literals; nothing for a table that is not there. */
async function literalRows(connection: Connection, name: string): Promise<string | undefined> {
  const columns = await connection.rows<{ column_name: string; column_type: string }>(
    `SELECT column_name, data_type AS column_type FROM duckdb_columns()
     WHERE database_name = current_database() AND schema_name || '.' || table_name = $1 ORDER BY column_index`,
    [name],
  );
  if (columns.length === 0) return undefined;
  const texts = columns.map(({ column_name, column_type }) => {
    if (column_type.endsWith('[]')) return `CAST(${ident(column_name)} AS VARCHAR[])`;
    if (column_type !== 'TIMESTAMP WITH TIME ZONE') return `CAST(${ident(column_name)} AS VARCHAR)`;
    return `strftime(${ident(column_name)} AT TIME ZONE 'UTC', '%Y-%m-%d %H:%M:%S.%f UTC')`;
  });
  const names = columns.map(({ column_name }) => ident(column_name)).join(', ');
  const read = await connection.inner.runAndReadAll(
    `SELECT ${texts.join(', ')} FROM ${table(...name.split('.'))}`,
  );
  const nulls = columns.map(({ column_type }) => cast(null, column_type));
  const rows = read
    .getRows()
    .map((row) => row.map((value, index) => cast(value, columns[index]?.column_type ?? '')));
  const values = [nulls, ...rows].map((row) => `(${row.join(', ')})`);
  // The first row gives a table without rows its types.
  return `SELECT ${names} FROM (VALUES ${values.map((row, index) => `${row.slice(0, -1)}, ${index})`).join(', ')}) AS given (${names}, place) WHERE place > 0`;
}

function cast(value: unknown, type: string): string {
  if (value instanceof DuckDBListValue) {
    return `CAST(ARRAY[${value.items.map((item) => cast(item, type.slice(0, -2))).join(', ')}] AS ${trinoType(type)})`;
  }
  return `CAST(${value === null ? 'NULL' : literal(String(value))} AS ${trinoType(type)})`;
}
