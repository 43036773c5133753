import { expect, test } from 'vitest';
import { drawChart } from '../../../../../src/app/answers/presentation/charts/draw-chart.ts';
import { displayWidth } from '../../../../../src/core/text/display-width.ts';
import type { Chart } from '../../../../../src/etl/project/sql/questions/question-chart.ts';

test('bars begin at zero, are proportional to their values, and fit the width', () => {
  const rows = [
    { project: 'Shop', status: 'ok', status_code: 200, pages: 80n },
    { project: 'Shop', status: '日本', status_code: 404, pages: 40 },
    { project: 'Shop', status: null, status_code: 500, pages: null },
  ];
  expect(drawChart('bar', rows, null, 34)).toBe(
    ['pages by status', `ok    ${'█'.repeat(25)} 80`, `日本  ${'█'.repeat(12)}▌ 40`, 'NULL   –', ''].join(
      '\n',
    ),
  );
  for (const width of [20, 80, 200])
    for (const line of drawChart('bar', rows, null, width).split('\n'))
      expect(displayWidth(line)).toBeLessThanOrEqual(width);
});

test('negative bars extend left from zero', () => {
  const rows = [-2, 0, 2].map((change) => ({ change, day: `d${change}` }));
  const [left, right] = ['█'.repeat(6), ' '.repeat(6)];
  expect(drawChart('bar', rows, null, 20)).toBe(
    ['change by day', `d-2  ${left} −2`, `d0   ${right} 0`, `d2   ${right}${left} 2`, ''].join('\n'),
  );
});

test('a line goes from the first to the last row, with a gap where a value is missing', () => {
  const rows = [0, 10, 20, null, 40].map((n, index) => ({ day: `2026-01-0${index + 1}`, n }));
  const lines = drawChart('line', rows, null, 40).split('\n');
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

test('one row, equal values and no rows are drawn; rows without numbers are refused', () => {
  expect(drawChart('line', [{ a: 'x', n: 5 }], null, 40)).toContain('5 │');
  expect(drawChart('bar', [{ a: 'x', n: 0 }], null, 40)).toBe('n by a\nx   0\n');
  expect(drawChart('line', [{ a: 'x', n: 0 }], null, 40)).not.toMatch(/NaN|Infinity/);
  expect(drawChart('bar', [], null, 40)).toBe('no rows\n');
  expect(() => drawChart('bar', [{ url: 'a' }], null, 40)).toThrow('the result has no number to plot');
  const many = Array.from({ length: 1001 }, (_, n) => ({ n }));
  expect(() => drawChart('line', many, null, 40)).toThrow('more than 1000 rows');
});

test('a label is a single truncated line without control characters', () => {
  const [, bar] = drawChart('bar', [{ title: `a\nb\u001b[2J${'x'.repeat(100)}`, n: 1 }], null, 80).split(
    '\n',
  );
  expect(bar).not.toContain('\u001b');
  expect(displayWidth(bar ?? '')).toBeLessThanOrEqual(80);
});

test('a declared chart is drawn as declared, one per project, and users may choose bars or lines', () => {
  const declared: Chart = {
    kind: 'stacked',
    x: 'at',
    y: ['pages'],
    colour: 'status',
    each: ['project'],
    only: null,
  };
  const row = (project: string, at: string, status: string, pages: number) => ({
    project,
    at,
    status,
    pages,
  });
  const rows = [
    row('a', '2026-11-22T00:00:00.000Z', 'ok', 4),
    row('a', '2026-11-15T06:05:00.000Z', 'ok', 3),
    row('b', '2026-11-22T00:00:00.000Z', 'error', 8),
  ];
  const own = drawChart('own', rows, declared, 60).split('\n');
  expect(own.map((one) => one.replace(/ *[█▏▎▍▌▋▊▉]+/, ''))).toEqual([
    'a, pages by at',
    'ok · 2026-11-15 06:05 3',
    'ok · 2026-11-22 4',
    '',
    'b, pages by at',
    'error · 2026-11-22 8',
    '',
  ]);
  const only = { ...declared, only: 'is_whole' };
  const whole = rows.map((one, place) => ({ ...one, is_whole: place === 0 }));
  const texts = drawChart('own', whole, only, 60).split('\n');
  expect(texts[0]).toBe('a, pages by at, 1 row that is not whole is left out');
  expect(texts.at(-2)).toBe('not drawn: 1 row that is not whole is left out, and there is no other');
  expect(drawChart('line', rows, declared, 60)).toMatch(/^a, pages by at\nok\n/);
  expect(() => drawChart('own', rows, null, 60)).toThrow('no chart is declared');
  expect(() => drawChart('own', rows, { ...declared, kind: 'scatter' }, 60)).toThrow(
    'cannot draw a scatter chart',
  );
  const percent: Chart = { ...declared, kind: 'bar', x: 'status', y: ['pages_percent'], each: [] };
  const twice = [1, 2].map((pages_percent) => ({ status: 'ok', pages_percent }));
  expect(drawChart('own', twice, percent, 60)).toContain('not drawn: several rows have the same status');
});
