import { afterAll, beforeAll, expect, test } from 'vitest';
import type { QueryProcess } from '../../../src/answers/query/query-process.ts';
import type { Readers } from '../../../src/people/console/desk/desk.ts';
import { COMPARE } from '../../../src/people/console/pages/compare.ts';
import { ISSUES } from '../../../src/people/console/pages/issues.ts';
import type { Page, PageRequest } from '../../../src/people/console/pages/page.ts';
import { STORY } from '../../answers/explore/story-site.ts';
import { publishedSites } from '../../support/published-sites.ts';
import { sharedFolder } from '../../support/temporary.ts';

const folder = sharedFolder();
const signal = new AbortController().signal;
let warehouse: QueryProcess;
beforeAll(async () => {
  warehouse = await publishedSites(folder, STORY);
}, 60_000);
afterAll(() => warehouse?.[Symbol.asyncDispose]());

interface Compared {
  readonly comparison: { readonly from: { crawl_id: string }; readonly to: { crawl_id: string } } | null;
}

/** Reads a page of one warehouse, and keeps nothing. */
async function read<T>(page: Page<unknown>, project_id: string, query = ''): Promise<T> {
  const desk = {
    once: (_key: string, work: () => unknown) => work(),
    rowsOnce: (sql: string, given: ReadonlyMap<string, string>) => warehouse.rows(sql, signal, given),
    warehouse: { use: (work: (one: QueryProcess) => unknown) => work(warehouse) },
    lanes: { slowPages: { run: (work: () => unknown) => work() } },
  } as unknown as Readers;
  const request = { path: { project_id }, query: new URLSearchParams(query) } as unknown as PageRequest;
  return (await page.read(request, desk, signal)) as T;
}

test.each([
  ['', ['shop-2', 'shop-3']],
  ['to=shop-2', ['shop-1', 'shop-2']],
  ['to=latest', ['shop-2', 'shop-3']],
  ['to=shop-cut', ['shop-1', 'shop-cut']],
  ['to=shop-1', ['shop-cut', 'shop-1']],
])('a comparison by %j is with the crawl before', async (query, expected) => {
  const { comparison } = await read<Compared>(COMPARE, 'p-shop', query);
  expect([comparison?.from.crawl_id, comparison?.to.crawl_id]).toEqual(expected);
});

test('a project that is called by its name is compared, and an unknown one is not there', async () => {
  expect(await read(COMPARE, 'Shop')).toEqual(await read(COMPARE, 'p-shop'));
  await expect(read(COMPARE, 'Shp')).rejects.toThrow('There is no project Shp. Did you mean p-shop?');
});

test('one crawl is compared with none', async () => {
  expect((await read<Compared>(COMPARE, 'p-blog', 'to=blog-1')).comparison).toBeNull();
});

test('the issues of a project that is called by its name have their meanings', async () => {
  const named = await read<{ readonly issues: readonly object[] }>(ISSUES, 'Shop', 'wait=1');
  expect(named.issues.length).toBeGreaterThan(0);
  expect(named).toEqual(await read(ISSUES, 'p-shop', 'wait=1'));
});

interface Judged {
  readonly is_in_trends: boolean;
  readonly issues: readonly {
    readonly issue: string;
    readonly trend: readonly { readonly ended_at: string }[];
    readonly clicks_percent: number | null;
    readonly search_bot_hits_percent: number | null;
  }[];
}

test('a crawl that was cut is in no line of the last crawls, and the page says so', async () => {
  const cut = await read<Judged>(ISSUES, 'p-shop', 'crawl=shop-cut&wait=1');
  expect(cut.is_in_trends).toBe(false);
  const days = cut.issues.flatMap(({ trend }) => trend.map(({ ended_at }) => ended_at.slice(0, 10)));
  expect([...new Set(days)]).toEqual(['2026-03-02']);
  expect((await read<Judged>(ISSUES, 'p-shop', 'crawl=shop-2&wait=1')).is_in_trends).toBe(true);
  const drawn = ISSUES.draw(cut as never, { query: new URLSearchParams() } as never);
  expect(drawn.body.text).toContain('leave this crawl out: it is not complete');
});

test('a share of clicks or hits is 0 where it was counted, and not known where nothing was loaded', async () => {
  const { issues } = await read<Judged>(ISSUES, 'p-shop', 'wait=1');
  const shares = Object.fromEntries(
    issues.map((one) => [one.issue, [one.clicks_percent, one.search_bot_hits_percent]]),
  );
  expect(shares).toMatchObject({ one_inlink: [60, 66.7], linked_redirect: [40, 33.3], thin: [0, 0] });
  // Each crawl has days of its own.
  const first = await read<Judged>(ISSUES, 'p-shop', 'crawl=shop-1&wait=1');
  expect(first.issues.length).toBeGreaterThan(0);
  for (const one of first.issues)
    expect([one.clicks_percent, one.search_bot_hits_percent]).toEqual([expect.any(Number), 100]);
});
