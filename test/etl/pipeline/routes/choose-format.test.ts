import { expect, test } from 'vitest';
import { chooseFormat } from '../../../../src/etl/pipeline/routes/choose-format.ts';
import { type RouteOverride, routeOptions } from '../../../../src/etl/pipeline/routes/choose-route.ts';
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
const FIELDS: readonly Field[] = [
  { name: 'origin', type: 'string', arity: 'one' },
  { name: 'target', type: 'string', arity: 'one' },
];
const LISTS: readonly Field[] = [...FIELDS, { name: 'h2', type: 'string', arity: 'many' }];

test('the fields of a unit decide the format of a stream, with a reason', () => {
  const [stream] = routeOptions(pipeline(), NONE, []);
  expect(stream && [chooseFormat(stream, FIELDS), chooseFormat(stream, LISTS)]).toEqual([
    {
      route: 'stream',
      format: 'csv',
      store: null,
      reason: 'a streamed export carries every row; CSV, because each field fits in it',
    },
    {
      route: 'stream',
      format: 'json',
      store: null,
      reason:
        'a streamed export carries every row; JSON, because CSV loses differences in 1 of 3 fields ("h2")',
    },
  ]);
});

test('an explicit format, and the format of a search or data export, does not depend on fields', () => {
  for (const format of ['csv', 'json'] as const) {
    const [asked] = routeOptions(pipeline({ format }), NONE, []);
    expect(asked && chooseFormat(asked, LISTS)).toMatchObject({
      format,
      reason: expect.not.stringContaining('because'),
    });
    expect(asked && chooseFormat(asked, FIELDS)).toEqual(asked);
  }
  const others = routeOptions(pipeline(), NONE, BOTH).filter(({ route }) => route !== 'stream');
  expect(others.map((one) => [one.route, chooseFormat(one, FIELDS).format])).toEqual([
    ['export', 'parquet'],
    ['search', 'json'],
  ]);
  const [asked] = routeOptions(pipeline({ route: 'stream' }), NONE, []);
  expect(asked && chooseFormat(asked, FIELDS).reason).toBe(
    'as requested; CSV, because each field fits in it',
  );
});

test('past loads of a route do not affect the format', () => {
  const option = { route: 'export', format: 'parquet', store: 'store_a', reason: 'r' } as const;
  expect(chooseFormat({ ...option, past: [], seconds: 3 }, LISTS)).toEqual(option);
});
