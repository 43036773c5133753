import { join } from 'node:path';
import { expect, test } from 'vitest';
import { loadIssues } from '../../../src/etl/project/sql/models/load-issues.ts';
import { sqlFolder } from '../../../src/etl/project/sql/models/sql-folders.ts';
import { crawlIssues, wrongIssues } from '../../oddities/crawl-issues.ts';
import { PAGES } from '../../oddities/issue-pages.ts';

/** Those that ask what links lead to a page. */
const LINKED = [
  'deep_page',
  'deep_with_clicks',
  'linked_redirect',
  'one_inlink',
  'only_nofollow_inlinks',
  'orphan',
  'robots_denied',
  'url_tracking',
];

test('each issue is found on its test page of a real crawl, and not on the similar page', async () => {
  // Pages that are refused or broken leave it open which links a crawl did not see, so what needs all links stands apart.
  const issues = await loadIssues([sqlFolder(join(import.meta.dirname, '../../..', 'sql'))]);
  const needing = new Set(issues.filter(({ needs }) => needs.includes('links')).map(({ name }) => name));
  expect(needing.size).toBeGreaterThan(0);
  // With it, the other crawl does not know what is in no sitemap.
  needing.add('unreadable_sitemap');
  for (const isNeeding of [true, false]) {
    const pages = Object.fromEntries(
      Object.entries(PAGES).filter(([issue]) => needing.has(issue) === isNeeding),
    );
    expect(wrongIssues(pages, await crawlIssues(pages))).toEqual([]);
  }
});

test('a crawl of a list knows no links to its pages, so issues about links are unknown', async () => {
  const pages = Object.fromEntries(
    [...LINKED, 'client_error'].flatMap((issue) =>
      PAGES[issue] === undefined ? [] : [[issue, PAGES[issue]]],
    ),
  );
  const found = await crawlIssues(pages, { isList: true });
  const told = [...found.issues].flatMap(([url, issues]) =>
    LINKED.filter((issue) => issues.has(issue)).map((issue) => `${issue}: ${url}`),
  );
  expect(told).toEqual([]);
  // The list itself names its errors.
  const errors = [...found.issues.values()].filter((issues) => issues.has('client_error'));
  expect(errors.length).toBe(PAGES.client_error?.length);
  expect(await found.rows('SELECT * FROM mart.orphans')).toEqual([]);
  const known = `SELECT DISTINCT depth, nb_inlinks, follow_inlinks, nofollow_inlinks FROM mart.pages`;
  expect(await found.rows(known)).toEqual([
    { depth: null, nb_inlinks: null, follow_inlinks: null, nofollow_inlinks: null },
  ]);
});
