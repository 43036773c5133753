import { expect, test } from 'vitest';
import { drawChart } from '../../../src/answers/query/draw-chart.ts';
import { displayWidth } from '../../../src/core/display-width.ts';

test('bars begin at zero, are as long as their values, and keep to the width', () => {
  const rows = [
    { project: 'Shop', status: 'ok', status_code: 200, pages: 80n },
    { project: 'Shop', status: '日本', status_code: 404, pages: 40 },
    { project: 'Shop', status: null, status_code: 500, pages: null },
  ];
  expect(drawChart('bar', rows, 34)).toBe(
    ['pages by status', `ok    ${'█'.repeat(25)} 80`, `日本  ${'█'.repeat(12)}▌ 40`, 'NULL   –', ''].join(
      '\n',
    ),
  );
  for (const width of [20, 80, 200])
    for (const line of drawChart('bar', rows, width).split('\n'))
      expect(displayWidth(line)).toBeLessThanOrEqual(width);
});

test('values below zero go to the left of it', () => {
  const rows = [-2, 0, 2].map((change) => ({ change, day: `d${change}` }));
  const [left, right] = ['█'.repeat(6), ' '.repeat(6)];
  expect(drawChart('bar', rows, 20)).toBe(
    ['change by day', `d-2  ${left} -2`, `d0   ${right} 0`, `d2   ${right}${left} 2`, ''].join('\n'),
  );
});

test('a line goes from the first to the last row, with a gap where a value is missing', () => {
  const rows = [0, 10, 20, null, 40].map((n, index) => ({ day: `2026-01-0${index + 1}`, n }));
  const lines = drawChart('line', rows, 40).split('\n');
  expect(lines[0]).toBe('n by day');
  expect(lines[1]).toMatch(/^40 │ +\S$/);
  expect(lines[12]).toMatch(/^ 0 │\S/);
  expect(lines[13]).toBe(` ${' '} └${'─'.repeat(35)}`);
  expect(lines[14]).toBe(`    2026-01-01${' '.repeat(15)}2026-01-05`);
  // Column by column: dots up to the third row's place, none until the last.
  const column = (at: number): boolean => lines.slice(1, 13).some((one) => (one[4 + at] ?? ' ') !== ' ');
  const filled = Array.from({ length: 35 }, (_, at) => column(at));
  expect([filled[0], filled[17], filled[20], filled[33], filled[34]]).toEqual([
    true,
    true,
    false,
    false,
    true,
  ]);
});

test('one row, equal values and no rows are drawn; what has no number is refused', () => {
  expect(drawChart('line', [{ n: 5 }], 40)).toContain('5 │');
  expect(drawChart('bar', [{ n: 0 }], 40)).toBe('n\n   0\n');
  expect(drawChart('line', [{ n: 0 }], 40)).not.toMatch(/NaN|Infinity/);
  expect(drawChart('bar', [], 40)).toBe('no rows\n');
  expect(() => drawChart('bar', [{ url: 'a' }], 40)).toThrow('no column of the result has numbers');
  const many = Array.from({ length: 1001 }, (_, n) => ({ n }));
  expect(() => drawChart('line', many, 40)).toThrow('more than 1000 rows');
});

test('a label is one line, cut, without control characters', () => {
  const [, bar] = drawChart('bar', [{ title: `a\nb\u001b[2J${'x'.repeat(100)}`, n: 1 }], 80).split('\n');
  expect(bar).not.toContain('\u001b');
  expect(displayWidth(bar ?? '')).toBeLessThanOrEqual(80);
});
