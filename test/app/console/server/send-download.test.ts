import { readdirSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { fileName } from '../../../../src/app/console/server/send-download.ts';
import type { Settings } from '../../../../src/etl/project/settings/settings.ts';
import { sharedConsole } from '../../../support/open-console.ts';
import { raw } from '../../../support/raw-request.ts';
import { readXlsx } from '../../../support/read-xlsx.ts';
import { sharedFolder, temporaryConnection, temporaryFolder } from '../../../support/temporary.ts';
import { projectWithWarehouse } from '../project-with-warehouse.ts';

const folder = sharedFolder();
let settings: Settings;
const shared = sharedConsole(async () => {
  settings = await projectWithWarehouse(folder);
  return settings;
});

const address = (fields: Readonly<Record<string, string>>): string =>
  `/ask/download?${new URLSearchParams(fields)}`;
const QUESTION = { question: 'q90_pages_by_status' };

test('a result is downloaded in each format, and its file is removed', async () => {
  const { ask } = shared();
  const csv = await ask(address({ ...QUESTION, format: 'csv', names: 'people', bom: '1', name: 'pages' }));
  expect([csv.status, csv.headers.get('content-type')]).toEqual([200, 'text/csv; charset=utf-8']);
  expect(csv.headers.get('content-disposition')).toBe('attachment; filename="pages.csv"');
  expect(csv.headers.get('content-length')).toBe('31');
  expect(csv.headers.get('x-content-type-options')).toBe('nosniff');
  expect(Buffer.from(await csv.arrayBuffer()).toString()).toBe('\ufeffStatus,Pages\n200,225\n404,25\n');
  const lines = await ask(address({ ...QUESTION, format: 'jsonl', 'param.most': '1' }));
  expect(await lines.text()).toBe('{"status":200,"pages":225}\n');
  expect(lines.headers.get('content-disposition')).toMatch(/"q90_pages_by_status-\d{4}-\d\d-\d\d\.jsonl"$/);
  const xlsx = await ask(address({ sql: 'SELECT 7 AS n', format: 'xlsx' }));
  expect(readXlsx(Buffer.from(await xlsx.arrayBuffer()))).toMatchObject([{ rows: [['n'], [7]] }]);
  expect(xlsx.headers.get('content-disposition')).toMatch(/"answer-\d{4}-\d\d-\d\d\.xlsx"$/);
  const parquet = await ask(address({ sql: 'SELECT 7 AS n', format: 'parquet' }));
  const file = join(await temporaryFolder(), 'a.parquet');
  await writeFile(file, Buffer.from(await parquet.arrayBuffer()));
  const connection = await temporaryConnection(await temporaryFolder());
  expect(await connection.rows(`SELECT * FROM read_parquet('${file}')`)).toEqual([{ n: 7 }]);
  const files = readdirSync(join(settings.state_dir, 'console'));
  expect(files.filter((name) => name.startsWith('download-'))).toEqual([]);
});

test('a download that fails shows why, and other sites start none', async () => {
  const { ask, signIn, url } = shared();
  const unknown = await ask(address({ ...QUESTION, format: 'pdf' }));
  expect([unknown.status, await unknown.text()]).toEqual([
    400,
    expect.stringContaining('there is no format pdf'),
  ]);
  expect((await ask(address(QUESTION))).status).toBe(400);
  const wrong = await ask(address({ sql: 'SELECT nope', format: 'csv' }));
  expect([wrong.status, await wrong.text()]).toEqual([400, expect.stringContaining('nope')]);
  const cookie = await signIn();
  const navigation = { 'sec-fetch-mode': 'navigate', 'sec-fetch-dest': 'document' };
  const elsewhere = { 'sec-fetch-site': 'cross-site', cookie, ...navigation };
  for (const [path, location] of [
    [address({ sql: 'SELECT 7', format: 'csv' }), '/ask?sql=SELECT+7&run=1'],
    ['/projects/p1/workbook', '/projects/p1'],
  ] as const)
    expect(await raw(url + path, 'GET', elsewhere), path).toMatchObject({
      status: 302,
      headers: { location },
    });
});

test('the catalog lists the tables for the editor', async () => {
  const { tables } = (await (await shared().ask('/ask/catalog.json')).json()) as {
    tables: { name: string }[];
  };
  expect(JSON.stringify(tables)).toContain('pages');
});

test('SQL of a form moves into the address; SQL that is too long is stored for its person', async () => {
  const { ask, post, signIn } = shared();
  const short = await post('/ask', { sql: 'SELECT 7 AS n' });
  expect([short.status, short.headers.get('location')]).toEqual([303, '/ask?sql=SELECT+7+AS+n&run=1']);
  const long = await post('/ask', { sql: `SELECT 7 AS n -- ${'x'.repeat(6000)}` });
  const to = long.headers.get('location') ?? '';
  expect([long.status, to]).toEqual([
    303,
    expect.stringMatching(/^\/ask\?kept=[\w-]{22}&run=1$|^\/ask\?run=1&kept=/),
  ]);
  const csv = to.replace('/ask?', '/ask/download?format=csv&');
  expect(await (await ask(csv)).text()).toBe('n\n7\n');
  const other = await ask(csv, { cookie: await signIn('other') });
  expect([other.status, await other.text()]).toEqual([400, expect.stringContaining('no longer stored')]);
});

test('a project without the shipped models has no report and no workbook', async () => {
  const { ask } = shared();
  const report = await ask('/projects/p1/report');
  expect([report.status, await report.text()]).toEqual([
    404,
    expect.stringContaining('The report could not be read'),
  ]);
  const workbook = await ask('/projects/p1/workbook?crawl=c1');
  expect(workbook.status).toBeGreaterThanOrEqual(400);
  expect(await workbook.text()).toContain('The workbook could not be written');
});

test('the name of a file has only letters, digits, dots, underscores and hyphens', () => {
  expect(fileName('../a b"', true)).toBe('_a_b_');
  expect(fileName('a', false)).toMatch(/^a-\d{4}-\d\d-\d\d$/);
  expect(fileName('x'.repeat(200), true)).toHaveLength(120);
});
