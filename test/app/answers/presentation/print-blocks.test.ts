import { expect, test } from 'vitest';
import { type Block, line, section, tableOf } from '../../../../src/app/answers/presentation/blocks.ts';
import { printBlocks } from '../../../../src/app/answers/presentation/print-blocks.ts';
import { BLOCKS } from '../../../support/blocks-of-each-kind.ts';

test('each kind of block is printed, and no value adds a line or a control character', () => {
  for (const block of Object.values<Block>(BLOCKS)) {
    const text = printBlocks([block], { indent: 2 });
    // What was chosen stands in the command.
    if (block.is !== 'chosen') expect(text, block.is).not.toBe('');
    // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what a terminal obeys
    expect(text, block.is).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202e]/);
  }
  const lines = (block: Block): number => printBlocks([block]).split('\n').length - 1;
  expect(Object.values<Block>(BLOCKS).map(lines)).toEqual([2, 1, 11, 3, 5, 1, 1, 1, 0, 3]);
});

test('values are formatted by kind; unknown values say so, and empty text stays empty', () => {
  const text = printBlocks([BLOCKS.table]);
  for (const shown of ['9,007,199,254,740,993', '49.0 MB', '61 s', '3 days', '2026-11-21 06:00'])
    expect(text).toContain(shown);
  const rows = [
    { count: 2n ** 53n + 1n, text: null },
    { count: '9007199254740993', text: '' },
    { count: null, text: 'a' },
  ];
  const table = tableOf(
    'Rows',
    [
      { name: 'rows', kind: 'count', of: ({ count }) => count },
      { name: 'text', of: (row) => row.text },
    ],
    rows,
  );
  expect(printBlocks([table])).toBe(
    [
      '                 rows  text',
      '9,007,199,254,740,993  -',
      '     9007199254740993',
      '                    -  a',
      '',
    ].join('\n'),
  );
});

test('sections are separated and indented, and their tables fit the indented width', () => {
  const names = ['a-name-that-is-long', 'b'];
  const table = tableOf(
    'Names',
    [
      { name: 'name', of: (name) => name },
      { name: 'more', isBelow: true, of: (name) => `more of ${name}` },
    ],
    names,
  );
  const blocks = [line('First'), section('Names', table, line('and 1 more')), line('Last'), line('Line')];
  const inner =
    '  name                 more\n  a-name-that-is-long  more of a-name-that-is-long\n  b                    more of b\n';
  expect(printBlocks(blocks, { indent: 2, width: 50 })).toBe(
    `First\n\nNames\n${inner}  and 1 more\n\nLast\nLine\n`,
  );
  expect(printBlocks(blocks, { indent: 2, width: 49 })).toContain(
    '  a-name-that-is-long\n      more: more of a-name-that-is-long\n',
  );
});

test('an empty table shows what to do, or nothing', () => {
  const none = (empty: string): Block => tableOf('Names', [{ name: 'name', of: () => '' }], [], { empty });
  expect(printBlocks([none('Run crawlhouse run.'), none('')])).toBe('Run crawlhouse run.\n');
});

test('a very long name is printed whole', () => {
  const name = 'n'.repeat(100_000);
  expect(printBlocks([tableOf('Names', [{ name: 'name', of: () => name }], [0])], { width: 80 })).toContain(
    name,
  );
});
