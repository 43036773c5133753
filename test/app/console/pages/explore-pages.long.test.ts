import { afterAll, beforeAll, expect, test } from 'vitest';
import { CHANGES_OF_ISSUE } from '../../../../src/app/answers/explore/pages/page-filter.ts';
import { readPages } from '../../../../src/app/answers/explore/pages/read-pages.ts';
import type { QueryProcess } from '../../../../src/app/answers/query/query-process.ts';
import type { Page, PageRequest } from '../../../../src/app/console/page-parts/console-page.ts';
import { COMPARE } from '../../../../src/app/console/pages/project/compare-page.ts';
import { ISSUES } from '../../../../src/app/console/pages/project/issues-page.ts';
import type { Readers } from '../../../../src/app/console/readers/readers.ts';
import { publishedSites } from '../../../support/published-sites.ts';
import { sharedFolder } from '../../../support/temporary.ts';
import { STORY } from '../../answers/explore/story-site.ts';

const folder = sharedFolder();
const signal = new AbortController().signal;
let warehouse: QueryProcess;
beforeAll(async () => {
  warehouse = await publishedSites(folder, STORY);
});
afterAll(() => warehouse?.[Symbol.asyncDispose]());

interface Compared {
  readonly comparison: { readonly from: { crawl_id: string }; readonly to: { crawl_id: string } } | null;
}

/** Reads a page of one warehouse, and keeps nothing. */
async function read<T>(page: Page<unknown>, project_id: string, query = ''): Promise<T> {
  const readers = {
    settings: { projectDir: folder },
    closing: signal,
    once: (_key: string, work: () => unknown) => work(),
    rowsOnce: (_schema: unknown, sql: string, given: ReadonlyMap<string, string>) =>
      warehouse.rows(sql, signal, given),
    readOnce: (_key: string, work: (one: QueryProcess, until: AbortSignal) => unknown) =>
      work(warehouse, signal),
    warehouse: { use: (work: (one: QueryProcess) => unknown) => work(warehouse) },
    lanes: { slowPages: { run: (work: () => unknown) => work() } },
  } as unknown as Readers;
  const request = { path: { project_id }, query: new URLSearchParams(query) } as unknown as PageRequest;
  const document = await page.read(request, readers, signal);
  page.schema.parse(document);
  return document as T;
}

test.each([
  ['', ['shop-2', 'shop-3']],
  ['to=shop-2', ['shop-1', 'shop-2']],
  ['to=latest', ['shop-2', 'shop-3']],
  ['to=shop-cut', ['shop-1', 'shop-cut']],
  ['to=shop-1', ['shop-cut', 'shop-1']],
])('compare by %j uses the previous crawl', async (query, expected) => {
  const { comparison } = await read<Compared>(COMPARE, 'p-shop', query);
  expect([comparison?.from.crawl_id, comparison?.to.crawl_id]).toEqual(expected);
});

test('the compare page accepts a project name, and returns 404 for an unknown one', async () => {
  expect(await read(COMPARE, 'Shop')).toEqual(await read(COMPARE, 'p-shop'));
  await expect(read(COMPARE, 'Shp')).rejects.toThrow('There is no project Shp. Did you mean p-shop?');
});

test('a comparison is limited to the chosen segment, and the page offers the segments of the later crawl', async () => {
  const { comparison, segments } = await read<{
    readonly comparison: { readonly segment: string; readonly kpis: readonly object[] };
    readonly segments: readonly object[];
  }>(COMPARE, 'p-shop', 'segment=/lamps/');
  expect(comparison.segment).toBe('/lamps/');
  expect(comparison.kpis[0]).toMatchObject({ kpi: 'pages', before: 3, after: 4 });
  expect(segments).toContainEqual({ segmentation: '(directory)', segment: '/lamps/' });
});

test('the compare page of a project with one crawl has no comparison', async () => {
  expect((await read<Compared>(COMPARE, 'p-blog', 'to=blog-1')).comparison).toBeNull();
});

test('without crawls in the address, the compare page first asks for the purpose', async () => {
  const document = await read<Compared>(COMPARE, 'p-shop');
  const drawn = (query: string): string =>
    COMPARE.draw(document as never, { query: new URLSearchParams(query) } as never).body.text;
  expect(drawn('')).toMatch(/What do you want to know.*\/migration.*\/demand#losses.*<form/s);
  expect(drawn('')).toContain('compares the last two crawls');
  expect(drawn('to=shop-3')).not.toContain('What do you want to know');
});

test('the issues page of a project by name explains each issue', async () => {
  const named = await read<{ readonly issues: readonly object[] }>(ISSUES, 'Shop', 'wait=1');
  expect(named.issues.length).toBeGreaterThan(0);
  expect(named).toEqual(await read(ISSUES, 'p-shop', 'wait=1'));
});

interface Judged {
  readonly is_in_trends: boolean;
  readonly unknown: number;
  readonly issues: readonly {
    readonly issue: string;
    readonly pages: number;
    readonly new: number | null;
    readonly fixed: number | null;
    readonly missing: number | null;
    readonly unseen: number | null;
    readonly remaining: number | null;
    readonly trend: readonly (number | null)[];
    readonly clicks: number | null;
    readonly search_bot_hits: number | null;
  }[];
  readonly subjects: readonly Readonly<Record<string, unknown>>[];
}

test('a crawl that ended early is in no trend line, with a note', async () => {
  const cut = await read<Judged>(ISSUES, 'p-shop', 'crawl=shop-cut&wait=1');
  expect(cut.is_in_trends).toBe(false);
  expect(new Set(cut.issues.map(({ trend }) => trend.length))).toEqual(new Set([1]));
  expect((await read<Judged>(ISSUES, 'p-shop', 'crawl=shop-2&wait=1')).is_in_trends).toBe(true);
  const drawn = ISSUES.draw(cut as never, { query: new URLSearchParams(), may: () => false } as never);
  expect(drawn.body.text).toContain('omit this crawl, because it ended early');
});

test('clicks and hits of an issue are 0 if they were counted', async () => {
  const { issues, subjects } = await read<Judged>(ISSUES, 'p-shop', 'wait=1');
  const behind = Object.fromEntries(issues.map((one) => [one.issue, [one.clicks, one.search_bot_hits]]));
  expect(behind).toMatchObject({ one_inlink: [9, 6], linked_redirect: [6, 3], thin: [0, 0] });
  expect(subjects.find(({ category }) => category === 'content')).toMatchObject({ pages: 2, clicks: 0 });
});

test('a subject counts each page once, over the selected issues', async () => {
  const all = await read<Judged>(ISSUES, 'p-shop', 'wait=1&category=links');
  expect(all.issues.map(({ issue, pages }) => [issue, pages])).toEqual([
    ['one_inlink', 5],
    ['orphan', 1],
    ['deep_page', 1],
  ]);
  expect(all.subjects).toEqual([expect.objectContaining({ category: 'links', pages: 6 })]);
  const severe = await read<Judged>(ISSUES, 'p-shop', 'wait=1&category=links&severity=medium');
  expect(severe.subjects).toEqual([expect.objectContaining({ category: 'links', pages: 1 })]);
});

test('in a segment, each figure of an issue equals the number of its pages there', async () => {
  const segmentsOf = async (crawl: string): Promise<readonly Record<string, string>[]> =>
    (await read<{ readonly segments: Record<string, string>[] }>(ISSUES, 'p-shop', `wait=1&crawl=${crawl}`))
      .segments;
  // What is missing is in a segment of the previous crawl, too.
  const asked = [
    ...(await segmentsOf('shop-3')).map((within) => ({ crawl: 'shop-3', ...within })),
    ...(await segmentsOf('shop-1')).map((within) => ({ crawl: 'shop-2', ...within })),
  ];
  let missing = 0;
  for (const within of asked) {
    const { issues } = await read<Judged>(ISSUES, 'p-shop', `wait=1&${new URLSearchParams(within)}`);
    for (const one of issues) {
      const filter = {
        project: 'p-shop',
        issue: one.issue,
        ...within,
        conditions: [],
        where: [],
        columns: [],
      };
      for (const figure of ['pages', ...CHANGES_OF_ISSUE] as const) {
        const value = one[figure];
        const change = figure === 'pages' ? undefined : figure;
        if (value === null) continue;
        const { total } = await readPages(warehouse, { ...filter, change }, 1, signal);
        expect([within, one.issue, figure, value]).toEqual([within, one.issue, figure, total]);
        if (figure === 'missing') missing += Number(total);
      }
    }
  }
  expect(missing).toBeGreaterThan(0);
});

test('an unknown segment is refused, with a suggestion', async () => {
  await expect(read(ISSUES, 'p-shop', 'segment=lamp')).rejects.toThrow('has no segment lamp');
});
