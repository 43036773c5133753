import fc from 'fast-check';
import { expect, test } from 'vitest';
import { needsJson } from '../../../../src/etl/pipeline/routes/choose-format.ts';
import type { Field } from '../../../../src/etl/project/model/field.ts';
import { stageValues } from '../../../support/stage-values.ts';
import { temporaryConnection, temporaryFolder } from '../../../support/temporary.ts';
import { exportAs, type WireRows, type WireValue, wireRows } from '../../../support/wire-values.ts';
import '../../../support/process-timeout.ts';
import { runs } from '../../../support/runs.ts';

const URL_FIELD: Field = { name: 'url', type: 'string', arity: 'one' };
/** Some are of a kind that CSV does not carry. */
const RUNS = Math.max(8, runs(Number(process.env.CASES ?? 24)));

/** What a cell of CSV does not carry. */
const LOST: readonly [type: string, arity: Field['arity'], value: WireValue][] = [
  ['string', 'many', ['[1,2]']],
  ['object', 'one', '5'],
  ['nested', 'one', 'true'],
];

function rowOf(type: string, arity: Field['arity'], value: WireValue): WireRows {
  return { fields: [{ name: 'lost', type, arity }, URL_FIELD], rows: [[value, 'https://example.com/']] };
}

test('any fields and values are staged by CSV as by JSON, or auto selects JSON', async () => {
  const connection = await temporaryConnection(await temporaryFolder());
  const stage = async (format: 'csv' | 'json', exported: WireRows) => {
    const fields = [{ name: 'id', type: 'natural', arity: 'one' } as const, ...exported.fields];
    const staged = await stageValues(connection, format, exportAs(format, exported), fields);
    const values = (id: number) =>
      staged.rows.has(id) ? fields.map(({ name }) => staged.rows.get(id)?.[name] ?? null) : 'rejected';
    return { rows: exported.rows.map((_row, id) => values(id)), rejected: staged.rejected };
  };
  let byCsv = 0;
  await fc.assert(
    fc.asyncProperty(wireRows, async (exported) => {
      if (needsJson(exported.fields) !== null) return;
      byCsv++;
      expect(await stage('csv', exported)).toEqual(await stage('json', exported));
    }),
    { numRuns: RUNS, examples: LOST.map(([type, arity, value]) => [rowOf(type, arity, value)]) },
  );
  // Most of the cases are of the kind that the property is about.
  expect(byCsv).toBeGreaterThan(RUNS / 4);
});
