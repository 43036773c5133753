import { afterAll, beforeAll, expect, test } from 'vitest';
import { asking } from '../../../../../src/app/answers/explore/chosen-crawls.ts';
import {
  comparedOfAnswers,
  FIELDS,
  untoldParts,
} from '../../../../../src/app/answers/explore/compare/comparable-columns.ts';
import { comparedPair } from '../../../../../src/app/answers/explore/compare/page-comparison.ts';
import { readComparison } from '../../../../../src/app/answers/explore/compare/read-compare.ts';
import { readIssues } from '../../../../../src/app/answers/explore/issues/read-issues.ts';
import { changedPages } from '../../../../../src/app/answers/explore/pages/page-differences.ts';
import {
  CHANGES_OF_ISSUE,
  type PageFilter,
} from '../../../../../src/app/answers/explore/pages/page-filter.ts';
import { readPages } from '../../../../../src/app/answers/explore/pages/read-pages.ts';
import type { QueryProcess } from '../../../../../src/app/answers/query/query-process.ts';
import { changesOf } from '../../../../questions/answers/changes.ts';
import { comparisonOf, isAnswered } from '../../../../questions/answers/comparison.ts';
import { factsOf } from '../../../../questions/answers/facts.ts';
import {
  at,
  type Crawl,
  dataset,
  type Project,
  pagesOf,
  type Row,
  type Sites,
} from '../../../../questions/sites/sites.ts';
import { publishedSites } from '../../../../support/published-sites.ts';
import { ALL_ROUNDS, roundSeed, seededRandom } from '../../../../support/random.ts';
import { sharedFolder } from '../../../../support/temporary.ts';

/**
 * Pairs of crawls of generated sites, with limits, blocks, outages, refusals, lost links and moves. What the models and the
 * screens say of a pair is what plain code says, and each number is that of the rows behind it.
 */

const PAIRS = ALL_ROUNDS ? 40 : 6;
const random = seededRandom(roundSeed());
const pick = <T>(values: readonly T[]): T => values[Math.floor(random() * values.length)] as T;

const SEEN = ['depth', 'nb_inlinks', 'title', 'h1', 'meta_description', 'word_count', 'rel_canonical'];
const NOTHING: Row = Object.fromEntries(SEEN.map((name) => [name, null]));
const UNREAD: Row = { ...NOTHING, depth: 1, nb_inlinks: 2 };

/** What a crawl may find at a URL; null: it does not meet it. */
const STATES: Readonly<Record<string, (host: string, path: string) => Row | null>> = {
  absent: () => null,
  there: (host, path) => ({
    depth: pick([1, 2, 6]),
    nb_inlinks: pick([0, 1, 3]),
    title: pick([`T${path}`, 'T', null]),
    h1: pick([`H${path}`, null]),
    meta_description: `D${path}`,
    word_count: pick([40, 400]),
    rel_canonical: pick([`${host}${path}`, `${host}/`]),
    meta_robots_index: pick([true, true, false]),
  }),
  gone: () => ({ ...UNREAD, status_code: pick([404, 410]) }),
  moved: (host) => ({
    ...UNREAD,
    status_code: pick([301, 308]),
    redirect_location: host + pick(['/new', '/a']),
  }),
  elsewhere: (host) => ({ ...UNREAD, status_code: 302, redirect_location: `${host}/a` }),
  blocked: () => ({ ...UNREAD, status_code: null, fetched: false, robots_txt_denied: true }),
  refused: () => ({ ...UNREAD, status_code: pick([403, 429, 503]) }),
  broken: () => ({ ...UNREAD, status_code: 500 }),
  silent: () => ({ ...UNREAD, status_code: null, fetched: false, fetch_status: 'unfetched_exception' }),
  unreadable: () => ({ ...UNREAD, processing_warnings: ['unreadable_content'] }),
};
const ALSO = [
  'robots_txt_denied',
  'fetch_status',
  'processing_warnings',
  'redirect_location',
  'meta_robots_index',
  'final_redirect_status',
  ...SEEN,
];
/** A URL is there more often than not. */
const MOSTLY_THERE = [...Object.keys(STATES), ...Array.from({ length: 8 }, () => 'there')];

function crawlOf(project: string, number: number): Crawl {
  const host = `https://${project}.example`;
  const page = pagesOf(host);
  const rows = ['/', '/a', '/b', '/c', '/d/e', '/d/f', '/d/g', '/new'].flatMap((path) => {
    const state = path === '/' ? 'there' : path === '/new' && number === 1 ? 'absent' : pick(MOSTLY_THERE);
    const values = STATES[state]?.(host, path) ?? null;
    return values === null ? [] : [page(path, values)];
  });
  const rechecks = ['/a', '/b', '/c', '/d/e'].map((path) => ({
    kind: 'recheck',
    url: host + path,
    robots_txt_denied: false,
    error: null,
    ...pick<Row>([
      { status_code: 200 },
      { status_code: 404 },
      { status_code: 503 },
      { status_code: 301, final_redirect_location: `${host}/new`, final_redirect_status: 200 },
      { status_code: null, robots_txt_denied: true },
    ]),
  }));
  return {
    id: `${project}-${number}`,
    projectId: project,
    status: 'done',
    config: { id: 'web', name: 'Web' },
    endReason: pick(['ok', 'ok', 'ok', 'max_depth_reached']),
    endedAt: at(`2026-03-0${number}T03:00:00Z`),
    pages: dataset(rows, { also: ALSO }),
    ...(random() < 0.3 && { requests: dataset(rechecks) }),
  };
}

const projects = Array.from({ length: PAIRS }, (_, number): Project => {
  return { id: `p${number}`, name: `Site ${number}`, startUrl: `https://p${number}.example/` };
});
const SITES: Sites = { projects, crawls: projects.flatMap(({ id }) => [crawlOf(id, 1), crawlOf(id, 2)]) };
const facts = factsOf(SITES);
const later = facts.crawls.filter(({ previous }) => previous !== null);

const folder = sharedFolder();
const signal = new AbortController().signal;
let warehouse: QueryProcess;
beforeAll(async () => {
  warehouse = await publishedSites(folder, SITES);
});
afterAll(() => warehouse?.[Symbol.asyncDispose]());

const rowsOf = (sql: string, crawl: string): Promise<readonly object[]> =>
  warehouse.rows(sql, signal, new Map([['crawl', crawl]]));
const byUrl = <T extends { readonly url: string }>(rows: readonly T[]): T[] =>
  rows.toSorted((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1));

test('each pair of crawls has the comparison and changes that plain code computes', async () => {
  expect(later).toHaveLength(PAIRS);
  const kinds = new Set<string>();
  for (const crawl of later) {
    const compared = await rowsOf(
      `SELECT url, comparison, is_observed_before AS "isObservedBefore", is_observed AS "isObserved", reason, moved_to AS "movedTo"
       FROM mart.page_comparison WHERE crawl_id = $crawl`,
      crawl.id,
    );
    const expected = [...comparisonOf(crawl).values()];
    const inOrder = ({ url, comparison, ...one }: (typeof expected)[number]) => {
      const { isObservedBefore, isObserved, reason, movedTo } = one;
      return { url, comparison, isObservedBefore, isObserved, reason, movedTo };
    };
    expect(byUrl(compared as never), crawl.id).toEqual(byUrl(expected.map(inOrder)));
    for (const { comparison, reason } of expected) kinds.add(reason ?? comparison);
    const changes = await rowsOf(
      'SELECT url, change, "before", "after", reason, moved_to FROM mart.page_changes WHERE crawl_id = $crawl',
      crawl.id,
    );
    const known = changesOf(crawl).map(({ url, change, before, after, reason, moved_to }) => {
      return { url, change, before, after, reason, moved_to };
    });
    expect(byUrl(changes as never), crawl.id).toEqual(byUrl(known));
  }
  // The pairs are as different as they should be.
  expect(kinds.size).toBeGreaterThan(8);
});

const filterOf = (crawl: string, since: string, more: object): PageFilter => {
  return { crawl, since, ...more, conditions: [], where: [], columns: [] };
};
const totalOf = async (filter: PageFilter): Promise<number> =>
  Number((await readPages(warehouse, filter, 100, signal)).total);

test('each number of a comparison, in both directions, equals the number of pages behind it', async () => {
  for (const { id, previous } of later.slice(0, ALL_ROUNDS ? PAIRS : 1))
    for (const [from, to] of [
      [previous?.id ?? '', id],
      [id, previous?.id ?? ''],
    ] as const) {
      const { pages, issues } = await readComparison(warehouse, { from, to }, signal);
      for (const { change, pages: count, reasons } of pages) {
        if (count === null) continue;
        const found = await readPages(warehouse, filterOf(to, from, { change }), 100, signal);
        expect([from, to, change, found.total]).toEqual([from, to, change, count]);
        for (const { reason, pages: some } of reasons)
          expect([reason, found.rows.filter((row) => row.reason === reason).length]).toEqual([reason, some]);
      }
      for (const { issue, before, after, why, ...counts } of issues) {
        if (why !== null) continue;
        expect([issue, counts.new, counts.remaining, counts.unseen].includes(null)).toBe(false);
        expect([issue, Number(counts.new) + Number(counts.remaining) + Number(counts.unseen)]).toEqual([
          issue,
          after,
        ]);
        expect([issue, Number(counts.fixed) + Number(counts.remaining) + Number(counts.missing)]).toEqual([
          issue,
          before,
        ]);
        for (const change of CHANGES_OF_ISSUE.filter((one) => Number(counts[one]) > 0))
          expect([from, to, issue, change, await totalOf(filterOf(to, from, { issue, change }))]).toEqual([
            from,
            to,
            issue,
            change,
            counts[change],
          ]);
      }
    }
});

test('a list of changes has the pages of the model, as if their columns were compared', async () => {
  const pair = await comparedPair({ crawl: '$crawl', since: '$since' }, true);
  let pages = 0;
  for (const { id, previous } of later)
    for (const change of Object.keys(FIELDS)) {
      const since = previous?.id ?? '';
      const parameters = new Map([
        ['crawl', id],
        ['since', since],
      ]);
      const untold = await untoldParts(asking(warehouse, signal), [since, id], [change, 'status_code']);
      const compared = { columns: [change], ofAnswers: comparedOfAnswers(untold) };
      const rows = ({ columns, joins, conditions }: ReturnType<typeof changedPages>) =>
        warehouse.rows(
          `SELECT pages.url, ${columns.join(', ')} FROM mart.pages AS pages ${joins.join(' ')}
           WHERE ${['pages.crawl_id = $crawl', ...conditions].join(' AND ')} ORDER BY pages.url`,
          signal,
          parameters,
        );
      const listed = await rows(changedPages(change, pair, compared));
      expect([id, change, listed]).toEqual([
        id,
        change,
        await rows(changedPages(change, { ...pair, fieldChanges: null }, compared)),
      ]);
      pages += listed.length;
    }
  expect(pages).toBeGreaterThan(20);
});

test('nothing is fixed on a page that was not requested again, and nothing is new that was not read before', async () => {
  const counted = { fixed: 0, missing: 0, unseen: 0 };
  for (const crawl of later) {
    const [judged] = await readIssues(warehouse, { crawl: crawl.id }, signal);
    const { issues } = await readComparison(
      warehouse,
      { from: crawl.previous?.id ?? '', to: crawl.id },
      signal,
    );
    const compared = new Map(issues.map((one) => [one.issue, one]));
    for (const one of judged?.issues ?? []) {
      const other = compared.get(one.issue);
      for (const change of CHANGES_OF_ISSUE)
        expect([crawl.id, one.issue, change, one[change]]).toEqual([
          crawl.id,
          one.issue,
          change,
          other?.[change],
        ]);
      for (const name of ['fixed', 'missing', 'unseen'] as const) counted[name] += Number(one[name]);
    }
    const changes = (await rowsOf(
      'SELECT url, change, reason FROM mart.page_issue_changes WHERE crawl_id = $crawl',
      crawl.id,
    )) as readonly { readonly url: string; readonly change: string; readonly reason: string | null }[];
    for (const { url, change, reason } of changes) {
      const how = comparisonOf(crawl).get(url);
      const page = crawl.byUrl.get(url);
      if (change === 'fixed')
        expect([url, how?.isObserved ?? (page !== undefined && isAnswered(page))]).toEqual([url, true]);
      if (change === 'new') expect([url, how?.isObservedBefore ?? true]).toEqual([url, true]);
      expect([url, change, reason !== null]).toEqual([
        url,
        change,
        change === 'missing' || change === 'unseen',
      ]);
    }
  }
  for (const [name, pages] of Object.entries(counted)) expect([name, pages > 0]).toEqual([name, true]);
});

test('the pages of all statuses, and of all segments, add up to all pages', async () => {
  for (const { id, allPages } of facts.crawls) {
    const [sums] = (await rowsOf(
      'SELECT CAST(sum(pages) AS BIGINT) AS pages FROM mart.status_codes_by_crawl WHERE crawl_id = $crawl',
      id,
    )) as [{ readonly pages: number }?];
    const [segments] = (await rowsOf(
      `SELECT CAST(sum(pages) AS BIGINT) AS pages FROM mart.crawl_segments
       WHERE crawl_id = $crawl AND segmentation = '(directory)'`,
      id,
    )) as [{ readonly pages: number }?];
    expect([id, Number(sums?.pages), Number(segments?.pages)]).toEqual([
      id,
      allPages.length,
      allPages.length,
    ]);
  }
});
