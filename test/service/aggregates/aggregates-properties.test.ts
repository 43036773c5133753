import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { AggRange, AggregateQuery } from '../../../src/client/resources/aggregates.ts';
import { aggregateRows } from '../../../src/service/aggregates/aggregate-rows.ts';
import { planAggregate } from '../../../src/service/aggregates/plan-aggregate.ts';
import { FIELDS, randomStore, rows, tree } from '../oql/random-rows.ts';
import { aggregated, type PlainRow } from './plain-aggregates.ts';
import '../../support/process-timeout.ts';
import { runs } from '../../support/runs.ts';

const NUMBERS = ['count', 'score', 'mixed', 'sizes'];
const DATES = ['day', 'seen'];
const names = FIELDS.map((field) => field.name).filter((name) => name !== 'id');

const bound = fc.constantFrom<number | bigint | undefined>(-1, 0, 0.5, 2, 5, 9007199254740993n, undefined);
const ranges: fc.Arbitrary<AggRange[]> = fc
  .array(fc.tuple(bound, bound), { minLength: 1, maxLength: 3 })
  .map((pairs) =>
    pairs.map(([a, b], index): AggRange => {
      const [from, to] = a !== undefined && b !== undefined && !(a < b) ? [b, undefined] : [a, b];
      return {
        name: `"range" ${index}`,
        ...(from === undefined ? {} : { from }),
        ...(to === undefined ? {} : { to }),
      };
    }),
  );
const bucket = fc.oneof(
  fc.constantFrom(...names).map((name) => ({ name })),
  fc.tuple(fc.constantFrom(...NUMBERS), ranges).map(([name, own]) => ({ name, ranges: own })),
);
const value = fc.oneof(
  fc
    .tuple(fc.constantFrom(...NUMBERS), fc.constantFrom('min', 'max', 'avg', 'sum'))
    .map((pair) => pair.join(':')),
  fc.tuple(fc.constantFrom(...DATES), fc.constantFrom('min', 'max')).map((pair) => pair.join(':')),
  fc
    .tuple(fc.constantFrom(...names), fc.constantFrom('value_count', 'cardinality'))
    .map((pair) => pair.join(':')),
);
const query: fc.Arbitrary<AggregateQuery> = fc.record(
  { oql: tree, fields: fc.uniqueArray(bucket, { maxLength: 3, selector: (one) => one.name }), value },
  { requiredKeys: ['fields'] },
);

/** Every cell by its text, so that no digit is lost on the way to the comparison. */
function cellsOf(json: string): string[][] {
  const revive = (_key: string, item: unknown, context?: { source?: string }): unknown =>
    typeof item === 'object' && item !== null ? item : context?.source;
  return (JSON.parse(json, revive as (key: string, item: unknown) => unknown) as { rows: string[][] }).rows;
}

function isSame(cell: string, expected: PlainRow['value']): boolean {
  if (expected === null) return cell === 'null';
  if (typeof expected === 'string') return keyText(cell) === keyText(expected);
  return Math.abs(Number(cell) - expected.near) <= expected.within;
}

test('an SQL aggregate equals counting row by row', async () => {
  const { store, put } = await randomStore();
  const queries = fc.array(query, { minLength: 10, maxLength: 10 });
  await fc.assert(
    fc.asyncProperty(rows, queries, async (all, asked) => {
      const dataset = await put(all);
      for (const one of asked) {
        const plan = planAggregate(dataset, one, 'aggs[0]');
        const json = await store.use((connection) => aggregateRows(connection, dataset, plan));
        const found = new Map(cellsOf(json).map((row) => [row.slice(0, -1).join('\n'), row.at(-1) ?? '']));
        const expected = aggregated(all, one, FIELDS);
        const keys = expected.map((row) => row.keys.map(keyText).join('\n'));
        expect([...found.keys()].map((key) => key.split('\n').map(keyText).join('\n')).sort()).toEqual(
          keys.toSorted(),
        );
        for (const [key, cell] of found) {
          const row = expected[keys.indexOf(key.split('\n').map(keyText).join('\n'))];
          expect(isSame(cell, row?.value ?? null), `${cell} for ${JSON.stringify(row)}`).toBe(true);
        }
      }
    }),
    { numRuns: runs(15) },
  );
});

/** A float column shows 2.0 where a list shows 2; they are one value. */
function keyText(text: string): string {
  return /^-?\d{1,9}\.\d+$/.test(text) ? String(Number(text)) : text;
}
