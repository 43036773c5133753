import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  type DecimalMark,
  parseCount,
  parseDecimal,
  parseRate,
} from '../../../../src/site/search-data/exports/parse-figures.ts';
import { runs } from '../../../support/runs.ts';

const LOCALES = [
  'en-US',
  'de-DE',
  'fr-FR',
  'de-CH',
  'en-IN',
  'pl-PL',
  'pt-BR',
  'ar-EG',
  'fa-IR',
  'hi-IN',
  'sv-SE',
  'tr-TR',
];

/** The mark before the decimals in a locale. */
function markOf(locale: string): DecimalMark {
  return /[.٫]/.test((1.5).toLocaleString(locale)) ? 'point' : 'comma';
}

test('a number of clicks is parsed in any locale', () => {
  fc.assert(
    fc.property(fc.bigInt(0n, 2n ** 63n - 1n), fc.constantFrom(...LOCALES), (count, locale) => {
      const written = count.toLocaleString(locale);
      const mark = markOf(locale);
      expect(parseCount(written, mark), written).toBe(count);
      expect(parseCount(String(count), mark)).toBe(count);
      expect(parseCount(`${count}${mark === 'point' ? '.000' : ',000'}`, mark)).toBe(count);
    }),
    { numRuns: runs(500) },
  );
});

test('a position is parsed in any locale, to its last decimal', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 0, max: 99_999_999 }),
      fc.constantFrom(...LOCALES),
      (hundredths, locale) => {
        const value = hundredths / 100;
        const written = value.toLocaleString(locale, { minimumFractionDigits: 2, maximumFractionDigits: 2 });
        expect(parseDecimal(written, markOf(locale)), written).toBeCloseTo(value, 9);
        expect(parseDecimal(String(value), 'point')).toBe(value);
      },
    ),
    { numRuns: runs(500) },
  );
});

test('a rate is parsed with the percent sign before or after it', () => {
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 10_000 }), fc.constantFrom(...LOCALES), (basis, locale) => {
      const written = (basis / 10_000).toLocaleString(locale, { style: 'percent', maximumFractionDigits: 2 });
      expect(parseRate(written, markOf(locale)), written).toBeCloseTo(basis / 10_000, 9);
    }),
    { numRuns: runs(300) },
  );
  expect([parseRate('0.035', 'point'), parseRate('3.5', 'point'), parseRate('-', 'point')]).toEqual([
    0.035,
    undefined,
    undefined,
  ]);
});

test.each([
  ['', undefined, undefined],
  ['-', undefined, undefined],
  ['-1', undefined, undefined],
  ['1.5', undefined, undefined],
  ['1e3', undefined, undefined],
  ['12.0', 12n, undefined],
  ['12.000', 12n, 12_000n],
  ['1.000', 1n, 1000n],
  ['1.234', undefined, 1234n],
  ['1,234,567', 1_234_567n, undefined],
  ['1,23,456', 123_456n, undefined],
  ['1’234', 1234n, 1234n],
  ['9007199254740993', 9_007_199_254_740_993n, 9_007_199_254_740_993n],
  ['9223372036854775807', 9_223_372_036_854_775_807n, 9_223_372_036_854_775_807n],
  ['9223372036854775808', undefined, undefined],
  ['NaN', undefined, undefined],
])('%j clicks are %s with a point before decimals, %s with a comma', (text, point, comma) => {
  expect([parseCount(text, 'point'), parseCount(text, 'comma')]).toEqual([point, comma]);
});

test.each([
  ['1.234,5', undefined, 1234.5],
  ['1,234.5', 1234.5, undefined],
  ['5.250', 5.25, 5250],
  ['8,25', undefined, 8.25],
  ['8.', 8, undefined],
  ['.5', undefined, undefined],
  ['1.2.3', undefined, undefined],
  ['1,2.3,4', undefined, undefined],
  ['−1', undefined, undefined],
  ['n/a', undefined, undefined],
  ['9'.repeat(400), undefined, undefined],
])('%j is the decimal %s with a point, %s with a comma', (text, point, comma) => {
  expect([parseDecimal(text, 'point'), parseDecimal(text, 'comma')]).toEqual([point, comma]);
});
