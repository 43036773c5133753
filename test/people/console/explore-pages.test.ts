import { afterAll, beforeAll, expect, test } from 'vitest';
import type { QueryProcess } from '../../../src/answers/query/query-process.ts';
import type { Desk } from '../../../src/people/console/desk/desk.ts';
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
    oneByOne: { run: (work: () => unknown) => work() },
  } as unknown as Desk;
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

test('one crawl is compared with none', async () => {
  expect((await read<Compared>(COMPARE, 'p-blog', 'to=blog-1')).comparison).toBeNull();
});

test('the issues of a project that is called by its name have their meanings', async () => {
  const named = await read<{ readonly issues: readonly object[] }>(ISSUES, 'Shop', 'wait=1');
  expect(named.issues.length).toBeGreaterThan(0);
  expect(named).toEqual(await read(ISSUES, 'p-shop', 'wait=1'));
});
