import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { type DuckDBConnection, DuckDBInstance } from '@duckdb/node-api';
import fc from 'fast-check';
import { expect, test, vi } from 'vitest';
import type { RowsPage } from '../../../src/answers/query/page-of-rows.ts';
import { text } from '../../../src/core/duckdb.ts';
import type { StreamedRows } from '../../../src/core/streamed-rows.ts';
import { temporaryFolder } from '../../support/temporary.ts';
import { queryProcess, someWarehouse } from './some-warehouse.ts';
import '../../support/process-timeout.ts';

/** Statements that analysts should not have, around targets and within wrappers; none may change a byte of a project. */
const RUNS = 400;
const { signal } = new AbortController();

const target = fc.constantFrom(
  'warehouse.duckdb',
  'warehouse.duckdb.wal',
  'warehouse.duckdb.wal.recovery',
  'warehouse.duckdb.wal.checkpoint',
  'tmp_warehouse.duckdb',
  'alias.duckdb',
  'alias.duckdb.wal',
  '.crawlhouse/ledger.sqlite',
  '.crawlhouse/../warehouse.duckdb',
  '.crawlhouse/new.json',
  '.crawlhouse/query/new.csv',
  'sql/model.sql',
  'rows.csv',
  '',
);

const options = fc.constantFrom(
  '',
  ' (FORMAT csv)',
  ' (FORMAT csv, USE_TMP_FILE false)',
  ' (FORMAT json)',
  ' (FORMAT parquet, OVERWRITE true)',
  ' (FORMAT csv, PER_THREAD_OUTPUT true, OVERWRITE_OR_IGNORE true)',
  ' (FORMAT csv, PARTITION_BY (a))',
  ' (FORMAT parquet, RETURN_STATS true)',
);

/** What to do, to a path. */
const action = fc.constantFrom<(path: string, options: string) => string>(
  (path, how) => `COPY (SELECT 'gone' AS a) TO ${path}${how}`,
  (path, how) => `COPY t TO ${path}${how}`,
  (path, how) => `COPY t FROM ${path}${how}`,
  (path) => `COPY (SELECT 1) TO (SELECT path FROM duckdb_databases() LIMIT 1), ${path}`,
  (path) => `EXPORT DATABASE ${path}`,
  (path) => `IMPORT DATABASE ${path}`,
  (path) => `ATTACH ${path} AS x`,
  (path) => `ATTACH ${path} AS x (READ_WRITE)`,
  (path) => `ATTACH ${path} AS x (TYPE sqlite)`,
  (path) => `ATTACH OR REPLACE ${path} AS warehouse`,
  (path) => `FROM enable_profiling(format = 'json', save_location = ${path})`,
  (path) => `FROM enable_logging(storage = 'file', storage_path = ${path})`,
  (path) => `CALL enable_logging(storage = 'file', storage_config = {'path': ${path}})`,
  (path) => `FROM read_text(${path})`,
  (path) => `FROM read_blob(${path})`,
  (path) => `FROM read_csv(${path}, store_rejects = true)`,
  (path) => `FROM read_duckdb(${path})`,
  (path) => `FROM sniff_csv(${path})`,
  (path) => `FROM parquet_metadata(${path})`,
  (path) => `FROM ${path}`,
  (path) => `LOAD ${path}`,
  (path) => `INSTALL ${path}`,
  (path) => `SET profile_output = ${path}`,
  (path) => `SET log_query_path = ${path}`,
  (path) => `SET temp_directory = ${path}`,
  (path) => `SET GLOBAL secret_directory = ${path}`,
  (path) => `PRAGMA profile_output = ${path}`,
  (path) => `CREATE PERSISTENT SECRET s IN local_file (TYPE s3, KEY_ID ${path})`,
  (path) => `CREATE OR REPLACE VIEW t AS FROM ${path}`,
  () => "PRAGMA copy_database('warehouse', 'memory')",
  () => 'FROM checkpoint()',
  () => 'FROM force_checkpoint()',
  () => 'CHECKPOINT',
  () => 'FORCE CHECKPOINT warehouse',
  () => 'VACUUM t',
  () => 'DETACH warehouse',
  () => 'CREATE TABLE u AS SELECT 1',
  () => 'CREATE TEMP TABLE u AS SELECT 1',
  () => 'INSERT INTO t VALUES (2)',
  () => 'DELETE FROM t RETURNING a',
  () => 'UPDATE t SET a = 2',
  () => 'TRUNCATE t',
  () => 'DROP TABLE t',
  () => "SELECT nextval('s')",
  () => 'SET enable_external_access = true',
  () => 'RESET allowed_paths',
  () => 'BEGIN TRANSACTION',
  () => 'COMMIT',
  () => 'SELECT a FROM t',
);

const wrapper = fc.constantFrom<(sql: string) => string>(
  (sql) => sql,
  (sql) => `${sql};`,
  (sql) => `EXPLAIN ${sql}`,
  (sql) => `EXPLAIN ANALYZE ${sql}`,
  (sql) => `EXPLAIN (ANALYZE, FORMAT json) ${sql}`,
  (sql) => `/* /* */ SELECT 1 -- */ ${sql}`,
  (sql) => `EXPLAIN /* /* */ SELECT 1 -- */ ${sql}`,
  (sql) => `EXPLAIN ANALYZE /* /* */ SELECT 1 -- */ ${sql}`,
  (sql) => `-- SELECT\r${sql}`,
  (sql) => `-- SELECT\n${sql}`,
  (sql) => `SELECT 1; ${sql}`,
  (sql) => `${sql}; SELECT 1`,
  (sql) => `COMMIT; BEGIN; ${sql}`,
  (sql) => `SELECT 1) TO '/dev/null'; ${sql}; COPY (SELECT 1`,
  (sql) => `SELECT 1\n) TO '/dev/null'; ${sql} --`,
  (sql) => `WITH x AS (${sql}) FROM x`,
  (sql) => `WITH x AS MATERIALIZED (${sql}) SELECT count(*) FROM x`,
  (sql) => `SELECT * FROM (${sql})`,
  (sql) => `SELECT (${sql})`,
  (sql) => `SELECT 1 WHERE EXISTS (${sql})`,
  (sql) => `DESCRIBE ${sql}`,
  (sql) => `SUMMARIZE ${sql}`,
  (sql) => `PREPARE p AS ${sql}`,
  (sql) => `PREPARE p AS ${sql}; EXECUTE p`,
  (sql) => `FROM query(${text(sql)})`,
  (sql) => `FROM json_execute_serialized_sql(json_serialize_sql(${text(sql)}))`,
  (sql) => `PRAGMA json_execute_serialized_sql(json_serialize_sql(${text(sql)}))`,
  (sql) => `PIVOT (${sql}) ON a USING count(*)`,
  (sql) => `CREATE MACRO m() AS TABLE ${sql}`,
  (sql) => sql.toLowerCase(),
  (sql) => sql.replaceAll(' ', '\t'),
  (sql) => sql.replaceAll(' ', '/**/ '),
);

/** Every file below a folder, with its content, but the folders in which queries run. */
function fingerprint(folder: string): Record<string, string> {
  const files: Record<string, string> = {};
  for (const name of readdirSync(folder, { recursive: true, encoding: 'utf8' }).sort()) {
    if (name.startsWith(join('.crawlhouse', 'query'))) continue;
    const path = join(folder, name);
    const { ino, mode, mtimeMs, nlink } = statSync(path);
    const content = statSync(path).isFile()
      ? createHash('sha256').update(readFileSync(path)).digest('hex')
      : 'folder';
    files[name] = `${ino} ${mode} ${nlink} ${content === 'folder' ? '' : mtimeMs} ${content}`;
  }
  return files;
}

/** Each hides a quote from whoever ends a text, a comment or a statement elsewhere than DuckDB's lexer. */
const hiddenQuotes = [
  "$é$'$é$ AS a",
  "$_$'$_$ AS a",
  "$a1$'$a1$ AS a",
  "1 AS a -- \u2028 '\n",
  "1 AS a -- \u2029 '\n",
  "1 AS a -- \u0085 '\r",
  "1 AS a /* /* */ ' */",
  "E'\\'' AS a, $$'$$ AS b",
  "1e0 AS \u00a0a, $é$'$é$ AS b",
  "'' AS a, E'x'\n'\\'' AS b",
  "x'00' AS a, $\ud83d\ude00$'$\ud83d\ude00$ AS b",
];
const closings = ["b'; c", "b'; --", "b';", "b'\n; c"];
const macro = 'commit; create or replace temp macro sum(x) as 0';

test('no text, sorting, filter or column of a page runs a second statement', async () => {
  const { folder, warehouse } = await someWarehouse('CREATE TABLE t AS SELECT 2 AS n');
  const names = ["a'", 'a', 'c"'];
  for (const hidden of hiddenQuotes)
    for (const closing of closings) {
      const sql = `SELECT ${hidden}, 2 AS "${closing}"`;
      for (const end of [
        `) AS x; ${macro}; select 1 --`,
        `) AS x; ${macro}; --`,
        `; ${macro}; --`,
        `x'; ${macro}; --`,
      ]) {
        const pages: RowsPage[] = [
          { sort: { column: end, descending: true }, limit: 101 },
          { columns: [end, ...names] },
          { filter: { text: end, column: end } },
          { filter: { text: end }, limit: 1, offset: 0 },
        ];
        for (const page of pages) {
          const asked = warehouse.askPage({ sql, parameters: new Map(), page }, signal, (rows) =>
            rows.rows(),
          );
          const outcome = await asked.catch((error: { code: string }) => error.code);
          expect(outcome === 'bad_query' || Array.isArray(outcome), `${sql} ${JSON.stringify(page)}`).toBe(
            true,
          );
        }
      }
      const copy = `${sql}; COPY (SELECT 1) TO ${text(join(folder, 'copied.csv'))}`;
      for (const statement of [`${sql}; ${macro}`, copy, `${sql}) TO '/dev/null'; ${macro}; COPY (SELECT 1`])
        await warehouse.writeParquet(statement, '', signal).catch(() => {});
      const page = { sort: { column: 'a', descending: false }, limit: 5 };
      const rows = (found: StreamedRows) => found.rows();
      expect(await warehouse.askPage({ sql, parameters: new Map(), page }, signal, rows), sql).toHaveLength(
        1,
      );
    }
  expect(await warehouse.ask('SELECT CAST(sum(n) AS VARCHAR) FROM t', signal, (rows) => rows.rows())).toEqual(
    [['2']],
  );
  expect(
    await warehouse.ask('SELECT count(*) FROM duckdb_functions() WHERE NOT internal', signal, (rows) =>
      rows.rows(),
    ),
  ).toEqual([[0n]]);
  expect(readdirSync(folder)).not.toContain('copied.csv');
});

test('what a statement leaves on its connection, no other statement sees', async () => {
  const { warehouse } = await someWarehouse();
  const session = (result: StreamedRows) => result.rows();
  const [first] = await warehouse.ask(
    "SELECT current_query_id(), current_setting('TimeZone')",
    signal,
    session,
  );
  expect(first?.[1]).toBe('UTC');
  const own = vi.spyOn(DuckDBInstance.prototype, 'connect');
  await warehouse.ask('SELECT 1', signal, session);
  await expect(warehouse.ask('SELECT error(1)', signal, session)).rejects.toThrow();
  await warehouse.askPage({ sql: 'SELECT 1', parameters: new Map(), page: { limit: 1 } }, signal, session);
  const connections = await Promise.all(
    own.mock.results.map(({ value }) => value as Promise<DuckDBConnection>),
  );
  expect(new Set(connections).size).toBe(3);
  for (const connection of connections) await expect(connection.run('SELECT 1')).rejects.toThrow();
  own.mockRestore();
});

test('no statement changes a byte of the project folder, however it is wrapped', async () => {
  const {
    folder,
    path,
    warehouse: open,
  } = await someWarehouse('CREATE TABLE t AS SELECT 1 AS a', 'CREATE SEQUENCE s');
  open[Symbol.dispose]();
  await mkdir(join(folder, '.crawlhouse', 'query'), { recursive: true });
  await mkdir(join(folder, 'sql'));
  writeFileSync(join(folder, '.crawlhouse', 'ledger.sqlite'), 'the ledger');
  writeFileSync(join(folder, 'sql', 'model.sql'), 'SELECT 1');
  symlinkSync(path, join(folder, 'alias.duckdb'));
  const output = join(await temporaryFolder(), 'rows.parquet');
  const warehouse = await queryProcess(path, { seconds: 20 }, { output });
  await warehouse.rows('SELECT 1', signal);
  const before = fingerprint(folder);
  const here = readdirSync(process.cwd());
  const [opened] = (await warehouse.rows(
    'SELECT path FROM duckdb_databases() WHERE path IS NOT NULL',
    signal,
  )) as [{ path: string }];
  const places = [folder, opened.path, join(opened.path, '..', 'spill'), ''];
  await fc.assert(
    fc.asyncProperty(
      action,
      wrapper,
      wrapper,
      target,
      options,
      fc.constantFrom(...places),
      fc.boolean(),
      async (act, inner, outer, name, how, place, asParquet) => {
        const file =
          place === opened.path ? `${opened.path}${name.replace('warehouse.duckdb', '')}` : join(place, name);
        const sql = outer(inner(act(text(file), how)));
        const asked = asParquet
          ? warehouse.writeParquet(sql, output, signal)
          : warehouse.rows(sql, signal).then((rows) => rows.length);
        const outcome = await asked.catch((error: { code: string }) => error.code);
        expect(outcome === 'bad_query' || outcome === 'query_limit' || typeof outcome === 'number', sql).toBe(
          true,
        );
        expect(fingerprint(folder), sql).toEqual(before);
      },
    ),
    { numRuns: RUNS },
  );
  expect(readdirSync(process.cwd())).toEqual(here);
  expect(await warehouse.rows('FROM t', signal)).toEqual([{ a: 1 }]);
});
