import { writeFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { field, importFolder, type Json, service } from '../../support.ts';

test('the log has every API request, in order, with status and bytes', async () => {
  const it = await service({ generate: ['pages=100,columns=10'] });
  const crawl = await it.crawlId();
  const exported = await it.export(crawl, 'pages', 'csv');
  await it.api('/crawls/none');
  const all = JSON.parse((await it.ask('/_sandbox/requests')).text) as Json[];
  expect(all.slice(-2)).toEqual([
    {
      method: 'POST',
      path: `/api/v2/data/crawl/${crawl}/pages?export=true&file_type=csv`,
      status: 200,
      bytes: exported.bytes.length,
    },
    { method: 'GET', path: '/api/v2/crawls/none', status: 404, bytes: expect.any(Number) },
  ]);
  expect(all.some(({ path }) => String(path).startsWith('/_sandbox'))).toBe(false);
});

test('PATCH sets any state of a resource', async () => {
  const it = await service({ generate: ['pages=1'] });
  const [crawl] = await it.crawls();
  const project = String(crawl?.project_id);
  await it.ask(`/_sandbox/projects/${project}`, { method: 'PATCH', body: { features: [], name: 'Renamed' } });
  expect((await it.api(`/projects/${project}`)).json).toMatchObject({
    project: { features: [], name: 'Renamed' },
  });
  const config = String((crawl?.crawl_config as Json | undefined)?.id);
  await it.ask(`/_sandbox/crawl_configs/${config}`, { method: 'PATCH', body: { max_url: 5 } });
  expect((await it.api(`/projects/${project}/crawl_configs/${config}`)).json).toMatchObject({
    crawl_config: { max_url: 5 },
  });
  const workspace = await it.workspace();
  await it.ask(`/_sandbox/workspaces/${workspace}`, {
    method: 'PATCH',
    body: { subscription_status: 'inactive' },
  });
  expect((await it.api(`/workspaces/${workspace}`)).json).toMatchObject({
    workspace: { subscription_status: 'inactive' },
  });
  for (const [path, body, status] of [
    ['/_sandbox/crawls/none', {}, 404],
    ['/_sandbox/planets/x', {}, 404],
    [`/_sandbox/crawls/${crawl?.id}`, { id: 'other' }, 400],
    [`/_sandbox/crawls/${crawl?.id}`, [], 400],
    ['/_sandbox/tokens/t', { scope: 'x' }, 400],
  ] as const) {
    expect((await it.ask(path, { method: 'PATCH', body })).status, path).toBe(status);
  }
});

test('a folder can be imported while the sandbox runs, and again with other rows', async () => {
  const it = await service();
  const pages = (rows: Json[]) => ({ pages: { fields: [field('url', 'string')], rows } });
  const dir = await importFolder('late-2025-04-01', pages([{ url: 'https://late.example/a' }]));
  const first = await it.ask('/_sandbox/import', { body: { dir } });
  expect(first.status).toBe(200);
  const crawl = String(first.json.crawl_id);
  expect((await it.api(`/crawls/${crawl}`)).json).toMatchObject({
    crawl: { ended_at: Date.parse('2025-04-01T23:00:00Z') },
  });
  expect((await it.search(crawl, 'pages', {})).json.meta).toMatchObject({ total_hits: 1 });
  writeFileSync(`${dir}/pages.jsonl`, '{"url":"https://late.example/a"}\n{"url":"https://late.example/b"}\n');
  expect((await it.ask('/_sandbox/import', { body: { dir } })).json).toEqual(first.json);
  expect((await it.search(crawl, 'pages', {})).json.meta).toMatchObject({ total_hits: 2 });
  const missing = await it.ask('/_sandbox/import', { body: { dir: `${dir}/none` } });
  expect(missing.status).toBe(400);
  expect(missing.json.message).toContain('is not a folder');
});

test('the clock can be set, and a crawl without a date then ends', async () => {
  const it = await service();
  expect((await it.ask('/_sandbox/clock', { body: { now: 'soon' } })).status).toBe(400);
  expect((await it.ask('/_sandbox/clock', { body: { now: '2030-01-02T03:04:05Z' } })).status).toBe(200);
  const dir = await importFolder('undated', { pages: { fields: [field('url', 'string')], rows: [] } });
  await it.ask('/_sandbox/import', { body: { dir } });
  const [crawl] = await it.crawls();
  const now = Date.parse('2030-01-02T03:04:05Z');
  expect(crawl?.ended_at).toBeGreaterThanOrEqual(now);
  expect(crawl?.ended_at).toBeLessThan(now + 20_000);
});

test('unknown paths under /_sandbox are not found', async () => {
  const it = await service();
  expect((await it.ask('/_sandbox/nothing', { token: null })).status).toBe(404);
  expect((await it.ask('/nothing', { token: null })).status).toBe(404);
});
