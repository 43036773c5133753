import { existsSync, readdirSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { startSandbox } from '../../../src/service/sandbox/start-sandbox.ts';
import { pageWith, serveSite } from '../../support/crawl-site.ts';
import { temporaryFolder } from '../../support/temporary.ts';
import { until } from '../../support/until.ts';
import { refusal } from '../crawls/living.ts';
import { Service } from '../support.ts';
import { gated, PAGES, Websites } from './websites.ts';

test('a launched crawl of a real project fetches its website', async () => {
  const site = await serveSite({ ...PAGES, '/b': pageWith('/gone') });
  const it = await Websites.open(site);
  const id = await it.launch(await it.config(site));
  expect(await it.ended(id)).toMatchObject({
    status: 'done',
    end_reason: 'ok',
    fetched_urls: 5,
    last_depth: 2,
  });
  expect(site.hits.sort()).toEqual(['/', '/a', '/b', '/c', '/gone']);
  expect(await it.urls(id, site)).toEqual(['/', '/a', '/b', '/c', '/gone']);
  const links = await it.service.search(id, 'links', { fields: ['origin', 'target', 'target_status'] });
  expect(links.json.urls).toContainEqual({
    origin: `${site.origin}/b`,
    target: `${site.origin}/gone`,
    target_status: 404,
  });
  const { crawler, steps } = await it.progress(id);
  expect(crawler).toMatchObject({
    status: 'done',
    counts: { fetched_2xx: 4, fetched_4xx: 1, queued_urls: 0 },
  });
  expect(
    steps?.every(({ status, jobs = [] }) => status === 'done' && jobs.every((job) => job.status === 'done')),
  ).toBe(true);
});

test('a paused crawl sends no requests, and continues where it stopped, also after a restart', async () => {
  const stateDir = await temporaryFolder();
  const gate = gated(pageWith('/c'));
  const site = await serveSite({ ...PAGES, '/a': gate.page });
  const first = await Websites.open(site, { stateDir });
  const id = await first.launch(await first.config(site));
  await until(async () => (site.hits.includes('/b') && gate.waiting.length > 0 ? true : undefined));
  expect((await first.pilot(id, 'pause')).status).toBe('pausing');
  await first.service.sandbox.close();
  gate.open();
  await using sandbox = await startSandbox({ stateDir });
  const again = new Websites(new Service(sandbox));
  await again.clock(Date.now() + 10_000);
  expect(await again.crawl(id)).toMatchObject({ status: 'paused' });
  expect(site.hits).not.toContain('/c');
  expect((await again.pilot(id, 'resume')).status).toBe('running');
  expect(await again.ended(id)).toMatchObject({ status: 'done', end_reason: 'ok', fetched_urls: 4 });
  expect(await again.urls(id, site)).toEqual(['/', '/a', '/b', '/c']);
});

test('a cancelled crawl ends immediately, without a report or files', async () => {
  const stateDir = await temporaryFolder();
  const gate = gated('x');
  const site = await serveSite({ ...PAGES, '/a': gate.page });
  const it = await Websites.open(site, { stateDir });
  const id = await it.launch(await it.config(site));
  await until(async () => gate.waiting[0]);
  expect(existsSync(join(stateDir, 'crawls', id))).toBe(true);
  const cancelled = await it.pilot(id, 'cancel');
  expect(cancelled).toMatchObject({ status: 'cancelled', end_reason: 'user_cancelled' });
  expect(cancelled.fetched_urls).toBeGreaterThan(0);
  expect(readdirSync(join(stateDir, 'crawls'))).toEqual([]);
  expect((await it.service.search(id, 'pages', {})).status).toBe(409);
  expect((await it.progress(id)).crawler).toMatchObject({ status: 'waiting', counts: { queued_urls: 0 } });
});

test('a configuration that the crawler does not support is refused at launch', async () => {
  const site = await serveSite(PAGES);
  const it = await Websites.open(site);
  const config = await it.config(site, { use_proxy: true });
  const refused = await refusal(it.launch(config));
  expect(refused).toMatchObject({ code: 'invalid_request' });
  expect(refused.message).toContain('crawl_proxy');
  expect(await it.service.crawls()).toEqual([]);
});

test('a crawl with web vitals needs a browser, other crawls do not', async () => {
  const site = await serveSite(PAGES);
  const browser = join(await temporaryFolder(), 'chrome');
  const vitals = { pages_per_template: 1, loads: 1 };
  const it = await Websites.open(site, { rendering: { browser }, vitals });
  const config = await it.config(site);
  expect(await refusal(it.launch(config))).toMatchObject({
    code: 'invalid_request',
    message: expect.stringContaining(`there is no ${browser} (set the path`),
  });
  await it.patch('crawl_configs', config, { vitals: 'some' });
  expect(await refusal(it.launch(config))).toMatchObject({ code: 'invalid_request' });
  await it.patch('crawl_configs', config, { vitals: 0 });
  const id = await it.launch(config);
  expect(await it.ended(id)).toMatchObject({ status: 'done' });
  const { json } = await it.service.search(id, 'pages', { fields: ['url', 'processing_warnings'] });
  expect(json.urls).toHaveLength(4);
  expect((await it.service.search(id, 'pages', { fields: ['cwv_lcp'] })).status).toBe(400);
});

test('a rendered crawl needs a browser to start, and waits for one that does not start', async () => {
  const site = await serveSite(PAGES);
  const browser = join(await temporaryFolder(), 'chrome');
  const it = await Websites.open(site, { rendering: { browser } });
  const config = await it.config(site, { js_rendering: true });
  expect(await refusal(it.launch(config))).toMatchObject({
    code: 'invalid_request',
    message: expect.stringContaining(`there is no ${browser} (set the path`),
  });
  await writeFile(browser, 'no program');
  const id = await it.launch(config);
  const stuck = await until(async () => it.service.sandbox.stuckCrawl(id));
  expect(stuck).toMatchObject({
    code: 'missing_feature',
    message: expect.stringContaining('does not start'),
  });
  expect(await it.crawl(id)).toMatchObject({ status: 'running' });
});
