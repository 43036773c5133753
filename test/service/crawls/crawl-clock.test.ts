import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { ServiceClient } from '../../../src/client/http/service-client.ts';
import { NO_COUNTS } from '../../../src/client/resources/crawl-progress.ts';
import { silentLogger } from '../../../src/core/logs/logger.ts';
import { CrawlClock } from '../../../src/service/crawls/crawl-clock.ts';
import type { CrawlSource } from '../../../src/service/crawls/crawl-source.ts';
import { launchCrawl } from '../../../src/service/crawls/launch-crawl.ts';
import { Clock } from '../../../src/service/resources/clock.ts';
import { Resources, type StoredResource } from '../../../src/service/resources/resources.ts';
import { ensureProject, ensureWorkspace, WORKSPACE_ID } from '../../../src/service/resources/seed.ts';
import { ServiceRows } from '../../../src/service/rows/service-rows.ts';
import { startSandbox } from '../../../src/service/sandbox/start-sandbox.ts';
import { temporaryFolder } from '../../support/temporary.ts';
import { Service } from '../support.ts';
import { SECOND, START } from './living.ts';

test('a failing source ends its crawl, and the other crawls continue', async () => {
  const folder = await temporaryFolder();
  const resources = new Resources(join(folder, 'service.sqlite'));
  onTestFinished(() => resources[Symbol.dispose]());
  const rows = await ServiceRows.open(folder);
  onTestFinished(() => rows[Symbol.asyncDispose]());
  const step = { ...NO_COUNTS, step: 0, depth: 0, fetched_2xx: 1 };
  const source: CrawlSource = {
    isSynthetic: true,
    plan: async () => ({ work: { _plan: { end_reason: 'ok', steps: [step], samples: [] } }, urls: 1 }),
    follow: async () => {},
    report: async (crawl) => {
      if ((crawl.crawl_config as StoredResource).name === 'broken') throw new Error('no pages today');
      return { endReason: 'ok', fetchedUrls: 1, lastDepth: 0, datasets: new Map() };
    },
  };
  const told: StoredResource[] = [];
  const notify = (crawl: StoredResource): void => void told.push(crawl);
  const clock = new Clock();
  const sourceOf = () => source;
  const life = new CrawlClock({ resources, rows, clock, sourceOf, logger: silentLogger, notify });
  onTestFinished(() => life[Symbol.asyncDispose]());
  ensureWorkspace(resources, 'Sandbox');
  const project = ensureProject(resources, { name: 'p', startUrl: 'https://p.example/' });
  clock.set(START);
  const ids = await life.alone(async (at, context) => {
    const made: string[] = [];
    for (const name of ['broken', 'whole']) {
      const config = { id: name, name, trigger_coc: false };
      made.push((await launchCrawl(context, { project, config, at, isScheduled: false })).id);
    }
    return made;
  });
  clock.set(START + 61 * SECOND);
  await Promise.all([life.advance(), life.advance()]);
  const crawls = ids.map((id) => resources.get('crawls', id));
  expect(crawls).toMatchObject([
    { status: 'cancelled', end_reason: 'stopped_progressing', fetched_urls: 1 },
    { status: 'done', end_reason: 'ok', fetched_urls: 1 },
  ]);
  expect(told).toHaveLength(2);
  expect(told).toEqual(expect.arrayContaining(crawls));
  expect(resources.get('workspaces', WORKSPACE_ID)).not.toHaveProperty('_crawl_url_quota');
});

test('a crawl running when the sandbox closes continues after its restart', async () => {
  const stateDir = await temporaryFolder();
  const generate = ['pages=40,columns=6'];
  const id = await (async () => {
    await using sandbox = await startSandbox({ stateDir, generate });
    const it = new Service(sandbox);
    await it.ask('/_sandbox/clock', { body: { now: START } });
    await using client = new ServiceClient({ baseUrl: sandbox.baseUrl, accessToken: sandbox.accessToken });
    const [project] = await Array.fromAsync(client.list('projects', { workspace_id: await it.workspace() }));
    const launched = await client.call('launchCrawl', {
      project_id: String(project?.id),
      query: { configId: String(project?.crawl_config_ids?.[0]) },
    });
    return launched.id;
  })();
  await using sandbox = await startSandbox({ stateDir, generate });
  const it = new Service(sandbox);
  await it.ask('/_sandbox/clock', { body: { now: START + 10 * SECOND } });
  expect((await it.api(`/crawls/${id}`)).json).toMatchObject({ crawl: { status: 'running' } });
  await it.ask('/_sandbox/clock', { body: { now: START + 61 * SECOND } });
  expect((await it.api(`/crawls/${id}`)).json).toMatchObject({ crawl: { status: 'done' } });
  expect((await it.search(id, 'pages', {})).json.meta).toMatchObject({ total_hits: 40 });
});
