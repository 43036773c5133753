import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { type SandboxOptions, startSandbox } from '../../../src/service/sandbox/start-sandbox.ts';
import { temporaryFolder } from '../../support/temporary.ts';
import { field, importFolder, type Json, Service, service } from '../support.ts';

const url = [field('url', 'string'), field('depth', 'natural'), field('fetched', 'bool')];
const page = (path: string, depth: number, fetched: boolean): Json => ({
  url: `https://www.shop.example${path}`,
  depth,
  fetched,
});

async function refused(options: SandboxOptions): Promise<{ code: string; message: string; hint?: string }> {
  try {
    await (await startSandbox(options)).close();
  } catch (error) {
    return error as { code: string; message: string };
  }
  throw new Error('it started');
}

test('a folder is a crawl of the project in its name, ended on its date', async () => {
  const pages = { fields: url, rows: [page('/', 0, true), page('/a', 2, false)] };
  const a = await importFolder('my-shop-2025-01-09', { pages });
  const b = await importFolder('my-shop-2025-01-16', { pages });
  const it = await service({ importDirs: [b, a] });
  const crawls = await it.crawls();
  expect(crawls.map((crawl) => new Date(Number(crawl.ended_at)).toISOString())).toEqual([
    '2025-01-09T23:00:00.000Z',
    '2025-01-16T23:00:00.000Z',
  ]);
  expect(crawls[0]).toMatchObject({
    status: 'done',
    link_status: 'live',
    end_reason: 'ok',
    fetched_urls: 1,
    last_depth: 2,
  });
  expect(crawls[0]?.crawl_config).toEqual(crawls[1]?.crawl_config);
  const { json } = await it.api(`/projects/${crawls[0]?.project_id}`);
  expect(json.project).toMatchObject({
    name: 'my-shop',
    start_url: 'https://www.shop.example/',
    domain: 'www.shop.example',
    last_crawl_id: crawls[1]?.id,
    crawl_ids: crawls.map((crawl) => crawl.id),
  });
});

test('ids depend only on project and date', async () => {
  const ids = async (): Promise<unknown[]> => {
    const dir = await importFolder('same-2025-01-09', { pages: { fields: url, rows: [] } });
    await using sandbox = await startSandbox({ importDirs: [dir] });
    return (await new Service(sandbox).crawls()).flatMap((crawl) => [crawl.id, crawl.project_id]);
  };
  expect(await ids()).toEqual(await ids());
  expect(String((await ids())[0])).toMatch(/^[0-9a-f]{24}$/);
});

test('crawl.json sets any field of the crawl, and its project', async () => {
  const dir = await importFolder(
    'whatever',
    { pages: { fields: url, rows: [page('/', 0, true)] } },
    {
      id: 'my-own-id',
      status: 'archived',
      end_reason: 'max_url_reached',
      ended_at: 1_700_000_000_000,
      project: { name: 'Named', start_url: 'https://named.example/' },
    },
  );
  const it = await service({ importDirs: [dir] });
  const { crawl } = (await it.api('/crawls/my-own-id')).json as { crawl: Json };
  expect(crawl).toMatchObject({
    status: 'archived',
    end_reason: 'max_url_reached',
    ended_at: 1_700_000_000_000,
  });
  expect((await it.api(`/projects/${crawl.project_id}`)).json.project).toMatchObject({
    name: 'Named',
    start_url: 'https://named.example/',
  });
});

test('a folder with log data creates a project with its features and no crawl', async () => {
  const dir = await importFolder('logs', {
    events: { fields: url, rows: [{ url: 'http://www.log.example/x' }] },
  });
  const it = await service({ importDirs: [dir] });
  expect(await it.crawls()).toEqual([]);
  const { json } = await it.api(`/workspaces/${await it.workspace()}/projects`);
  expect(json.projects).toMatchObject([
    {
      name: 'logs',
      start_url: 'http://www.log.example/',
      log_monitoring_ready: true,
      features: expect.arrayContaining(['log_monitoring']),
    },
  ]);
});

test('an error in a folder names the file and the line', async () => {
  const broken = await importFolder('broken-2025-01-01', {
    pages: { fields: url, rows: ['{"url":"a"}', '', '{"url":'] },
  });
  expect(await refused({ importDirs: [broken] })).toMatchObject({
    code: 'bad_project',
    message: expect.stringMatching(/pages\.jsonl, line 3: /),
  });
  const lax = await importFolder('lax-2025-01-01', { pages: { fields: url, rows: ['{"url":NaN}'] } });
  expect((await refused({ importDirs: [lax] })).message).toMatch(/line 1/);
  const array = await importFolder('array-2025-01-01', { pages: { fields: url, rows: ['[]'] } });
  expect((await refused({ importDirs: [array] })).message).toMatch(/line 1: is not a JSON object/);
  const fields = await importFolder('fields-2025-01-01', { pages: { fields: [{ name: 'url' }], rows: [] } });
  expect(await refused({ importDirs: [fields] })).toMatchObject({
    code: 'bad_project',
    message: expect.stringMatching(/pages\.fields\.json, at fields\[0\]\.type/),
  });
  const twice = await importFolder('twice-2025-01-01', { pages: { fields: [...url, ...url], rows: [] } });
  expect((await refused({ importDirs: [twice] })).message).toMatch(/"url" appears twice/);
});

test('a missing or empty folder is refused before anything starts', async () => {
  const folder = await temporaryFolder();
  expect(await refused({ importDirs: [join(folder, 'none')] })).toMatchObject({ code: 'usage' });
  writeFileSync(join(folder, 'pages.csv'), '');
  expect(await refused({ importDirs: [folder] })).toMatchObject({
    code: 'usage',
    message: expect.stringContaining('contains nothing'),
  });
});

test('two folders of the same crawl are refused', async () => {
  const pages = { fields: url, rows: [] };
  const a = await importFolder('twin-2025-01-01', { pages });
  const b = await importFolder('twin-2025-01-01', { pages });
  expect(await refused({ importDirs: [a, b] })).toMatchObject({
    code: 'usage',
    message: expect.stringContaining('same crawl'),
  });
});
