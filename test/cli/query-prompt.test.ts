import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { expect, test } from 'vitest';
import { runPrompt } from '../../src/cli/query-prompt.ts';
import { someWarehouse } from '../query/some-warehouse.ts';
import { until } from '../support/until.ts';

const QUESTION = {
  name: 'q99_all',
  title: 'All',
  model: 'mart.pages',
  description: '',
  sql: 'FROM mart.pages',
};

async function prompt({ terminal }: { terminal: boolean }) {
  const { warehouse, folder } = await someWarehouse(
    'CREATE SCHEMA mart',
    "CREATE TABLE mart.pages AS SELECT 'a' AS url, 3 AS depth",
    "COMMENT ON TABLE mart.pages IS 'Pages. More words.'",
    "COMMENT ON COLUMN mart.pages.url IS 'Where it is.'",
  );
  const input = new PassThrough();
  const drawn = new PassThrough().resume();
  const historyFile = join(folder, 'query_history');
  let out = '';
  let said = '';
  const ended = runPrompt({
    input,
    terminal: terminal ? drawn : null,
    historyFile,
    warehouse,
    questions: [QUESTION],
    format: 'table',
    signal: new AbortController().signal,
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
  return { input, ended, historyFile, out: () => out, said: () => said };
}

test('statements over several lines, dot commands and questions are answered in turn', async () => {
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
      'table       columns  holds\nmart.pages        2  Pages.\n',
      'column  type     holds\nurl     VARCHAR  Where it is.\ndepth   INTEGER\n',
      'url,depth\na,3\n',
      'last\n1\n',
    ].join(''),
  );
});

test('from a pipe the first error ends it, with its exit code', async () => {
  const it = await prompt({ terminal: false });
  it.input.end('SELECT nope;\nSELECT 2;\n');
  expect(await it.ended).toBe(2);
  expect(it.out()).toBe('');
  expect(it.said()).toMatch(/"nope".* not found/);
});

test('on a terminal errors are told and the prompt goes on; statements are there the next time', async () => {
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

test('Ctrl-C ends the statement that runs, not the prompt', async () => {
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
