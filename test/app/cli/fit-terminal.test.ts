import { stripVTControlCharacters } from 'node:util';
import { expect, test } from 'vitest';
import { fitTerminal } from '../../../src/app/cli/app.ts';

const TEXT = 'a line that is long\nshort\n';
const isLong = (line: string): boolean => line.length > 10;

test('without a terminal, text stays unchanged', () => {
  expect(fitTerminal(TEXT, null, isLong)).toBe(TEXT);
});

test('on a terminal, lines break between words, and only alarms are colored', () => {
  expect(fitTerminal(TEXT, { width: 8, colours: false }, isLong)).toBe(
    'a line\n  that\n  is\n  long\nshort\n',
  );
  const coloured = fitTerminal(TEXT, { width: 8, colours: true }, isLong);
  expect(stripVTControlCharacters(coloured)).toBe('a line\n  that\n  is\n  long\nshort\n');
  expect(coloured.split('\n').map((line) => line !== stripVTControlCharacters(line))).toEqual([
    true,
    true,
    true,
    true,
    false,
    false,
  ]);
});

test('a command stays on one line, so that it can be copied', () => {
  const text = '    to do: crawlhouse backfill --reload\n';
  expect(fitTerminal(text, { width: 12, colours: false }, () => false)).toBe(text);
});
