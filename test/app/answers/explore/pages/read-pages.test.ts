import { expect, test } from 'vitest';
import { filterOfQuery } from '../../../../../src/app/answers/explore/pages/page-filter.ts';
import { readInlinksOfPages, readPages } from '../../../../../src/app/answers/explore/pages/read-pages.ts';
import { CRAWL, fakeWarehouse } from '../fake-warehouse.ts';

const { signal } = new AbortController();
const query = (text: string) => filterOfQuery('p', new URLSearchParams(text));
const ROWS = { 'count(*) AS total': [{ total: 40 }], 'LIMIT 10': [{ url: 'a', depth: 1, other: 2 }] };

test('the first pages are read with their total and the types of their columns', async () => {
  const { warehouse, asked } = fakeWarehouse(ROWS);
  expect(await readPages(warehouse, query('sort=depth'), 10, signal)).toMatchObject({
    crawl: CRAWL,
    since: null,
    total: 40,
    rows: [{ url: 'a' }],
    columns: [
      { name: 'url', type: 'VARCHAR' },
      { name: 'depth', type: 'BIGINT' },
      { name: 'other', type: 'VARCHAR' },
    ],
  });
  expect(asked.at(-1)?.sql).toMatch(/url\nLIMIT 10\n\)/);
  await readPages(warehouse, query('change=added'), { limit: 10, offset: 20 }, signal);
  expect(asked.at(-1)?.sql).toMatch(/url\nOFFSET 20 LIMIT 10\n\)/);
  const compared = await readPages(warehouse, query('change=added'), 10, signal);
  expect(compared.since).toEqual({ crawl_id: 'c1', crawl_number: null, ended_at: null });
});

test.each([
  [{ value: '4' }, { crawl: 'c2', after: 'a', after_value: '4' }, '"depth" > CAST($after_value AS BIGINT)'],
  [{ value: null }, { crawl: 'c2', after: 'a' }, '("depth" IS NULL AND url > $after)'],
])('a list continues after a page with %j', async (place, parameters, condition) => {
  const { warehouse, asked } = fakeWarehouse({ 'AS VARCHAR) AS value': [place], ...ROWS });
  const { total } = await readPages(warehouse, query('sort=depth'), { limit: 10, after: 'a' }, signal);
  const [count, rows] = asked.slice(-2);
  expect([total, count?.parameters]).toEqual([40, { crawl: 'c2' }]);
  expect(rows?.parameters).toEqual(parameters);
  expect(rows?.sql).toContain(condition);
  expect(rows?.sql).toMatch(/\nLIMIT 10$/);
});

test('a page that left the list is refused', async () => {
  const { warehouse } = fakeWarehouse(ROWS);
  await expect(readPages(warehouse, query(''), { limit: 10, after: 'a' }, signal)).rejects.toMatchObject({
    code: 'usage',
    message: 'the cursor is after a, which is no longer in the list',
  });
});

test('the links to the pages are read, or reported as not loaded', async () => {
  const { warehouse, asked } = fakeWarehouse(ROWS);
  expect(await readInlinksOfPages(warehouse, query(''), 10, signal)).toMatchObject({
    isLinks: true,
    total: 40,
  });
  expect(asked.at(-2)?.sql).toMatch(/^SELECT count\(\*\) AS total FROM \(SELECT links.origin AS source/);
  expect(asked.at(-1)?.sql).toMatch(/^SELECT links.origin [\s\S]*\nLIMIT 10$/);
  const without = fakeWarehouse({ 'AS chosen': [{ ...CRAWL, has_links: false }] });
  await expect(readInlinksOfPages(without.warehouse, query(''), 10, signal)).rejects.toThrow(
    'the links of crawl c2 are not loaded',
  );
});
