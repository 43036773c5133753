import { expect, test } from 'vitest';
import { SEARCH_CEILING } from '../../../../../src/client/resources/search.ts';
import {
  SEARCH_PAGE_ROWS,
  SEARCH_ROUTE,
} from '../../../../../src/etl/pipeline/routes/search/search-route.ts';
import { sharedService } from '../../../../service/support.ts';
import { partsOf, requestFor, routeContext, rowsIn, taskOf } from '../route-context.ts';

const it = await sharedService({ generate: ['crawls=2,pages=2100,links=10,columns=8,seed=3'] });
const SEARCH = { route: 'search', format: 'json', store: null } as const;

test('rows of several pages need a unique key', async () => {
  const context = await routeContext(it);
  const unit = await requestFor(context, taskOf(await it.crawlId()), SEARCH);
  const source = await SEARCH_ROUTE.open(context, unit);
  expect([source.reported, source.key]).toEqual([2100, ['url']]);
  expect(rowsIn(await partsOf(source))).toBe(2100);
});

test('a single page needs no key', async () => {
  const context = await routeContext(it);
  const oql = { field: ['url', 'endswith', '7'] } as const;
  const few = await requestFor(context, { ...taskOf(await it.crawlId()), oql }, SEARCH);
  const source = await SEARCH_ROUTE.open(context, few);
  expect(source.reported).toBeLessThan(SEARCH_PAGE_ROWS);
  expect([source.key, source.filter]).toEqual([[], oql]);
  expect(rowsIn(await partsOf(source))).toBe(source.reported);
});

test('a search suits what fits its limit, and costs one request per page', () => {
  expect([null, SEARCH_CEILING, SEARCH_CEILING + 1].map((rows) => SEARCH_ROUTE.suits(rows))).toEqual([
    false,
    true,
    false,
  ]);
  const crawl = { kind: 'crawl', data_type: 'pages' } as const;
  expect(SEARCH_ROUTE.requests(crawl, SEARCH_PAGE_ROWS + 1)).toBe(4);
});
