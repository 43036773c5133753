import fc from 'fast-check';
import { test } from 'vitest';
import { CSV, compareParquet, compareValues, JSON_LINES } from '../../../support/compare-values.ts';
import { PARQUET_FIELDS } from '../../../support/parquet-cells.ts';
import { ALL_ROUNDS, roundSeed } from '../../../support/random.ts';
import { temporaryConnection, temporaryFolder } from '../../../support/temporary.ts';
import { csvRows, jsonRows, VALUE_FIELDS } from '../../../support/value-cells.ts';

const seed = roundSeed();
const [RUNS, PARQUET_RUNS] = ALL_ROUNDS ? [20, 5] : [1, 1];

for (const [wire, rowsOf] of [
  [CSV, csvRows],
  [JSON_LINES, jsonRows],
] as const) {
  test(`${RUNS * 2800} values of ${wire.format} files are loaded exactly, or are rejects (seed ${seed})`, async () => {
    const connection = await temporaryConnection(await temporaryFolder());
    for (let run = 0; run < RUNS; run++) {
      const [rows = []] = fc.sample(rowsOf(200), { numRuns: 1, seed: seed * 20 + run });
      await compareValues(connection, wire, VALUE_FIELDS, rows, 40);
    }
  });
}

test(`values of each Parquet type in each family are loaded exactly, or are rejects (seed ${seed})`, async () => {
  const connection = await temporaryConnection(await temporaryFolder());
  for (let run = 0; run < PARQUET_RUNS; run++)
    await compareParquet(connection, PARQUET_FIELDS, seed * 20 + run, 10);
});
