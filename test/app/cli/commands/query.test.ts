import { mkdir, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, expect, test, vi } from 'vitest';
import { temporaryFolder } from '../../../support/temporary.ts';
import { capture, type Outcome, projectFolder } from '../capture.ts';

type Asked = readonly unknown[];
const shared = vi.hoisted(() => ({
  asked: [] as Asked[],
  rows: [] as Readonly<Record<string, unknown>>[],
  notes: [] as string[],
}));
vi.mock('../../../../src/app/answers/query/query-process.ts', () => ({
  QueryProcess: { fork: () => 'forked' },
}));
vi.mock('../../../../src/app/answers/query/open-warehouse.ts', () => ({
  openWarehouse: async (_invocation: unknown, _settings: unknown, more: unknown, forked: unknown) => {
    const tell = (...asked: Asked): number => {
      shared.asked.push(asked);
      return shared.rows.length;
    };
    tell('open', more ?? {}, forked);
    return {
      rows: async (sql: string, _signal: unknown, parameters: unknown, most: unknown) => {
        tell('rows', sql, parameters, most);
        return shared.rows;
      },
      write: async (sql: string, options: object, to: (text: string) => Promise<void>, ...more: Asked) => {
        await to('written\n');
        return tell('write', sql, options, more[1]);
      },
      writeParquet: async (sql: string, path: string) => {
        await writeFile(path, 'PAR1');
        return tell('parquet', sql);
      },
      async [Symbol.asyncDispose]() {
        tell('closed');
      },
    };
  },
}));
vi.mock('../../../../src/app/answers/workbook/write-answer.ts', () => ({
  writeAnswer: async (path: string, _warehouse: unknown, sheet: unknown) => {
    await writeFile(path, 'PK');
    shared.asked.push(['sheet', sheet]);
    return { rows: 2, notes: ['a note of the sheet'] };
  },
}));
vi.mock('../../../../src/etl/state/catalog/resolve-parameters.ts', () => ({
  resolveParameters: async ({ parameters }: { parameters: unknown }) => parameters,
}));
vi.mock('../../../../src/app/answers/questions/question-scope.ts', () => ({
  readScopeNotes: async ({ isQuestion }: { isQuestion: boolean }) => (isQuestion ? shared.notes : []),
}));
vi.mock('../../../../src/app/answers/questions/explain-empty.ts', () => ({
  explainEmpty: async () => 'Nothing matches',
}));

const QUESTION = `/*
title: Pages by status
model: mart.pages
description: Counts.
parameters:
  project:
  most: {type: BIGINT, default: 2, description: The most rows.}
  urls:
chart: {kind: bar, x: status, y: pages}
*/
SELECT status, count(*) AS pages FROM mart.pages
WHERE $project IS NULL OR project_id = $project OR url IN ($urls)
GROUP BY status LIMIT $most
`;

let folder = '';
beforeEach(async () => {
  [shared.asked, shared.rows, shared.notes] = [[], [{ status: 200, pages: 7 }], []];
  folder = await projectFolder();
  await mkdir(join(folder, 'sql', 'questions'));
  await writeFile(join(folder, 'sql', 'questions', 'q90_pages_by_status.sql'), QUESTION);
  await writeFile(
    join(folder, 'sql', 'questions', 'q91_plain.sql'),
    QUESTION.replace(/ {2}urls.*\n| OR url IN \(\$urls\)/g, ''),
  );
});
const query = (...argv: readonly string[]): Promise<Outcome> =>
  capture('query', ...argv, '--project-dir', folder);
const told = (kind: string): Asked | undefined => shared.asked.find(([one]) => one === kind)?.slice(1);

test('a statement is run with its parameters, and its rows are counted', async () => {
  const { code, stdout, stderr } = await query('SELECT $a', '-p', 'a=1=2', '--param', 'b=');
  expect([code, stdout, stderr]).toEqual([0, 'written\n', '1 row\n']);
  const options = { format: 'table', safeCsv: false, bom: false, names: 'columns' };
  const given = new Map([
    ['a', '1=2'],
    ['b', ''],
  ]);
  expect(told('write')).toEqual(['SELECT $a', options, given]);
  expect([told('open'), told('closed')]).toEqual([[{}, 'forked'], []]);
  shared.rows = [];
  expect((await query('SELECT 1')).stderr).toBe('0 rows. Nothing matches\n');
  shared.rows = [{}, {}];
  expect((await query('SELECT 1', '--quiet')).stderr).toBe('');
  expect((await query('SELECT 1')).stderr).toBe('2 rows\n');
});

test('a statement in a file needs no process in advance', async () => {
  await writeFile(join(folder, 'my.sql'), 'SELECT 3');
  expect((await query('--file', join(folder, 'my.sql'), '--json')).code).toBe(0);
  expect([told('write')?.slice(0, 2), told('open')]).toEqual([
    ['SELECT 3', { format: 'json', safeCsv: false, bom: false, names: 'columns' }],
    [{}, null],
  ]);
});

test.each([
  [['--format', 'csv', '--safe-csv', '--names', 'people'], { format: 'csv', safeCsv: true, names: 'people' }],
  [['--format', 'csv', '--bom'], { format: 'csv', safeCsv: false, bom: true }],
  [['--format', 'markdown', '--json'], { format: 'markdown' }],
])('%j sets how rows are written', async (flags, options) => {
  expect((await query('SELECT 1', ...flags)).code).toBe(0);
  expect(told('write')?.[1]).toMatchObject(options);
});

test('a question is bound to its parameters, and says what it did not cover', async () => {
  shared.notes = ['The crawl stopped early.'];
  const { stdout, stderr } = await query('--question', 'q90', '-p', 'project=Shop');
  expect([stdout, stderr]).toEqual(['written\n', 'The crawl stopped early.\n1 row\n']);
  const [sql, , parameters] = told('write') ?? [];
  expect(String(sql).trim()).toMatch(/^SELECT status/);
  expect(parameters).toEqual(
    new Map([
      ['project', 'Shop'],
      ['most', '2'],
      ['urls', null],
    ]),
  );
});

test('a question takes a file of URLs, if it has the parameter and no other value for it', async () => {
  const urls = join(folder, 'urls.txt');
  await writeFile(urls, 'https://a.example/1\nhttps://a.example/2\n');
  await query('--question', 'q90', '--from', urls);
  const [, , parameters] = told('write') ?? [];
  expect(String((parameters as ReadonlyMap<string, string>).get('urls'))).toContain('https://a.example/2');
  for (const [argv, error] of [
    [['--question', 'q91', '--from', urls], 'q91_plain does not accept a file of URLs'],
    [['--question', 'q90', '--from', urls, '-p', 'urls=x'], '--from and --param urls cannot be combined'],
    [['SELECT 1', '--from', urls], '--from needs a saved question'],
  ] as const)
    expect(await query(...argv)).toMatchObject({ code: 2, stderr: expect.stringContaining(error) });
});

test('all questions are listed for people and as JSON', async () => {
  const { stdout, stderr } = await query('--question');
  expect(stderr).toBe('');
  expect(stdout).toMatch(/^name +title +model +parameters$/m);
  expect(stdout).toMatch(/^q90_pages_by_status +Pages by status +mart\.pages +project most=2 urls$/m);
  const [first, ...others] = JSON.parse((await query('--question', '--json')).stdout);
  expect(first).toMatchObject({ name: 'q90_pages_by_status', title: 'Pages by status', model: 'mart.pages' });
  expect([others.length, shared.asked]).toEqual([1, []]);
});

test('a chart is drawn of the rows of a question or statement, with notes and why it is empty', async () => {
  shared.notes = ['The crawl stopped early.'];
  const { code, stdout, stderr } = await query('--question', 'q90', '--chart', 'bar');
  expect([code, stderr]).toEqual([0, 'The crawl stopped early.\n']);
  expect(stdout).toContain('200');
  expect(told('rows')?.[2]).toBeGreaterThan(100);
  shared.rows = [];
  expect((await query('SELECT 1', '--chart', 'bar')).stderr).toBe('Nothing matches\n');
});

test('rows go to a file of its extension, which replaces the former one at the end', async () => {
  const out = await temporaryFolder();
  for (const [file, kind, content] of [
    ['a.csv', 'write', 'written\n'],
    ['a.ndjson', 'write', 'written\n'],
    ['a.PARQUET', 'parquet', 'PAR1'],
    ['a.xlsx', 'sheet', 'PK'],
  ] as const) {
    const path = join(out, file);
    await writeFile(path, 'former');
    shared.asked = [];
    const { stdout, stderr } = await query('SELECT 1', '--output', path);
    const rows = file === 'a.xlsx' ? 'a note of the sheet\n2 rows' : '1 row';
    expect([stdout, stderr]).toEqual(['', `${rows} in ${path}\n`]);
    expect([String(await readFile(path)), told(kind) !== undefined]).toEqual([content, true]);
    const [more] = told('open') ?? [];
    expect(Object.keys(more as object)).toEqual(kind === 'parquet' ? ['output'] : []);
    expect((await stat(path)).mode & 0o777).toBe(0o666 & ~process.umask());
  }
  expect(told('sheet')).toEqual([{ name: 'a', sql: 'SELECT 1', parameters: new Map(), names: 'columns' }]);
});

test.each([
  [['SELECT 1', '--format', 'parquet'], '--format parquet needs a file', '--output rows.parquet'],
  [['SELECT 1', '--safe-csv'], '--safe-csv needs CSV', '--format csv'],
  [['SELECT 1', '--bom', '--format', 'json'], '--bom needs CSV', '--format csv'],
  [['SELECT 1', '--names', 'people', '--output', 'a.parquet'], '--names people does not work', 'csv'],
  [['SELECT 1', '--output', 'a.doc'], 'a.doc has no known extension', '.csv, .json'],
  [['SELECT 1', '--chart', 'bar', '--format', 'csv'], '--chart and --format cannot be combined', ''],
  [['SELECT 1', '--chart', 'bar', '--output', 'a.csv'], '--chart and --output cannot be combined', ''],
  [['SELECT 1', '--chart', 'bar', '--json'], '--chart and --json cannot be combined', ''],
  [['SELECT 1', '--file', 'a.sql'], 'one SQL text, file or question at a time', ''],
  [['--question', 'q90', 'q91'], 'one SQL text, file or question at a time', ''],
  [['--output', 'a.csv'], '--output needs the SQL on the command line', ''],
  [['SELECT 1', '--output', 'crawlhouse.yaml', '--format', 'csv'], '--output', ''],
])('%j is a usage error', async (argv, error, hint) => {
  const at = argv.indexOf('crawlhouse.yaml');
  const { code, stdout, stderr } = await query(
    ...(at < 0 ? argv : argv.with(at, join(folder, 'crawlhouse.yaml'))),
  );
  expect([code, stdout === '']).toEqual([2, !argv.includes('--json')]);
  expect(stderr).toContain(error);
  expect(stderr).toContain(hint);
  expect(told('write')).toBeUndefined();
});
