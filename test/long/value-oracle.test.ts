import fc from 'fast-check';
import { test } from 'vitest';
import { CSV, compareParquet, compareValues, JSON_LINES } from '../support/compare-values.ts';
import { PARQUET_FIELDS } from '../support/parquet-cells.ts';
import { testSeed } from '../support/random.ts';
import { temporaryConnection, temporaryFolder } from '../support/temporary.ts';
import { csvRows, jsonRows, VALUE_FIELDS } from '../support/value-cells.ts';

const seed = testSeed();
const RUNS = 20;

for (const [wire, rowsOf] of [
  [CSV, csvRows],
  [JSON_LINES, jsonRows],
] as const) {
  test(`56,000 values of ${wire.format} files are loaded as what they are, or are rejects (seed ${seed})`, async () => {
    const connection = await temporaryConnection(await temporaryFolder());
    for (let run = 0; run < RUNS; run++) {
      const [rows = []] = fc.sample(rowsOf(200), { numRuns: 1, seed: seed + run });
      await compareValues(connection, wire, VALUE_FIELDS, rows, 40);
    }
  });
}

test(`values of each Parquet type in each family are loaded as what they are, or are rejects (seed ${seed})`, async () => {
  const connection = await temporaryConnection(await temporaryFolder());
  for (let run = 0; run < 5; run++) await compareParquet(connection, PARQUET_FIELDS, seed + run, 10);
});
