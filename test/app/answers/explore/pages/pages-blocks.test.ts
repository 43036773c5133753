import { expect, test } from 'vitest';
import {
  type ListedPages,
  pagesHead,
  pagesTable,
} from '../../../../../src/app/answers/explore/pages/pages-blocks.ts';
import { printBlocks } from '../../../../../src/app/answers/presentation/print-blocks.ts';
import { drawBlocks } from '../../../../../src/app/console/layout/addresses.ts';

const ISSUE = {
  issue: 'thin',
  title: 'Little text',
  severity: 'low',
  definition: 'It has few words.',
  why_it_matters: 'Nobody reads it.',
  fix: 'Write more',
  source: 'https://rules.example/',
};

function list(more: Partial<ListedPages> = {}, filter: Partial<ListedPages['filter']> = {}): ListedPages {
  return {
    crawl: {
      project: 'Shop',
      project_id: 'p1',
      crawl_id: 'c2',
      crawl_number: 2,
      ended_at: '2026-03-09T03:00Z',
      scope_note: null,
    },
    filter: { project: 'Shop', crawl: 'c2', conditions: [], where: [], columns: [], ...filter },
    since: null,
    issue: null,
    total: 3,
    before: 0,
    columns: [
      { name: 'url', type: 'VARCHAR' },
      { name: 'status_code', type: 'BIGINT' },
      { name: 'is_indexable', type: 'BOOLEAN' },
      { name: 'nb_inlinks', type: 'BIGINT' },
      { name: 'fetch_date', type: 'TIMESTAMP WITH TIME ZONE' },
    ],
    rows: [
      {
        url: 'https://shop.example/a',
        status_code: 2000,
        is_indexable: true,
        nb_inlinks: 1234,
        fetch_date: null,
      },
      {
        url: 'https://shop.example/b',
        status_code: 2000,
        is_indexable: false,
        nb_inlinks: 0,
        fetch_date: '2026-03-09T03:04:05.000Z',
      },
    ],
    ...more,
  };
}
const printed = (one: ListedPages, width: number | null = 100): string =>
  printBlocks([pagesHead(one), pagesTable(one)], { width });
const drawn = (one: ListedPages): string =>
  drawBlocks([pagesHead(one), pagesTable(one)]).text.replaceAll('&amp;', '&');

test('a terminal shows the subject of the list, readable column names, and the command for more rows', () => {
  const depth = { column: 'depth', operator: 'gte', value: '4' } as const;
  const filter = { issue: 'thin', conditions: [depth], where: ["lang = 'de'"] };
  const text = printed(list({ issue: ISSUE }, filter));
  expect(text).toContain('3 pages: Little text\nShop, crawl 2 of 2026-03-09 (c2)\n');
  expect(drawn(list({ issue: ISSUE }, filter))).toContain('>Crawl depth at least 4 <span');
  expect(text).toMatch(
    /^Little text \(low severity\)\n +Nobody reads it\.\n.*few words\. https:\/\/rules\.example\/\n +to do: Write more\.$/m,
  );
  expect(text).toContain('Status code: 2000\nURL ');
  expect(text).toMatch(/^https:\/\/shop\.example\/a +yes +1,234 +-$/m);
  expect(text).toMatch(/^https:\/\/shop\.example\/b +no +0 +2026-03-09 03:04$/m);
  expect(text).toMatch(
    /^the first 2; more: crawlhouse pages .*--issue thin .*--filter depth=gte:4.* --limit 3$/m,
  );
  expect(printed(list(), null)).toMatch(/^URL +Status code +Indexability +Inlinks +Fetch date$/m);
});

test('in a browser, a column head sorts in both directions, and each part of the filter can be removed', () => {
  const text = drawn(list({ issue: ISSUE }, { issue: 'thin', sort: 'nb_inlinks', segment: '/a/' }));
  expect(text).toContain('sort=nb_inlinks+desc">Inlinks</a> <span aria-hidden="true">▲</span>');
  expect(text).toContain('aria-sort="ascending"');
  expect(text).toContain('sort=status_code">Status code</a>');
  expect(text).toContain('class="chip" href="/projects/p1/pages?crawl=c2&issue=thin&sort=nb_inlinks" title');
  expect(drawn(list({}, { sort: 'nb_inlinks desc' }))).toContain(
    'sort=nb_inlinks">Inlinks</a> <span aria-hidden="true">▼',
  );
});

test('a browser names columns without values below the list, except those that the person chose or sorts by', () => {
  const rows = [{ url: 'https://shop.example/a', status_code: null, is_indexable: null, nb_inlinks: null }];
  const draw = (filter = {}): string => drawBlocks([pagesTable(list({ rows }, filter))]).text;
  expect(draw()).toContain('Without a value in these rows: Status code, Indexability, Inlinks, ');
  const status = { column: 'status_code', operator: 'is', value: 'null' };
  expect(draw({ conditions: [status] })).toContain('Without a value in these rows: Indexability, ');
  const chosen = draw({ columns: ['nb_inlinks'], sort: 'is_indexable desc' });
  expect(chosen).toMatch(/<thead>.*Indexability.*Inlinks.*<\/thead>/s);
  expect(chosen).toMatch(/Without a value in these rows: Status code, /);
});

test('removed pages come from the previous crawl, and their issue has no advice to fix it', () => {
  const since = { crawl_id: 'c1', crawl_number: 1, ended_at: null };
  const text = drawn(list({ since, issue: ISSUE }, { issue: 'thin', change: 'fixed' }));
  expect(text).toContain('/projects/p1/url?url=https%3A%2F%2Fshop.example%2Fa&crawl=c1"');
  expect(text).not.toContain('To do');
  expect(drawn(list({ since }, { change: 'changed' }))).toContain('&crawl=c2"');
});

test('an empty list shows what was searched for', () => {
  const depth = { column: 'depth', operator: 'gte', value: '4' } as const;
  const none = list({ rows: [], total: 0, issue: ISSUE }, { issue: 'thin', conditions: [depth] });
  const words =
    'No page matches the whole filter: Little text; Crawl depth at least 4. Remove a part of it to see more.';
  expect(printed(none).replaceAll(/\s+/g, ' ')).toContain(words);
  expect(drawn(none)).toContain(words);
  const links = printed({ ...none, isLinks: true });
  expect(links).toContain('No link leads to a page that matches the whole filter: ');
});

test('if the total is not counted, the list says "more than" the shown rows; lists of links are called links', () => {
  expect(printed(list({ total: null, before: 100 }))).toMatch(/^More than 102 pages\n/);
  expect(printed(list({ rows: [], total: 0 }, { conditions: [] }))).toContain('\nThe crawl has no pages.\n');
  expect(drawn(list({ rows: [], before: 100 }))).toContain('There are no more pages.');
  const links = list({ isLinks: true, issue: ISSUE });
  expect(printed(links)).toMatch(/^3 links to pages: Little text\n[\s\S]* --inlinks --limit 3\n$/);
  expect(drawn(links)).not.toContain('sort=');
});
