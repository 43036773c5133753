import { existsSync, readdirSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import type { Settings } from '../../../../src/etl/project/settings/settings.ts';
import { openConsole } from '../../../support/open-console.ts';
import { raw } from '../../../support/raw-request.ts';
import { readXlsx } from '../../../support/read-xlsx.ts';
import { sharedFolder, temporaryConnection, temporaryFolder } from '../../../support/temporary.ts';
import { projectWithWarehouse } from '../project-with-warehouse.ts';

const shared = sharedFolder();
let settings: Settings;
beforeAll(async () => {
  settings = await projectWithWarehouse(shared);
});

const address = (fields: Readonly<Record<string, string>>): string =>
  `/ask/download?${new URLSearchParams(fields)}`;
/** Files of downloads that are left behind. */
const leftovers = (): string[] =>
  readdirSync(join(settings.state_dir, 'console')).filter((name) => name.startsWith('download-'));

test('a result is downloaded as an Excel workbook, or as CSV with a byte order mark', async () => {
  const { ask } = await openConsole(settings);
  const asked = { question: 'q90_pages_by_status', names: 'people' };
  const xlsx = await ask(address({ ...asked, format: 'xlsx', name: 'pages' }));
  expect(xlsx.headers.get('content-disposition')).toBe('attachment; filename="pages.xlsx"');
  expect(readXlsx(Buffer.from(await xlsx.arrayBuffer()))).toEqual([
    {
      name: 'pages',
      rows: [
        ['Status', 'Pages'],
        [200, 225],
        [404, 25],
      ],
    },
  ]);
  const csv = Buffer.from(await (await ask(address({ ...asked, format: 'csv', bom: '1' }))).arrayBuffer());
  expect(csv.toString()).toBe('\ufeffStatus,Pages\n200,225\n404,25\n');
});

test('the whole result is downloaded as CSV, JSON lines or Parquet', async () => {
  const { ask } = await openConsole(settings);
  const sql = `SELECT url, large, CASE WHEN large % 250 = 0 THEN '=HYPERLINK("x")' END AS "a,b" FROM mart.pages ORDER BY large -- all`;
  const csv = await ask(address({ sql, format: 'csv', filter: 'nothing', sort: 'url' }));
  expect(csv.headers.get('content-type')).toBe('text/csv; charset=utf-8');
  expect(csv.headers.get('content-disposition')).toMatch(
    /^attachment; filename="answer-\d{4}-\d\d-\d\d\.csv"$/,
  );
  const named = await ask(address({ sql, format: 'csv', name: '../shop.example-client "error"-2026-11-22' }));
  expect(named.headers.get('content-disposition')).toBe(
    'attachment; filename="_shop.example-client__error_-2026-11-22.csv"',
  );
  await named.body?.cancel();
  const people = await ask(address({ sql: 'SELECT 1 AS nb_inlinks', format: 'csv', names: 'people' }));
  expect(await people.text()).toBe('Inlinks\n1\n');
  const lines = (await csv.text()).trimEnd().split('\n');
  expect([lines.length, lines[0], lines[1]]).toEqual([
    251,
    'url,large,"a,b"',
    'https://shop.example/0,9007199254740993,',
  ]);
  expect(lines.some((line) => line.endsWith(`,"'=HYPERLINK(""x"")"`))).toBe(true);
  const json = await (
    await ask(address({ question: 'q90_pages_by_status', format: 'jsonl', 'param.most': '1' }))
  ).text();
  expect(json).toBe('{"status":200,"pages":225}\n');
  const parquet = await ask(address({ question: 'q90_pages_by_status', format: 'parquet' }));
  expect(parquet.headers.get('content-disposition')).toContain('"q90_pages_by_status-');
  const folder = await temporaryFolder();
  const file = join(folder, 'a.parquet');
  await writeFile(file, Buffer.from(await parquet.arrayBuffer()));
  const connection = await temporaryConnection(folder);
  expect(await connection.rows(`SELECT * FROM read_parquet('${file}')`)).toEqual([
    { status: 200, pages: 225n },
    { status: 404, pages: 25n },
  ]);
  expect(leftovers()).toEqual([]);
});

test('a download that fails immediately or after many rows leads to a page with the reason', async () => {
  const { ask } = await openConsole({ ...settings, query_row_limit: 100_000 });
  for (const [fields, says] of [
    [{ sql: 'SELECT nope', format: 'csv' }, 'nope'],
    [{ sql: 'DROP TABLE mart.pages', format: 'parquet' }, 'only read-only statements'],
    [{ sql: 'SELECT 1', format: '../x' }, 'there is no format'],
    [{ sql: 'SELECT * FROM range(200_000)', format: 'parquet' }, 'more than 100,000 rows'],
    [{ sql: 'SELECT * FROM range(200_000)', format: 'csv' }, '100,000 rows'],
    [{ sql: 'SELECT * FROM range(200_000)', format: 'jsonl' }, '100,000 rows'],
  ] as const) {
    const failed = await ask(address(fields));
    expect(failed.status, says).toBeGreaterThanOrEqual(400);
    expect(failed.headers.get('content-disposition'), says).toBeNull();
    expect(await failed.text()).toContain(says);
  }
  expect(leftovers()).toEqual([]);
});

test('a cross-site page downloads nothing, and a stranger is sent to the sign-in', async () => {
  const { ask, signIn, url } = await openConsole(settings);
  const to = address({ sql: 'SELECT 1 AS n', format: 'csv' });
  const from = { cookie: await signIn(), 'sec-fetch-site': 'cross-site' };
  const foreign = (more: Readonly<Record<string, string>>) =>
    raw(new URL(to, url).href, 'GET', { ...from, ...more });
  const clicked = { 'sec-fetch-mode': 'navigate', 'sec-fetch-dest': 'document' };
  expect(await foreign(clicked)).toMatchObject({
    status: 302,
    headers: { location: '/ask?sql=SELECT+1+AS+n&run=1' },
  });
  expect((await foreign({ 'sec-fetch-mode': 'cors', 'sec-fetch-dest': 'empty' })).status).toBe(403);
  expect((await ask(to, { cookie: '' })).headers.get('location')).toMatch(/^\/sign-in\?to=/);
  expect(existsSync(settings.warehouse)).toBe(true);
});
