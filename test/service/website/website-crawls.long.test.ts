import type { ServerResponse } from 'node:http';
import { expect, test } from 'vitest';
import { fileForm } from '../../../src/client/resources/ingest-files.ts';
import { startSandbox } from '../../../src/service/sandbox/start-sandbox.ts';
import { pageWith, serveSite } from '../../support/crawl-site.ts';
import { temporaryFolder } from '../../support/temporary.ts';
import { until } from '../../support/until.ts';
import { DAY, refusal, START } from '../crawls/living.ts';
import { Service } from '../support.ts';
import { gated, PAGES, Websites } from './websites.ts';

test('progress counts fetched URLs by depth, with samples, while a crawl runs', async () => {
  const gate = gated('x');
  const site = await serveSite({ ...PAGES, '/b': gate.page });
  const it = await Websites.open(site);
  const id = await it.launch(await it.config(site));
  const { crawler, steps } = await until(async () => {
    const progress = await it.progress(id);
    return progress.crawler?.counts?.fetched_2xx === 2 ? progress : undefined;
  });
  expect(crawler).toMatchObject({ status: 'running', counts: { fetched_2xx: 2 } });
  expect(crawler?.counts?.queued_urls).toBeGreaterThan(0);
  expect(crawler?.by_depth).toMatchObject([
    { depth: 0, fetched_2xx: 1 },
    { depth: 1, fetched_2xx: 1 },
  ]);
  expect(crawler?.samples?.map(({ url }) => url)).toEqual([`${site.origin}/`, `${site.origin}/a`]);
  expect(steps?.map(({ status }) => status)).toEqual(['running', 'waiting', 'waiting', 'waiting', 'waiting']);
  expect(await it.crawl(id)).toMatchObject({ status: 'running', fetched_urls: 2, last_depth: 1 });
  gate.open();
  expect(await it.ended(id)).toMatchObject({ status: 'done', fetched_urls: 4 });
});

test('a crawl that runs when the sandbox closes continues after its restart', async () => {
  const stateDir = await temporaryFolder();
  const gate = gated(pageWith('/c'));
  const site = await serveSite({ ...PAGES, '/a': gate.page });
  const first = await Websites.open(site, { stateDir });
  const id = await first.launch(await first.config(site));
  await until(async () => gate.waiting[0]);
  await first.service.sandbox.close();
  gate.open();
  await using sandbox = await startSandbox({ stateDir });
  const again = new Websites(new Service(sandbox));
  expect(await again.ended(id)).toMatchObject({ status: 'done', fetched_urls: 4 });
});

test('a terminated crawl reports its fetched pages', async () => {
  const gate = gated('x');
  const site = await serveSite({ ...PAGES, '/a': gate.page });
  const it = await Websites.open(site);
  const id = await it.launch(await it.config(site));
  await until(async () => gate.waiting[0]);
  expect((await it.pilot(id, 'terminate')).status).toBe('terminating');
  gate.open();
  const done = await it.ended(id);
  expect(done).toMatchObject({ status: 'done', end_reason: 'user_requested' });
  expect(await it.urls(id, site)).toHaveLength(Number(done.fetched_urls));
  expect(site.hits).not.toContain('/c');
});

test('a paused crawl can be terminated, and reports its fetched pages', async () => {
  const gate = gated('x');
  const site = await serveSite({ ...PAGES, '/a': gate.page });
  const it = await Websites.open(site);
  const id = await it.launch(await it.config(site));
  await until(async () => gate.waiting[0]);
  await it.pilot(id, 'pause');
  await it.clock(Date.now() + 10_000);
  await it.pilot(id, 'terminate');
  expect(await it.ended(id)).toMatchObject({ status: 'done', end_reason: 'user_requested' });
  expect(await it.urls(id, site)).toContain('/');
});

test('the quota ends a crawl, and unused quota is refunded', async () => {
  const site = await serveSite(PAGES);
  const it = await Websites.open(site);
  await it.patch('workspaces', await it.service.workspace(), { crawl_url_quota: 6 });
  const config = await it.config(site);
  expect(await it.ended(await it.launch(config))).toMatchObject({ end_reason: 'ok', fetched_urls: 4 });
  expect(await it.ended(await it.launch(config))).toMatchObject({
    end_reason: 'quota_reached',
    fetched_urls: 2,
  });
  expect(await refusal(it.launch(config))).toMatchObject({ code: 'quota' });
});

test('limits of the configuration end a crawl with their reasons', async () => {
  const site = await serveSite(PAGES);
  const it = await Websites.open(site);
  const few = await it.config(site, { name: 'few', max_url: 2 });
  expect(await it.ended(await it.launch(few))).toMatchObject({
    end_reason: 'max_url_reached',
    fetched_urls: 2,
  });
  const flat = await it.config(site, { name: 'flat', max_depth: 1 });
  expect(await it.ended(await it.launch(flat))).toMatchObject({
    end_reason: 'max_depth_reached',
    last_depth: 1,
  });
});

test('an unreachable website ends its crawl as stopped_progressing', async () => {
  const site = await serveSite({ '/': (_request, response) => response.destroy() });
  const it = await Websites.open(site);
  const done = await it.ended(await it.launch(await it.config(site)));
  expect(done).toMatchObject({ status: 'done', end_reason: 'stopped_progressing', fetched_urls: 0 });
});

test('passwords and seed files of the configuration reach the crawler', async () => {
  const basic = `Basic ${Buffer.from('me:secret word').toString('base64')}`;
  const guarded =
    (body: string) => (request: { headers: Record<string, unknown> }, response: ServerResponse) => {
      response.statusCode = request.headers.authorization === basic ? 200 : 401;
      response.setHeader('content-type', 'text/html').end(body);
    };
  const site = await serveSite({ '/': guarded('x') as never, '/seed': guarded('x') as never });
  const it = await Websites.open(site);
  await it.client.call('uploadIngestFile', {
    project_id: it.projectId,
    body: fileForm({ name: 'seeds.csv', content: new Blob([`url\n${site.origin}/seed\n`]) }),
  });
  const file = await until(async () => {
    const [one] = await Array.fromAsync(it.client.list('ingestFiles', { project_id: it.projectId }));
    return one?.status === 'PROCESSED' ? one : undefined;
  });
  const config = await it.config(site, {
    http_auth: { username: 'me', password: 'secret word', scheme: 'Basic' },
    user_input_files: [file.id],
  });
  const id = await it.launch(config);
  expect(await it.ended(id)).toMatchObject({ fetched_urls: 2 });
  expect(await it.urls(id, site)).toEqual(['/', '/seed']);
  expect((await it.progress(id)).crawler?.counts?.fetched_2xx).toBe(2);
  expect((await it.service.api(`/crawls/${id}`)).text).not.toContain('secret word');
});

test('a second crawl is compared with the first, and a webhook reports its end', async () => {
  const routes: Record<string, string> = { ...PAGES };
  const site = await serveSite(routes);
  const told = await serveSite({ '/': { status: 204 } });
  const it = await Websites.open(site, { allowPrivate: true });
  const config = await it.config(site, {
    trigger_coc: true,
    notifications: { custom_webhooks: [{ url: `${told.origin}/` }] },
  });
  const first = await it.ended(await it.launch(config));
  routes['/a'] = pageWith('/new');
  routes['/new'] = 'x';
  const second = await it.ended(await it.launch(config));
  await it.clock(Number(second.ended_at) + 11_000);
  const [comparison] = await Array.fromAsync(
    it.client.list('crawlOverCrawls', { workspace_id: await it.service.workspace() }),
  );
  expect(comparison).toMatchObject({ crawl1_id: first.id, crawl2_id: second.id, status: 'done' });
  const rows = await it.service.api(`/data/crawl_over_crawl/${comparison?.id}/pages`, {
    body: { fields: ['url', 'presence'], oql: { field: ['presence', 'not_equals', 'in_both'] } },
  });
  expect(rows.json.urls).toEqual([
    { url: `${site.origin}/c`, presence: 'only_crawl1' },
    { url: `${site.origin}/new`, presence: 'only_crawl2' },
  ]);
  await until(async () => (told.hits.length === 2 ? true : undefined));
});

test('a schedule starts one crawl for all firings that the clock skipped, then continues', async () => {
  const site = await serveSite(PAGES);
  const it = await Websites.open(site);
  await it.clock(START);
  const config_id = await it.config(site);
  await it.client.call('createScheduledCrawl', {
    project_id: it.projectId,
    body: { scheduled_crawl: { config_id, recurrence: 'day', start_date: START + DAY } },
  });
  await it.clock(START + 9.5 * DAY);
  const [crawl, ...others] = await it.service.crawls();
  expect(others).toEqual([]);
  expect(crawl?.created_at).toBeGreaterThanOrEqual(START + 9.5 * DAY);
  await it.ended(String(crawl?.id));
  await it.clock(START + 10.5 * DAY);
  expect(await it.service.crawls()).toHaveLength(2);
});

test('setting the clock neither ends nor speeds up a website crawl', async () => {
  const gate = gated('x');
  const site = await serveSite({ ...PAGES, '/a': gate.page });
  const it = await Websites.open(site);
  const id = await it.launch(await it.config(site));
  await until(async () => gate.waiting[0]);
  await it.clock(START);
  expect(await it.crawl(id)).toMatchObject({ status: 'running', ended_at: null });
  gate.open();
  const done = await it.ended(id);
  expect(done.status).toBe('done');
  expect(done.ended_at).toBeGreaterThanOrEqual(START);
});
