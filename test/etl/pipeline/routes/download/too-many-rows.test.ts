import { expect, test } from 'vitest';
import { TooManyRows } from '../../../../../src/etl/pipeline/routes/download/write-parts.ts';

test('too many rows say how many came', () => {
  expect(new TooManyRows(7)).toMatchObject({ rows: 7, message: 'received 7 rows, more than reported' });
});
