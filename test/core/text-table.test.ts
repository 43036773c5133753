import { expect, test } from 'vitest';
import { alignColumns, textTable } from '../../src/core/text-table.ts';

test('a table has its numbers to the right, a dash for null and no blanks at line ends', () => {
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

test('columns stand below each other by what cells take on a terminal', () => {
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
