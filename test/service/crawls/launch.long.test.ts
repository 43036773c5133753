import { expect, test } from 'vitest';
import { FETCH_STATUSES } from '../../../src/client/resources/crawl-progress.ts';
import { lines } from '../support.ts';
import { living, refusal, SECOND, START } from './living.ts';

/** How often each fetch status stands in a crawl's report. */
async function reported(
  life: Awaited<ReturnType<typeof living>>,
  crawlId: string,
): Promise<Record<string, number>> {
  const { text } = await life.service.export(crawlId, 'pages', 'json', {
    body: { fields: ['fetch_status'] },
  });
  const counts: Record<string, number> = Object.fromEntries(FETCH_STATUSES.map((status) => [status, 0]));
  for (const line of lines(text)) {
    const { fetch_status } = JSON.parse(line) as { fetch_status: string };
    counts[fetch_status] = (counts[fetch_status] ?? 0) + 1;
  }
  return counts;
}

test('a launched crawl is done after a minute, and its report matches its progress', async () => {
  const life = await living();
  const { client } = life;
  const launched = await client.call('launchCrawl', {
    project_id: life.projectId,
    query: { configId: life.configId },
  });
  expect(launched).toMatchObject({ status: 'running', fetched_urls: 0, ended_at: null, link_status: 'live' });
  expect(launched).not.toHaveProperty('end_reason');
  expect(Object.keys(launched).filter((key) => key.startsWith('_'))).toEqual([]);
  expect(await client.call('project', { project_id: life.projectId })).toMatchObject({
    project: { last_crawl_id: launched.id, last_crawl_created_at: launched.created_at },
  });
  const early = await life.service.search(launched.id, 'pages', {});
  expect(early.json).toMatchObject({ type: 'invalid_state_for_request' });

  await life.clock(START + 20.5 * SECOND);
  const half = await client.call('crawl', { crawl_id: launched.id });
  const { progress } = await client.call('crawlProgress', { crawl_id: launched.id });
  expect(half.fetched_urls).toBeGreaterThan(50);
  const fetched = (counts: Record<string, number>): number =>
    FETCH_STATUSES.filter((status) => status.startsWith('fetched')).reduce(
      (sum, status) => sum + (counts[status] ?? 0),
      0,
    );
  expect(half.fetched_urls).toBe(fetched(progress.crawler?.counts as never));
  expect(half.last_depth).toBe(progress.crawler?.depth);
  expect(progress.crawler?.counts?.queued_urls).toBeGreaterThan(50);
  expect(progress.steps?.map(({ status }) => status)).toEqual([
    'running',
    'waiting',
    'waiting',
    'waiting',
    'waiting',
  ]);

  await life.clock(START + 70 * SECOND);
  const done = await client.call('crawl', { crawl_id: launched.id });
  expect(done).toMatchObject({
    status: 'done',
    end_reason: 'ok',
    ended_at: Number(launched.created_at) + 60 * SECOND,
  });
  const last = (await client.call('crawlProgress', { crawl_id: launched.id })).progress;
  const { queued_urls, ...counts } = last.crawler?.counts ?? { queued_urls: -1 };
  expect(queued_urls).toBe(0);
  expect(counts).toEqual(await reported(life, launched.id));
  expect(done.fetched_urls).toBe(fetched(counts as never));
  for (const status of FETCH_STATUSES) {
    const byDepth = last.crawler?.by_depth?.map((depth) => depth[status]) ?? [];
    expect(
      byDepth.reduce((sum, count) => sum + count, 0),
      status,
    ).toBe((counts as Record<string, number>)[status]);
  }
  expect(
    last.steps?.every(
      ({ status, jobs = [] }) => status === 'done' && jobs.every((job) => job.status === 'done'),
    ),
  ).toBe(true);
});

test('each part of the analysis runs for a while, in order', async () => {
  const life = await living();
  const { id } = await life.client.call('launchCrawl', {
    project_id: life.projectId,
    query: { configId: life.configId },
  });
  const running = async (second: number): Promise<(string | undefined)[]> => {
    await life.clock(START + second * SECOND);
    const { steps } = (await life.client.call('crawlProgress', { crawl_id: id })).progress;
    const step = steps?.find(({ status }) => status === 'running');
    return [step?.name, step?.jobs?.find(({ status }) => status === 'running')?.name];
  };
  expect(await running(41)).toEqual(['connectors', undefined]);
  expect(await running(43.5)).toEqual(['analysis', 'inlinks']);
  expect(await running(54.5)).toEqual(['analysis', 'cluster_similarities']);
  expect(await running(56)).toEqual(['cross_analysis', undefined]);
  expect(await running(58)).toEqual(['export', undefined]);
});

test('samples are fetched URLs with the data of their status', async () => {
  const life = await living();
  const { id } = await life.client.call('launchCrawl', {
    project_id: life.projectId,
    query: { configId: life.configId },
  });
  await life.clock(START + 65 * SECOND);
  const samples = (await life.client.call('crawlProgress', { crawl_id: id })).progress.crawler?.samples ?? [];
  expect(new Set(samples.map(({ fetch_status }) => fetch_status))).toEqual(new Set(FETCH_STATUSES));
  for (const sample of samples) {
    expect(sample.fetch_date).toMatch(/^2027-03-01T08:0\d:\d\d\.\d{3}Z$/);
    const isFetched = sample.fetch_status.startsWith('fetched');
    expect('status_code' in sample && 'fetch_duration' in sample, sample.fetch_status).toBe(isFetched);
    expect('error_code' in sample, sample.fetch_status).toBe(sample.fetch_status === 'unfetched_exception');
    const page = await life.service.search(id, 'pages', {
      fields: ['fetch_status', 'status_code', 'load_time'],
      oql: { field: ['url', 'equals', sample.url] },
    });
    expect(page.json.urls).toEqual([
      {
        fetch_status: sample.fetch_status,
        status_code: sample.status_code ?? null,
        load_time: sample.fetch_duration ?? null,
      },
    ]);
  }
});

test('max_url and max_depth end a crawl', async () => {
  const life = await living();
  const { client } = life;
  const few = await client.call('launchCrawl', {
    project_id: life.projectId,
    query: { configId: await life.config({ name: 'few', max_url: 30 }) },
  });
  const flat = await client.call('launchCrawl', {
    project_id: life.projectId,
    query: { configId: await life.config({ name: 'flat', max_depth: 2 }) },
  });
  await life.clock(START + 70 * SECOND);
  expect(await client.call('crawl', { crawl_id: few.id })).toMatchObject({
    end_reason: 'max_url_reached',
    fetched_urls: 30,
  });
  expect(await client.call('crawl', { crawl_id: flat.id })).toMatchObject({
    end_reason: 'max_depth_reached',
    last_depth: 2,
  });
  const deep = await life.service.search(flat.id, 'pages', { oql: { field: ['depth', 'gt', 2] } });
  expect(deep.json.meta).toMatchObject({ total_hits: 0 });
  const all = await life.service.search(few.id, 'pages', { oql: { field: ['fetched', 'equals', true] } });
  expect(all.json.meta).toMatchObject({ total_hits: 30 });
});

test('consecutive crawls of a site keep most pages and the same fields', async () => {
  const life = await living({ generate: ['pages=300,links=900,columns=12'] });
  const [former] = await life.crawls();
  const { id } = await life.client.call('launchCrawl', {
    project_id: life.projectId,
    query: { configId: life.configId },
  });
  await life.clock(START + 70 * SECOND);
  const fields = async (crawlId: string) =>
    (await life.client.fields({ kind: 'crawl', id: crawlId, dataType: 'pages' })).map(({ name }) => name);
  expect(await fields(id)).toEqual(await fields(String(former?.id)));
  const urls = async (crawlId: string): Promise<Set<string>> =>
    new Set(lines((await life.service.export(crawlId, 'pages', 'csv', { body: { fields: ['url'] } })).text));
  const [before, after] = [await urls(String(former?.id)), await urls(id)];
  const kept = [...before].filter((url) => after.has(url)).length;
  expect(kept).toBeGreaterThan(270);
  expect(kept).toBeLessThan(301);
});

test('an unknown configuration, or one of another project, is not found', async () => {
  const life = await living({ generate: ['projects=2,pages=10'] });
  const { client, projectId, workspaceId } = life;
  const others = await Array.fromAsync(client.list('projects', { workspace_id: workspaceId }));
  const foreign = others.find(({ id }) => id !== projectId)?.crawl_config_ids?.[0];
  for (const id of ['none', String(foreign)]) {
    expect(
      await refusal(client.call('launchCrawl', { project_id: projectId, query: { configId: id } })),
      id,
    ).toMatchObject({ code: 'not_found' });
  }
});

test('only one crawl per configuration runs at a time, next to other crawls', async () => {
  const life = await living();
  const { client } = life;
  await client.call('launchCrawl', { project_id: life.projectId, query: { configId: life.configId } });
  expect(
    await refusal(
      client.call('launchCrawl', { project_id: life.projectId, query: { configId: life.configId } }),
    ),
  ).toMatchObject({ code: 'wrong_state' });
  const other = await client.call('launchCrawl', {
    project_id: life.projectId,
    query: { configId: await life.config() },
  });
  expect(other.status).toBe('running');
});

test('the URL quota ends a crawl, blocks the next, and is refunded when a crawl is cancelled', async () => {
  const life = await living();
  const { client } = life;
  await life.patch('workspaces', life.workspaceId, { crawl_url_quota: 50 });
  const first = await client.call('launchCrawl', {
    project_id: life.projectId,
    query: { configId: life.configId },
  });
  const config = await life.config();
  expect(
    await refusal(client.call('launchCrawl', { project_id: life.projectId, query: { configId: config } })),
  ).toMatchObject({ code: 'quota' });
  await life.clock(START + 20 * SECOND);
  const cancelled = await client.call('pilotCrawl', { crawl_id: first.id, body: { command: 'cancel' } });
  const second = await client.call('launchCrawl', {
    project_id: life.projectId,
    query: { configId: config },
  });
  await life.clock(START + 90 * SECOND);
  const done = await client.call('crawl', { crawl_id: second.id });
  expect(done).toMatchObject({
    end_reason: 'quota_reached',
    fetched_urls: 50 - Number(cancelled.fetched_urls),
  });
  expect(
    await refusal(client.call('launchCrawl', { project_id: life.projectId, query: { configId: config } })),
  ).toMatchObject({ code: 'quota' });
  await life.patch('workspaces', life.workspaceId, { crawl_url_quota: 30 });
  const third = await client.call('launchCrawl', { project_id: life.projectId, query: { configId: config } });
  await client.call('pilotCrawl', { crawl_id: third.id, body: { command: 'terminate' } });
  await life.clock(START + 200 * SECOND);
  const fetched = Number((await client.call('crawl', { crawl_id: third.id })).fetched_urls);
  const fourth = await client.call('launchCrawl', {
    project_id: life.projectId,
    query: { configId: config },
  });
  await life.clock(START + 300 * SECOND);
  expect((await client.call('crawl', { crawl_id: fourth.id })).fetched_urls).toBe(30 - fetched);
  const workspace = await client.call('workspace', { workspace_id: life.workspaceId });
  expect(Object.keys(workspace).filter((key) => key.includes('quota'))).toEqual([]);
});

test('the progress of an imported crawl matches its rows', async () => {
  const life = await living();
  const [crawl] = await life.crawls();
  const { progress } = await life.client.call('crawlProgress', { crawl_id: String(crawl?.id) });
  const { queued_urls, ...counts } = progress.crawler?.counts ?? { queued_urls: -1 };
  expect(progress).toMatchObject({ status: 'done', crawler: { status: 'done', depth: crawl?.last_depth } });
  expect(counts).toEqual(await reported(life, String(crawl?.id)));
  expect(queued_urls).toBe(0);
});

test('a finished crawl is deleted with its rows', async () => {
  const life = await living();
  const { client } = life;
  const { id } = await client.call('launchCrawl', {
    project_id: life.projectId,
    query: { configId: life.configId },
  });
  expect(String(await refusal(client.call('deleteCrawl', { crawl_id: id })))).toContain(
    `${id} is running: cancel it first`,
  );
  await client.call('pilotCrawl', { crawl_id: id, body: { command: 'pause' } });
  const passing = `${id} is pausing: wait until it has passed`;
  expect(String(await refusal(client.call('deleteCrawl', { crawl_id: id })))).toContain(passing);
  await life.clock(START + 3 * SECOND);
  await client.call('pilotCrawl', { crawl_id: id, body: { command: 'resume' } });
  await life.clock(START + 70 * SECOND);
  await client.call('deleteCrawl', { crawl_id: id });
  expect(await refusal(client.call('crawl', { crawl_id: id }))).toMatchObject({ code: 'not_found' });
  expect((await life.service.search(id, 'pages', {})).status).toBe(404);
  const { project } = await client.call('project', { project_id: life.projectId });
  expect(project.crawl_ids).not.toContain(id);
  expect(project.last_crawl_id).toBe(project.crawl_ids?.at(-1));
  expect(await refusal(client.call('deleteCrawl', { crawl_id: id }))).toMatchObject({ code: 'not_found' });
});
