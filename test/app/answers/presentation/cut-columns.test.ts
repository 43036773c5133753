import { expect, test } from 'vitest';
import { liftedTable } from '../../../../src/app/answers/presentation/cut-columns.ts';

test('a column with the same value in every row moves above the table; one column stays', () => {
  const lines = liftedTable(
    ['page', 'crawl'],
    [
      ['a', 'x'],
      ['b', 'x'],
    ],
    [false, false],
    80,
  );
  expect([lines[0], lines.length]).toEqual(['crawl: x', 5]);
  const same = liftedTable(
    ['page', 'crawl'],
    [
      ['a', 'x'],
      ['a', 'x'],
    ],
    [false, false],
    80,
  );
  expect([same[0], same[1]?.trim(), same.length]).toEqual(['crawl: x', 'page', 5]);
});
