import fc from 'fast-check';
import { expect, test } from 'vitest';
import { ngramCounts } from '../../../../../src/site/crawler/parse/text/ngrams.ts';
import { simhash } from '../../../../../src/site/crawler/parse/text/simhash.ts';
import { collapsed, measures, words } from '../../../../../src/site/crawler/parse/text/text.ts';

test.each([
  ["don't stop, low-cost 2.5 km", ["don't", 'stop', 'low-cost', '2.5', 'km']],
  ['Schöne Grüße – “naïve” café…', ['Schöne', 'Grüße', 'naïve', 'café']],
  ['Привет, мир!', ['Привет', 'мир']],
  ['日本語 text', ['日', '本', '語', 'text']],
  ['e\u0301te\u0301', ['e\u0301te\u0301']],
  ['हिन्दी भाषा', ['हिन्दी', 'भाषा']],
  ['  …  --  ', []],
  ['auf\u00adzug lift\u200bshaft \u200ename\u200f', ['aufzug', 'lift', 'shaft', 'name']],
  ['می\u200cخواهم', ['میخواهم']],
  ['\u200b\u200c\u200d\u2060\u3164\u2800\ufe0f', []],
])('the words of %j', (text, expected) => {
  expect(words(text)).toEqual(expected);
});

test.each(['\u200b', ' \u200c\u200d ', '\u3164', '\u2800', '\ufe0f', '\u00ad\ufeff\u200e'])(
  '%j is not text',
  (text) => {
    expect(collapsed(text)).toBeNull();
  },
);

test('joiners stay in text with letters', () => {
  expect(collapsed('می\u200cخواهم 👩\u200d💻')).toBe('می\u200cخواهم 👩\u200d💻');
});

test('the fast rule finds the same words in Latin text as the general rule', () => {
  const latin = fc
    .array(fc.integer({ min: 1, max: 0x24f }).map((code) => String.fromCharCode(code)))
    .map((list) => list.join(''));
  fc.assert(
    fc.property(latin, (text) => {
      // A character that is not Latin makes the whole rule apply.
      expect(words(text)).toEqual(words(`${text} Ω`).slice(0, -1));
    }),
  );
});

test('the word and character counts of a text match its lists', () => {
  const latin = fc.integer({ min: 0, max: 0x24f }).map((code) => String.fromCharCode(code));
  const other = fc.constantFrom(
    ..."  \n\ta9.'-’“”…–—\u00a0\u00ad\u200b\u200d\u2060\u2028éßΩж日\u0301\u2800".split(''),
    '👩',
  );
  const text = fc.oneof(
    fc.string(),
    fc.array(fc.oneof(latin, other)).map((list) => list.join('')),
  );
  fc.assert(
    fc.property(text, (said) => {
      expect(measures(said)).toEqual({ words: words(said).length, length: collapsed(said)?.length ?? 0 });
    }),
  );
});

/** The same by the plainest way: every sequence, counted. */
function plainCounts(blocks: readonly (readonly string[])[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const block of blocks)
    for (const n of [1, 2, 3])
      for (let at = 0; at + n <= block.length; at++) {
        const ngram = block.slice(at, at + n).join(' ');
        counts.set(ngram, (counts.get(ngram) ?? 0) + 1);
      }
  return counts;
}

test('n-grams are counted as by plain code, most frequent first', () => {
  const block = fc.array(fc.constantFrom('a', 'b', 'c', 'd'), { maxLength: 30 });
  fc.assert(
    fc.property(fc.array(block, { maxLength: 4 }), (blocks) => {
      const counts = plainCounts(blocks);
      const found = ngramCounts(blocks) ?? [];
      for (const { ngram, count } of found) expect(counts.get(ngram)).toBe(count);
      for (const n of [1, 2, 3]) {
        const all = [...counts].filter(([ngram, count]) => count > 1 && ngram.split(' ').length === n);
        const kept = found.filter((one) => one.n === n);
        const most = all.map(([, count]) => count).sort((a, b) => b - a);
        expect(kept.map(({ count }) => count)).toEqual(most.slice(0, kept.length));
        expect(kept.length).toBeGreaterThanOrEqual(Math.min(10, all.length));
      }
    }),
  );
});

test('a page without repeated words has no n-grams', () => {
  expect(ngramCounts([['one', 'two'], ['three']])).toBeNull();
});

const WORDS = Array.from({ length: 400 }, (_, n) => `word${(n * 7919) % 211}`);

function differentBits(a: bigint | null, b: bigint | null): number {
  return ((a ?? 0n) ^ (b ?? 0n)).toString(2).replaceAll('0', '').length;
}

test('a fingerprint has sixty bits and needs ten words', () => {
  expect(simhash([WORDS])).toBeLessThan(2n ** 60n);
  expect(simhash([WORDS.slice(0, 9)])).toBeNull();
});

test('texts that differ in few words have similar fingerprints, others do not', () => {
  const changed = WORDS.with(50, 'other').with(300, 'thing');
  const other = WORDS.map((word) => `${word}x`);
  expect(differentBits(simhash([WORDS]), simhash([changed]))).toBeLessThanOrEqual(8);
  expect(differentBits(simhash([WORDS]), simhash([other]))).toBeGreaterThan(15);
});

test('the division of a text into blocks does not change its fingerprint', () => {
  expect(simhash([WORDS.slice(0, 100), WORDS.slice(100)])).toBe(simhash([WORDS]));
});
