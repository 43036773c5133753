import { expect, test } from 'vitest';
import { Pipeline } from '../../src/model/pipeline.ts';
import { chooseRoute, type RouteWish } from '../../src/pipeline/choose-route.ts';

function pipeline(more: Record<string, unknown> = {}): Pipeline {
  return Pipeline.parse({
    dataset: 'crawl_pages',
    description: 'Pages',
    source: { kind: 'crawl', data_type: 'pages' },
    ...more,
  });
}

const NONE: RouteWish = { route: null, format: null };

const resource = (dataType: string, columns: unknown = { id: 'string' }): Pipeline =>
  pipeline({ dataset: dataType, source: { kind: 'resource', data_type: dataType }, columns });

test('a crawl comes as a streamed export in JSON when nothing else is asked for', () => {
  expect(chooseRoute(pipeline(), NONE)).toMatchObject({
    route: 'stream',
    format: 'json',
    dataType: 'pages',
    oql: null,
  });
});

test('the command line goes before the pipeline file, and auto leaves it to the file', () => {
  const csv = pipeline({ format: 'csv' });
  expect(chooseRoute(csv, NONE)).toMatchObject({ format: 'csv', reason: 'as asked for' });
  expect(chooseRoute(csv, { route: 'stream', format: 'json' })).toMatchObject({ format: 'json' });
  expect(chooseRoute(csv, { route: 'auto', format: 'auto' })).toMatchObject({ format: 'csv' });
});

test('a filter of the pipeline goes with the route; one that is no OQL names the file', () => {
  const filter = { field: ['status_code', 'equals', 404] };
  expect(chooseRoute(pipeline({ filter }), NONE)).toMatchObject({ oql: filter });
  expect(chooseRoute(pipeline({ filter: null }), NONE)).toMatchObject({ oql: null });
  expect(() => chooseRoute(pipeline({ filter: { field: ['a', 'is', 1] } }), NONE)).toThrow(
    expect.objectContaining({
      code: 'bad_pipeline',
      message: expect.stringContaining('pipelines/crawl_pages.yaml'),
    }),
  );
});

test.for([
  [{ route: 'search' }, NONE, 'has no route search'],
  [{}, { route: 'export', format: null }, 'has no route export'],
  [{ format: 'parquet' }, NONE, 'does not come as parquet by the route stream'],
  [{}, { route: null, format: 'parquet' }, 'does not come as parquet by the route stream'],
  [{ source: { kind: 'crawl', data_type: 'pictures' } }, NONE, 'the source crawl pictures has no route'],
  [
    { source: { kind: 'log_monitoring', data_type: 'pages' } },
    NONE,
    'the source log_monitoring pages has no route',
  ],
] as const)('%o with the wish %o cannot be had', ([more, wish, problem]) => {
  expect(() => chooseRoute(pipeline(more), wish)).toThrow(
    expect.objectContaining({
      code: 'impossible_route',
      exitCode: 2,
      message: `crawl_pages: ${problem}`,
      hint: expect.stringMatching(/^possible: /),
    }),
  );
});

test('a resource comes as a list and declares its columns', () => {
  expect(chooseRoute(resource('crawls'), NONE)).toMatchObject({
    route: 'list',
    format: 'json',
    list: 'crawls',
  });
  expect(() => chooseRoute(resource('pictures'), NONE)).toThrow(
    expect.objectContaining({ code: 'impossible_route', hint: 'possible: projects, crawls' }),
  );
  expect(() => chooseRoute(resource('projects', {}), NONE)).toThrow(
    expect.objectContaining({
      code: 'bad_pipeline',
      message: expect.stringContaining('declares its columns'),
    }),
  );
});
