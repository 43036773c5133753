import fc from 'fast-check';
import { test } from 'vitest';
import { CSV, compareValues, JSON_LINES } from '../../support/compare-values.ts';
import { temporaryConnection, temporaryFolder } from '../../support/temporary.ts';
import { csvRows, jsonRows, VALUE_FIELDS } from '../../support/value-cells.ts';
import '../../support/process-timeout.ts';

const SEED = 20_260_101;

for (const [wire, rowsOf] of [
  [CSV, csvRows],
  [JSON_LINES, jsonRows],
] as const) {
  test(`every value of a ${wire.format} file is loaded as what it is, or is a reject in its place`, async () => {
    const connection = await temporaryConnection(await temporaryFolder());
    // Samples, not a property: a counterexample of 2,800 values helps nobody. What is wrong is told value by value.
    const [rows = []] = fc.sample(rowsOf(200), { numRuns: 1, seed: SEED });
    await compareValues(connection, wire, VALUE_FIELDS, rows, 10);
  });
}
