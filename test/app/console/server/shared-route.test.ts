import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parse } from 'csv-parse/sync';
import { beforeAll, expect, test } from 'vitest';
import { openConsoleDatabase } from '../../../../src/app/console/access/console-database.ts';
import { SharedLinks } from '../../../../src/app/console/access/shared-links.ts';
import { serveConsole } from '../../../../src/app/console/server/serve-console.ts';
import { createLogger } from '../../../../src/core/logs/logger.ts';
import type { Settings } from '../../../../src/etl/project/settings/settings.ts';
import { openConsole, sharedConsole } from '../../../support/open-console.ts';
import { sharedFolder } from '../../../support/temporary.ts';
import { projectWithWarehouse } from '../project-with-warehouse.ts';

const shared = sharedFolder();
let settings: Settings;
beforeAll(async () => {
  settings = await projectWithWarehouse(shared);
});

const one = sharedConsole(() => settings);

type Open = Awaited<ReturnType<typeof openConsole>>;

async function send({ ask, url }: Open, path: string, fields: Readonly<Record<string, string>>) {
  const csrf = /name="csrf" value="([\w-]+)"/.exec(await (await ask('/links')).text())?.[1] ?? '';
  const body = new URLSearchParams({ csrf, ...fields });
  return ask(path, { method: 'POST', body, headers: { origin: url } });
}

/** Makes a link, and gives its path. */
async function made(open: Open, fields: Readonly<Record<string, string>>): Promise<string> {
  const sent = await send(open, '/links', { title: 'Pages', ...fields });
  expect(sent.status).toBe(303);
  const to = sent.headers.get('location') ?? '';
  const path = /\/shared\/[\w-]+\.csv/.exec(await (await open.ask(to)).text())?.[0] ?? '';
  expect(to).not.toContain(path.slice('/shared/'.length, -4));
  return path;
}

test('a shared link serves the rows of its statement without a session until it is revoked', async () => {
  const open = one();
  const path = await made(open, { question: 'q90_pages_by_status', 'param.most': '1' });
  const stranger = (to: string) => open.ask(to, { cookie: '' });
  const csv = await stranger(path);
  expect([csv.status, csv.headers.get('content-type')]).toEqual([200, 'text/csv; charset=utf-8']);
  expect(await csv.text()).toBe('Status,Pages\n200,225\n');
  expect(await (await stranger(`${path}?param.most=2&sql=SELECT+1`)).text()).toBe('Status,Pages\n200,225\n');
  const { links } = (await (await open.ask('/links.json')).json()) as { links: { id: number }[] };
  expect(links).toMatchObject([{ title: 'Pages', query: 'question=q90_pages_by_status&param.most=1' }]);
  const revoked = await send(open, `/links/${links[0]?.id}/revoke`, {});
  expect([revoked.status, revoked.headers.get('location')]).toEqual([303, '/links']);
  expect((await stranger(path)).status).toBe(404);
  expect((await send(open, `/links/${links[0]?.id}/revoke`, {})).status).toBe(400);
  const audit = await (await open.ask('/audit')).text();
  expect(audit).toContain('make link &quot;Pages&quot; to q90_pages_by_status');
  expect(audit).toContain(`revoke link ${links[0]?.id}`);
});

test('the CSV of a link follows RFC 4180, and no cell is a formula', async () => {
  const open = await openConsole(settings);
  const cells = [`'a, "b"'`, "'two' || chr(10) || 'lines'", "'=1+1'", "'Größe ☃'", 'NULL', '1.5'];
  const names = cells.map((_, index) => `C${index}`);
  const sql = `SELECT ${cells.map((cell, index) => `${cell} AS c${index}`).join(', ')}`;
  const csv = await (await open.ask(await made(open, { sql }), { cookie: '' })).text();
  // Strict: each row has all columns, and quotes are where the RFC has them.
  expect(parse(csv, { relax_column_count: false, relax_quotes: false })).toEqual([
    names,
    ['a, "b"', 'two\nlines', "'=1+1", 'Größe ☃', '', '1.5'],
  ]);
});

test('only the hash of a link key is stored', async () => {
  const open = one();
  const key = (await made(open, { sql: 'SELECT 1 AS n' })).slice('/shared/'.length, -4);
  const folder = join(settings.state_dir, 'console');
  for (const file of (await readdir(folder)).filter((name) => name.startsWith('console.sqlite')))
    expect((await readFile(join(folder, file))).includes(key), file).toBe(false);
});

test('unknown link keys return 404, and 429 after ten in a minute; a valid key still works', async () => {
  const open = await openConsole(settings);
  const path = await made(open, { sql: 'SELECT 1 AS n' });
  const stranger = (to: string) => open.ask(to, { cookie: '' });
  const statuses = [];
  for (let index = 0; index < 12; index++) {
    const name = ['x', 'A'.repeat(43), path.slice('/shared/'.length, -4)][index % 3];
    statuses.push((await stranger(`/shared/${name}${index % 3 === 2 ? '' : '.csv'}`)).status);
  }
  expect(statuses).toEqual([...Array(10).fill(404), 429, 429]);
  expect((await stranger(path)).status).toBe(200);
  for (let index = 0; index < 9; index++) await stranger(path);
  expect((await stranger(path)).status).toBe(429);
});

test('only operators create links, and only for read-only statements', async () => {
  const reading = await openConsole({ ...settings, console_actions: false });
  expect((await send(reading, '/links', { title: 'x', sql: 'SELECT 1' })).status).toBe(403);
  const open = one();
  expect((await send(open, '/links', { title: '', sql: 'SELECT 1' })).status).toBe(400);
  expect((await send(open, '/links', { title: 'x', sql: ' ' })).status).toBe(400);
  const path = await made(open, { sql: 'DROP TABLE mart.pages' });
  expect((await open.ask(path, { cookie: '' })).status).toBe(500);
});

test('the log of a failed link contains the reason and not the key; the response contains neither', async () => {
  const database = openConsoleDatabase(settings.state_dir);
  const key = new SharedLinks(database, Date.now).make('ops', { title: 'x', query: 'sql=SELECT+nope_1' });
  database.close();
  const logged: string[] = [];
  const logger = createLogger('debug', (line) => void logged.push(line));
  const served = await serveConsole(settings, '127.0.0.1:0', logger, new AbortController().signal);
  const answer = await fetch(`${served.url}/shared/${key}.csv`);
  await served[Symbol.asyncDispose]();
  expect([answer.status, await answer.text()]).toEqual([500, expect.not.stringContaining('nope_1')]);
  expect(logged.join()).toContain('a shared link failed');
  expect(logged.join()).not.toContain(key);
});
