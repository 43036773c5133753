import { expect, test } from 'vitest';
import { alignColumns, textTable } from '../../../../src/app/answers/presentation/text-table.ts';

test('a table aligns numbers right, shows a dash for null, and has no trailing blanks', () => {
  expect(
    textTable(
      ['name', 'n', 'why'],
      [
        ['a', 10, null],
        ['longer', null, 'x'],
      ],
    ),
  ).toBe('name     n  why\na       10  -\nlonger   -  x\n');
  expect(textTable(['name'], [])).toBe('name\n');
});

test('control characters of a cell are printed as escapes', () => {
  expect(textTable(['name'], [['a\u001b[31m\nb']])).toBe('name\na\\u001b[31m\\u000ab\n');
});

test('columns align by the display width of their cells', () => {
  const rows = [
    ['日本語', 1, 'x'],
    ['👍 ok', 22, 'y'],
    ['plain', 333, 'z'],
  ];
  expect(textTable(['name', 'n', 'end'], rows)).toBe(
    'name      n  end\n日本語    1  x\n👍 ok    22  y\nplain   333  z\n',
  );
  expect(alignColumns([['日本'], ['abc']], [true])).toEqual({ lines: ['日本', ' abc'], widths: [4] });
});

test('columns that do not fit the terminal move below each row', () => {
  const names = ['project', 'rows', 'id', 'units'];
  const rows = [
    ['a', 10, 'x1', '1 loaded'],
    ['longer', 5, null, '2 loaded, 1 failed'],
  ];
  const fit = { width: 30, below: ['id', 'units'] };
  expect(textTable(names, rows, fit)).toBe(
    [
      'project  rows',
      'a          10',
      '    id: x1',
      '    units: 1 loaded',
      'longer      5',
      '    units: 2 loaded, 1 failed',
      '',
    ].join('\n'),
  );
  expect(textTable(names, rows, { ...fit, width: 40 })).toBe(textTable(names, rows));
});
