import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { QueryProcess } from '../../../../src/app/answers/query/query-process.ts';
import type { Screen } from '../../../../src/app/cli/pager.ts';
import { runPrompt } from '../../../../src/app/cli/prompt/query-prompt.ts';
import { Database, text } from '../../../../src/core/duckdb/duckdb.ts';
import { sharedFolder, temporaryFolder } from '../../../support/temporary.ts';
import { until } from '../../../support/until.ts';

const LEAST = { name: 'least', type: 'BIGINT', default: '0', description: 'Least depth.' } as const;
const DEEP = {
  name: 'q98_deep',
  title: 'Deep',
  task: 'Other' as const,
  model: 'mart.pages',
  description: '',
  parameters: [LEAST],

  sql: 'SELECT depth FROM mart.pages WHERE depth >= $least',
  file: 'sql/questions/q98_deep.sql',
  sqlLine: 7,
  needs: {},
  chart: null,
  chartLine: () => 1,
};
const QUESTION = {
  name: 'q99_all',
  title: 'All',
  task: 'Other' as const,
  model: 'mart.pages',
  description: '',
  parameters: [],
  sql: 'FROM mart.pages',
  file: 'sql/questions/q99_all.sql',
  sqlLine: 6,
  chart: null,
  chartLine: () => 1,
  needs: { pages: 1 },
};

/** One process for all tests: to start one takes longer than most of them. */
const folder = sharedFolder();
let warehouse: QueryProcess;
beforeAll(async () => {
  const path = join(folder, 'warehouse.duckdb');
  await using database = await Database.open({
    ...{ memoryLimit: '200MB', threads: 1, tempDirectory: join(folder, 'spill') },
  });
  const connection = await database.connect();
  for (const statement of [
    `ATTACH ${text(path)} AS w`,
    'USE w',
    'CREATE SCHEMA mart',
    "CREATE TABLE mart.pages AS SELECT 'a' AS url, 3 AS depth",
    "COMMENT ON TABLE mart.pages IS 'Pages. More words.'",
    "COMMENT ON COLUMN mart.pages.url IS 'Where it is.'",
    'USE memory',
    'DETACH w',
  ])
    await connection.run(statement);
  warehouse = await QueryProcess.start({
    ...{ warehouse: path, stateDir: join(folder, '.crawlhouse'), threads: 1 },
    limits: { seconds: 120, memory: '200MB', temp: '1GB', rows: 10_000_000, result: '1GB' },
  });
});
afterAll(() => warehouse[Symbol.asyncDispose]());

async function prompt({ terminal, screen = null }: { terminal: boolean; screen?: Screen | null }) {
  const input = new PassThrough();
  let seen = '';
  const drawn = new PassThrough().setEncoding('utf8').on('data', (text: string) => {
    seen += text;
  });
  const historyFile = join(await temporaryFolder(), 'query_history');
  let out = '';
  let said = '';
  const ended = runPrompt({
    input,
    terminal: terminal ? drawn : null,
    historyFile,
    warehouse,
    questions: [DEEP, QUESTION],
    format: 'table',
    signal: new AbortController().signal,
    screen,
    width: null,
    write: async (text) => {
      out += text;
    },
    say: (text) => {
      said += text;
    },
    sayError: (error) => {
      said += `Error: ${error.message}\n`;
    },
  });
  return { input, ended, historyFile, out: () => out, said: () => said, seen: () => seen };
}

test('multi-line statements, dot commands and questions are answered in order', async () => {
  const it = await prompt({ terminal: false });
  it.input.end(
    [
      'SELECT url',
      '  FROM mart.pages;',
      '.tables page',
      '.describe pages',
      '.format csv',
      '.question q99_all',
      'SELECT 1 AS last',
    ].join('\n'),
  );
  expect(await it.ended).toBe(0);
  expect(it.out()).toBe(
    [
      'url\n───\na\n',
      'table       columns  description\nmart.pages        2  Pages.\n',
      'column  type     description\nurl     VARCHAR  Where it is.\ndepth   INTEGER\n',
      'url,depth\na,3\n',
      'last\n1\n',
    ].join(''),
  );
});

test('.question accepts parameters, and reports invalid ones', async () => {
  const it = await prompt({ terminal: true });
  it.input.write('.format csv\n.question q98_deep\n.question q98_deep least=4 ;\n');
  it.input.write(".question q98_deep least='3'\n.question q98_deep lest=4\n.question q98_deep least=x\n");
  it.input.write('.question q98_deep 4\n.questions\n.quit\n');
  expect(await it.ended).toBe(0);
  expect(it.out()).toMatch(/^depth\n3\ndepth\ndepth\n3\nname +title +parameters\nq98_deep +Deep +least\n/);
  expect(it.said()).toContain('Error: q98_deep has no parameter lest\n');
  expect(it.said()).toContain('Error: q98_deep: least=x is not a BIGINT\n');
  expect(it.said()).toContain('Error: .question: 4 is not NAME=VALUE\n');
});

test('from a pipe, the first error ends the prompt with its exit code', async () => {
  const it = await prompt({ terminal: false });
  it.input.end('SELECT nope;\nSELECT 2;\n');
  expect(await it.ended).toBe(2);
  expect(it.out()).toBe('');
  expect(it.said()).toMatch(/"nope".* not found/);
});

test('on a terminal, the prompt continues after errors and remembers statements', async () => {
  const it = await prompt({ terminal: true });
  it.input.write('SELECT nope;\n.describe nothing\n.nonsense\nSELECT 41 + 1 AS answer;\n');
  await until(async () => it.out().includes('42') || undefined);
  it.input.write('.quit\n');
  expect(await it.ended).toBe(0);
  expect(it.said()).toMatch(/"nope".* not found/);
  expect(it.said()).toContain('there is no table nothing');
  expect(it.said()).toContain('there is no command .nonsense');
  expect((await readFile(it.historyFile, 'utf8')).split('\n').slice(0, 2)).toEqual([
    '.quit',
    'SELECT 41 + 1 AS answer;',
  ]);
});

test('Ctrl-C ends the running statement, not the prompt', async () => {
  const it = await prompt({ terminal: true });
  it.input.write('SELECT sum(a.range * b.range) FROM range(10000000) a, range(10000000) b;\n');
  const nudge = setInterval(() => it.input.write('\u0003'), 50);
  await until(async () => it.said().includes('Error: interrupted') || undefined);
  clearInterval(nudge);
  it.input.write('\nSELECT 7 AS seven;\n');
  await until(async () => it.out().includes('seven') || undefined);
  it.input.write('\u0004');
  expect(await it.ended).toBe(0);
});

test('Ctrl-D during a statement ends the prompt after its result', async () => {
  const it = await prompt({ terminal: true });
  it.input.write('SELECT sleep_ms(500), 7 AS seven;\n');
  it.input.write('\u0004');
  expect(await it.ended).toBe(0);
  expect(it.out()).toContain('seven');
});

test('Ctrl-C clears the whole statement, wherever the cursor is', async () => {
  const it = await prompt({ terminal: true });
  it.input.write('SELECT 1 AS first,\n');
  await until(async () => it.seen().includes('...> ') || undefined);
  it.input.write('SELECT forgotten');
  // Left, so that text stands on both sides of the cursor.
  it.input.write('\u001b[D\u001b[D\u0003');
  it.input.write('SELECT 7 AS seven;\n');
  await until(async () => it.out().includes('seven') || it.said().includes('Error') || undefined);
  it.input.write('.quit\n');
  expect(await it.ended).toBe(0);
  expect(it.said()).not.toContain('Error');
  expect(it.out()).toMatch(/seven\n─+\n +7\n/);
  expect(await readFile(it.historyFile, 'utf8')).not.toContain('forgotten');
});

test.for(['exit', 'quit', ' EXIT ; ', '\\q', '.quit'])('%j ends the prompt', async (word) => {
  const it = await prompt({ terminal: true });
  it.input.write(`${word}\nSELECT 1 AS never;\n`);
  expect(await it.ended).toBe(0);
  expect(it.out() + it.said()).not.toMatch(/never|Error/);
});

test('exit within a statement is part of the statement', async () => {
  const it = await prompt({ terminal: false });
  it.input.end('SELECT 1 AS\nexit\n;\n');
  expect(await it.ended).toBe(0);
  expect(it.out()).toBe('exit\n────\n   1\n');
});

test('\\x switches to one line per column and back; NULL and empty text differ', async () => {
  const it = await prompt({ terminal: false });
  const sql = "SELECT '' AS blank, NULL AS nothing, 'two\nlines' AS text;\n";
  it.input.end(`${sql}\\x\n${sql}\\x\nSELECT 1 AS one;\n`);
  expect(await it.ended).toBe(0);
  expect(it.out()).toBe(
    [
      'blank  nothing  text\n─────  ───────  ─────────\n          NULL  two lines\n',
      '─ row 1 ──────────\nblank\nnothing  NULL\ntext     two lines\n',
      'one\n───\n  1\n',
    ].join(''),
  );
});

/** A screen of ten lines whose pager keeps what it gets. */
async function pagedScreen(pager: (file: string) => string) {
  const file = join(await temporaryFolder(), 'paged');
  let yielded = 0;
  const screen: Screen = {
    rows: () => 10,
    pager: pager(file),
    yieldKeys: () => {
      yielded++;
      return { [Symbol.dispose]: () => void yielded-- };
    },
  };
  return { screen, file, yielded: () => yielded };
}

test('a result longer than the screen goes to the pager, a shorter one does not', async () => {
  const { screen, file, yielded } = await pagedScreen((to) => `cat > '${to}'`);
  const it = await prompt({ terminal: true, screen });
  it.input.write('.format csv\nSELECT 1 AS short;\nSELECT range AS n FROM range(5000);\n');
  await until(async () => it.said().includes('5000 rows') || undefined);
  const lines = (await readFile(file, 'utf8')).split('\n');
  expect([lines[0], lines.length, lines.at(-2)]).toEqual(['n', 5002, '4999']);
  expect(it.out()).toBe('short\n1\n');
  expect(yielded()).toBe(0);
  it.input.write('.quit\n');
  expect(await it.ended).toBe(0);
});

test('closing the pager early ends the statement, and the prompt continues', async () => {
  const { screen, yielded } = await pagedScreen(() => 'head -n 1 > /dev/null');
  const it = await prompt({ terminal: true, screen });
  it.input.write('.format csv\nSELECT range AS n FROM range(1000000000000);\nSELECT 7 AS seven;\n');
  await until(async () => it.out().includes('seven') || undefined);
  expect([it.said(), yielded()]).toEqual([expect.not.stringContaining('Error'), 0]);
  it.input.write('quit\n');
  expect(await it.ended).toBe(0);
});
