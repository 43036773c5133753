import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { ServiceClient } from '../../../src/client/http/service-client.ts';
import type { Granularity } from '../../../src/client/resources/fields.ts';
import {
  LOG_EVENT_FIELD_RECORDS,
  LOG_PAGE_FIELD_RECORDS,
} from '../../../src/service/fields/field-records-of.ts';
import { clientOf, patchProject, projectId } from '../clients.ts';
import { field, importFolder, type Json, type Service, service, sharedService } from '../support.ts';

const DATA = join(import.meta.dirname, '../../../../shared/data/semicomplete-logs');
const missing = !existsSync(DATA);

const EVENT_FIELDS = [
  field('url', 'string'),
  field('event_date', 'datetime'),
  field('status_code', 'natural'),
  field('bytes_sent', 'natural'),
  field('user_agent', 'string'),
  field('referer', 'string'),
];

function event(path: string, at: string, more: Json = {}): Json {
  const plain = { status_code: 200, bytes_sent: 10, user_agent: 'Mozilla/5.0 Firefox/133', referer: null };
  return { url: `https://tea.example${path}`, event_date: `${at} UTC`, ...plain, ...more };
}

const GOOGLEBOT = { user_agent: 'Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)' };
const EVENTS = [
  event('/', '2024/12/28 10:00:00', { referer: 'https://www.google.co.uk/' }),
  event('/', '2024/12/28 23:59:59', { ...GOOGLEBOT, status_code: 304, bytes_sent: 0 }),
  event('/', '2024/12/29 00:00:00', { user_agent: 'AdsBot-Google', bytes_sent: 5 }),
  event('/a?b=1', '2024/12/30 12:00:00', { user_agent: 'Googlebot-Image/1.0', status_code: 404 }),
  event('/a?b=1', '2024/12/31 12:00:00', { user_agent: 'bingbot/2.0', status_code: 503 }),
  event('/a?b=1', '2025/01/01 00:00:00', { referer: 'https://google.example.org/' }),
];

async function logsOf(name: string, rows: readonly Json[] = EVENTS): Promise<string> {
  return importFolder(name, { events: { fields: EVENT_FIELDS, rows } });
}

async function pagesBy(client: ServiceClient, id: string, granularity: Granularity): Promise<Json[]> {
  const { urls } = await client.search(
    { kind: 'log_pages', projectId: id, granularity: granularity },
    { limit: 1000 },
  );
  return urls as Json[];
}

const tea = await sharedService({ importDirs: [await logsOf('tea-shop')] });
const teaId = await projectId(tea);

test('daily log pages are derived from the events', async () => {
  const days = await pagesBy(clientOf(tea), teaId, 'days');
  const none = { seo_bot_hits: 0, sea_bot_hits: 0, vertical_bot_hits: 0, seo_visits: 0 };
  const statuses = { hits_2xx: 0, hits_3xx: 0, hits_4xx: 0, hits_5xx: 0 };
  const home = { url: 'https://tea.example/', urlpath: '/', ...none, ...statuses };
  const other = { url: 'https://tea.example/a?b=1', urlpath: '/a', ...none, ...statuses };
  const facts = (hits: number, bots: number, last: number, bytes: number, is: Json = {}): Json => ({
    hits,
    bot_hits: bots,
    visits: hits - bots,
    last_status_code: last,
    bytes_sent: bytes,
    is_crawled: false,
    is_active: false,
    ...is,
  });
  expect(days).toEqual([
    {
      ...home,
      day: '2024-12-28',
      ...facts(2, 1, 304, 10, { is_crawled: true, is_active: true }),
      seo_bot_hits: 1,
      seo_visits: 1,
      hits_2xx: 1,
      hits_3xx: 1,
    },
    { ...home, day: '2024-12-29', ...facts(1, 1, 200, 5), sea_bot_hits: 1, hits_2xx: 1 },
    { ...other, day: '2024-12-30', ...facts(1, 1, 404, 10), vertical_bot_hits: 1, hits_4xx: 1 },
    { ...other, day: '2024-12-31', ...facts(1, 1, 503, 10), hits_5xx: 1 },
    { ...other, day: '2025-01-01', ...facts(1, 0, 200, 10), hits_2xx: 1 },
  ]);
  expect(Object.keys(days[0] ?? {})).toEqual(LOG_PAGE_FIELD_RECORDS.days.map(({ name }) => name));
});

test('weeks follow the definition of the project, which is not a project field', async () => {
  const it = await service({ importDirs: [await logsOf('tea-shop')] });
  const client = clientOf(it);
  const id = await projectId(it);
  const weeks = async () => (await pagesBy(client, id, 'weeks')).map(({ week, hits }) => [week, hits]);
  expect(await weeks()).toEqual([
    ['2024-W52', 3],
    ['2025-W01', 3],
  ]);
  expect((await client.call('logMetadata', { project_id: id, data_type: 'pages' })).week_definition).toBe(
    'iso',
  );

  expect(await patchProject(it, id, { week_definition: 'sunday_start' })).not.toHaveProperty(
    'week_definition',
  );
  expect(await weeks()).toEqual([
    ['2024-W52', 2],
    ['2025-W01', 1],
    ['2025-W01', 3],
  ]);
  expect((await client.call('logMetadata', { project_id: id, data_type: 'pages' })).week_definition).toBe(
    'sunday_start',
  );
  const { project } = await client.call('project', { project_id: id });
  expect(Object.keys(project).filter((key) => /week|^_/.test(key))).toEqual([]);
  expect((await pagesBy(client, id, 'months')).map(({ month, hits }) => [month, hits])).toEqual([
    ['2024-12', 3],
    ['2024-12', 2],
    ['2025-01', 1],
  ]);
});

test('the metadata lists the days with logs', async () => {
  const span = { from: '2024-12-28', to: '2025-01-01' };
  for (const dataType of ['events', 'pages'] as const) {
    expect(await clientOf(tea).call('logMetadata', { project_id: teaId, data_type: dataType })).toEqual({
      bot_kinds: ['seo', 'sea', 'vertical'],
      dates: ['days', 'weeks', 'months'].map((granularity) => ({ granularity, ...span })),
      search_engines: ['google'],
      week_definition: 'iso',
    });
  }
});

test('without days, the metadata ranges from the first day of the first week to the last day of the last', async () => {
  const rows = [{ week: '2025-W02' }, { week: '2024-W52' }];
  const dir = await importFolder('tea', { log_pages_weeks: { fields: [field('week', 'string')], rows } });
  const it = await service({ importDirs: [dir] });
  expect(
    (await clientOf(it).call('logMetadata', { project_id: await projectId(it), data_type: 'pages' })).dates,
  ).toEqual([{ granularity: 'weeks', from: '2024-12-23', to: '2025-01-12' }]);
});

test('imported log pages stay, others are derived from the events', async () => {
  const fields = [field('url', 'string'), field('week', 'string'), field('crawls', 'natural')];
  const given = { url: 'https://tea.example/', week: '2024-W01', crawls: 7 };
  const dir = await importFolder('tea-shop', {
    events: { fields: EVENT_FIELDS, rows: EVENTS },
    log_pages_weeks: { fields, rows: [given] },
  });
  const it = await service({ importDirs: [dir] });
  const client = clientOf(it);
  const id = await projectId(it);
  await patchProject(it, id, { week_definition: 'sunday_start' });
  expect(await pagesBy(client, id, 'weeks')).toEqual([given]);
  expect(await pagesBy(client, id, 'days')).toHaveLength(5);
});

test('a folder with only logs creates a project that is ready for logs, without a crawl', async () => {
  expect(await tea.crawls()).toEqual([]);
  const { project } = await clientOf(tea).call('project', { project_id: teaId });
  expect(project).toMatchObject({
    name: 'tea-shop',
    start_url: 'https://tea.example/',
    log_monitoring_data_ready: true,
    log_monitoring_processing_enabled: true,
    log_monitoring_ready: true,
    last_crawl_id: null,
  });
  expect(project.features).toContain('log_monitoring');
  expect(project.features).not.toContain('ranking_performance');
});

test('importing the same folder again replaces the events, another folder of the project is refused', async () => {
  const [dir, other] = [await logsOf('tea-shop'), await logsOf('tea-shop', EVENTS.slice(1))];
  const it = await service({ importDirs: [dir] });
  const client = clientOf(it);
  const id = await projectId(it);
  expect((await it.ask('/_sandbox/import', { body: { dir } })).json).toEqual({
    project_id: id,
    crawl_id: null,
  });
  expect((await client.search({ kind: 'log_events', projectId: id }, {})).meta.total_hits).toBe(
    EVENTS.length,
  );
  const refused = await it.ask('/_sandbox/import', { body: { dir: other } });
  expect([refused.status, refused.json.message]).toEqual([
    400,
    expect.stringContaining(`${other} and ${dir} both contain events of the same project`),
  ]);
});

test('data of a deleted project does not block a folder', async () => {
  const [dir, other] = [await logsOf('tea-shop'), await logsOf('tea-shop', EVENTS.slice(1))];
  const it = await service({ importDirs: [dir] });
  const client = clientOf(it);
  await client.call('deleteProject', { project_id: await projectId(it) });
  expect((await it.ask('/_sandbox/import', { body: { dir: other } })).status).toBe(200);
  const { meta } = await client.search({ kind: 'log_events', projectId: await projectId(it) }, {});
  expect(meta.total_hits).toBe(EVENTS.length - 1);
});

test('events without a date produce no log pages', async () => {
  const dir = await importFolder('tea', {
    events: { fields: [field('url', 'string')], rows: [{ url: 'https://tea.example/' }] },
  });
  const it = await service({ importDirs: [dir] });
  const client = clientOf(it);
  const id = await projectId(it);
  expect((await client.search({ kind: 'log_events', projectId: id }, {})).meta.total_hits).toBe(1);
  expect(await pagesBy(client, id, 'days')).toEqual([]);
  expect((await client.call('logMetadata', { project_id: id, data_type: 'events' })).dates).toEqual([]);
});

test('a project without log monitoring is refused for the feature, an unready one for its state', async () => {
  const it = await service({ generate: ['pages=5'] });
  const client = clientOf(it);
  const id = await projectId(it);
  const asked = `/data/project/${id}/log_monitoring/pages/metadata`;
  const refused = await it.api(asked);
  expect([refused.status, refused.json.type, refused.json.code]).toEqual([
    403,
    'forbidden',
    'missing_feature',
  ]);
  await expect(client.call('logMetadata', { project_id: id, data_type: 'pages' })).rejects.toMatchObject({
    code: 'missing_feature',
    kind: 'skip',
  });

  await patchProject(it, id, { features: ['log_monitoring'] });
  const early = await it.api(asked);
  expect([early.status, early.json.type]).toEqual([409, 'invalid_state_for_request']);
  await patchProject(it, id, { log_monitoring_data_ready: true });
  expect((await client.call('logMetadata', { project_id: id, data_type: 'pages' })).dates).toEqual([]);
});

test('without project features, the workspace features apply', async () => {
  const it = await service({ generate: ['pages=5'] });
  const id = await projectId(it);
  const status = async (): Promise<number> => (await metadata(it, id)).status;
  await patchProject(it, id, { features: [], log_monitoring_data_ready: true });
  expect(await status()).toBe(200);
  const workspace = `/_sandbox/workspaces/${await it.workspace()}`;
  await it.ask(workspace, { method: 'PATCH', body: { subscription_features: ['crawl'] } });
  expect(await status()).toBe(403);
  await patchProject(it, id, { features: null });
  expect(await status()).toBe(403);
});

function metadata(it: Service, id: string) {
  return it.api(`/data/project/${id}/log_monitoring/events/metadata`);
}

test('an unknown project and an unknown data type are not found', async () => {
  expect((await metadata(tea, 'nowhere')).json.type).toBe('resource_not_found');
  expect((await tea.api(`/data/project/${teaId}/log_monitoring/links/metadata`)).status).toBe(404);
});

test.skipIf(missing)(
  `9,999 real log lines become pages whose hits add up to them${missing ? ` (skipped: ${DATA} is not there)` : ''}`,
  async () => {
    const it = await service({ importDirs: [DATA] });
    const client = clientOf(it);
    const id = await projectId(it, 'semicomplete-logs');
    expect((await client.search({ kind: 'log_events', projectId: id }, { limit: 1 })).meta.total_hits).toBe(
      9999,
    );
    for (const granularity of ['days', 'weeks', 'months'] as const) {
      const pages = await pagesOf(client, id, granularity);
      const sum = (name: string): number => pages.reduce((all, page) => all + Number(page[name]), 0);
      expect([sum('hits'), sum('bot_hits'), sum('seo_bot_hits'), sum('vertical_bot_hits')]).toEqual([
        9999, 995, 529, 13,
      ]);
    }
    expect((await client.call('logMetadata', { project_id: id, data_type: 'events' })).dates).toEqual(
      ['days', 'weeks', 'months'].map((granularity) => ({
        granularity,
        from: '2015-05-17',
        to: '2015-05-20',
      })),
    );
  },
);

async function pagesOf(client: ServiceClient, id: string, granularity: Granularity): Promise<Json[]> {
  const { meta } = await client.search(
    { kind: 'log_pages', projectId: id, granularity: granularity },
    { limit: 1 },
  );
  const { urls } = await client.search(
    { kind: 'log_pages', projectId: id, granularity: granularity },
    { limit: meta.total_hits },
  );
  return urls as Json[];
}

test('the event catalog contains the fields of real events', () => {
  const names = new Set(LOG_EVENT_FIELD_RECORDS.map(({ name }) => name));
  const real = [
    'url',
    'urlpath',
    'url_has_params',
    'event_date',
    'day',
    'method',
    'status_code',
    'bytes_sent',
  ];
  for (const name of [...real, 'referer', 'user_agent', 'bot', 'is_bot']) expect(names).toContain(name);
});
