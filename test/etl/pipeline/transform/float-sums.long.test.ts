import { join } from 'node:path';
import { expect, test } from 'vitest';
import { type Connection, ident, table } from '../../../../src/core/duckdb/duckdb.ts';
import type { SqlNode } from '../../../../src/core/duckdb/serialize-sql.ts';
import { loadModels } from '../../../../src/etl/project/sql/models/load-models.ts';
import { sqlFolder } from '../../../../src/etl/project/sql/models/sql-folders.ts';
import { planModels } from '../../../../src/etl/project/sql/plan/plan-models.ts';
import { bindQuestion } from '../../../../src/etl/project/sql/questions/bind-question.ts';
import { loadQuestions } from '../../../../src/etl/project/sql/questions/questions.ts';
import { parseSelect } from '../../../../src/etl/project/sql/text/sql-tree.ts';
import { openWarehouse } from './test-warehouse.ts';

const folders = [sqlFolder(join(import.meta.dirname, '../../../../sql'))];

/** Of floats, each of these depends on the order of the rows: `fsum` too, in its last bit. */
const ADDING = /^(f|kahan_)?sum$|^sum_?kahan$|^f?avg$|^mean$|^(var|stddev|covar|regr|corr|skewness|kurtosis)/;

/** The calls of aggregates that add: where each begins, in bytes, and its name. */
function calls(value: unknown): { readonly offset: number; readonly name: string }[] {
  if (Array.isArray(value)) return value.flatMap(calls);
  if (typeof value !== 'object' || value === null) return [];
  const node = value as SqlNode;
  const name = String(node.function_name ?? '');
  const own = ADDING.test(name) ? [{ offset: Number(node.query_location), name }] : [];
  return [...own, ...Object.values(node).flatMap(calls)];
}

/**
 * The calls in some SQL that add floats. DuckDB itself says which do: `bit_or` stands in the place of each, which binds
 * to whole numbers only, and names the type otherwise.
 */
async function floatSums(connection: Connection, sql: string, file: string): Promise<string[]> {
  const bytes = Buffer.from(sql);
  const found: string[] = [];
  for (const { offset, name } of calls(await parseSelect(connection, sql, { file, line: 1 }))) {
    const edited = `${bytes.subarray(0, offset)}bit_or${bytes.subarray(offset + name.length)}`;
    try {
      (await connection.inner.prepare(edited)).destroySync();
    } catch (error) {
      const { message } = error as Error;
      if (!message.includes('bit_or(DECIMAL'))
        found.push(`${file}: ${name}: ${message.split('\n')[0]}, ${/LINE.*/.exec(message)?.[0]}`);
    }
  }
  return found;
}

test('sums and averages of floats are detected, of integers and decimals not', async () => {
  await using warehouse = await openWarehouse();
  const { connection } = warehouse;
  await connection.run('CREATE TABLE t (f DOUBLE, n BIGINT)');
  const said = (sql: string): Promise<string[]> => floatSums(connection, sql, 'x.sql');
  for (const good of [
    'sum(n), avg(n)',
    'sum(CAST(f * n AS DECIMAL(38, 9))) / sum(n) FILTER (f > 0)',
    'sum(sum(n)) OVER ()',
    "'ü' || sum(CASE WHEN f > 1 THEN 1 ELSE 0 END)",
  ])
    expect(await said(`SELECT ${good} FROM t`)).toEqual([]);
  for (const bad of ['avg(f)', "'ü' || sum(f * n)", 'fsum(f)', 'sum(max(f)) OVER ()', 'stddev(f)'])
    expect(await said(`SELECT ${bad} FROM t`)).toEqual([expect.stringContaining("types 'bit_or(DOUBLE)'")]);
});

/** The calls of `round` in some SQL that round something else than a decimal of nine places. */
async function floatRoundings(connection: Connection, sql: string, file: string): Promise<string[]> {
  const found: string[] = [];
  const walk = (value: unknown): void => {
    if (typeof value !== 'object' || value === null) return;
    const node = value as SqlNode;
    if (node.function_name === 'round') {
      const [rounded] = node.children as SqlNode[];
      const { id, type_info } = (rounded?.cast_type ?? {}) as SqlNode;
      if (id !== 'DECIMAL' || (type_info as SqlNode).scale !== 9)
        found.push(`${file}: ${sql.slice(Number(node.query_location)).split('\n')[0]}`);
    }
    for (const child of Object.values(node)) walk(child);
  };
  walk(await parseSelect(connection, sql, { file, line: 1 }));
  return found;
}

test('rounded values are first decimals with nine places, so that ties are deterministic', async () => {
  await using warehouse = await openWarehouse();
  const said = (sql: string): Promise<string[]> => floatRoundings(warehouse.connection, sql, 'x.sql');
  expect(await said('SELECT round(avg(n), 2) FROM t')).toEqual(['x.sql: round(avg(n), 2) FROM t']);
  expect(await said('SELECT round(CAST(sum(n) AS DOUBLE) / 3, 1)')).toHaveLength(1);
  expect(await said('SELECT round(CAST(avg(n) AS DECIMAL(38, 6)), 1)')).toHaveLength(1);
  expect(await said('SELECT round(CAST(avg(n) AS DECIMAL(38, 9)), 1)')).toEqual([]);
  const found: string[] = [];
  for (const { sql, file } of [...(await loadModels(folders)), ...(await loadQuestions(folders))]) {
    const plain = sql.replaceAll(/\$(\w+)/g, '"$1"');
    found.push(...(await floatRoundings(warehouse.connection, plain, file)));
  }
  expect(found).toEqual([]);
  // Every tie of a percentage of one decimal goes away from zero; as floats, half of those above 100 % do not.
  const [ties] = await warehouse.connection.jsonRows(`
    SELECT count(*)::INTEGER AS ties, (count(*) FILTER (
      CAST(round(CAST(CAST(100 * k AS DOUBLE) / 2000 AS DECIMAL(38, 9)), 1) AS DOUBLE) <> (k + 1) / 20
        OR CAST(round(CAST(CAST(-100 * k AS DOUBLE) / 2000 AS DECIMAL(38, 9)), 1) AS DOUBLE) <> -(k + 1) / 20
    ))::INTEGER AS wrong FROM range(1, 20000, 2) AS t(k)`);
  expect(ties).toEqual({ ties: 10_000, wrong: 0 });
});

test('no model and no question adds floats, so the order of rows never changes a bit', async () => {
  await using warehouse = await openWarehouse();
  const { connection } = warehouse;
  const plan = await planModels({ connection, models: await loadModels(folders) });
  for (const { model, outputs } of plan) {
    const columns = [...outputs].map(([name, type]) => `${ident(name)} ${type}`);
    await connection.run(`CREATE TABLE ${table(...model.name.split('.'))} (${columns.join(', ')})`);
  }
  const found: string[] = [];
  for (const { model, sql } of plan) found.push(...(await floatSums(connection, sql, model.file)));
  for (const question of await loadQuestions(folders))
    found.push(...(await floatSums(connection, bindQuestion(question).sql, question.file)));
  expect(found).toEqual([]);
});
