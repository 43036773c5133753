import { expect, test } from 'vitest';
import type { PageRequest } from '../../../../../src/app/console/page-parts/console-page.ts';
import { drawPageList, type PageList } from '../../../../../src/app/console/pages/project/page-list-page.ts';

const ISSUE = {
  issue: 'thin',
  title: 'Little text',
  severity: 'low',
  definition: 'few words',
  fix: 'Write',
  why_it_matters: 'Nobody reads it.',
  source: 'https://rules.example',
};

function drawn(query: string, more: Partial<PageList> = {}): string {
  const choices = {
    crawls: [],
    issues: [],
    columns: [],
    segments: [
      { segmentation: '(directory)', segment: '/a/' },
      { segmentation: 'kind', segment: 'shop' },
    ],
  };
  const list = {
    scope_note: null,
    project_id: 'p1',
    project_name: 'Shop',
    crawl_id: 'c2',
    ended_at: null,
    since: null,
    issue: null,
    conditions: [],
    where: [],
    columns: [],
    rows: [],
    page: 1,
    more: false,
    total: 1,
    parameters: {},
    sql: 'SELECT 1',
    command: 'crawlhouse pages',
    choices,
    ...more,
  };
  const request = { query: new URLSearchParams(query), may: () => false } as unknown as PageRequest;
  return drawPageList(list as unknown as PageList, request).body.text;
}

const chips = (page: string): string[] =>
  [...page.matchAll(/class="chip" href="([^"]+)"/g)].map(([, href = '']) => href.replaceAll('&amp;', '&'));

test('removing a part of a filter also removes the parts that depend on it', () => {
  const issue = ISSUE as unknown as PageList['issue'];
  expect(chips(drawn('crawl=c2&since=c1&issue=thin&change=new', { issue, since: 'c1' }))).toEqual([
    '/projects/p1/pages?crawl=c2',
    '/projects/p1/pages?crawl=c2&issue=thin',
  ]);
  expect(chips(drawn('segment=shop&segmentation=kind'))).toEqual(['/projects/p1/pages']);
});

test.each(['segment=shop&segmentation=kind', 'segment=shop', 'segment=kind:shop'])(
  'a form keeps the parameters of the address, and adds the segmentation to each segment: %s',
  (segment) => {
    const page = drawn(`issue=thin&change=fixed&${segment}`);
    expect(page).toContain('<option value="thin" selected>');
    expect(page).toContain('<option value="kind:shop" selected>kind: shop</option>');
    expect(page).toContain('<option value="(directory):/a/">/a/</option>');
    expect(page).not.toContain('name="segmentation"');
  },
);

test('the heading of a list of one page says "1 page", not "1 pages"', () => {
  expect(drawn('issue=thin', { issue: ISSUE as unknown as PageList['issue'] })).toContain(
    '<h2>1 page: Little text</h2>',
  );
});

test('a list by change has the heading "changed in" the column, not its current value', () => {
  expect(drawn('change=is_indexable', { total: 2 })).toContain('<h2>2 pages, changed in Indexability</h2>');
  expect(drawn('change=removed', { total: 2 })).toContain('<h2>2 pages, removed</h2>');
});
