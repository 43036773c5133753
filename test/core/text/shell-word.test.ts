import { expect, test } from 'vitest';
import { shellWord } from '../../../src/core/text/shell-word.ts';

test.each([
  ['a/b-c_1.yaml', 'a/b-c_1.yaml'],
  ['https://a.example:80/b=1,2+3@4%20', 'https://a.example:80/b=1,2+3@4%20'],
  ['', "''"],
  ['a b', "'a b'"],
  ['$HOME', "'$HOME'"],
  ["it's", "'it'\\''s'"],
])('%j is the word %s of a shell', (text, word) => {
  expect(shellWord(text)).toBe(word);
});
