import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import {
  cutMiddle,
  cutToWidth,
  displayWidth,
  FULL_WIDTH,
  padToWidth,
  wrapToWidth,
} from '../../../src/core/text/display-width.ts';

test.for([
  ['plain', 5],
  ['', 0],
  ['日本語', 6],
  ['한국어', 6],
  ['ｶﾀｶﾅ', 4],
  ['Ａ', 2],
  ['e\u0301', 1],
  ['👍', 2],
  ['👨‍👩‍👧', 2],
  ['🇩🇪', 2],
  ['❤\ufe0f', 2],
  ['©', 1],
  ['…─', 2],
  ['a\u200bb', 2],
  ['𠮷', 2],
] as const)('%j is %i columns wide', ([text, width]) => {
  expect(displayWidth(text)).toBe(width);
});

test('text is padded to a width on either side, and longer text stays', () => {
  expect([padToWidth('日本', 6), padToWidth('日本', 6, true), padToWidth('日本', 3)]).toEqual([
    '日本  ',
    '  日本',
    '日本',
  ]);
});

test('text is truncated between characters', () => {
  expect(cutToWidth('日本語', 6)).toBe('日本語');
  expect(cutToWidth('日本語', 5)).toBe('日本…');
  expect(cutToWidth('日本語', 4)).toBe('日…');
  expect(cutToWidth('a👨‍👩‍👧b', 3)).toBe('a…');
});

test('a long line is broken between words, with an indent; a long word stays whole', () => {
  expect(wrapToWidth('short line', 10, '  ')).toEqual(['short line']);
  expect(wrapToWidth('  a cause of several words', 12, '    ')).toEqual([
    '  a cause of',
    '    several',
    '    words',
  ]);
  expect(wrapToWidth('an 0123456789abcdef id', 10, '')).toEqual(['an', '0123456789abcdef', 'id']);
  expect(wrapToWidth('漢字 漢字 漢字', 9, '')).toEqual(['漢字 漢字', '漢字']);
});

test('text truncated in the middle keeps its beginning and end, in any script', () => {
  expect(cutMiddle('https://a.example/long/way/to/page', 20)).toBe('https://a…ay/to/page');
  expect(cutMiddle('short', 5)).toBe('short');
  const wide = cutMiddle('漢字漢字漢字漢字', 7);
  expect([wide, displayWidth(wide)]).toEqual(['漢…漢字', 7]);
});

test('the widths in mart.pages equal those of a terminal', () => {
  const sql = readFileSync(join(import.meta.dirname, '../../../sql/crawl_pages/pages.sql'), 'utf8');
  expect(sql.split(`'[^${FULL_WIDTH}]+'`)).toHaveLength(4);
});
