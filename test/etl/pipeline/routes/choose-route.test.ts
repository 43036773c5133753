import { expect, test } from 'vitest';
import {
  pickRoute,
  possibleRoutes,
  type RouteOverride,
  routeOptions,
} from '../../../../src/etl/pipeline/routes/choose-route.ts';
import type { Field } from '../../../../src/etl/project/model/field.ts';
import { Pipeline } from '../../../../src/etl/project/model/pipeline.ts';

function pipeline(more: Record<string, unknown> = {}): Pipeline {
  return Pipeline.parse({
    dataset: 'crawl_pages',
    description: 'Pages',
    source: { kind: 'crawl', data_type: 'pages' },
    ...more,
  });
}

const NONE: RouteOverride = { route: null, format: null, store: null };
const BOTH = ['store_a', 'store_b'] as const;

test('by default a crawl uses a streamed export, with a search as fallback', () => {
  const options = routeOptions(pipeline(), NONE, []);
  expect(options.map(({ route, format }) => [route, format])).toEqual([
    ['stream', 'json'],
    ['search', 'json'],
  ]);
  expect(pickRoute(options, { rows: 20_000_000, fields: FIELDS }).route).toBe('stream');
});

const FIELDS: readonly Field[] = [
  { name: 'origin', type: 'string', arity: 'one' },
  { name: 'target', type: 'string', arity: 'one' },
];
const LISTS: readonly Field[] = [...FIELDS, { name: 'h2', type: 'string', arity: 'many' }];

test('with a store, a huge crawl uses a data export, a small one does not', () => {
  const options = routeOptions(pipeline(), NONE, BOTH);
  expect(pickRoute(options, { rows: 1_000_000, fields: LISTS }).route).toBe('stream');
  expect(pickRoute(options, { rows: 200_000_000, fields: LISTS })).toMatchObject({
    route: 'export',
    format: 'parquet',
    store: 'store_a',
  });
});

test.for([
  [{ route: 'stream' }, {}, 'stream'],
  [{}, { route: 'stream' }, 'stream'],
  [{ route: 'export' }, {}, 'export'],
  [{}, { route: 'export' }, 'export'],
  [{ route: 'stream' }, { route: 'export' }, 'export'],
  [{ filter: { field: ['status_code', 'equals', 404] } }, {}, 'stream'],
  [{ fields: { include: ['url', 'depth'] } }, {}, 'stream'],
] as const)(
  '%o with the override %o fixes the route of any number of rows: %s',
  ([more, override, route]) => {
    const options = routeOptions(pipeline(more), { ...NONE, ...override }, BOTH);
    for (const rows of [3, 1_000_000_000])
      expect(pickRoute(options, { rows, fields: LISTS })).toEqual(options[0]);
    expect(options[0]?.route).toBe(route);
  },
);

test('if the stream is refused, few rows use a search, many a data export', () => {
  const options = routeOptions(pipeline(), NONE, BOTH).filter(({ route }) => route !== 'stream');
  const routes = [10_000, 10_001, null].map((rows) => pickRoute(options, { rows, fields: LISTS }).route);
  expect(routes).toEqual(['search', 'export', 'export']);
});

test('if only a search is left, it is used for any number of rows', () => {
  const [, search] = routeOptions(pipeline(), NONE, []);
  expect(search && pickRoute([search], { rows: 1_000_000, fields: LISTS }).route).toBe('search');
});

test('the command line overrides the pipeline file, and auto keeps the pipeline file', () => {
  const csv = pipeline({ format: 'csv', route: 'stream' });
  expect(routeOptions(csv, NONE, [])).toMatchObject([{ format: 'csv', reason: 'as requested' }]);
  expect(routeOptions(csv, { ...NONE, route: 'stream', format: 'json' }, [])).toMatchObject([
    { format: 'json' },
  ]);
  expect(routeOptions(csv, { ...NONE, route: 'auto', format: 'auto' }, [])).toMatchObject([
    { format: 'csv' },
  ]);
});

test('an explicit store means a data export to it', () => {
  expect(routeOptions(pipeline(), { ...NONE, store: 'store_b' }, BOTH)).toMatchObject([
    { route: 'export', format: 'parquet', store: 'store_b' },
  ]);
});

test('lists and aggregates always use their only route', () => {
  const override: RouteOverride = { route: 'export', format: 'parquet', store: 'store_a' };
  const list = pipeline({ source: { kind: 'resource', data_type: 'crawls' } });
  const ranking = pipeline({ source: { kind: 'ranking_performance', data_type: 'ranking_performance' } });
  expect(routeOptions(list, override, BOTH)).toMatchObject([{ route: 'list', format: 'json' }]);
  expect(routeOptions(ranking, override, BOTH)).toMatchObject([{ route: 'aggs', format: 'json' }]);
});

const FILTER = { field: ['status_code', 'equals', 404] };

test.for([
  [{ route: 'aggs' }, {}, BOTH, 'does not come by route aggs'],
  [{ format: 'parquet', route: 'stream' }, {}, BOTH, 'does not come by route stream as parquet'],
  [{}, { route: 'export' }, [], 'no store is configured'],
  [{}, { route: 'export', store: 'store_b' }, ['store_a'], 'store_b is not configured'],
  [{ filter: FILTER }, { route: 'export' }, BOTH, 'a data export accepts no filter'],
  [{ fields: { include: ['url'] } }, { route: 'export' }, BOTH, 'a data export accepts no choice of fields'],
  [
    { source: { kind: 'crawl', data_type: 'clusters' } },
    { route: 'export' },
    BOTH,
    'does not come by route export',
  ],
  [
    { source: { kind: 'log_monitoring', data_type: 'pages' } },
    { store: 'store_a' },
    BOTH,
    'does not come by route auto',
  ],
  [{ source: { kind: 'crawl', data_type: 'pictures' } }, {}, BOTH, 'the source crawl pictures has no route'],
] as const)(
  '%o with the override %o and the stores %o is impossible',
  ([more, override, stores, problem]) => {
    expect(() => routeOptions(pipeline(more), { ...NONE, ...override }, stores)).toThrow(
      expect.objectContaining({
        code: 'impossible_route',
        exitCode: 2,
        message: `crawl_pages: ${problem}`,
        hint: expect.stringMatching(/^possible: /),
      }),
    );
  },
);

test('every kind of source has a route', () => {
  for (const [kind, data_type] of [
    ['crawl', 'structured_data'],
    ['crawl', 'fields'],
    ['crawl_over_crawl', 'pages'],
    ['log_monitoring', 'events'],
    ['ranking_performance', 'ranking_performance'],
    ['resource', 'ingest_files'],
  ] as const) {
    expect(Object.keys(possibleRoutes({ kind, data_type })).length).toBeGreaterThan(0);
  }
});
