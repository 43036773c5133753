import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Oql } from '../../../src/client/oql/oql.ts';
import type { StoredDataset } from '../../../src/service/resources/resources.ts';
import { datasetQuery } from '../../../src/service/rows/dataset-query.ts';
import { matches } from './plain-oql.ts';
import { FIELDS, leaf, randomStore, rows, tree } from './random-rows.ts';
import '../../support/process-timeout.ts';
import { runs } from '../../support/runs.ts';

test('an OQL tree in SQL selects the rows of a plain evaluation', async () => {
  const { store, put } = await randomStore();
  const selects = async (dataset: StoredDataset, oql: Oql): Promise<number[]> => {
    const { source, condition } = datasetQuery(dataset, { oql });
    const sql = `SELECT c0 AS id ${source} ORDER BY rowid`;
    const found = await store.use((connection) => connection.rows(sql, condition.values));
    return found.map((row) => Number(row.id));
  };
  const trees = fc.array(
    fc.oneof(
      tree,
      leaf.map((one): Oql => ({ field: one })),
    ),
    { minLength: 20, maxLength: 20 },
  );
  let selected = 0;
  let asked = 0;
  await fc.assert(
    fc.asyncProperty(rows, trees, async (all, queries) => {
      const dataset = await put(all);
      for (const oql of queries) {
        const expected = all.flatMap((row, index) => (matches(oql, row, FIELDS) ? [index] : []));
        selected += expected.length;
        asked += all.length;
        expect(await selects(dataset, oql)).toEqual(expected);
      }
    }),
    { numRuns: runs(20) },
  );
  // Neither nearly all rows nor nearly none: the trees say something.
  expect(selected / asked).toBeGreaterThan(0.1);
  expect(selected / asked).toBeLessThan(0.9);
});
