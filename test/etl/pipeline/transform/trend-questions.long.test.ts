import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { silentLogger } from '../../../../src/core/logs/logger.ts';
import { loadModels } from '../../../../src/etl/project/sql/models/load-models.ts';
import { sqlFolder } from '../../../../src/etl/project/sql/models/sql-folders.ts';
import { loadQuestions, type Question } from '../../../../src/etl/project/sql/questions/questions.ts';
import { askQuestion } from '../../../support/ask-question.ts';
import { runModels } from '../../../support/run-models.ts';
import { createTable, openWarehouse, type TestWarehouse } from './test-warehouse.ts';

// One small site, worked by hand: two crawls a week apart, two days of log files, a year of search results.

const sql = join(import.meta.dirname, '../../../../sql');
const questions = new Map(
  (await loadQuestions([sqlFolder(sql)])).map((question) => [question.name.slice(0, 3), question]),
);

const HOME = 'https://s.example/';
const [OLD, LATER, NEW, SILENT, LOST] = ['a/old', 'a/later', 'a/new', 'a/silent', 'lost'].map(
  (path) => `${HOME}${path}`,
);

const PAGES = [
  { crawl: 'c1', url: HOME, url_first_path: '/', status_code: 200, title: 'home' },
  { crawl: 'c1', url: OLD, status_code: 200, title: 'former' },
  { crawl: 'c1', url: LATER, status_code: 404 },
  { crawl: 'c2', url: HOME, url_first_path: '/', status_code: 200, title: 'home' },
  { crawl: 'c2', url: OLD, status_code: 200, title: 'present' },
  { crawl: 'c2', url: LATER, status_code: 200 },
  { crawl: 'c2', url: NEW, status_code: 200 },
  { crawl: 'c2', url: SILENT, status_code: 200 },
];

const GOOGLE = { user_agent: 'Googlebot/2.1', is_bot: true, is_seo_visit: false };
const BING = { user_agent: 'bingbot/2.0', is_bot: true, is_seo_visit: false };
const LINES = [
  { day: '2025-01-06', url: NEW, ...GOOGLE, status_code: 200 },
  { day: '2025-01-10', url: NEW, user_agent: 'Firefox', is_bot: false, is_seo_visit: true, status_code: 200 },
  { day: '2025-01-10', url: NEW, user_agent: 'GPTBot/1.2', is_bot: true, status_code: 200 },
  { day: '2025-01-10', url: NEW, user_agent: 'GPTBot/1.2', is_bot: true, status_code: 404 },
  { day: '2025-01-10', url: HOME, ...GOOGLE, status_code: 200 },
  { day: '2025-01-10', url: HOME, ...GOOGLE, status_code: 304 },
  { day: '2025-01-10', url: HOME, ...BING, status_code: 200 },
  { day: '2025-01-10', url: HOME, user_agent: 'ClaudeBot/1.0', is_bot: false, status_code: 200 },
  { day: '2025-01-10', url: HOME, user_agent: 'AhrefsBot/7.0', is_bot: true, status_code: 200 },
  { day: '2025-01-10', url: LATER, ...BING, status_code: 200 },
  { day: '2025-01-10', url: `${HOME}unknown`, ...GOOGLE, status_code: 200 },
];

const SEARCHES = [
  // The last day of a year ago, and the first and last of the 28 days before: 2024-01-06, 2024-12-07, 2025-01-03.
  { date: '2024-01-06', url: HOME, query: 'home', clicks: 20, impressions: 40, position: 1 },
  { date: '2024-12-07', url: OLD, query: 'old', clicks: 10, impressions: 100, position: 2 },
  { date: '2024-12-20', url: LATER, query: 'later', clicks: 9, impressions: 20, position: 2 },
  { date: '2024-12-20', url: LOST, query: 'lost', clicks: 12, impressions: 50, position: 3 },
  { date: '2025-01-03', url: HOME, query: 'home', clicks: 5, impressions: 5, position: 1 },
  { date: '2025-01-04', url: HOME, query: 'home', clicks: 5, impressions: 5, position: 1 },
  { date: '2025-01-09', url: NEW, query: 'new', clicks: 0, impressions: 10, position: 9 },
  { date: '2025-01-20', url: OLD, query: 'old', clicks: 8, impressions: 100, position: 4 },
  { date: '2025-01-28', url: HOME, query: 'shoes', clicks: 1, impressions: 50, position: 1 },
  { date: '2025-01-28', url: OLD, query: 'shoes', clicks: 0, impressions: 40, position: 4 },
  { date: '2025-01-29', url: HOME, query: 'shoes', clicks: 0, impressions: 10, position: 1 },
  { date: '2025-01-29', url: OLD, query: 'shoes', clicks: 0, impressions: 30, position: 4 },
  { date: '2025-01-30', url: HOME, query: 'shoes', clicks: 2, impressions: 20, position: 1 },
  { date: '2025-01-30', url: OLD, query: 'shoes', clicks: 0, impressions: 20, position: 4 },
  { date: '2025-01-31', url: NEW, query: 'shoes', clicks: 0, impressions: 1, position: 8 },
];

test('a new page is followed from its crawl to its first bot hit, impression and visit', async () => {
  const keys = ['url', 'first_bot_date', 'first_shown_date', 'first_visit_date'];
  const days = ['days_to_bot', 'days_to_shown', 'days_to_visit'];
  const found = await answer('q25');
  expect(found.map((row) => [...keys, ...days].map((key) => row[key]))).toEqual([
    [LATER, '2025-01-10', '2024-12-20', null, '2', null, null],
    [NEW, '2025-01-06', '2025-01-09', '2025-01-10', null, '1', '2'],
    [SILENT, null, null, null, null, null, null],
  ]);
  expect(found[0]).toMatchObject({
    project_name: 'Shop',
    first_crawl_id: 'c2',
    first_seen_date: '2025-01-08',
    logs_from_date: '2025-01-06',
    shown_from_date: '2024-01-06',
    visits_from_date: '2025-01-10',
  });
  expect(await answer('q25', { from: '2025-01-09' })).toEqual([]);
  expect(await answer('q25', { to: '2025-01-08' })).toEqual([]);
  expect(await answer('q25', { segment: '/' })).toEqual([]);
  expect(await answer('q25', { limit: '1' })).toHaveLength(1);
});

test('a log without referrers has no day from which visits are known', async () => {
  const { connection } = warehouse;
  const found = await connection.trial(async () => {
    await connection.run('UPDATE raw.log_events SET is_seo_visit = NULL WHERE NOT is_bot');
    return await answer('q25');
  });
  expect(found.map((row) => [row.first_visit_date, row.logs_from_date, row.visits_from_date])).toEqual(
    Array(3).fill([null, '2025-01-06', null]),
  );
});

test('bots are compared with each segment of the crawl, and with unknown URLs', async () => {
  const keys = ['engine', 'url_first_path', 'pages', 'crawled_pages', 'crawled_percent'];
  const rates = ['hits', 'hits_per_day', 'days_between_hits'];
  const values = (rows: readonly Record<string, unknown>[]) =>
    rows.map((row) => [...keys, ...rates].map((key) => row[key]));
  const found = await answer('q26');
  expect(values(found)).toEqual([
    ['bing', '/', '1', '1', 100, '1', 0.5, 2],
    ['bing', '/a/', '4', '1', 25, '1', 0.5, 2],
    ['google', '/', '1', '1', 100, '2', 1, 1],
    ['google', '/a/', '4', '1', 25, '1', 0.5, 2],
    ['google', null, null, '1', null, '1', 0.5, 2],
  ]);
  expect(found[0]).toMatchObject({
    crawl_id: 'c2',
    from_date: '2024-12-14',
    to_date: '2025-01-10',
    days: '2',
  });
  expect(values(await answer('q26', { to: '2025-01-10' }))).toEqual([
    ['google', '/a/', '4', '1', 25, '1', 1, 1],
    ['google', '/', '1', '0', 0, '0', 0, null],
  ]);
  expect(values(await answer('q26', { crawl: 'c1', segment: '/a/', from: '2025-01-10' }))).toEqual([
    ['bing', '/a/', '2', '1', 50, '1', 1, 1],
    ['google', '/a/', '2', '0', 0, '0', 0, null],
  ]);
});

test('URLs compete for a query from a tenth of its impressions, and the leader changes by day', async () => {
  const keys = ['query', 'query_impressions', 'urls', 'leader_changes', 'url', 'impressions'];
  const more = ['impressions_percent', 'clicks', 'average_position', 'days_as_leader'];
  const values = (rows: readonly Record<string, unknown>[]) =>
    rows.map((row) => [...keys, ...more].map((key) => row[key]));
  expect(values(await answer('q27'))).toEqual([
    ['shoes', '171', '2', '2', OLD, '90', 52.6, '0', 4, '1'],
    ['shoes', '171', '2', '2', HOME, '80', 46.8, '3', 1, '2'],
  ]);
  expect(values(await answer('q27', { min_percent: '0.5' }))).toHaveLength(3);
  expect(await answer('q27', { min_percent: '50' })).toEqual([]);
  expect(await answer('q27', { to: '2025-01-28' })).toEqual([]);
  expect(values(await answer('q27', { from: '2025-01-29', to: '2025-01-30' }))).toEqual([
    ['shoes', '40', '2', '0', OLD, '30', 75, '0', 4, '1'],
    ['shoes', '40', '2', '0', HOME, '10', 25, '0', 1, '0'],
  ]);
});

test('a decaying page is compared with the previous 28 days or a year ago, next to its changes', async () => {
  const keys = [
    'url',
    'clicks',
    'clicks_before',
    'clicks_year_ago',
    'clicks_change_percent',
    'clicks_change_in_a_year_percent',
  ];
  const more = [
    'impressions',
    'impressions_before',
    'average_position',
    'average_position_before',
    'status_code',
    'changes',
  ];
  const values = (rows: readonly Record<string, unknown>[]) =>
    rows.map((row) => [...keys, ...more].map((key) => row[key]));
  const found = await answer('q28');
  expect(values(found)).toEqual([
    [HOME, '8', '5', '20', 60, -60, '85', '5', 1, 1, '200', []],
    [LOST, '0', '12', '0', -100, null, '0', '50', null, 3, null, []],
    [OLD, '8', '10', '0', -20, null, '190', '100', 4, 2, '200', ['2025-01-08 title changed']],
  ]);
  expect(found[0]).toMatchObject({ crawl_id: 'c2', to_date: '2025-01-31' });
  expect((await answer('q28', { min_loss_percent: '50' })).map((row) => row.url)).toEqual([HOME, LOST]);
  expect((await answer('q28', { min_clicks: '9', min_loss_percent: '50' })).map((row) => row.url)).toEqual([
    HOME,
    LOST,
    LATER,
  ]);
  // A day earlier the year before is not known any more.
  const earlier = await answer('q28', { to: '2025-01-31' });
  expect(earlier.map((row) => [row.clicks_year_ago, row.clicks_change_in_a_year_reason])).toEqual(
    Array.from({ length: 2 }, () => [null, 'days with search results: 28, a year ago: 27']),
  );
  expect(found.map((row) => row.clicks_change_reason)).toEqual([null, null, null]);
});

test('clicks over unequal numbers of days show no fall', async () => {
  const { connection } = warehouse;
  await connection.trial(async () => {
    await connection.run("DELETE FROM ops.loads WHERE window_from = '2025-01-15'");
    expect(await answer('q28')).toEqual([]);
    await connection.run("DELETE FROM ops.loads WHERE window_from = '2024-12-25'");
    expect((await answer('q28'))[0]).toMatchObject({
      url: LOST,
      clicks_before: '12',
      clicks_change_percent: -100,
      clicks_change_reason: null,
      clicks_year_ago: null,
      clicks_change_in_a_year_percent: null,
      clicks_change_in_a_year_reason: 'days with search results: 27, a year ago: 28',
    });
  });
});

test('crawlers of AI services are listed by page, whatever kind the service reports', async () => {
  const keys = ['url', 'engine', 'crawler', 'purpose', 'hits', 'days', 'ok_percent', 'status_code', 'clicks'];
  const found = await answer('q31');
  expect(found.map((row) => keys.map((key) => row[key]))).toEqual([
    [NEW, 'openai', 'GPTBot', 'training', '2', '1', 50, '200', '0'],
    [HOME, 'anthropic', 'ClaudeBot', 'training', '1', '1', 100, '200', '8'],
  ]);
  expect(await answer('q31', { to: '2025-01-10' })).toEqual([]);
  expect(await answer('q31', { segment: '/a/' })).toHaveLength(1);
  expect(await answer('q31', { project: 'another' })).toEqual([]);
});

let warehouse: TestWarehouse;

beforeAll(async () => {
  warehouse = await openWarehouse();
  const { connection } = warehouse;
  const add = (name: string, columns: Record<string, string>, rows: readonly object[]): Promise<void> =>
    createTable(connection, name, columns, rows);
  const crawls = ['c1', 'c2'];

  await add('raw.projects', { id: 'VARCHAR', name: 'VARCHAR' }, [{ id: 'p1', name: 'Shop' }]);
  await add('raw.crawls', { id: 'VARCHAR', project_id: 'VARCHAR', ended_at: 'BIGINT' }, [
    { id: 'c1', project_id: 'p1', ended_at: Date.UTC(2025, 0, 1, 12) },
    { id: 'c2', project_id: 'p1', ended_at: Date.UTC(2025, 0, 8, 12) },
  ]);
  const load = { dataset: 'VARCHAR', source_kind: 'VARCHAR', source_id: 'VARCHAR', project_id: 'VARCHAR' };
  const window = { window_from: 'VARCHAR', window_to: 'VARCHAR' };
  const stamp = { unit: 'VARCHAR', run_id: 'VARCHAR', loaded: 'BIGINT', loaded_at: 'TIMESTAMPTZ' };
  await add('ops.loads', { ...load, ...window, ...stamp }, [
    ...crawls.map((id) => ({
      unit: `crawl_pages/${id}`,
      dataset: 'crawl_pages',
      source_kind: 'crawl',
      source_id: id,
      project_id: 'p1',
      loaded: PAGES.filter(({ crawl }) => crawl === id).length,
    })),
    // 392 days up to the last one with search results.
    ...Array.from({ length: 392 }, (_, ago) => ({
      unit: `r${ago}`,
      dataset: 'ranking_performance',
      source_id: 'p1',
      project_id: 'p1',
      window_from: dayBefore(ago),
      window_to: dayBefore(ago - 1),
      loaded: SEARCHES.filter(({ date }) => date === dayBefore(ago)).length,
    })),
  ]);
  await add(
    'ops.unit_fields',
    { unit: 'VARCHAR', field: 'VARCHAR' },
    crawls.map((id) => ({ unit: `crawl_pages/${id}`, field: 'title' })),
  );
  const ofProject = { _project_id: 'p1' };
  await add(
    'raw.crawl_pages',
    {
      _crawl_id: 'VARCHAR',
      _project_id: 'VARCHAR',
      url: 'VARCHAR',
      url_first_path: 'VARCHAR',
      status_code: 'BIGINT',
      title: 'VARCHAR',
    },
    PAGES.map(({ crawl, ...page }) => ({ url_first_path: '/a/', ...page, ...ofProject, _crawl_id: crawl })),
  );
  await add(
    'raw.log_events',
    {
      _project_id: 'VARCHAR',
      day: 'DATE',
      url: 'VARCHAR',
      user_agent: 'VARCHAR',
      is_bot: 'BOOLEAN',
      is_seo_visit: 'BOOLEAN',
      status_code: 'BIGINT',
    },
    LINES.map((line) => ({ ...line, ...ofProject })),
  );
  await add(
    'raw.ranking_performance',
    {
      _project_id: 'VARCHAR',
      date: 'DATE',
      url: 'VARCHAR',
      query: 'VARCHAR',
      device: 'VARCHAR',
      clicks: 'BIGINT',
      impressions: 'BIGINT',
      position: 'DOUBLE',
    },
    SEARCHES.map((row) => ({ ...row, ...ofProject, device: 'mobile' })),
  );
  const models = await loadModels([sqlFolder(sql)]);
  await runModels({ connection, models, changed: 'all', runId: 'run', logger: silentLogger });
});
afterAll(() => warehouse[Symbol.asyncDispose]());

/** A day so many days before the last one with search results. */
function dayBefore(days: number): string {
  return new Date(Date.UTC(2025, 0, 31 - days)).toISOString().slice(0, 10);
}

function answer(
  name: string,
  given: Readonly<Record<string, string>> = {},
): Promise<Record<string, unknown>[]> {
  return askQuestion(warehouse.connection, questions.get(name) as Question, given);
}
