import { expect, test } from 'vitest';
import { z } from 'zod';
import { partsOf, readVariables } from '../../../src/app/settings/variables.ts';

test('a setting of several engines combines the parts of each', () => {
  const one = z.strictObject({ engine: z.literal('one'), user: z.string() });
  const other = z.strictObject({ engine: z.literal('other'), folder: z.string() });
  const { parts, isWhole } = partsOf(z.union([z.string(), one, other]).default('a.duckdb'));
  expect([Object.keys(parts), isWhole]).toEqual([['engine', 'user', 'folder'], true]);
  const engines = ['one', 'other', 'third'].map(
    (name) => (parts.engine as z.ZodType).safeParse(name).success,
  );
  expect(engines).toEqual([true, true, false]);
});

test('the variable of the statement ledger is no setting', () => {
  expect(readVariables({ CRAWLHOUSE_STATEMENTS: 'statements.jsonl', CRAWLHOUSE_THREADS: '2' })).toEqual({
    threads: 2,
  });
});
