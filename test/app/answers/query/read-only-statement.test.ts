import { DuckDBInstance } from '@duckdb/node-api';
import { expect, onTestFinished, test } from 'vitest';
import {
  type ReadOnlyStatement,
  readOnlyStatement,
} from '../../../../src/app/answers/query/read-only-statement.ts';

async function check(sql: string): Promise<ReadOnlyStatement> {
  const instance = await DuckDBInstance.create(':memory:');
  const connection = await instance.connect();
  onTestFinished(() => {
    connection.closeSync();
    instance.closeSync();
  });
  return readOnlyStatement(connection, sql);
}

test.for([
  'SELECT 1',
  'select 1;',
  'FROM t',
  'TABLE t',
  'VALUES (1)',
  '(SELECT 1) UNION ALL (SELECT 2)',
  'WITH x AS (SELECT 1) FROM x',
  'WITH RECURSIVE r AS (SELECT 1 AS a UNION ALL SELECT a + 1 FROM r WHERE a < 3) FROM r',
  'DESCRIBE t',
  'DESCRIBE SELECT 1',
  'SHOW TABLES',
  'SHOW ALL TABLES',
  'SUMMARIZE t',
  "PIVOT t ON b IN ('x') USING sum(a)",
  'UNPIVOT t ON a INTO NAME n VALUE v',
  'SELECT * FROM range(3), duckdb_tables(), json_each($document)',
  '-- all of them\nSELECT url FROM mart.pages -- ;',
  "SELECT 'DROP TABLE t; COPY t TO x'",
])('%s is accepted as read-only', async (sql) => {
  expect(await check(sql)).toEqual({ explain: '', select: sql });
});

test('EXPLAIN is accepted only for a SELECT', async () => {
  const explained = { explain: 'EXPLAIN ', select: 'SELECT 1' };
  expect(await check('EXPLAIN SELECT 1')).toEqual(explained);
  expect(await check('\u00a0explain/* EXPLAIN */SELECT 1')).toEqual(explained);
  expect(await check('EXPLAIN (SELECT 1)')).toEqual({ explain: 'EXPLAIN ', select: '(SELECT 1)' });
  expect(await check('-- why\n explain analyze FROM t')).toEqual({
    explain: 'EXPLAIN (ANALYZE) ',
    select: '\nFROM t',
  });
  expect(await check('EXPLAIN (ANALYZE, FORMAT json) FROM t')).toEqual({
    explain: 'EXPLAIN (ANALYZE,FORMAT json) ',
    select: 'FROM t',
  });
  // Comments nest: what looks like a SELECT is within one, and a DELETE follows.
  for (const explain of [
    'EXPLAIN ANALYZE /* /* */ SELECT 1 -- */',
    '/* /* */ EXPLAIN SELECT 1 -- */ EXPLAIN',
  ])
    await expect(check(`${explain} DELETE FROM t`)).rejects.toThrow('refused: only read-only statements');
});

test.for([
  "COPY (SELECT 'gone') TO 'warehouse.duckdb' (FORMAT csv, USE_TMP_FILE false)",
  "COPY t FROM 'rows.csv'",
  'SELECT 1; SELECT 2',
  "SELECT 1; COPY t TO 'x'",
  'EXPLAIN ANALYZE DELETE FROM t',
  'EXPLAIN (ANALYZE) CREATE TABLE u AS SELECT 1',
  "EXPLAIN COPY t TO 'x'",
  'EXPLAIN SELECT 1; DROP TABLE t',
  'INSERT INTO t VALUES (1)',
  'UPDATE t SET a = 1',
  'DELETE FROM t RETURNING a',
  'MERGE INTO t USING t AS u ON true WHEN MATCHED THEN DELETE',
  'CREATE TEMP TABLE u AS SELECT 1',
  'CREATE MACRO m() AS 1',
  'ALTER TABLE t RENAME TO u',
  "COMMENT ON TABLE t IS 'x'",
  'DROP TABLE t',
  "ATTACH ':memory:' AS x",
  'DETACH w',
  'USE memory',
  "EXPORT DATABASE 'x'",
  "IMPORT DATABASE 'x'",
  'INSTALL httpfs',
  'LOAD httpfs',
  'UPDATE EXTENSIONS',
  'SET threads = 1',
  'RESET threads',
  'SET VARIABLE x = 1',
  'PRAGMA enable_verification',
  'PRAGMA version',
  "PRAGMA profile_output = 'x'",
  'CALL pragma_version()',
  'CALL enable_logging()',
  'CHECKPOINT',
  'FORCE CHECKPOINT',
  'VACUUM',
  'BEGIN',
  'COMMIT',
  'PREPARE p AS SELECT 1',
  'EXECUTE p',
  'PIVOT t ON b USING sum(a)',
  'SELECT * FROM checkpoint()',
  'SELECT * FROM force_checkpoint()',
  "SELECT * FROM enable_logging(storage = 'file', storage_path = 'x')",
  "FROM Enable_Profiling(format = 'json', save_location = 'x.json')",
  'FROM system.main."enable_logging"()',
  'DESCRIBE SELECT * FROM enable_logging()',
  'SUMMARIZE FROM enable_logging()',
  'WITH x AS (FROM enable_logging()) SELECT 1',
  'SELECT (SELECT count(*) FROM truncate_duckdb_logs())',
  'SELECT 1 WHERE EXISTS (FROM disable_logging())',
  "PIVOT (FROM enable_logging()) ON b IN ('x') USING count(*)",
  "FROM query('SELECT 1')",
  "FROM json_execute_serialized_sql('{}')",
  "FROM read_text('/etc/passwd')",
  "FROM read_duckdb('warehouse.duckdb')",
  "FROM glob('/*')",
  "FROM sniff_csv('/etc/passwd')",
  "FROM sql_auto_complete('x')",
  'FROM duckdb_secrets()',
  "FROM which_secret('s3://x', 's3')",
  "SELECT write_log('x')",
  "SELECT ('x').write_log()",
  "SELECT list_transform(['x'], lambda x: write_log(x))",
  '',
  ';',
  '-- nothing',
  'SELECT 1 \0; DROP TABLE t',
])('%s is refused', async (sql) => {
  await expect(check(sql)).rejects.toMatchObject({
    code: 'bad_query',
    exitCode: 2,
    message: expect.stringMatching(/^refused: /),
  });
});

test('a comment within EXPLAIN ANALYZE cannot hide a statement', async () => {
  await expect(check('EXPLAIN /* */ ANALYZE DELETE FROM t')).rejects.toThrow('refused');
});

test('a list of 20,000 values is checked', async () => {
  const numbers = Array.from({ length: 20_000 }, (_, index) => index).join(', ');
  await check(`SELECT len([${numbers}])`);
  await check(`SELECT 1 WHERE 1 IN (${numbers})`);
  await expect(check(`SELECT [${numbers}], nextval('s')`)).rejects.toThrow(
    'nextval() is not allowed in queries',
  );
});

test('a number that DuckDB cannot serialize is named in the error', async () => {
  await expect(check('SELECT 1e511')).rejects.toMatchObject({
    code: 'bad_query',
    message: 'the SQL has a number that is too large',
  });
});

test('a DuckDB parse error keeps its message and position', async () => {
  await expect(check('SELECT 1 FROM WHERE')).rejects.toThrow(/^Parser Error: .*LINE 1: SELECT 1 FROM WHERE/s);
});
