import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { silentLogger } from '../../../../src/core/logs/logger.ts';
import { loadModels } from '../../../../src/etl/project/sql/models/load-models.ts';
import { sqlFolder } from '../../../../src/etl/project/sql/models/sql-folders.ts';
import { loadQuestions, type Question } from '../../../../src/etl/project/sql/questions/questions.ts';
import { askQuestion } from '../../../support/ask-question.ts';
import { runModels } from '../../../support/run-models.ts';
import { createTable, openWarehouse, type TestWarehouse } from './test-warehouse.ts';

// One small site, worked by hand: a crawl, three days of log files, a day of search results.

const sql = join(import.meta.dirname, '../../../../sql');
const questions = new Map(
  (await loadQuestions([sqlFolder(sql)])).map((question) => [question.name.slice(0, 3), question]),
);

const HOME = 'https://s.example/';
const [RICH, POOR, GONE] = [`${HOME}a/1`, `${HOME}a/2`, `${HOME}gone`];
const [NOINDEX, ORPHAN, BLOCKED, PARAMS] = [
  `${HOME}a/no`,
  `${HOME}a/orphan`,
  `${HOME}blocked`,
  `${RICH}?x=1`,
];

const PAGES = [
  {
    url: HOME,
    url_first_path: '/',
    status_code: 200,
    depth: 0,
    inrank: 10,
    nb_inlinks: 10,
    word_count: 500,
    load_time: 100,
  },
  {
    url: RICH,
    status_code: 200,
    depth: 2,
    inrank: 5,
    nb_inlinks: 6,
    word_count: 100,
    load_time: 2000,
    page_group_kind: 'rich',
  },
  {
    url: POOR,
    status_code: 200,
    depth: 5,
    inrank: 1,
    nb_inlinks: 3,
    word_count: 400,
    load_time: 100,
    page_group_kind: 'poor',
    clusters: ['k'],
    has_nearduplicate_issue: false,
  },
  { url: GONE, url_first_path: '/', status_code: 404, depth: 2, inrank: 1, nb_inlinks: 1 },
  { url: NOINDEX, status_code: 200, depth: 3, inrank: 1, nb_inlinks: 2, meta_robots_index: false },
  {
    url: ORPHAN,
    status_code: 200,
    inrank: 0,
    nb_inlinks: 0,
    sources: ['sitemaps'],
    clusters: ['k'],
    has_nearduplicate_issue: true,
  },
  { url: BLOCKED, url_first_path: '/', depth: 1, robots_txt_denied: true },
  { url: PARAMS, status_code: 200, depth: 3, inrank: 1, nb_inlinks: 9, url_has_params: true },
];

/** Counts of two days; the third has lines. */
const HITS = [
  { day: '2024-11-30', url: HOME, hits: 10, seo_bot_hits: 8, vertical_bot_hits: 2, hits_5xx: 10 },
  { day: '2025-01-02', url: HOME, hits: 4, seo_bot_hits: 2, vertical_bot_hits: 0, hits_2xx: 4 },
  { day: '2025-01-02', url: RICH, hits: 1, seo_bot_hits: 0, vertical_bot_hits: 0, hits_2xx: 1 },
  // The crawl's 404 counts, because some requests had another status.
  { day: '2025-01-02', url: GONE, hits: 5, seo_bot_hits: 1, vertical_bot_hits: 0, hits_2xx: 3, hits_4xx: 2 },
  {
    day: '2025-01-02',
    url: PARAMS,
    hits: 3,
    seo_bot_hits: 3,
    vertical_bot_hits: 0,
    hits_3xx: 3,
    last_status_code: 304,
  },
  { day: '2025-01-02', url: `${HOME}old?y`, hits: 5, seo_bot_hits: 1, vertical_bot_hits: 1, hits_2xx: 5 },
  { day: '2025-01-03', url: HOME, hits: 90, seo_bot_hits: 90, vertical_bot_hits: 0, hits_5xx: 90 },
];

const LINES = [
  { url: HOME, user_agent: 'Googlebot/2.1', status_code: 200 },
  { url: HOME, user_agent: 'Googlebot/2.1', status_code: 304 },
  { url: HOME, user_agent: 'bingbot/2.0', status_code: 301 },
  { url: HOME, user_agent: 'AhrefsBot/7.0', status_code: 404 },
  { url: HOME, user_agent: 'Firefox', status_code: 404 },
  { url: BLOCKED, user_agent: 'Googlebot/2.1', status_code: 200 },
  { url: NOINDEX, user_agent: 'Googlebot/2.1', status_code: 200 },
  { url: ORPHAN, user_agent: 'bingbot/2.0', status_code: 200 },
  { url: `${HOME}new`, user_agent: 'Googlebot/2.1', status_code: 200 },
];

const DEMAND = [
  { url: HOME, clicks: 10, impressions: 1000, position: 2 },
  { url: RICH, clicks: 60, impressions: 100, position: 1 },
  { url: POOR, clicks: 20, impressions: 50, position: 2.25 },
  { url: GONE, clicks: 2, impressions: 80, position: 4 },
  { url: NOINDEX, clicks: 1, impressions: 30, position: 5 },
  { url: ORPHAN, clicks: 7, impressions: 40, position: 6 },
  { url: `${HOME}unknown`, clicks: 0, impressions: 10, position: 9 },
  { url: PARAMS, clicks: 50, impressions: 900, position: 2 },
  // With these there are twelve URLs, and two in the tenth with the most impressions.
  ...[1, 2, 3, 4].map((n) => ({ url: `${HOME}rare/${n}`, clicks: 0, impressions: 1, position: 50 })),
];

const LINKS = [
  { origin: HOME, target: RICH, anchor: 'Red', follow: true, intern: true },
  { origin: HOME, target: RICH, anchor: 'Red', follow: true, intern: true },
  { origin: 'https://elsewhere.example/', target: RICH, anchor: 'Red', follow: true, intern: false },
  { origin: 'https://elsewhere.example/', target: POOR, anchor: 'Blue', follow: true, intern: false },
  { origin: HOME, target: POOR, anchor: 'Blue', follow: false, intern: true },
  { origin: RICH, target: POOR, anchor: 'Blue', follow: true, intern: true },
];

const ITEMS = [
  { url: RICH, type: 'Product', valid: true },
  { url: RICH, type: 'Article', valid: false },
  { url: POOR, type: 'Product', valid: true },
];

test('links into segments are counted by anchor, without links from other sites', async () => {
  expect(await answer('q02')).toMatchObject([
    {
      ...crawl,
      segmentation: 'kind',
      segment: 'poor',
      anchor: 'Blue',
      links: '2',
      follow_links: '1',
      origin_pages: '2',
      target_pages: '1',
    },
    {
      ...crawl,
      segmentation: 'kind',
      segment: 'rich',
      anchor: 'Red',
      links: '2',
      follow_links: '2',
      origin_pages: '1',
      target_pages: '1',
    },
  ]);
});

test('an orphan shows its clicks', async () => {
  const [orphan, ...others] = await answer('q03');
  expect(orphan).toMatchObject({
    url: ORPHAN,
    reason: 'only_in_sitemap',
    nb_inlinks: '0',
    clicks: '7',
    impressions: '40',
    top_query: 'q',
  });
  const shown = ['rare/1', 'rare/2', 'rare/3', 'rare/4', 'unknown'];
  expect(others.map(({ url, reason }) => [url, reason])).toEqual([
    ...shown.map((path) => [HOME + path, 'only_in_search_results']),
    ...['new', 'old?y'].map((path) => [HOME + path, 'only_in_logs']),
  ]);
});

test('a cluster of near duplicates shows its similarity', async () => {
  const found = await answer('q13');
  expect(found).toMatchObject([
    { ...crawl, field: 'clusters', shared_value: 'k', pages: '2', unhandled_pages: '1', similarity: 0.9 },
  ]);
});

test('search engine hits are counted by segment, depth and inrank, on the days of the crawl', async () => {
  const found = await answer('q16');
  const keys = ['segment', 'depth', 'inrank', 'pages', 'visited_percent'];
  const hits = ['search_bot_hits', 'google_bot_hits', 'bing_bot_hits'];
  expect(found.map((row) => [...keys, ...hits].map((key) => row[key]))).toEqual([
    ['/', '0', '10', '1', 100, '5', null, null],
    ['/', '1', null, '1', 100, '1', '1', '0'],
    ['/', '2', '1', '1', 100, '1', null, null],
    ['/a/', '2', '5', '1', 0, '0', null, null],
    ['/a/', '3', '1', '2', 100, '4', null, null],
    ['/a/', '5', '1', '1', 0, '0', '0', '0'],
    ['/a/', null, '0', '1', 100, '1', '0', '1'],
  ]);
  expect(found[0]).toMatchObject({ ...crawl, from_date: '2024-12-07', to_date: '2025-01-03' });
});

test('each wasted hit of a search engine has one reason, by its own status if lines show it', async () => {
  const found = await answer('q17');
  const keys = [
    'crawl_id',
    'dataset',
    'engine',
    'waste',
    'urls',
    'hits',
    'hits_percent',
    'hits_4xx',
    'most_asked_url',
  ];
  const [lines, counts] = ['log_events', 'log_pages_days'];
  expect(found.map((row) => keys.map((key) => row[key]))).toEqual([
    ['c1', lines, 'bing', 'orphan', '1', '1', 50, null, ORPHAN],
    ['c1', lines, 'bing', 'redirect', '1', '1', 50, null, HOME],
    ['c1', lines, 'google', 'none', '1', '2', 40, null, HOME],
    ['c1', lines, 'google', 'noindex', '1', '1', 20, null, NOINDEX],
    ['c1', lines, 'google', 'orphan', '1', '1', 20, null, `${HOME}new`],
    ['c1', lines, 'google', 'robots_denied', '1', '1', 20, null, BLOCKED],
    ['c1', counts, null, 'parameters', '2', '5', 62.5, null, PARAMS],
    ['c1', counts, null, 'none', '1', '2', 25, null, HOME],
    ['c1', counts, null, 'error', '1', '1', 12.5, '2', GONE],
  ]);
  expect(found.every((row) => row.project_name === 'Shop')).toBe(true);
});

test('unmet demand covers missing, non-indexable, unknown and badly ranked URLs', async () => {
  const found = await answer('q18');
  const keys = [
    'finding',
    'url',
    'impressions',
    'clicks',
    'ctr_percent',
    'expected_ctr_percent',
    'average_position',
  ];
  const unknown = 'demand on a URL that the crawl does not know';
  // At position 2 80 clicks of 1,950 impressions are a rate of 0.041: of 1,000 impressions 41 clicks, not 10.
  expect(found.map((row) => keys.map((key) => row[key]))).toEqual([
    ['many impressions, low CTR', HOME, '1000', '10', 1, 4.1, 2],
    ['demand on a URL that is not 200', GONE, '80', '2', 2.5, 2.5, 4],
    ['demand on a URL that is not indexable', NOINDEX, '30', '1', 3.33, 3.33, 5],
    [unknown, `${HOME}unknown`, '10', '0', 0, 0, 9],
    ...[1, 2, 3, 4].map((n) => [unknown, `${HOME}rare/${n}`, '1', '0', 0, 0, 50]),
  ]);
});

test('pages with unexpected performance for their links show the linking pages', async () => {
  const found = await answer('q19');
  const keys = [
    'url',
    'is_under_linked',
    'is_deep',
    'clicks',
    'average_position',
    'nb_inlinks',
    'origin_pages',
  ];
  // Of the indexable pages half have 6 inlinks or more and stand 2.5 clicks deep or deeper.
  expect(found.map((row) => keys.map((key) => row[key]))).toEqual([
    [POOR, false, true, '20', 2.3, '3', [HOME, RICH]],
    [ORPHAN, true, null, '7', 6, '0', []],
  ]);
});

test('structured data is counted by page and validated by item', async () => {
  const found = await answer('q20');
  const keys = [
    'segment',
    'pages',
    'thin_percent',
    'slow_percent',
    'structured_percent',
    'invalid_item_percent',
  ];
  expect(found.map((row) => keys.map((key) => row[key]))).toEqual([
    ['/', '1', 0, 0, 0, null],
    ['/a/', '5', 50, 50, 40, 33.3],
  ]);
});

const crawl = { project_name: 'Shop', crawl_id: 'c1' };
const ended = { id: 'c1', project_id: 'p1', ended_at: Date.UTC(2025, 0, 1, 12) };
let warehouse: TestWarehouse;

beforeAll(async () => {
  warehouse = await openWarehouse();
  const { connection } = warehouse;
  const ofCrawl = { _crawl_id: 'c1', _project_id: 'p1' };
  const crawlColumns = { _crawl_id: 'VARCHAR', _project_id: 'VARCHAR' };
  const add = (name: string, columns: Record<string, string>, rows: readonly object[]): Promise<void> =>
    createTable(connection, name, columns, rows);

  await add('raw.projects', { id: 'VARCHAR', name: 'VARCHAR' }, [{ id: 'p1', name: 'Shop' }]);
  await add('raw.crawls', { id: 'VARCHAR', project_id: 'VARCHAR', ended_at: 'BIGINT' }, [ended]);
  const load = { dataset: 'VARCHAR', source_kind: 'VARCHAR', source_id: 'VARCHAR', project_id: 'VARCHAR' };
  const stamp = { unit: 'VARCHAR', run_id: 'VARCHAR', loaded_at: 'TIMESTAMP WITH TIME ZONE' };
  const datasets = ['crawl_pages', 'crawl_links', 'crawl_clusters', 'crawl_structured_data'];
  await add(
    'ops.loads',
    { ...load, ...stamp, loaded: 'BIGINT', window_from: 'VARCHAR', window_to: 'VARCHAR' },
    [
      ...datasets.map((dataset) => ({ dataset, source_kind: 'crawl', source_id: 'c1', project_id: 'p1' })),
      {
        dataset: 'ranking_performance',
        source_kind: 'project',
        source_id: 'p1',
        project_id: 'p1',
        loaded: DEMAND.length,
        window_from: '2025-01-01',
        window_to: '2025-01-02',
      },
    ],
  );
  await add(
    'raw.crawl_pages',
    {
      ...crawlColumns,
      url: 'VARCHAR',
      url_first_path: 'VARCHAR',
      url_has_params: 'BOOLEAN',
      status_code: 'BIGINT',
      depth: 'BIGINT',
      inrank: 'BIGINT',
      nb_inlinks: 'BIGINT',
      word_count: 'BIGINT',
      load_time: 'BIGINT',
      meta_robots_index: 'BOOLEAN',
      robots_txt_denied: 'BOOLEAN',
      sources: 'VARCHAR[]',
      clusters: 'VARCHAR[]',
      has_nearduplicate_issue: 'BOOLEAN',
      page_group_kind: 'VARCHAR',
    },
    PAGES.map((page) => ({ url_first_path: '/a/', url_has_params: false, ...page, ...ofCrawl })),
  );
  await add(
    'raw.crawl_links',
    {
      ...crawlColumns,
      origin: 'VARCHAR',
      target: 'VARCHAR',
      anchor: 'VARCHAR',
      follow: 'BOOLEAN',
      intern: 'BOOLEAN',
    },
    LINKS.map((link) => ({ ...link, ...ofCrawl })),
  );
  await add(
    'raw.crawl_clusters',
    { ...crawlColumns, cluster_id: 'VARCHAR', size: 'BIGINT', average_similarity: 'DOUBLE' },
    [{ ...ofCrawl, cluster_id: 'k', size: 2, average_similarity: 0.9 }],
  );
  await add(
    'raw.crawl_structured_data',
    { ...crawlColumns, url: 'VARCHAR', type: 'VARCHAR', valid: 'BOOLEAN' },
    ITEMS.map((item) => ({ ...item, ...ofCrawl })),
  );
  await add(
    'raw.log_pages_days',
    {
      _project_id: 'VARCHAR',
      day: 'DATE',
      url: 'VARCHAR',
      hits: 'BIGINT',
      seo_bot_hits: 'BIGINT',
      vertical_bot_hits: 'BIGINT',
      hits_2xx: 'BIGINT',
      hits_3xx: 'BIGINT',
      hits_4xx: 'BIGINT',
      hits_5xx: 'BIGINT',
      last_status_code: 'BIGINT',
    },
    HITS.map((hits) => ({ ...hits, _project_id: 'p1' })),
  );
  await add(
    'raw.log_events',
    { _project_id: 'VARCHAR', day: 'DATE', url: 'VARCHAR', user_agent: 'VARCHAR', status_code: 'BIGINT' },
    LINES.map((line) => ({ ...line, _project_id: 'p1', day: '2025-01-03' })),
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
    DEMAND.map((row) => ({ ...row, _project_id: 'p1', date: '2025-01-01', query: 'q', device: 'mobile' })),
  );
  const models = await loadModels([sqlFolder(sql)]);
  await runModels({ connection, models, changed: 'all', runId: 'r', logger: silentLogger });
});

afterAll(() => warehouse[Symbol.asyncDispose]());

async function answer(name: string): Promise<Record<string, unknown>[]> {
  return askQuestion(warehouse.connection, questions.get(name) as Question);
}
