import { expect, test } from 'vitest';
import { CRAWL_STATUSES, PILOT_COMMANDS } from '../../../src/client/resources/crawls.ts';
import { lines } from '../support.ts';
import { DAY, living, refusal, SECOND, START } from './living.ts';

/** States in which each command is allowed, by the specification's table. */
const ALLOWED: Record<string, string[]> = {
  cancel: ['running', 'paused'],
  resume: ['paused'],
  pause: ['running'],
  terminate: ['running', 'paused'],
  unarchive: ['archived'],
  'unarchive-fast': ['archived'],
};

test('each command is accepted exactly in the states of the specification', async () => {
  const life = await living({ generate: ['pages=10,columns=5'] });
  const [crawl] = await life.crawls();
  const id = String(crawl?.id);
  for (const command of PILOT_COMMANDS) {
    for (const status of CRAWL_STATUSES) {
      await life.patch('crawls', id, { status });
      const answer = await life.service.api(`/crawls/${id}/pilot`, { body: { command } });
      expect(answer.status, `${command} of a crawl that is ${status}`).toBe(
        ALLOWED[command]?.includes(status) ? 200 : 409,
      );
    }
  }
  expect(
    await refusal(life.client.call('pilotCrawl', { crawl_id: 'none', body: { command: 'cancel' } })),
  ).toMatchObject({ code: 'not_found' });
  expect((await life.service.api(`/crawls/${id}/pilot`, { body: { command: 'stop' } })).json).toMatchObject({
    type: 'invalid_request_parameters',
    fields: [{ name: 'command' }],
  });
});

test('a pause takes effect after two seconds and loses no work', async () => {
  const life = await living();
  const { client } = life;
  const { id } = await client.call('launchCrawl', {
    project_id: life.projectId,
    query: { configId: life.configId },
  });
  await life.clock(START + 10.5 * SECOND);
  expect((await client.call('pilotCrawl', { crawl_id: id, body: { command: 'pause' } })).status).toBe(
    'pausing',
  );
  expect(
    await refusal(client.call('pilotCrawl', { crawl_id: id, body: { command: 'resume' } })),
  ).toMatchObject({ code: 'wrong_state' });
  await life.clock(START + 15 * SECOND);
  const paused = await client.call('crawl', { crawl_id: id });
  await life.clock(START + 500 * SECOND);
  expect(await client.call('crawl', { crawl_id: id })).toEqual(paused);
  expect(paused.status).toBe('paused');
  const { progress } = await client.call('crawlProgress', { crawl_id: id });
  expect(progress.crawler?.status).toBe('waiting');
  expect((await client.call('pilotCrawl', { crawl_id: id, body: { command: 'resume' } })).status).toBe(
    'running',
  );
  await life.clock(START + 548 * SECOND);
  expect(await client.call('crawl', { crawl_id: id })).toMatchObject({ status: 'running' });
  await life.clock(START + 560 * SECOND);
  expect(await client.call('crawl', { crawl_id: id })).toMatchObject({ status: 'done', end_reason: 'ok' });
});

test('a cancelled crawl leaves no report, and its fetched counts stay', async () => {
  const life = await living();
  const { client } = life;
  const { id } = await client.call('launchCrawl', {
    project_id: life.projectId,
    query: { configId: life.configId },
  });
  await life.clock(START + 10.5 * SECOND);
  const cancelled = await client.call('pilotCrawl', { crawl_id: id, body: { command: 'cancel' } });
  expect(cancelled).toMatchObject({ status: 'cancelled', end_reason: 'user_cancelled' });
  expect(cancelled.ended_at).toBeGreaterThanOrEqual(START + 10.5 * SECOND);
  await life.clock(START + 100 * SECOND);
  expect(await client.call('crawl', { crawl_id: id })).toEqual(cancelled);
  expect(cancelled.fetched_urls).toBeGreaterThan(30);
  expect(cancelled.fetched_urls).toBeLessThan(60);
  expect((await life.service.search(id, 'pages', {})).status).toBe(409);
  const { progress } = await client.call('crawlProgress', { crawl_id: id });
  expect(progress.steps?.some(({ status }) => status === 'running')).toBe(false);
  expect(progress.crawler?.counts?.queued_urls).toBe(0);
  await client.call('launchCrawl', { project_id: life.projectId, query: { configId: life.configId } });
});

test('a terminated crawl analyzes its pages and leaves a partial report', async () => {
  const life = await living();
  const { client } = life;
  const { id } = await client.call('launchCrawl', {
    project_id: life.projectId,
    query: { configId: life.configId },
  });
  await life.clock(START + 10.5 * SECOND);
  const terminating = await client.call('pilotCrawl', { crawl_id: id, body: { command: 'terminate' } });
  expect(terminating.status).toBe('terminating');
  expect(
    (await client.call('crawlProgress', { crawl_id: id })).progress.steps?.map(({ status }) => status),
  ).toEqual(['done', 'running', 'waiting', 'waiting', 'waiting']);
  await life.clock(START + 32 * SECOND);
  const done = await client.call('crawl', { crawl_id: id });
  expect(done).toMatchObject({
    status: 'done',
    end_reason: 'user_requested',
    fetched_urls: terminating.fetched_urls,
  });
  const pages = lines(
    (await life.service.export(id, 'pages', 'json', { body: { fields: ['url', 'fetched'] } })).text,
  );
  expect(pages).toHaveLength(50);
  expect(pages.filter((line) => line.includes('"fetched":true'))).toHaveLength(Number(done.fetched_urls));
  const links = lines(
    (
      await life.service.export(id, 'links', 'json', {
        body: { fields: ['origin', 'target', 'target_fetched'] },
      })
    ).text,
  ).map((line) => JSON.parse(line) as { origin: string; target: string; target_fetched: boolean });
  const urls = new Set(pages.map((line) => (JSON.parse(line) as { url: string }).url));
  expect(links.length).toBe(100);
  expect(links.every(({ origin }) => urls.has(origin))).toBe(true);
  expect(links.every(({ target, target_fetched }) => !target_fetched || urls.has(target))).toBe(true);
  expect(links.some(({ target }) => !urls.has(target))).toBe(true);
});

test('an immediately terminated crawl still contains its start page', async () => {
  const life = await living();
  const { id } = await life.client.call('launchCrawl', {
    project_id: life.projectId,
    query: { configId: life.configId },
  });
  await life.client.call('pilotCrawl', { crawl_id: id, body: { command: 'terminate' } });
  await life.clock(START + 30 * SECOND);
  const found = await life.service.search(id, 'pages', { oql: { field: ['depth', 'equals', 0] } });
  expect(found.json.meta).toMatchObject({ total_hits: 1 });
});

test('crawls are archived after the days in the workspace setting, and restored by command', async () => {
  const life = await living();
  const { client } = life;
  const [crawl] = await life.crawls();
  const id = String(crawl?.id);
  const status = async (at: number): Promise<unknown[]> => {
    await life.clock(at);
    const now = await client.call('crawl', { crawl_id: id });
    return [now.status, now.link_status];
  };
  await life.patch('workspaces', life.workspaceId, { archive_after_days: 30 });
  expect(await status(START + 5 * SECOND)).toEqual(['archiving', 'live']);
  expect(await status(START + 15 * SECOND)).toEqual(['archived', 'archived']);

  expect(
    (await client.call('pilotCrawl', { crawl_id: id, body: { command: 'unarchive-fast' } })).status,
  ).toBe('unarchiving');
  expect(await status(START + 21 * SECOND)).toEqual(['done', 'archived']);
  expect((await life.service.search(id, 'pages', {})).status).toBe(200);
  expect((await life.service.search(id, 'links', {})).status).toBe(409);
  expect(
    await refusal(client.call('pilotCrawl', { crawl_id: id, body: { command: 'unarchive-fast' } })),
  ).toMatchObject({ code: 'wrong_state' });

  await life.clock(START + 10 * DAY);
  expect((await client.call('pilotCrawl', { crawl_id: id, body: { command: 'unarchive' } })).status).toBe(
    'unarchiving',
  );
  expect(await status(START + 10 * DAY + 11 * SECOND)).toEqual(['done', 'live']);
  expect((await life.service.search(id, 'links', {})).status).toBe(200);
  expect(await status(START + 39 * DAY)).toEqual(['done', 'live']);
  expect(await status(START + 41 * DAY)).toEqual(['archived', 'archived']);
  await life.patch('workspaces', life.workspaceId, { archive_after_days: null });
  await client.call('pilotCrawl', { crawl_id: id, body: { command: 'unarchive' } });
  expect(await status(START + 900 * DAY)).toEqual(['done', 'live']);
});
