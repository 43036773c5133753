import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { type DuckDBConnection, DuckDBInstance } from '@duckdb/node-api';
import fc from 'fast-check';
import { expect, test, vi } from 'vitest';
import type { RowsPage } from '../../../../src/app/answers/query/result/page-of-rows.ts';
import { text } from '../../../../src/core/duckdb/duckdb.ts';
import type { StreamedRows } from '../../../../src/core/duckdb/streamed-rows.ts';
import { temporaryFolder } from '../../../support/temporary.ts';
import { action, options, target, wrapper } from './hostile-statements.ts';
import { queryProcess, someWarehouse } from './some-warehouse.ts';
import '../../../support/process-timeout.ts';

/** Statements that analysts should not have, around targets and within wrappers; none may change a byte of a project. */
const RUNS = 400;
const { signal } = new AbortController();

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

test('no text, sorting, filter or column of a page can run a second statement', async () => {
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

test('macros and settings of one statement are invisible to other statements', async () => {
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

test('no statement can change a byte of the project folder', async () => {
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
