import { createHash } from 'node:crypto';
import { expect, test } from 'vitest';
import type { Granularity } from '../../../../src/client/resources/fields.ts';
import { LOG_EVENT_FIELD_RECORDS } from '../../../../src/service/fields/field-records-of.ts';
import { startSandbox } from '../../../../src/service/sandbox/start-sandbox.ts';
import { clientOf, projectId } from '../../clients.ts';
import { type Json, lines, Service, service, sharedService } from '../../support.ts';

const it = await sharedService({
  generate: ['pages=400,crawls=2,events=6000,log_days=20,ranking_days=14,seed=4'],
});
const id = await projectId(it);
const logs = `/data/project/${id}/log_monitoring`;

async function exported(of: Service, path: string): Promise<Json[]> {
  const { text } = await of.api(`${path}?export=true&file_type=json`, { body: {} });
  return lines(text).map((line) => JSON.parse(line) as Json);
}

const events = await exported(it, `${logs}/events`);

function countBy(rows: readonly Json[], key: (row: Json) => unknown): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const row of rows) counts[String(key(row))] = (counts[String(key(row))] ?? 0) + 1;
  return counts;
}

function sumBy(rows: readonly Json[], key: string, value: string): Record<string, number> {
  const sums: Record<string, number> = {};
  for (const row of rows) sums[String(row[key])] = (sums[String(row[key])] ?? 0) + Number(row[value]);
  return sums;
}

test('events are distributed over the days up to the last crawl, in time order', () => {
  expect(events).toHaveLength(6000);
  expect(Object.keys(events[0] ?? {})).toEqual(LOG_EVENT_FIELD_RECORDS.map(({ name }) => name));
  const days = countBy(events, (event) => event.day);
  expect(Object.keys(days)).toHaveLength(20);
  expect(Object.keys(days).at(-1)).toBe('2025-01-13');
  expect(new Set(Object.values(days))).toEqual(new Set([300]));
  const times = events.map((event) => String(event.event_date));
  expect(times).toEqual(times.toSorted());
  for (const [index, at] of times.entries())
    expect(at.slice(0, 10).replaceAll('/', '-')).toBe(events[index]?.day);
});

test('events refer to pages of the last crawl, popular ones first', async () => {
  const last = (await it.crawls()).at(-1);
  const pages = lines((await it.export(String(last?.id), 'pages', 'json')).text).map(
    (line) => JSON.parse(line) as Json,
  );
  const known = new Map(pages.map((page) => [page.url, page]));
  const hits = countBy(events, (event) => event.url);
  expect(Object.keys(hits).filter((url) => !known.has(url))).toEqual([]);
  const [first = 0, second = 0] = Object.values(hits).sort((a, b) => b - a);
  expect(first).toBeGreaterThan(second);
  expect(first).toBeGreaterThan(6000 / 20);
  const codes = events.filter(({ status_code }) => status_code !== 503 && status_code !== 304);
  const wrong = codes.filter((event) => {
    const page = known.get(event.url);
    return page?.fetched === true && page.status_code !== event.status_code;
  });
  expect(wrong).toEqual([]);
});

test('the bot and visit fields of an event are consistent', () => {
  const kinds = countBy(events, (event) => event.bot_kind);
  expect(Object.keys(kinds).sort()).toEqual(['null', 'sea', 'seo', 'vertical']);
  for (const event of events) {
    expect(event.bot !== null).toBe(event.is_bot);
    if (event.bot_kind !== null) expect(event).toMatchObject({ is_bot: true, search_engine: 'google' });
    if (event.is_seo_visit)
      expect(event).toMatchObject({ is_bot: false, referer: expect.stringMatching(/google/) });
    if (event.is_bot) expect(String(event.user_agent).toLowerCase()).toContain(String(event.bot));
  }
});

test.each<[Granularity, string, (event: Json) => string]>([
  ['days', 'day', (event) => String(event.day)],
  ['months', 'month', (event) => String(event.day).slice(0, 7)],
])('log pages by %s add up to the events', async (granularity, field, periodOf) => {
  const pages = await exported(it, `${logs}/pages/${granularity}`);
  expect(new Set(pages.map((page) => `${page[field]} ${page.url}`)).size).toBe(pages.length);
  const only = (test: (event: Json) => boolean) => countBy(events.filter(test), periodOf);
  expect(sumBy(pages, field, 'hits')).toEqual(countBy(events, periodOf));
  expect(sumBy(pages, field, 'seo_bot_hits')).toEqual(only((event) => event.bot_kind === 'seo'));
  expect(sumBy(pages, field, 'seo_visits')).toEqual(only((event) => event.is_seo_visit === true));
  expect(sumBy(pages, field, 'hits_4xx')).toEqual(
    countBy(
      events.filter((event) => String(event.status_code).startsWith('4')),
      periodOf,
    ),
  );
});

test('log pages by weeks add up to the events', async () => {
  const pages = await exported(it, `${logs}/pages/weeks`);
  expect(pages.reduce((sum, page) => sum + Number(page.hits), 0)).toBe(6000);
  expect([...new Set(pages.map((page) => page.week))]).toEqual([
    '2024-W52',
    '2025-W01',
    '2025-W02',
    '2025-W03',
  ]);
});

test('ranking performance covers each day, and few pages and queries have most of it', async () => {
  const client = clientOf(it);
  const { aggs } = await client.call('aggregateRanking', {
    project_id: id,
    body: {
      aggs: [
        {
          fields: ['date', 'url', 'query', 'device'],
          value: [
            { field: 'clicks', method: 'sum', alias: 'clicks' },
            { field: 'impressions', method: 'sum', alias: 'impressions' },
            { field: 'position', method: 'weighted_average', alias: 'position' },
          ],
          limit: 10_000,
        },
        { fields: ['date'] },
        {
          fields: ['url'],
          value: [{ field: 'impressions', method: 'sum', alias: 'n' }],
          sort: { field: 'n', order: 'desc' },
        },
        {},
      ],
    },
  });
  const [rows = [], days = [], urls = [], count = []] = aggs.map((table) => table.rows ?? []);
  expect(days.map(([day]) => day)).toEqual(
    Array.from({ length: 14 }, (_, n) => new Date(Date.UTC(2024, 11, 31 + n)).toISOString().slice(0, 10)),
  );
  // Each row is a day, page, query and device of its own.
  expect(Number(count[0]?.[0])).toBeGreaterThan(10_000);
  expect(new Set(rows.map((row) => row.slice(0, 4).join('|'))).size).toBe(10_000);
  for (const [, , , , clicks, impressions, position] of rows as number[][]) {
    expect(Number(impressions)).toBeGreaterThanOrEqual(1);
    expect(Number(clicks)).toBeLessThanOrEqual(Number(impressions));
    expect(Number(position)).toBeGreaterThanOrEqual(1);
  }
  const all = urls.reduce((sum, [, n]) => sum + Number(n), 0);
  const tenth = urls.slice(0, Math.ceil(urls.length / 10)).reduce((sum, [, n]) => sum + Number(n), 0);
  expect(tenth / all).toBeGreaterThan(0.25);
});

test('equal seeds produce equal rows, other seeds different ones', async () => {
  const digest = async (spec: string): Promise<string> => {
    await using sandbox = await startSandbox({ generate: [spec] });
    const other = new Service(sandbox);
    const project = await projectId(other);
    const hash = createHash('sha256').update(project);
    for (const path of ['events', 'pages/days', 'pages/weeks', 'pages/months'])
      hash.update(
        (await other.api(`/data/project/${project}/log_monitoring/${path}?export=true`, { body: {} })).bytes,
      );
    const ranking = {
      aggs: [{ fields: ['date', 'url', 'query', 'device', 'country', 'is_branded'], limit: 9999 }],
    };
    hash.update(
      (await other.api(`/data/project/${project}/ranking_performance/aggs`, { body: ranking })).bytes,
    );
    return hash.digest('hex');
  };
  const spec = 'pages=60,events=2000,ranking_days=3,seed=';
  const [a, b, c] = await Promise.all([digest(`${spec}7`), digest(`${spec}7`), digest(`${spec}8`)]);
  expect(a).toBe(b);
  expect(a).not.toBe(c);
});

test('events default to thirty days, days to a thousand events each, without a crawl', async () => {
  const own = await service({ generate: ['crawls=0,events=90,seed=1', 'crawls=0,log_days=2,seed=2'] });
  expect(await own.crawls()).toEqual([]);
  const spans = await Promise.all(
    ['gentle-harbour-1', 'quiet-orchard-2'].map(async (name) => {
      const project = await projectId(own, name);
      const found = await exported(own, `/data/project/${project}/log_monitoring/events`);
      return countBy(found, (event) => event.day);
    }),
  );
  const [months = {}, days = {}] = spans;
  expect(Object.values(months)).toEqual(Array.from({ length: 30 }, () => 3));
  expect(Object.values(days)).toEqual([1000, 1000]);
});

test('two specs with one seed and logs are refused', async () => {
  const specs = ['pages=5,events=10,seed=1', 'crawls=0,events=20,seed=1'];
  await expect(startSandbox({ generate: specs })).rejects.toMatchObject({
    kind: 'usage',
    message: expect.stringContaining('seed 1'),
  });
});
