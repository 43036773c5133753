import { array, assert, asyncProperty, integer } from 'fast-check';
import { expect, test } from 'vitest';
import { DAY, type Living, living, refusal, SECOND, START } from './living.ts';

const MINUTE = 60 * SECOND;

async function schedule(
  house: Living,
  recurrence: 'day' | 'week' | 'month' | null,
  start_date = START + DAY,
) {
  return house.client.call('createScheduledCrawl', {
    project_id: house.projectId,
    body: {
      scheduled_crawl: {
        config_id: house.configId,
        recurrence,
        start_date,
      },
    },
  });
}

test('a scheduled crawl is listed, fires at its time and is deleted', async () => {
  const house = await living();
  const { client, projectId } = house;
  const scheduled = await schedule(house, 'week');
  expect(scheduled).toEqual({
    id: expect.stringMatching(/^[0-9a-f]{24}$/),
    project_id: projectId,
    config_id: house.configId,
    recurrence: 'week',
    start_date: START + DAY,
  });
  expect(await Array.fromAsync(client.list('scheduledCrawls', { project_id: projectId }))).toEqual([
    scheduled,
  ]);
  await house.clock(START + DAY - SECOND);
  expect(await house.crawls()).toHaveLength(1);
  await house.clock(START + DAY + 30 * SECOND);
  expect((await house.crawls()).at(-1)).toMatchObject({ status: 'running', created_at: START + DAY });
  await client.call('deleteScheduledCrawl', { project_id: projectId, scheduled_crawl_id: scheduled.id });
  expect(await Array.fromAsync(client.list('scheduledCrawls', { project_id: projectId }))).toEqual([]);
  await house.clock(START + 30 * DAY);
  expect(await house.crawls()).toHaveLength(2);
});

test('a jump over several firings makes each crawl at its own time, done a minute later', async () => {
  const house = await living();
  await schedule(house, 'month', Date.parse('2027-03-31T10:00:00Z'));
  await house.clock(Date.parse('2027-07-01T00:00:00Z'));
  const made = (await house.crawls()).slice(1);
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

test('without a recurrence it fires once and stays in the list', async () => {
  const house = await living();
  const { id } = await schedule(house, null);
  await house.clock(START + 10 * DAY);
  expect(await house.crawls()).toHaveLength(2);
  expect(
    await Array.fromAsync(house.client.list('scheduledCrawls', { project_id: house.projectId })),
  ).toMatchObject([{ id, recurrence: null }]);
});

test('a firing that can’t start leaves a record with its reason', async () => {
  const house = await living();
  const { client } = house;
  await schedule(house, 'day');
  await house.clock(START + DAY + 10 * SECOND);
  const [, first] = await house.crawls();
  await client.call('pilotCrawl', { crawl_id: String(first?.id), body: { command: 'pause' } });
  await house.clock(START + 2 * DAY + SECOND);
  await client.call('pilotCrawl', { crawl_id: String(first?.id), body: { command: 'cancel' } });
  await house.patch('workspaces', house.workspaceId, { crawl_url_quota: 0 });
  await house.clock(START + 3 * DAY + SECOND);
  await house.patch('workspaces', house.workspaceId, { subscription_status: 'inactive' });
  await house.clock(START + 4 * DAY + SECOND);
  await house.patch('workspaces', house.workspaceId, { subscription_status: 'active' });
  const failed = (await house.crawls()).slice(2);
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

test('a firing at the very moment a crawl ends finds it ended', async () => {
  const house = await living();
  await schedule(house, null);
  await schedule(house, null, START + DAY + MINUTE);
  await house.clock(START + 2 * DAY);
  expect((await house.crawls()).slice(1).map((crawl) => crawl.end_reason)).toEqual(['ok', 'ok']);
});

test('firings before it was created are not made up for; a single one in the past is refused', async () => {
  const house = await living();
  await schedule(house, 'day', START - 10 * DAY + MINUTE);
  await house.clock(START + 5 * MINUTE);
  expect((await house.crawls()).slice(1)).toMatchObject([{ created_at: START + MINUTE }]);
  expect(await refusal(schedule(house, null, START - DAY))).toMatchObject({ code: 'invalid_request' });
  expect(await refusal(schedule(house, 'day', Number.MAX_SAFE_INTEGER))).toMatchObject({
    message: expect.stringContaining('invalid_request_parameters: start_date: '),
  });
});

test('only configurations of the project can be scheduled', async () => {
  const house = await living({ generate: ['projects=2,pages=10,columns=5'] });
  const { client, projectId } = house;
  const others = await Array.fromAsync(client.list('projects', { workspace_id: house.workspaceId }));
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

test('a clock that is stepped brings about what one jump does', async () => {
  const end = START + 9.4 * DAY;
  const look = async (times: readonly number[]): Promise<unknown[]> => {
    const house = await living({ generate: ['pages=40,columns=9'] });
    const { client } = house;
    // The tests' own calls come at times that differ by milliseconds: only what is scheduled is compared.
    await client.call('updateCrawlConfig', {
      project_id: house.projectId,
      body: {
        crawl_config: {
          ...(await client.call('crawlConfig', {
            project_id: house.projectId,
            crawl_config_id: house.configId,
          })),
          trigger_coc: true,
        } as never,
      },
    });
    await schedule(house, 'week');
    const second = await house.config({
      name: 'second',
      max_url: 12,
      notifications: { email_recipients: ['a@b.example'] },
    });
    await client.call('createScheduledCrawl', {
      project_id: house.projectId,
      body: {
        scheduled_crawl: {
          config_id: second,
          recurrence: 'day',
          start_date: START + 3 * DAY,
        },
      },
    });
    await house.patch('workspaces', house.workspaceId, { archive_after_days: 2, crawl_url_quota: 170 });
    for (const time of times) await house.clock(time);
    const { project, crawls } = await client.call('project', { project_id: house.projectId });
    const { items } = await client.all('crawlOverCrawls', { workspace_id: house.workspaceId });
    const fresh = crawls.slice(0, -1).filter(({ status }) => status !== 'archived');
    const rows = await Promise.all(
      fresh.map(async ({ id }) => (await house.service.export(id, 'pages', 'csv')).text),
    );
    return [project.crawl_ids?.slice(1), crawls.slice(0, -1), items, await house.list('mails'), rows];
  };
  const jumped = await look([end]);
  expect((jumped[1] as unknown[]).length).toBeGreaterThan(7);
  const steps = array(integer({ min: START, max: end }), { maxLength: 30 });
  const equals = asyncProperty(steps, async (times) => {
    expect(await look([...times.toSorted((a, b) => a - b), end])).toEqual(jumped);
  });
  await assert(equals, { numRuns: 2 });
});
