import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { capture, projectFolder } from '../../../../app/cli/capture.ts';

const MODEL = `/*
name: mart.doubled
kind: view
grain: [url]
description: Twice.
columns: {url: URL., twice: Twice n.}
reads:
  raw.crawl_pages: {url: VARCHAR, n: BIGINT}
*/
SELECT url, 2 * n AS twice FROM raw.crawl_pages
`;
const cases = (twice: number, failing: string) => `model: mart.doubled
cases:
  - name: a number is doubled
    input:
      raw.crawl_pages: {columns: {url: VARCHAR, n: BIGINT}, rows: [{url: a, n: 2}, {url: a, n: 9007199254740993}]}
    expect: [{url: a, twice: ${twice}}, {url: a, twice: 18014398509481986}]
    failing_tests: [${failing}]
`;

async function run(yaml: string) {
  const folder = await projectFolder('base_url: http://localhost\naccess_token: none');
  await mkdir(join(folder, 'sql', 'mart'));
  await mkdir(join(folder, 'sql', 'cases'));
  await writeFile(join(folder, 'sql', 'mart', 'doubled.sql'), MODEL);
  await writeFile(join(folder, 'sql', 'cases', 'mart.doubled.yaml'), yaml);
  return capture('test', '--unit', '--project-dir', folder);
}

test('cases of a custom model run without a service or a warehouse', async () => {
  const { code, stdout } = await run(cases(4, 'unique(url)'));
  expect([code, stdout]).toEqual([
    0,
    'model         case                 status\nmart.doubled  a number is doubled  passed\n',
  ]);
});

test('a failed case shows missing rows, extra rows and failed tests', async () => {
  const { code, stdout } = await run(cases(5, ''));
  expect(code).toBe(4);
  expect(stdout.split('\n').slice(3)).toEqual([
    'mart.doubled: a number is doubled',
    '  missing: {"url":"a","twice":"5"}',
    '  unexpected: {"url":"a","twice":"4"}',
    '  tests that failed: unique(url)',
    '',
  ]);
});

test('an invalid file of cases is named', async () => {
  const { code, stderr } = await run('model: mart.doubled\ncases: [{name: x, expct: []}]\n');
  expect(code).toBe(2);
  expect(stderr).toContain('sql/cases/mart.doubled.yaml:1: cases.0.input: ');
});
