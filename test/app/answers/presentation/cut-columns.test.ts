import { expect, test } from 'vitest';
import { cutColumns, cutText, liftedTable } from '../../../../src/app/answers/presentation/cut-columns.ts';

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

const TEXT = 'a text of twenty-two.';

test.each([
  // Everything fits.
  [48, [TEXT, 'name-of-some-thing', '12345'], [TEXT, 'name-of-some-thing', '12345']],
  // Texts are cut first, then names, and never numbers.
  [47, [TEXT, 'name-of-some-thing', '12345'], ['a text of twenty-tw…', 'name-of-some-thing', '12345']],
  [40, [TEXT, 'name-of-some-thing', '12345'], ['a text of tw…', 'name-of-some-thing', '12345']],
  [33, [TEXT, 'name-of-some-thing', '12345'], ['a text of t…', 'name-of-som…', '12345']],
  [1, [TEXT, 'name-of-some-thing', '12345'], ['a text of t…', 'name-of-som…', '12345']],
  // The widest text is cut first.
  [36, [`${TEXT} more`, TEXT, '1'], ['a text of twen…', 'a text of twent…', '1']],
])('in %i columns, %j is cut to %j', (width, row, cut) => {
  expect(cutColumns([['a', 'b', 'c'], row], [false, false, true], width)).toEqual([['a', 'b', 'c'], cut]);
});

test('a column is at least as wide as its name, and a URL is cut in its middle', () => {
  const name = 'a name of some length';
  const [, row] = cutColumns([[name], ['x '.repeat(20)]], [false], 1);
  expect(row?.[0]).toHaveLength(name.length);
  expect(['https://a.example/b/c', '/b/c/d/e/f/g', 'b/c/d/e/f/g'].map((text) => cutText(text, 9))).toEqual([
    'http…/b/c',
    '/b/c…/f/g',
    'b/c/d/e/…',
  ]);
});

test('a table of one row keeps its columns, and an empty shared value is a dash', () => {
  expect(liftedTable(['page', 'crawl'], [['a', 'x']], [false, false], 80)).toEqual([
    'page  crawl',
    '────  ─────',
    'a     x',
  ]);
  expect(
    liftedTable(
      ['page', 'title'],
      [
        ['a', ''],
        ['b', ''],
      ],
      [false, false],
      80,
    )[0],
  ).toBe('title: -');
});
