import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { RouteOption } from '../../../../src/etl/pipeline/routes/route.ts';
import {
  EXPORT_WAIT,
  isWeighed,
  VALUES_PER_SECOND,
  weighExport,
  withPast,
} from '../../../../src/etl/pipeline/routes/weigh-export.ts';
import type { Field } from '../../../../src/etl/project/model/field.ts';
import { type RouteLoad, routePaces } from '../../../../src/etl/project/model/route-pace.ts';

const STREAM: RouteOption = { route: 'stream', format: 'json', store: null, reason: 's', cheaper: 'csv' };
const EXPORT: RouteOption = { route: 'export', format: 'parquet', store: 'store_a', reason: 'e' };
const SEARCH: RouteOption = { route: 'search', format: 'json', store: null, reason: 'q' };
const BOTH = [EXPORT, STREAM, SEARCH];

/** Fields of a unit that comes by JSON. */
function fieldsOf(count: number): Field[] {
  return Array.from({ length: count }, (_, index) => ({
    name: `f${index}`,
    type: 'string',
    arity: index === 0 ? 'many' : 'one',
  }));
}

function load(route: 'stream' | 'export', more: Partial<RouteLoad> = {}): RouteLoad {
  const waited = route === 'export' ? 60 : null;
  const format = route === 'export' ? 'parquet' : 'json';
  return {
    dataset: 'crawl_pages',
    project_id: 'p',
    route,
    format,
    rows: 1_000_000,
    seconds: 100,
    waited,
    ...more,
  };
}

function weigh(rows: number | null, fields: number, loads: readonly RouteLoad[] = []) {
  return weighExport(withPast(BOTH, routePaces(loads)), { rows, fields: fieldsOf(fields) });
}

test.for([
  [3_000, 100, 'stream', '3,000 rows, in less time than the wait for a data export, about 2 min'],
  [1, 2, 'stream', '1 row, in less time than the wait for a data export, about 2 min'],
  [3_999_999, 100, 'stream', '3,999,999 rows, about 3 min, compared with 3 min by a data export in Parquet'],
  [4_000_001, 100, 'export', '4,000,001 rows, about 3 min, compared with 3 min by the stream'],
  [20_000_000, 100, 'export', '20,000,000 rows, about 9 min, compared with 17 min by the stream'],
  [533_000, 750, 'stream', '533,000 rows, about 3 min, compared with 3 min by a data export in Parquet'],
  [534_000, 750, 'export', '534,000 rows, about 3 min, compared with 3 min by the stream'],
] as const)('without past loads, %d rows of %d fields use %s', ([rows, fields, route, why]) => {
  const begin = route === 'export' ? 'export in Parquet' : 'stream';
  expect(weigh(rows, fields)).toMatchObject({ route, reason: `${begin}: ${why} (no past loads)` });
});

const SLOW = load('stream', { seconds: 1000 });
const SMALL_EXPORT = load('export', { rows: 10, seconds: 6, waited: 5 });

test.for([
  ['a slow stream', [SLOW], 400_000, 'export', '1 past load, none by a data export', undefined],
  ['a quick stream', [load('stream')], 4_000_001, 'export', '1 past load, none by a data export', undefined],
  ['a short wait', [SMALL_EXPORT], 200_000, 'export', '1 past load, none by the stream', 9],
  ['both', [SLOW, SLOW, load('export')], 400_000, 'export', '3 past loads', 76],
  ['both', [SLOW, load('export')], 60_000, 'stream', '2 past loads', 60],
  ['another format', [{ ...SLOW, format: 'csv' }], 400_000, 'stream', 'no past loads', undefined],
] as const)(
  '%s in the past, %o: %d rows of 100 fields use %s (%s)',
  ([, loads, rows, route, basis, seconds]) => {
    const weighed = weigh(rows, 100, loads);
    expect(weighed).toMatchObject({ route, reason: expect.stringContaining(`(${basis})`) });
    expect(weighed?.seconds).toBe(seconds);
  },
);

test('CSV has its own pace if the fields of the unit select it', () => {
  const plain = fieldsOf(10).map((field) => ({ ...field, arity: 'one' as const }));
  const between = 50_000_000;
  expect(weighExport(BOTH, { rows: between, fields: plain })?.route).toBe('stream');
  expect(weighExport(BOTH, { rows: between, fields: fieldsOf(10) })?.route).toBe('export');
});

test('routes are compared only if both are possible, and rows and fields are known', () => {
  const facts = { rows: 1e9, fields: fieldsOf(10) };
  expect([BOTH, [EXPORT], [STREAM, SEARCH], [EXPORT, SEARCH]].map(isWeighed)).toEqual([
    true,
    false,
    false,
    false,
  ]);
  expect(weighExport([STREAM, SEARCH], facts)).toBeNull();
  expect(weighExport([EXPORT, SEARCH], facts)).toBeNull();
  expect(weighExport(BOTH, { ...facts, rows: null })).toBeNull();
  expect(weighExport(BOTH, { ...facts, fields: null })).toBeNull();
  expect(withPast([STREAM, SEARCH], routePaces([SLOW]))).toEqual([STREAM, SEARCH]);
});

const REQUESTED = { store: 'store_a', format: 'parquet' };

test.for([
  ['EXPORTING', REQUESTED, 'export'],
  ['intended', REQUESTED, 'export'],
  ['DONE', REQUESTED, 'export'],
  ['loaded', REQUESTED, 'stream'],
  ['FAILED', REQUESTED, 'stream'],
  ['GONE', REQUESTED, 'stream'],
  ['UNUSABLE', REQUESTED, 'stream'],
  ['EXPORTING', { ...REQUESTED, store: 'store_b' }, 'stream'],
  ['EXPORTING', { ...REQUESTED, format: 'json' }, 'stream'],
] as const)('a small unit whose data export is %s, %o, uses %s', ([status, place, route]) => {
  const requested = { ...place, status };
  expect(weighExport(BOTH, { rows: 10, fields: fieldsOf(10), requested })?.route).toBe(route);
});

test('fields that Parquet may lose keep the stream, and a JSON data export does not lose them', () => {
  const fields = [...fieldsOf(10), { name: 'F1', type: 'string', arity: 'one' as const }];
  const facts = { rows: 1e9, fields };
  expect(weighExport(BOTH, facts)).toMatchObject({
    route: 'stream',
    reason: `stream, because Parquet cannot have both "f1" and "F1", which differ only in case`,
  });
  const json = { ...EXPORT, format: 'json' } as const;
  const quick = routePaces([load('export', { format: 'json', seconds: 61 })]);
  expect(weighExport(withPast([json, STREAM], quick), facts)?.route).toBe('export');
});

const paces = fc.array(
  fc
    .record({
      route: fc.constantFrom('stream' as const, 'export' as const),
      rows: fc.integer({ min: 1, max: 50_000_000 }),
      seconds: fc.double({ min: 0.001, max: 100_000, noNaN: true }),
      share: fc.double({ min: 0, max: 1, noNaN: true }),
    })
    .map(({ route, rows, seconds, share }) =>
      load(route, { rows, seconds, waited: route === 'export' ? seconds * share : null }),
    ),
  { maxLength: 14 },
);
const rows = fc.integer({ min: 0, max: 100_000_000 });
const fields = fc.integer({ min: 2, max: 1000 });

test('more rows never change a data export to a stream', () => {
  fc.assert(
    fc.property(paces, rows, rows, fields, (loads, some, more, count) => {
      fc.pre(weigh(some, count, loads)?.route === 'export');
      expect(weigh(some + more, count, loads)?.route).toBe('export');
    }),
  );
});

test('a slower past load never makes its route preferred', () => {
  fc.assert(
    fc.property(paces, fc.nat(), fc.integer({ min: 1, max: 1e6 }), rows, (loads, at, longer, some) => {
      const one = loads[at % Math.max(1, loads.length)];
      fc.pre(one !== undefined);
      const before = weigh(some, 100, loads)?.route;
      fc.pre(one !== undefined && before !== one.route);
      const slower = loads.map((each) => (each === one ? { ...each, seconds: each.seconds + longer } : each));
      expect(weigh(some, 100, slower)?.route).toBe(before);
    }),
  );
});

test('a later data export never makes data exports preferred', () => {
  fc.assert(
    fc.property(paces, fc.integer({ min: 1, max: 1e6 }), rows, (loads, longer, some) => {
      fc.pre(weigh(some, 100, loads)?.route === 'stream');
      const later = loads.map((one) =>
        one.waited === null ? one : { ...one, seconds: one.seconds + longer, waited: one.waited + longer },
      );
      expect(weigh(some, 100, later)?.route).toBe('stream');
    }),
  );
});

test('a unit without rows uses the stream, whatever the past', () => {
  fc.assert(
    fc.property(paces, (loads) => {
      expect(weigh(0, 100, loads)?.route).toBe('stream');
    }),
  );
});

test('the defaults are ordered: Parquet is read faster than text, and a data export waits', () => {
  const { json, csv, parquet } = VALUES_PER_SECOND;
  expect([json < csv, csv < parquet, EXPORT_WAIT > 0]).toEqual([true, true, true]);
});
