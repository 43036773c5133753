import fc from 'fast-check';
import { expect, test } from 'vitest';
import { DAY, type Living, living, refusal, SECOND, START } from './living.ts';

const MINUTE = 60 * SECOND;

async function schedule(life: Living, recurrence: 'day' | 'week' | 'month' | null, start_date = START + DAY) {
  return life.client.call('createScheduledCrawl', {
    project_id: life.projectId,
    body: { scheduled_crawl: { config_id: life.configId, recurrence, start_date } },
  });
}

test('a scheduled crawl is listed, fires at its time and can be deleted', async () => {
  const life = await living();
  const { client, projectId } = life;
  const scheduled = await schedule(life, 'week');
  expect(scheduled).toEqual({
    id: expect.stringMatching(/^[0-9a-f]{24}$/),
    project_id: projectId,
    config_id: life.configId,
    recurrence: 'week',
    start_date: START + DAY,
  });
  expect(await Array.fromAsync(client.list('scheduledCrawls', { project_id: projectId }))).toEqual([
    scheduled,
  ]);
  await life.clock(START + DAY - SECOND);
  expect(await life.crawls()).toHaveLength(1);
  await life.clock(START + DAY + 30 * SECOND);
  expect((await life.crawls()).at(-1)).toMatchObject({ status: 'running', created_at: START + DAY });
  await client.call('deleteScheduledCrawl', { project_id: projectId, scheduled_crawl_id: scheduled.id });
  expect(await Array.fromAsync(client.list('scheduledCrawls', { project_id: projectId }))).toEqual([]);
  await life.clock(START + 30 * DAY);
  expect(await life.crawls()).toHaveLength(2);
});

test('a clock jump over several firings creates each crawl at its own time, done a minute later', async () => {
  const life = await living();
  await schedule(life, 'month', Date.parse('2027-03-31T10:00:00Z'));
  await life.clock(Date.parse('2027-07-01T00:00:00Z'));
  const made = (await life.crawls()).slice(1);
  expect(made.map((crawl) => new Date(Number(crawl.created_at)).toISOString())).toEqual([
    '2027-03-31T10:00:00.000Z',
    '2027-04-30T10:00:00.000Z',
    '2027-05-31T10:00:00.000Z',
    '2027-06-30T10:00:00.000Z',
  ]);
  for (const crawl of made) {
    expect(crawl).toMatchObject({ status: 'done', ended_at: Number(crawl.created_at) + MINUTE });
  }
});

test('without a recurrence, a scheduled crawl fires once and stays listed', async () => {
  const life = await living();
  const { id } = await schedule(life, null);
  await life.clock(START + 10 * DAY);
  expect(await life.crawls()).toHaveLength(2);
  expect(
    await Array.fromAsync(life.client.list('scheduledCrawls', { project_id: life.projectId })),
  ).toMatchObject([{ id, recurrence: null }]);
});

test('a firing that cannot start leaves a record with its reason', async () => {
  const life = await living();
  const { client } = life;
  await schedule(life, 'day');
  await life.clock(START + DAY + 10 * SECOND);
  const [, first] = await life.crawls();
  await client.call('pilotCrawl', { crawl_id: String(first?.id), body: { command: 'pause' } });
  await life.clock(START + 2 * DAY + SECOND);
  await client.call('pilotCrawl', { crawl_id: String(first?.id), body: { command: 'cancel' } });
  await life.patch('workspaces', life.workspaceId, { crawl_url_quota: 0 });
  await life.clock(START + 3 * DAY + SECOND);
  await life.patch('workspaces', life.workspaceId, { subscription_status: 'inactive' });
  await life.clock(START + 4 * DAY + SECOND);
  await life.patch('workspaces', life.workspaceId, { subscription_status: 'active' });
  const failed = (await life.crawls()).slice(2);
  expect(failed.map((crawl) => crawl.end_reason)).toEqual([
    'crawl_already_running',
    'quota_reached_before_start',
    'no_active_subscription',
  ]);
  for (const [index, crawl] of failed.entries()) {
    const at = START + (index + 2) * DAY;
    expect(crawl).toMatchObject({ status: 'cancelled', created_at: at, ended_at: at, fetched_urls: 0 });
    expect((await client.call('crawlProgress', { crawl_id: crawl.id })).progress).toMatchObject({
      status: 'cancelled',
      crawler: { status: 'waiting', counts: { fetched_2xx: 0, queued_urls: 0 }, by_depth: [], samples: [] },
    });
  }
});

test('a firing at the moment a crawl ends finds it ended', async () => {
  const life = await living();
  await schedule(life, null);
  await schedule(life, null, START + DAY + MINUTE);
  await life.clock(START + 2 * DAY);
  expect((await life.crawls()).slice(1).map((crawl) => crawl.end_reason)).toEqual(['ok', 'ok']);
});

test('firings before the creation are not repeated; a single one in the past is refused', async () => {
  const life = await living();
  await schedule(life, 'day', START - 10 * DAY + MINUTE);
  await life.clock(START + 5 * MINUTE);
  expect((await life.crawls()).slice(1)).toMatchObject([{ created_at: START + MINUTE }]);
  expect(await refusal(schedule(life, null, START - DAY))).toMatchObject({ code: 'invalid_request' });
  expect(await refusal(schedule(life, 'day', Number.MAX_SAFE_INTEGER))).toMatchObject({
    message: expect.stringContaining('invalid_request_parameters: start_date: '),
  });
});

test('only configurations of the project can be scheduled', async () => {
  const life = await living({ generate: ['projects=2,pages=10,columns=5'] });
  const { client, projectId } = life;
  const others = await Array.fromAsync(client.list('projects', { workspace_id: life.workspaceId }));
  const foreign = others.find(({ id }) => id !== projectId)?.crawl_config_ids?.[0];
  for (const config_id of ['none', String(foreign)]) {
    const made = client.call('createScheduledCrawl', {
      project_id: projectId,
      body: { scheduled_crawl: { config_id, start_date: START + DAY } },
    });
    expect(await refusal(made), config_id).toMatchObject({ code: 'not_found' });
  }
  expect(
    await refusal(client.call('deleteScheduledCrawl', { project_id: projectId, scheduled_crawl_id: 'none' })),
  ).toMatchObject({ code: 'not_found' });
});

test('a stepped clock has the same effect as one jump', async () => {
  const end = START + 9.4 * DAY;
  const look = async (times: readonly number[]): Promise<unknown[]> => {
    const life = await living({ generate: ['pages=40,columns=9'] });
    const { client } = life;
    // The tests' own calls come at times that differ by milliseconds: only what is scheduled is compared.
    await client.call('updateCrawlConfig', {
      project_id: life.projectId,
      body: {
        crawl_config: {
          ...(await client.call('crawlConfig', {
            project_id: life.projectId,
            crawl_config_id: life.configId,
          })),
          trigger_coc: true,
        } as never,
      },
    });
    await schedule(life, 'week');
    const second = await life.config({
      name: 'second',
      max_url: 12,
      notifications: { email_recipients: ['a@b.example'] },
    });
    await client.call('createScheduledCrawl', {
      project_id: life.projectId,
      body: { scheduled_crawl: { config_id: second, recurrence: 'day', start_date: START + 3 * DAY } },
    });
    await life.patch('workspaces', life.workspaceId, { archive_after_days: 2, crawl_url_quota: 170 });
    for (const time of times) await life.clock(time);
    const { project, crawls } = await client.call('project', { project_id: life.projectId });
    const { items } = await client.all('crawlOverCrawls', { workspace_id: life.workspaceId });
    const fresh = crawls.slice(0, -1).filter(({ status }) => status !== 'archived');
    const rows = await Promise.all(
      fresh.map(async ({ id }) => (await life.service.export(id, 'pages', 'csv')).text),
    );
    return [project.crawl_ids?.slice(1), crawls.slice(0, -1), items, await life.list('mails'), rows];
  };
  const jumped = await look([end]);
  expect((jumped[1] as unknown[]).length).toBeGreaterThan(7);
  const steps = fc.array(fc.integer({ min: START, max: end }), { maxLength: 30 });
  const equals = fc.asyncProperty(steps, async (times) => {
    expect(await look([...times.toSorted((a, b) => a - b), end])).toEqual(jumped);
  });
  await fc.assert(equals, { numRuns: 2 });
});
