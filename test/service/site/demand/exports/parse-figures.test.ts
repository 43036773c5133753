import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  parseCount,
  parseDecimal,
  parseRate,
} from '../../../../../src/service/site/demand/exports/parse-figures.ts';
import { runs } from '../../../../support/runs.ts';

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

test('a number of clicks is read as any locale writes it', () => {
  fc.assert(
    fc.property(fc.bigInt(0n, 2n ** 63n - 1n), fc.constantFrom(...LOCALES), (count, locale) => {
      const written = count.toLocaleString(locale);
      expect(parseCount(written), written).toBe(count);
      expect(parseCount(String(count))).toBe(count);
      if (count < 1000n) expect([parseCount(`${count}.0`), parseCount(`${count},0`)]).toEqual([count, count]);
    }),
    { numRuns: runs(500) },
  );
});

test('a position is read as any locale writes it, to its last decimal', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 0, max: 99_999_999 }),
      fc.constantFrom(...LOCALES),
      (hundredths, locale) => {
        const value = hundredths / 100;
        const written = value.toLocaleString(locale, { minimumFractionDigits: 2, maximumFractionDigits: 2 });
        expect(parseDecimal(written), written).toBeCloseTo(value, 9);
        expect(parseDecimal(String(value))).toBe(value);
      },
    ),
    { numRuns: runs(500) },
  );
});

test('a rate is read with its sign of percent before or behind it', () => {
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 10_000 }), fc.constantFrom(...LOCALES), (basis, locale) => {
      const written = (basis / 10_000).toLocaleString(locale, { style: 'percent', maximumFractionDigits: 2 });
      expect(parseRate(written), written).toBeCloseTo(basis / 10_000, 9);
    }),
    { numRuns: runs(300) },
  );
  expect([parseRate('0.035'), parseRate('3.5'), parseRate('-')]).toEqual([0.035, undefined, undefined]);
});

test.each([
  ['', undefined],
  ['-', undefined],
  ['-1', undefined],
  ['1.5', undefined],
  ['1e3', undefined],
  ['12.0', 12n],
  ['1.000', 1000n],
  ['1,234,567', 1_234_567n],
  ['1,23,456', 123_456n],
  ['1’234', 1234n],
  ['9007199254740993', 9_007_199_254_740_993n],
  ['9223372036854775807', 9_223_372_036_854_775_807n],
  ['9223372036854775808', undefined],
  ['NaN', undefined],
])('%j clicks are %s', (text, count) => {
  expect(parseCount(text)).toBe(count);
});

test.each([
  ['1.234,5', 1234.5],
  ['1,234.5', 1234.5],
  ['8,25', 8.25],
  ['8.', 8],
  ['.5', undefined],
  ['1.2.3', undefined],
  ['1,2.3,4', undefined],
  ['−1', undefined],
  ['n/a', undefined],
  ['9'.repeat(400), undefined],
])('%j is the decimal %s', (text, value) => {
  expect(parseDecimal(text)).toBe(value);
});
