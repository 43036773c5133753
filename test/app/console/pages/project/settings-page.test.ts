import { existsSync, readFileSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { Database, text } from '../../../../../src/core/duckdb/duckdb.ts';
import { ConsoleOidcSettings } from '../../../../../src/etl/project/settings/console-settings.ts';
import { crawlFileOf } from '../../../../../src/etl/project/settings/crawls/crawl-file.ts';
import { localServiceFolder, type Settings } from '../../../../../src/etl/project/settings/settings.ts';
import { pageWith, type Site, serveSite } from '../../../../support/crawl-site.ts';
import { type OpenConsole, openConsole } from '../../../../support/open-console.ts';
import { temporaryFolder } from '../../../../support/temporary.ts';
import { projectWithWarehouse } from '../../project-with-warehouse.ts';

const PATH = '/projects/p1/settings';

interface Opened extends OpenConsole {
  readonly site: Site;
  /** The file of the website. */
  readonly file: string;
  readonly settings: Settings;
  readonly send: (fields: Readonly<Record<string, string>>, path?: string) => Promise<Response>;
}

/** The console of a folder that has crawled a website. */
async function opened(changes: Partial<Settings> = {}): Promise<Opened> {
  const site = await serveSite({
    '/robots.txt': 'User-agent: *\nDisallow: /closed\n',
    '/': pageWith('/a'),
    '/a': '<title>A</title><p class="price">5</p>',
  });
  const own = await projectWithWarehouse(await temporaryFolder());
  await fill(own, site.origin);
  await mkdir(localServiceFolder(own), { recursive: true });
  const settings = { ...own, console_actions: true, ...changes };
  const open = await openConsole(settings);
  const file = join(own.projectDir, crawlFileOf(site.origin));
  const send: Opened['send'] = async (fields, path = PATH) => {
    const page = await (await open.ask('/ask')).text();
    const csrf = /name="csrf" value="([^"]+)"/.exec(page)?.[1] ?? '';
    const { stamp } = JSON.parse(await (await open.ask(`${PATH}.json`)).text());
    return open.ask(path, { method: 'POST', body: new URLSearchParams({ csrf, stamp, ...fields }) });
  };
  return { ...open, site, file, settings, send };
}

async function fill({ warehouse, projectDir }: Settings, origin: string): Promise<void> {
  const tempDirectory = join(projectDir, 'spill');
  await using database = await Database.open({ memoryLimit: '200MB', threads: 1, tempDirectory });
  const connection = await database.connect();
  await connection.run(`ATTACH ${text(warehouse)} AS w; USE w`);
  await connection.run(`CREATE TABLE mart.projects AS SELECT 'p1' AS project_id, 'Shop' AS project_name,
    ${text(`${origin}/`)} AS start_url`);
  const config = JSON.stringify({ name: 'crawlhouse crawl', start_url: origin, max_url: 77, max_depth: 15 });
  await connection.run(`CREATE TABLE raw.crawls AS SELECT 'p1' AS project_id, TIMESTAMPTZ '2026-11-02 06:00:00+00' AS ended_at,
    CAST(${text(config)} AS JSON) AS crawl_config`);
  await connection.run('USE memory; DETACH w');
}

test('an operator saves settings based on the last crawl, and the audit records it', async () => {
  const { ask, send, file } = await opened();
  const page = await (await ask(PATH)).text();
  expect(page).toContain('name="max_url" aria-describedby="set-max_url-about" value="77"');
  expect(page).toContain('Default: 15.');
  expect(page).toContain('aria-current="page">Crawl settings</a>');
  const saved = await send({ max_depth: '3', custom_fields: '- { name: price, css: .price }' });
  expect([saved.status, saved.headers.get('location')]).toEqual([303, `${PATH}?saved=1`]);
  expect(readFileSync(file, 'utf8')).toMatch(
    /^# Settings for the crawls of 127\.0\.0\.1:\d+ \(docs\/crawl\.md\)\.\n+max_url: 77\ncustom_fields:\n {2}- name: price\n {4}css: \.price\nmax_depth: 3\n$/,
  );
  const again = JSON.parse(await (await ask(`${PATH}.json`)).text());
  expect(again).toMatchObject({
    exists: true,
    settings: { max_url: 77, max_depth: 3, custom_fields: [{ name: 'price', css: '.price' }] },
  });
  expect(await (await ask('/audit')).text()).toContain('save crawl settings of p1');
  const tested = await send({ max_depth: '3', test: 'http://127.0.0.1:1/x' });
  expect(tested.headers.get('location')).toBe(`${PATH}?saved=1&test=http%3A%2F%2F127.0.0.1%3A1%2Fx`);
});

test('an invalid value changes nothing, stays in the form, and is marked at its input', async () => {
  const { send, file } = await opened();
  const refused = await send({ max_url: 'many', user_agent: 'shop<b>', dns: '- { host: a }' });
  const page = await refused.text();
  expect(refused.status).toBe(400);
  expect(page).toContain('value="many"');
  expect(page).toContain('value="shop&lt;b&gt;"');
  expect(page).toMatch(
    /id="set-max_url"[^>]* aria-describedby="set-max_url-about set-max_url-fault-0" aria-invalid="true"/,
  );
  expect(page).toMatch(/<strong class="bad" id="set-max_url-fault-0">[^<]+</);
  expect(page).toMatch(/<details open><summary>All settings/);
  expect(existsSync(file)).toBe(false);
});

test('an older form does not overwrite a file that another person changed', async () => {
  const { send, file } = await opened();
  await send({ max_depth: '3' });
  const old = await send({ max_depth: '4', stamp: 'older' });
  expect([old.status, await old.text()]).toEqual([409, expect.stringContaining('has changed since')]);
  expect(readFileSync(file, 'utf8')).toContain('max_depth: 3');
});

test('a URL is tested with unsaved and with saved settings, and nothing is written', async () => {
  const { ask, send, site, file } = await opened();
  const fields = { test: `${site.origin}/a`, custom_fields: '- { name: price, css: .price, type: number }' };
  const unsaved = await send(fields, `${PATH}/test`);
  const page = await unsaved.text();
  expect(unsaved.status).toBe(200);
  expect(page).toMatch(/custom_price<\/th><td[^>]*>5</);
  expect(page).toContain('name: price, css: .price, type: number');
  const { test: saved } = JSON.parse(
    await (await ask(`${PATH}.json?test=${encodeURIComponent(`${site.origin}/closed`)}`)).text(),
  );
  expect(saved).toMatchObject({ hops: [{ state: 'denied', rule: { line: 2, text: 'Disallow: /closed' } }] });
  expect(site.hits).toEqual(['/a']);
  expect(existsSync(file)).toBe(false);
  expect(await (await ask('/audit')).text()).toContain('with unsaved crawl settings of p1');
  const wrong = await send({ ...fields, test: 'nothing' }, `${PATH}/test`);
  expect([wrong.status, await wrong.text()]).toEqual([400, expect.stringContaining('a URL is expected')]);
  const refused = await send({ ...fields, max_url: 'many' }, `${PATH}/test`);
  expect([refused.status, await refused.text()]).toEqual([400, expect.stringContaining('value="many"')]);
});

test('credentials of a tested URL are in no address and not in the audit', async () => {
  const { ask, send, file } = await opened();
  const test = 'https://ada:hush@shop.example/';
  for (const path of [PATH, `${PATH}/test`]) {
    const refused = await send({ test }, path);
    expect([refused.status, refused.headers.get('location')]).toEqual([400, null]);
    expect(await refused.text()).toContain('an address without user name and password is expected');
  }
  expect((await ask(`${PATH}.json?${new URLSearchParams({ test })}`)).status).toBe(400);
  const audit = await (await ask('/audit.json')).text();
  expect(audit).toContain('with unsaved crawl settings of p1');
  expect(audit).not.toMatch(/ada:|hush/);
  expect(existsSync(file)).toBe(false);
});

test('tests reach private addresses only if the operators own the machine', async () => {
  const { ask, send, site } = await opened({
    console_url: 'https://console.example',
    console_oidc: ConsoleOidcSettings.parse({
      issuer: 'https://accounts.example',
      client_id: 'console',
      client_secret: 'secret',
    }),
  });
  const test = `${site.origin}/a`;
  const unsaved = await send({ test }, `${PATH}/test`);
  expect([unsaved.status, await unsaved.text()]).toEqual([
    200,
    expect.stringContaining('not fetched: robots.txt is unavailable'),
  ]);
  const saved = await ask(`${PATH}.json?${new URLSearchParams({ test })}`);
  expect(JSON.parse(await saved.text())).toMatchObject({ test: { hops: [{ state: 'no_robots' }] } });
  expect(site.requests).toEqual([]);
});

test('cross-site pages, readers and consoles without actions can neither test nor save', async () => {
  const { ask, site } = await opened();
  const tested = `${PATH}.json?test=${encodeURIComponent(`${site.origin}/a`)}`;
  const foreign = await ask(tested, { headers: { accept: 'text/html' } });
  expect([foreign.status, await foreign.text()]).toEqual([
    403,
    expect.stringContaining('another site links'),
  ]);
  const reading = await opened({ console_actions: false });
  const page = await (await reading.ask(PATH)).text();
  expect(page).not.toContain('<form class="settings"');
  expect(page).toMatch(/Maximum URLs<\/th><td[^>]*><code>77</);
  expect((await reading.ask(tested)).status).toBe(403);
  expect((await reading.send({ max_url: '5' })).status).toBe(403);
  expect([site.hits, existsSync(reading.file)]).toEqual([[], false]);
});

test('an invalid file is shown with its line, and not replaced', async () => {
  const { ask, send, file } = await opened();
  await mkdir(dirname(file));
  await writeFile(file, '# ours\nmax_urls: 5\n');
  const page = await (await ask(PATH)).text();
  expect(page).toContain(':2: unknown key max_urls');
  expect(page).not.toContain('<form class="settings"');
  expect((await send({ max_url: '5' })).status).toBe(400);
  expect(readFileSync(file, 'utf8')).toBe('# ours\nmax_urls: 5\n');
});

test('a project that another service crawls has no form', async () => {
  const { ask, send } = await opened({ base_url: 'https://service.example' });
  const page = await (await ask(PATH)).text();
  expect(page).toContain('Change its settings in service.example, which crawls it.');
  expect((await send({ max_url: '5' })).status).toBe(400);
});

test('a form for an unknown project returns 404, not an internal error', async () => {
  const { send } = await opened();
  for (const page of ['settings', 'settings/test', 'tickets']) {
    const answer = await send({ id: 't1', seen: 'x' }, `/projects/nope/${page}`);
    const text = await answer.text();
    expect([answer.status, text.includes('There is no project nope.')], page).toEqual([404, true]);
    expect(text, page).not.toMatch(/error_id|Change the ticket/);
  }
});
