import { expect, test } from 'vitest';
import { readComparison } from '../../../../../src/app/answers/explore/compare/read-compare.ts';
import { fakeWarehouse } from '../fake-warehouse.ts';

const crawl = (id: string, more: object = {}) => ({
  crawl_id: id,
  ...{
    project_id: 'p',
    project: 'Shop',
    crawl_number: null,
    crawl_config_id: 'web',
    crawl_config_name: 'Web',
  },
  ...{ ended_at: `2026-03-0${id.at(-1)}T03:00:00Z`, is_complete: true, scope_note: null },
  ...{ previous_crawl_id: null, has_pages: true, ...more },
});
const figures = (crawl_id: string, days: string, more: object = {}) => ({
  crawl_id,
  ...{ pages: 10, indexable_pages: 0, client_error_pages: null, server_error_pages: 0, redirect_pages: 0 },
  ...{ duplicate_pages: 0, orphan_pages: 0, average_depth: 2.5, average_load_time: 1, average_word_count: 1 },
  ...{ clicks: 100, impressions: 1, search_bot_hits: 5, ranking_days: 7, log_days: 7 },
  ...{ ranking_from_date: days, ranking_to_date: days, log_from_date: days, log_to_date: days, ...more },
});
const issue = (name: string, more: object = {}) => ({
  ...{ issue: name, title: name, severity: 'low', category: 'c', before: 2, after: 1, is_by_days: false },
  ...{ is_sampled: false, lacks_before: null, lacks_after: null, ...more },
});
const told = (column_name: string, crawls = 2) => ({
  column_name,
  part: column_name,
  crawl_id: 'c2',
  crawls,
});

/** What the queries find, by a part of their SQL. */
const FOUND = {
  'previous_crawl_id, crawls.has_pages': [crawl('c1'), crawl('c2', { previous_crawl_id: 'c1' })],
  'SELECT DISTINCT segments.crawl_id': [{ crawl_id: 'c1' }, { crawl_id: 'c2' }],
  'AS is_sampled': [issue('thin'), issue('slow'), issue('hits', { is_by_days: true })],
  'FROM mart.page_issue_changes': [{ issue: 'thin', new: 1, fixed: 2, missing: 3, remaining: 4, unseen: 5 }],
  'whole.ranking_days': [figures('c1', '2026-03-01'), figures('c2', '2026-03-02', { pages: 15, clicks: 50 })],
  'mart.crawl_columns AS told': [...['status_code', 'title'].map((name) => told(name)), told('h1', 1)],
  'AS "either"': [{ both: 3, either: 3 }],
  'AS title': [{ changed: 7, title: 4, status_code: 2 }],
  'AS exceptions': [
    { change: 'removed', reason: 'gone', pages: 2 },
    { change: 'removed', reason: 'merged', pages: 1 },
    { change: 'added', reason: null, pages: 4 },
  ],
};
const compare = (more: Readonly<Record<string, readonly object[]>> = {}, segment?: string) => {
  const { warehouse, asked } = fakeWarehouse({ ...more, ...FOUND, ...more });
  const request = { project: 'p', from: 'c1', to: 'c2', segment };
  return { asked, result: readComparison(warehouse, request, new AbortController().signal) };
};
const crawls = (from: object, to: object = {}) => ({
  'previous_crawl_id, crawls.has_pages': [crawl('c1', from), crawl('c2', { previous_crawl_id: 'c1', ...to })],
});

test('figures, issues and pages of two crawls are compared', async () => {
  const { kpis, issues, pages, notes, from, to } = await compare().result;
  expect([from.crawl_id, to.crawl_id, notes]).toEqual(['c1', 'c2', []]);
  expect(from).not.toHaveProperty('has_pages');
  const by = new Map(kpis.map(({ kpi, ...own }) => [kpi, own]));
  expect(by.get('pages')).toMatchObject({ before: 10, after: 15, change: 5, change_percent: 50, why: null });
  expect(by.get('indexable_pages')).toMatchObject({ change: 0, change_percent: null });
  expect(by.get('client_error_pages')).toMatchObject({
    change: null,
    why: 'unknown for crawl of 2026-03-01 and crawl of 2026-03-02',
  });
  expect(by.get('clicks')).toMatchObject({
    title: 'clicks on crawled pages (days to 2026-03-01 and 2026-03-02)',
    change: -50,
  });
  const values = issues.map(({ issue, new: added, remaining, unseen, why }) => [
    issue,
    added,
    remaining,
    unseen,
    why,
  ]);
  expect(values).toEqual([
    ['thin', 1, 4, 5, null],
    ['slow', 0, 0, 0, null],
    ['hits', null, null, null, 'it depends on days, and the days differ'],
  ]);
  expect(pages.filter(({ pages }) => pages !== 0)).toMatchObject([
    { change: 'added', pages: 4, reasons: [] },
    { change: 'removed', pages: 3, reasons: [{ reason: 'gone' }, { reason: 'merged' }] },
    { change: 'changed', pages: 7, title: 'pages changed', why: null },
    { change: 'status_code', pages: 2 },
    { change: 'is_indexable', pages: null, why: 'the export of crawl of 2026-03-01 lacks is_indexable' },
    { change: 'title', pages: 4 },
    { change: 'h1', pages: null, why: 'the export of crawl of 2026-03-01 lacks h1' },
    { change: 'meta_description', pages: null },
    { change: 'rel_canonical', pages: null },
  ]);
});

test.each([
  [{ ranking_days: 6 }, 'not compared: search results of 7 and 6 days'],
  [
    { ranking_from_date: '2026-03-01', ranking_to_date: '2026-03-01' },
    'not compared: search results of the same days, 2026-03-01 to 2026-03-01',
  ],
  [{ ranking_from_date: '2026-03-01' }, null],
  [{ ranking_to_date: '2026-03-01' }, null],
  [{ clicks: null }, 'unknown for crawl of 2026-03-02'],
])('clicks of a crawl with %j are compared, or not for a reason', async (more, why) => {
  const own = [figures('c1', '2026-03-01'), figures('c2', '2026-03-02', more)];
  const { kpis } = await compare({ 'whole.ranking_days': own }).result;
  const clicks = kpis.find(({ kpi }) => kpi === 'clicks');
  expect([clicks?.why, clicks?.change]).toEqual([why, why === null ? 0 : null]);
});

test.each([
  [{}, {}, []],
  [{ crawl_config_id: null }, { crawl_config_id: null }, []],
  [
    { crawl_config_id: 'new', crawl_config_name: null },
    {},
    ['The crawls have different configurations, new and Web: each may cover different pages.'],
  ],
  [
    {},
    { crawl_config_id: null, crawl_config_name: null },
    ['The crawls have different configurations, Web and an unknown one: each may cover different pages.'],
  ],
  [{ scope_note: 'it was cut' }, {}, ['crawl of 2026-03-01: it was cut']],
  [{ ended_at: '2026-03-02T03:00:00Z' }, {}, []],
  [
    { ended_at: '2026-03-03T03:00:00Z' },
    {},
    ['crawl of 2026-03-03 is the later crawl, so the changes go back in time.'],
  ],
  [{ ended_at: null }, {}, []],
])('the crawls %j and %j have the notes %j', async (from, to, notes) => {
  expect((await compare(crawls(from, to)).result).notes).toEqual(notes);
});

test.each([
  [{ 'previous_crawl_id, crawls.has_pages': [crawl('c1')] }, 'the pages of the crawl c2 are not loaded'],
  [crawls({ has_pages: false }), 'the pages of the crawl c1 are not loaded'],
  [crawls({ project_id: 'q', project: 'Blog' }), 'c1 is a crawl of Blog, but c2 is a crawl of Shop'],
  [crawls({ crawl_id: 'c2' }), 'are not loaded'],
])('crawls that cannot be compared are refused: %#', async (more, message) => {
  await expect(compare(more).result).rejects.toMatchObject({
    code: 'usage',
    message: expect.stringContaining(message),
  });
});

test('a crawl is not compared with itself', async () => {
  const { warehouse } = fakeWarehouse(FOUND);
  const request = { project: 'p', from: 'c1', to: 'c1' };
  await expect(readComparison(warehouse, request, new AbortController().signal)).rejects.toMatchObject({
    message: 'both names refer to the crawl c1',
    hint: 'crawlhouse compare previous latest --project p',
  });
});

test('crawls that do not follow each other are compared by the models of a pair', async () => {
  const { asked, result } = compare({
    'SELECT * FROM changes': FOUND['FROM mart.page_issue_changes'],
    ...crawls({}, { previous_crawl_id: 'c0' }),
  });
  await result;
  expect(asked.some(({ sql }) => sql.includes('compared_pages'))).toBe(true);
  const usual = compare();
  await usual.result;
  expect(usual.asked.some(({ sql }) => sql.includes('compared_pages'))).toBe(false);
});

test('a segment is compared, or unknown if a crawl lacks its segmentation', async () => {
  const { asked, result } = compare({ 'AS "either"': [{ both: 2, either: 3 }] }, 'product');
  const { segment, segmentation, notes } = await result;
  expect({ segment, segmentation }).toEqual({ segment: 'product', segmentation: 'template' });
  expect(notes).toEqual(['Some pages moved between segments. They count neither as added nor as removed.']);
  for (const { sql, parameters } of asked.slice(-5))
    expect(Object.keys(parameters).sort()).toEqual(
      [...new Set(sql.match(/\$(?:from|to|segment|segmentation)\b/g))].map((name) => name.slice(1)).sort(),
    );
  expect((await compare({}, 'product').result).notes).toEqual([]);
  const undivided = compare({ 'SELECT DISTINCT segments.crawl_id': [{ crawl_id: 'c2' }] }, 'product');
  const { notes: why, pages, issues } = await undivided.result;
  const words = 'no page of crawl of 2026-03-01 has a segment of template';
  expect(why).toEqual([`Changes in the segment are unknown: ${words}.`]);
  expect(pages.slice(0, 6).map(({ pages, why }) => [pages, why])).toEqual(Array(6).fill([null, words]));
  expect(issues[0]).toMatchObject({ before: null, after: 1, new: null, why: words });
});
