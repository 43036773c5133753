import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { findingsIn, phrasesOf, proseOf } from '../../scripts/phrases.ts';

const phrases = [
  { phrase: 'the crawl before', replacement: 'the previous crawl' },
  { phrase: 'anew', replacement: 'again' },
];

test('a phrase is found in any case, as words, at its first line', () => {
  expect(findingsIn('Anew.\n\nPages of the\ncrawl before it, in a canewood.\n', phrases)).toEqual([
    { line: 1, phrase: 'anew', replacement: 'again' },
    { line: 3, phrase: 'the crawl before', replacement: 'the previous crawl' },
  ]);
});

test('code and link targets are ignored, and lines keep their numbers', () => {
  const page =
    '# A\n\n```console\nanew\n```\n\n    anew\n\n`anew` [b](anew.md) | anew | the `c` crawl before\n';
  expect(findingsIn(proseOf(page), phrases).map(({ line }) => line)).toEqual([9]);
  expect(findingsIn(proseOf(page), phrases)).toHaveLength(1);
});

test('the style page has a replacement for each phrase', async () => {
  const style = await readFile(join(import.meta.dirname, '..', '..', 'docs', 'style.md'), 'utf8');
  const rows = phrasesOf(style);
  expect(rows).toContainEqual(phrases[1]);
  expect(rows.length).toBeGreaterThan(10);
  expect(rows.filter(({ phrase, replacement }) => phrase === '' || replacement === '')).toEqual([]);
  expect(new Set(rows.map(({ phrase }) => phrase)).size).toBe(rows.length);
});
