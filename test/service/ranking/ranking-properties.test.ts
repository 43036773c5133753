import fc from 'fast-check';
import { expect, onTestFinished, test } from 'vitest';
import type { Oql } from '../../../src/client/oql/oql.ts';
import { RankingQuery } from '../../../src/client/resources/ranking-performance.ts';
import { type Column, kindOfField, SQL_TYPES } from '../../../src/service/fields/column.ts';
import { RANKING_FIELD_RECORDS } from '../../../src/service/fields/field-records-of.ts';
import { aggregateRanking, rankingTable, touchedBy } from '../../../src/service/ranking/ranking-table.ts';
import type { StoredDataset } from '../../../src/service/resources/resources.ts';
import { ServiceRows } from '../../../src/service/rows/service-rows.ts';
import { runs } from '../../support/runs.ts';
import { temporaryFolder } from '../../support/temporary.ts';
import { type PlainQuery, plainRanking, type RankingRow } from './plain-ranking.ts';
import '../../support/process-timeout.ts';

const NAMES = ['url', 'date', 'device', 'clicks', 'impressions', 'position'];
const COLUMNS = RANKING_FIELD_RECORDS.filter(({ name }) => NAMES.includes(name)).map(
  (field, index): Column => ({ id: `c${index}`, kind: kindOfField(field), field }),
);
const DATASET: StoredDataset = { table: 'ranking', columns: COLUMNS };

const DAYS = ['2025-01-01', '2025-01-02', '2025-01-03', '2025-01-04'];
const URLS = ['https://a.example/', 'https://a.example/é', 'https://a.example/B', ''];
const DEVICES = ['desktop', 'mobile', 'tablet'];

const rows: fc.Arbitrary<RankingRow[]> = fc.array(
  fc.record({
    url: fc.constantFrom(...URLS),
    date: fc.constantFrom(...DAYS),
    device: fc.constantFrom(...DEVICES, null),
    clicks: fc.nat(5),
    impressions: fc.nat(20),
    position: fc.option(fc.integer({ min: 10, max: 400 }).map((tenths) => tenths / 10)),
  }),
  { maxLength: 40, size: 'max' },
);

const leaf: fc.Arbitrary<Oql> = fc.oneof(
  fc.record({
    field: fc.tuple(
      fc.constant('device'),
      fc.constantFrom('equals', 'not_equals'),
      fc.constantFrom(...DEVICES),
    ),
  }),
  fc.record({
    field: fc.tuple(
      fc.constant('date'),
      fc.constantFrom('gte', 'gt', 'lt', 'lte', 'equals'),
      fc.constantFrom(...DAYS),
    ),
  }),
  fc.record({
    field: fc.tuple(
      fc.constant('date'),
      fc.constant('between' as const),
      fc.tuple(fc.constantFrom(...DAYS), fc.constantFrom(...DAYS)),
    ),
  }),
  fc.record({ field: fc.tuple(fc.constant('impressions'), fc.constantFrom('gte', 'lt'), fc.nat(20)) }),
) as fc.Arbitrary<Oql>;

const tree: fc.Arbitrary<Oql> = fc.letrec<{ node: Oql }>((tie) => ({
  node: fc.oneof(
    { depthSize: 'small', maxDepth: 3 },
    leaf,
    fc.record({ and: fc.array(tie('node'), { maxLength: 3 }) }),
    fc.record({ or: fc.array(tie('node'), { minLength: 1, maxLength: 3 }) }),
  ),
})).node;

const METRICS = [
  { field: 'clicks', method: 'sum', alias: 'c' },
  { field: 'impressions', method: 'sum', alias: 'impressions' },
  { field: 'position', method: 'weighted_average', alias: 'p p' },
  { field: 'clicks', method: 'ctr', alias: 'Rate' },
  { field: 'url', method: 'cardinality', alias: 'urls' },
  { field: 'device', method: 'cardinality', alias: 'rate' },
] as const;

const query: fc.Arbitrary<PlainQuery> = fc
  .record({
    fields: fc.subarray(['url', 'date', 'device'] as const),
    value: fc.subarray([...METRICS]),
    oql: fc.option(tree),
    limit: fc.nat(30),
    offset: fc.oneof({ weight: 3, arbitrary: fc.constant(0) }, fc.nat(6)),
    seed: fc.tuple(
      fc.nat(10),
      fc.nat(10),
      fc.constantFrom('asc' as const, 'desc' as const),
      fc.nat(12),
      fc.boolean(),
    ),
  })
  .map(({ seed: [first, second, order, bound, filters], ...rest }) => {
    const aliases = rest.value.length > 0 ? rest.value.map(({ alias }): string => alias) : ['count'];
    const names = [...rest.fields, ...aliases];
    const at = (index: number): string => names[index % names.length] ?? 'count';
    const after: Oql = { field: [aliases[first % aliases.length] ?? 'count', 'gte', bound / 2] };
    const sort = [...new Set([at(first), at(second)])].map((field) => ({ field, order }));
    return { ...rest, sort, post_aggs_oql: filters ? after : null };
  });

async function openStore(): Promise<ServiceRows> {
  const store = await ServiceRows.open(await temporaryFolder());
  onTestFinished(() => store[Symbol.asyncDispose]());
  return store;
}

async function fill(store: ServiceRows, given: readonly RankingRow[]): Promise<void> {
  const cells = COLUMNS.map(
    ({ id, kind, field }) =>
      `CAST(nullif(json_extract_string(row, '$.${field.name}'), 'null') AS ${SQL_TYPES[kind]}) AS ${id}`,
  );
  const sql = `CREATE OR REPLACE TABLE ${ServiceRows.table('ranking')} AS SELECT ${cells.join(', ')} FROM (SELECT unnest(json_extract($1::JSON, '$[*]')) AS row)`;
  await store.use((connection) => connection.run(sql, [JSON.stringify(given)]));
}

async function answer(store: ServiceRows, asked: PlainQuery): Promise<{ cols: string[]; rows: unknown[][] }> {
  const parsed = RankingQuery.parse({ ...asked, sort: [...asked.sort] });
  const table = rankingTable(DATASET, parsed, 'aggs[0]');
  const text = await store.use((connection) => aggregateRanking(connection, table, asked));
  return JSON.parse(text) as { cols: string[]; rows: unknown[][] };
}

test('a ranking aggregate equals a plain evaluation of its query', async () => {
  const store = await openStore();
  let compared = 0;
  await fc.assert(
    fc.asyncProperty(rows, query, async (given, asked) => {
      await fill(store, given);
      const { cols, rows: found } = await answer(store, asked);
      const expected = plainRanking(given, asked);
      compared += expected.length;
      expect(cols).toEqual([
        ...asked.fields,
        ...(asked.value.length > 0 ? asked.value.map(({ alias }) => alias) : ['count']),
      ]);
      expect(found).toEqual(expected);
    }),
    { numRuns: runs(150) },
  );
  expect(compared).toBeGreaterThan(runs(100));
});

test('an average with a tie in its last decimal rounds alike for any row order', async () => {
  const store = await openStore();
  const shown = [
    [15, 18.1],
    [13, 29.7],
    [10, 1],
    [5, 28.3],
    [11, 20.6],
    [10, 1],
  ] as const;
  const whole: RankingRow[] = shown.map(([impressions, position]) => ({
    url: 'https://a.example/',
    date: '2025-01-01',
    device: 'desktop',
    clicks: 0,
    impressions,
    position,
  }));
  const value = [{ field: 'position', method: 'weighted_average', alias: 'p' }] as const;
  const asked: PlainQuery = {
    fields: [],
    value,
    oql: null,
    post_aggs_oql: null,
    sort: [],
    limit: 1,
    offset: 0,
  };
  const orders = whole.map((_, first) => [...whole.slice(first), ...whole.slice(0, first)]);
  for (const given of [...orders, ...orders.map((order) => order.toReversed())]) {
    await fill(store, given);
    expect((await answer(store, asked)).rows).toEqual([[16.339063]]);
  }
});

test('pages of any size contain every row once, in order', async () => {
  const store = await openStore();
  await fc.assert(
    fc.asyncProperty(rows, query, fc.integer({ min: 1, max: 7 }), async (given, asked, size) => {
      await fill(store, given);
      const whole = await answer(store, { ...asked, limit: 1000, offset: 0 });
      const parts: unknown[][] = [];
      for (let offset = 0; offset <= whole.rows.length; offset += size)
        parts.push(...(await answer(store, { ...asked, limit: size, offset })).rows);
      expect(parts).toEqual(whole.rows);
    }),
    { numRuns: runs(25) },
  );
});

test('the days of a filter cover all its rows, and a filter without days covers all days', async () => {
  const store = await openStore();
  await fc.assert(
    fc.asyncProperty(rows, tree, async (given, oql) => {
      await fill(store, given);
      const all = { fields: [], value: [], post_aggs_oql: null, sort: [], limit: 10, offset: 0 };
      const table = rankingTable(DATASET, RankingQuery.parse({ oql }), 'aggs[0]');
      const touched = await store.use((connection) => touchedBy(connection, table));
      const left = plainRanking(given, { ...all, oql })[0]?.[0];
      expect(touched.rows).toBeGreaterThanOrEqual(Number(left));
      expect(touched.rows).toBeLessThanOrEqual(given.length);
      expect(touched.days).toBeLessThanOrEqual(new Set(given.map((row) => row.date)).size);
      if (!JSON.stringify(oql).includes('"date"')) expect(touched.rows).toBe(given.length);
    }),
    { numRuns: runs(60) },
  );
});
