import { expect, test } from 'vitest';
import { TooManyRows } from '../../../../src/pipeline/routes/download/write-parts.ts';

test('too many rows say how many came', () => {
  expect(new TooManyRows(7)).toMatchObject({ rows: 7, message: '7 rows came, more than reported' });
});
