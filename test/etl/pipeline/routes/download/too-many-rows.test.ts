import { expect, test } from 'vitest';
import { TooManyRows } from '../../../../../src/etl/pipeline/routes/download/write-parts.ts';

test('the error for too many rows shows how many were received', () => {
  expect(new TooManyRows(7)).toMatchObject({ rows: 7, message: 'received 7 rows, more than reported' });
});
