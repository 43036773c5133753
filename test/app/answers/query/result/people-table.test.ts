import { expect, test } from 'vitest';
import { peopleTable } from '../../../../../src/app/answers/query/result/write-result.ts';
import { displayWidth } from '../../../../../src/core/text/display-width.ts';

const lines = (text: string): string[] => text.trimEnd().split('\n');

test('columns with the same value in every row move above the table, but never all columns, and not for one row', () => {
  const names = ['project', 'url', 'status_code'];
  const rows = [
    ['Shop', '/a', 404],
    ['Shop', '/b', 404],
  ];
  expect(lines(peopleTable({ names, rows, width: 80 }))).toEqual([
    'project: Shop, status_code: 404',
    'url',
    '───',
    '/a',
    '/b',
  ]);
  expect(lines(peopleTable({ names, rows: rows.slice(0, 1), width: 80 }))[0]).toBe(
    'project  url  status_code',
  );
  const same = peopleTable({
    names: ['a', 'b'],
    rows: [
      [1, 2],
      [1, 2],
    ],
    width: 80,
  });
  expect(lines(same)).toEqual(['b: 2', 'a', '─', '1', '1']);
});

test('URLs are cut in the middle, other text at the end, and names only as a last resort', () => {
  const url = `https://shop.example/${'deep/'.repeat(20)}lamp`;
  const rows = [
    [url, 'one_two_three_four_five', 'a text of many words that goes on and on and on and on'],
    [`${url}s`, 'another_name_of_a_thing', 'another text of many words that goes on and on and on'],
  ];
  const table = lines(peopleTable({ names: ['url', 'issue', 'why'], rows, width: 80 }));
  for (const line of table) expect(displayWidth(line)).toBeLessThanOrEqual(80);
  expect(table[2]).toMatch(/^https:\/\/.*….*lamp +one_two_three_four_five +a text of .*…$/);
  expect(table[3]).toMatch(/lamps +another_name_of_a_thing/);
  const narrow = lines(peopleTable({ names: ['url', 'issue', 'why'], rows, width: 40 }));
  expect(narrow[2]).toMatch(/^\S{12} +\S*… +a text of/);
});

test('numbers have separators unless they are codes, and shares are percentages', () => {
  const names = ['pages', 'status_code', 'year', 'pages_percent', 'ctr', 'average_depth', 'cwv_cls'];
  const rows = [
    [1234567, 2001, 2026, 12.345, 0.0321, 2.4285714, 0.00314],
    [12, 1404, 2025, 87.6, 1, 3, 0.2],
  ];
  const [, , first, second] = lines(peopleTable({ names, rows, width: 120 })).map((line) =>
    line.split(/ {2,}/),
  );
  expect(first).toEqual(['1,234,567', ...['2001', '2026', '12.3 %', '3.2 %', '2.43', '0.00314'].map(String)]);
  expect(second?.slice(-6)).toEqual(['1404', '2025', '87.6 %', '100 %', '3', '0.2']);
});

test('numbers are right-aligned, NULL is a dash, and control characters have no effect', () => {
  const rows = [
    [5, null, 'a\u001b[2J'],
    [1000, null, 'b\nc'],
  ];
  const table = peopleTable({ names: ['n', 'empty', 'text'], rows, width: 80 });
  expect(lines(table)).toEqual([
    'empty: -',
    '    n  text',
    '─────  ──────────',
    '    5  a\\u001b[2J',
    '1,000  b c',
  ]);
});
