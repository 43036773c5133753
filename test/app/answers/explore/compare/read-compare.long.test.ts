import { afterAll, beforeAll, expect, test } from 'vitest';
import {
  type Comparison,
  readComparison,
} from '../../../../../src/app/answers/explore/compare/read-compare.ts';
import type { AskedSegment } from '../../../../../src/app/answers/explore/page-segments.ts';
import { CHANGES_OF_ISSUE } from '../../../../../src/app/answers/explore/pages/page-filter.ts';
import { readPages } from '../../../../../src/app/answers/explore/pages/read-pages.ts';
import type { QueryProcess } from '../../../../../src/app/answers/query/query-process.ts';
import { findNonPortable } from '../../../../../src/etl/project/sql/text/portable-sql.ts';
import type { Crawl } from '../../../../questions/sites/sites.ts';
import { publishedSites } from '../../../../support/published-sites.ts';
import { sharedFolder, temporaryConnection } from '../../../../support/temporary.ts';
import { STORY } from '../story-site.ts';

const folder = sharedFolder();
const signal = new AbortController().signal;
/** Two crawls have a segmentation, and the red lamp goes from one of its segments to the other. */
function divided(crawl: Crawl): Crawl {
  if (crawl.pages === undefined || !['shop-2', 'shop-3'].includes(crawl.id)) return crawl;
  const { fields, rows } = crawl.pages;
  const kindOf = (url: string): string =>
    url.endsWith('/red') === (crawl.id === 'shop-3') ? 'sale' : url.endsWith('/deep') ? 'deep' : 'lamp';
  const own = rows.map((row) => ({ ...row, page_group_kind: kindOf(String(row.url)) }));
  return { ...crawl, pages: { fields: [...fields, 'page_group_kind'], rows: own } };
}

let warehouse: QueryProcess;
beforeAll(async () => {
  warehouse = await publishedSites(folder, { ...STORY, crawls: STORY.crawls.map(divided) });
});
afterAll(() => warehouse?.[Symbol.asyncDispose]());

const compare = (
  from: string,
  to: string,
  project?: string,
  within: AskedSegment = {},
): Promise<Comparison> => readComparison(warehouse, { from, to, project, ...within }, signal);

test('figures show their change; figures over the same days show none', async () => {
  const { from, to, kpis, notes } = await compare('previous', 'latest', 'Shop');
  expect([from.crawl_id, to.crawl_id, notes]).toEqual(['shop-2', 'shop-3', []]);
  const rows = kpis.map(({ kpi, before, after, change, change_percent, why }) => [
    kpi,
    [before, after, change, change_percent].map((value) => value && Math.round(value * 10) / 10),
    why,
  ]);
  expect(rows).toEqual([
    ['pages', [5, 7, 2, 40], null],
    ['indexable_pages', [5, 6, 1, 20], null],
    ['client_error_pages', [0, 0, 0, null], null],
    ['server_error_pages', [0, 0, 0, null], null],
    ['redirect_pages', [0, 1, 1, null], null],
    [
      'duplicate_pages',
      [null, null, null, null],
      expect.stringMatching(/^unknown for crawl 3 of .* and crawl 4/),
    ],
    ['orphan_pages', [0, 1, 1, null], null],
    ['average_depth', [2.8, 2.4, -0.4, -13.3], null],
    ['average_load_time', [200, null, null, null], 'unknown for crawl 4 of 2026-03-16'],
    ['average_word_count', [166.7, 100, -66.7, -40], null],
    [
      'clicks',
      [15, 15, null, null],
      'not compared: search results of the same days, 2026-02-11 to 2026-03-10',
    ],
    [
      'impressions',
      [130, 130, null, null],
      'not compared: search results of the same days, 2026-02-11 to 2026-03-10',
    ],
    [
      'search_bot_hits',
      [9, 9, null, null],
      'not compared: log files of the same days, 2026-02-13 to 2026-03-12',
    ],
  ]);
});

test('issues are new, fixed or remaining as in mart.issue_changes, and unknown if a field is missing', async () => {
  for (const [from, to] of [
    ['shop-1', 'shop-2'],
    ['shop-2', 'shop-3'],
  ] as const) {
    const { issues } = await compare(from, to);
    const changes = await warehouse.rows(
      `SELECT issue, pages AS after, new_pages AS "new", fixed_pages AS fixed, missing_pages AS missing,
         remaining_pages AS remaining, unseen_pages AS unseen
       FROM mart.issue_changes WHERE crawl_id = $to AND (pages > 0 OR previous_pages > 0)
         AND previous_pages IS NOT NULL ORDER BY issue`,
      signal,
      new Map([['to', to]]),
    );
    const compared = issues
      .filter(({ why }) => why === null)
      .toSorted((a, b) => (a.issue < b.issue ? -1 : 1));
    expect(compared.length).toBeGreaterThan(2);
    expect(
      compared.map(({ issue, after, new: added, fixed, missing, remaining, unseen }) => ({
        issue,
        after,
        new: added,
        fixed,
        missing,
        remaining,
        unseen,
      })),
    ).toEqual(changes);
  }
  const { issues } = await compare('shop-2', 'shop-3');
  expect(issues.find(({ issue }) => issue === 'title_is_h1')).toMatchObject({
    before: 4,
    after: null,
    new: null,
    fixed: null,
    remaining: null,
    why: 'the export of crawl 4 of 2026-03-16 lacks a field that shows it',
  });
});

test('pages are added, removed and changed as in mart.page_changes, for fields in both exports', async () => {
  for (const [from, to] of [
    ['shop-1', 'shop-2'],
    ['shop-2', 'shop-3'],
  ] as const) {
    const { pages } = await compare(from, to);
    const counted = await warehouse.rows(
      'SELECT change, count(*) AS pages FROM mart.page_changes WHERE crawl_id = $to GROUP BY change ORDER BY change',
      signal,
      new Map([['to', to]]),
    );
    const own = pages.filter(({ change, pages }) => pages && change !== 'changed');
    expect(
      own.map(({ change, pages }) => ({ change, pages })).toSorted((a, b) => (a.change < b.change ? -1 : 1)),
    ).toEqual(counted);
  }
  const { pages } = await compare('shop-2', 'shop-3');
  const by = Object.fromEntries(pages.map(({ change, pages, why }) => [change, why ?? pages]));
  expect(by).toEqual({
    added: 1,
    removed: 0,
    moved: 1,
    missing: 0,
    unseen: 0,
    changed: 1,
    status_code: 1,
    is_indexable: 1,
    title: 0,
    rel_canonical: 0,
    h1: 'the export of crawl 4 of 2026-03-16 lacks h1',
    meta_description: 'the export of crawl 3 of 2026-03-09 lacks meta_description',
  });
});

test('each number of a comparison is the number of pages that its link lists', async () => {
  const filter = {
    project: 'Shop',
    crawl: 'shop-3',
    since: 'shop-1',
    conditions: [],
    where: [],
    columns: [],
  };
  const { pages, issues } = await compare('shop-1', 'shop-3');
  const known = pages.filter(({ pages }) => pages !== null);
  expect(known.length).toBe(10);
  for (const { change, pages } of known) {
    const { total } = await readPages(warehouse, { ...filter, change }, 10, signal);
    expect([change, total]).toEqual([change, pages]);
  }
  const compared = issues.filter(({ why }) => why === null);
  expect(compared.length).toBeGreaterThan(2);
  for (const { issue, ...counts } of compared)
    for (const change of CHANGES_OF_ISSUE) {
      const { total } = await readPages(warehouse, { ...filter, issue, change }, 10, signal);
      expect([issue, change, total]).toEqual([issue, change, counts[change]]);
    }
});

/** The figures of a segment, counted page by page. */
const COUNTED = `
  SELECT count(*) AS pages, count_if(is_indexable) AS indexable_pages, avg(depth) AS average_depth,
    count_if(status_code BETWEEN 400 AND 499) AS client_error_pages, count_if(status_code >= 500) AS server_error_pages,
    count_if(status_code BETWEEN 300 AND 399) AS redirect_pages, count_if(nb_inlinks = 0) AS orphan_pages
  FROM mart.pages
  WHERE crawl_id = $crawl
    AND ($segmentation = '(directory)' AND url_first_path = $segment OR url IN (
      SELECT url FROM mart.page_segments
      WHERE crawl_id = $crawl AND segmentation = $segmentation AND segment = $segment))`;

test.each([
  ['(directory)', '/lamps/'],
  ['kind', 'lamp'],
  ['kind', 'sale'],
])(
  'in %s %s, each figure, change and issue equals the number of its pages there',
  async (segmentation, segment) => {
    const [from, to, within] = ['shop-2', 'shop-3', { segmentation, segment }] as const;
    const { kpis, pages, issues } = await compare(from, to, 'Shop', within);
    for (const [side, crawl] of [
      ['before', from],
      ['after', to],
    ] as const) {
      const given = new Map(Object.entries({ crawl, ...within }));
      const [counted] = (await warehouse.rows(COUNTED, signal, given)) as Record<string, number>[];
      const own = kpis.flatMap((one) => (counted && one.kpi in counted ? [[one.kpi, one[side]]] : []));
      expect(Object.fromEntries(own)).toEqual(counted);
      expect(counted?.pages).toBeGreaterThan(0);
    }
    const filter = {
      project: 'Shop',
      crawl: to,
      since: from,
      ...within,
      conditions: [],
      where: [],
      columns: [],
    };
    const total = async (asked: object): Promise<number> =>
      Number((await readPages(warehouse, { ...filter, ...asked }, 1, signal)).total);
    for (const { change, pages: value, why } of pages)
      if (why === null) expect([change, value]).toEqual([change, await total({ change })]);
    const compared = issues.filter(({ why }) => why === null);
    expect(compared.length).toBeGreaterThan(0);
    for (const { issue, ...counts } of compared)
      for (const change of CHANGES_OF_ISSUE)
        expect([issue, change, counts[change]]).toEqual([issue, change, await total({ issue, change })]);
  },
);

test('pages that moved to another segment are neither added nor removed, and a note says so', async () => {
  const { notes, pages, kpis, segmentation } = await compare('shop-2', 'shop-3', 'Shop', { segment: 'sale' });
  expect([segmentation, notes]).toEqual([
    'kind',
    ['Some pages moved between segments. They count neither as added nor as removed.'],
  ]);
  expect(pages.find(({ change }) => change === 'status_code')?.pages).toBe(1);
  expect(kpis.find(({ kpi }) => kpi === 'pages')).toMatchObject({ before: 4, after: 1 });
});

test('if a crawl lacks the segmentation, changes in the segment are unknown, with a note', async () => {
  const { notes, kpis, pages, issues } = await compare('shop-1', 'shop-3', 'Shop', { segment: 'lamp' });
  const why = 'no page of crawl 1 of 2026-03-02 has a segment of kind';
  expect(notes).toEqual([`Changes in the segment are unknown: ${why}.`]);
  expect(kpis.find(({ kpi }) => kpi === 'pages')).toMatchObject({
    before: null,
    change: null,
    why: 'unknown for crawl 1 of 2026-03-02',
    after: 5,
  });
  for (const one of pages) expect(one.pages).toBeNull();
  expect(pages[0]?.why).toBe(why);
  expect(issues.length).toBeGreaterThan(2);
  for (const one of issues) expect(one).toMatchObject({ before: null, new: null, fixed: null, why });
  await expect(compare('shop-2', 'shop-3', 'Shop', { segment: 'lmp' })).rejects.toThrow('has no segment lmp');
});

test('crawls of two configurations, incomplete crawls and crawls in reverse order are compared with a note', async () => {
  const { notes, pages } = await compare('shop-3', 'shop-cut', 'Shop');
  expect(notes).toEqual([
    'crawl 2 of 2026-03-05: The crawl stopped at its limit of URLs. Other pages were not requested.',
    'crawl 4 of 2026-03-16 is the later crawl, so the changes go back in time.',
  ]);
  const [removed, missing] = ['removed', 'missing'].map((name) =>
    pages.find(({ change }) => change === name),
  );
  expect([removed?.pages, missing?.pages, missing?.reasons]).toEqual([
    0,
    6,
    [{ reason: 'outside_limits', pages: 6 }],
  ]);
  const { notes: two, to } = await compare('latest', 'shop-mobile', 'Shop');
  expect([two, to.crawl_config_name]).toEqual([
    ['The crawls have different configurations, Web and Mobile: each may cover different pages.'],
    'Mobile',
  ]);
});

test.each([
  ['latest', 'shop-3', 'Shop', 'both names refer to the crawl shop-3'],
  ['blog-1', 'shop-3', undefined, 'blog-1 is a crawl of Blog, but shop-3 is a crawl of Shop'],
  ['shop-9', 'shop-3', undefined, 'there is no crawl shop-9'],
  ['latest', 'shop-3', undefined, 'latest names a crawl in each of 2 projects'],
])('%s is not compared with %s', async (from, to, project, said) => {
  await expect(compare(from, to, project)).rejects.toThrow(said);
});

test('each statement of a comparison is portable SQL', async () => {
  const statements = new Set<string>();
  const recorded = {
    rows: (sql: string, ...more: [AbortSignal, ReadonlyMap<string, string | null>?]) => {
      if (sql.includes('$from')) statements.add(sql);
      return warehouse.rows(sql, ...more);
    },
  };
  const crawls = { from: 'shop-2', to: 'shop-3' };
  await readComparison(recorded, crawls, signal);
  expect(statements.size).toBe(8);
  await readComparison(recorded, { ...crawls, segment: 'lamp' }, signal);
  expect(statements.size).toBe(14);
  const connection = await temporaryConnection(folder);
  for (const sql of statements)
    expect(await findNonPortable(connection, sql, { file: 'SQL', line: 1 }), sql).toEqual([]);
});
