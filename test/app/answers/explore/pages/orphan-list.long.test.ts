import { afterAll, beforeAll, expect, test } from 'vitest';
import { filterOfQuery } from '../../../../../src/app/answers/explore/pages/page-filter.ts';
import { pageStatement } from '../../../../../src/app/answers/explore/pages/page-statement.ts';
import { readPages } from '../../../../../src/app/answers/explore/pages/read-pages.ts';
import type { QueryProcess } from '../../../../../src/app/answers/query/query-process.ts';
import { findNonPortable } from '../../../../../src/etl/project/sql/text/portable-sql.ts';
import { at, dataset, pagesOf, type Sites } from '../../../../questions/sites/sites.ts';
import { publishedSites } from '../../../../support/published-sites.ts';
import { sharedFolder, temporaryConnection } from '../../../../support/temporary.ts';

const HOST = 'https://shop.example';
const page = pagesOf(HOST);
const shown = (path: string) => ({
  date: '2026-03-08',
  url: HOST + path,
  query: 'lamp',
  device: 'mobile',
  clicks: 2,
  impressions: 9,
  position: 3,
});
const recheck = (path: string, status_code: number, is_indexable: boolean | null) => ({
  kind: 'recheck',
  url: HOST + path,
  status_code,
  is_indexable,
});

/** A crawl that asks again for URLs that only search results know. */
const SITES: Sites = {
  projects: [
    {
      id: 'p-o',
      name: 'Shop',
      startUrl: `${HOST}/`,
      ranking: dataset(['/landing', '/gone', '/hidden', '/not-asked'].map(shown)),
    },
  ],
  crawls: [
    {
      id: 'c1',
      projectId: 'p-o',
      status: 'done',
      endReason: 'ok',
      config: { id: 'web', name: 'Web' },
      endedAt: at('2026-03-10T03:00:00Z'),
      pages: dataset([
        page('/', { depth: 0, nb_inlinks: 1, sources: ['crawler'] }),
        page('/alone', { depth: null, nb_inlinks: 0, sources: ['sitemap'] }),
      ]),
      requests: dataset([
        recheck('/landing', 200, true),
        recheck('/gone', 404, false),
        recheck('/hidden', 200, false),
      ]),
    },
  ],
};

const folder = sharedFolder();
const signal = new AbortController().signal;
let warehouse: QueryProcess;
beforeAll(async () => {
  warehouse = await publishedSites(folder, SITES);
});
afterAll(() => warehouse?.[Symbol.asyncDispose]());

const query = filterOfQuery('Shop', new URLSearchParams('issue=orphan&sort=url'));

test('the list of orphans contains the landing pages that the crawl found at its end, and its count matches', async () => {
  const { rows, total } = await readPages(warehouse, query, 9, signal);
  expect(rows.map(({ url, status_code, is_indexable }) => [url, status_code, is_indexable])).toEqual([
    [`${HOST}/alone`, 200, true],
    [`${HOST}/landing`, 200, true],
  ]);
  expect(total).toBe(2);
  const [counted] = (await warehouse.rows(
    "SELECT pages FROM mart.issue_changes WHERE issue = 'orphan'",
    signal,
  )) as { pages: number }[];
  expect(counted?.pages).toBe(2);
});

test('the statement of the list of orphans is portable SQL', async () => {
  const { sql, count } = await pageStatement(warehouse, query, signal);
  const connection = await temporaryConnection(folder);
  for (const one of [sql, count])
    expect(await findNonPortable(connection, one, { file: 'SQL', line: 1 })).toEqual([]);
});

test('without an issue, the list contains only crawled pages', async () => {
  expect((await readPages(warehouse, filterOfQuery('Shop', new URLSearchParams()), 9, signal)).total).toBe(2);
});
