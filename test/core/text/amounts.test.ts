import { expect, test } from 'vitest';
import {
  bytesOf,
  bytesText,
  counted,
  countText,
  durationText,
  percentText,
  signedText,
  sumOfKnown,
} from '../../../src/core/text/amounts.ts';

test.for([
  [0, '0 B'],
  [999, '999 B'],
  [1_000, '1.0 kB'],
  [3_420_000, '3.4 MB'],
  [250_000_000, '250 MB'],
  [7e15, '7000 TB'],
] as const)('%i bytes are shown as %s', ([bytes, text]) => expect(bytesText(bytes)).toBe(text));

test.for([
  [0, '0.0 s'],
  [0.44, '0.4 s'],
  [12.3, '12 s'],
  [99.6, '2 min'],
  [3_600, '1 h'],
  [7_500, '2 h 5 min'],
] as const)('%f seconds are shown as %s', ([seconds, text]) => expect(durationText(seconds)).toBe(text));

test.each([-0, -0.0004, 0])('a number like %d is shown as 0, without a sign', (count) =>
  expect(countText(count)).toBe('0'),
);

test.each([
  [12, '+12'],
  [-3, '−3'],
  [-1_234.567, '−1,234.57'],
  [0, '0'],
  [-0.001, '0'],
  [-5n, '−5'],
  [0.001, '0'],
])('a change of %s is shown as %s', (change, text) => expect(signedText(change)).toBe(text));

test.each([
  [-100, 400, ' (−25 %)'],
  [1, 20, ' (+5 %)'],
  [-19, 19, ''],
  [3, 0, ''],
  [3, null, ''],
])('a change of %s from %s has the percentage "%s", none if it is too small', (change, before, text) =>
  expect(percentText(change, before)).toBe(text),
);

test('counts have thousands separators', () => expect(countText(1_234_567)).toBe('1,234,567'));

test.each([
  [[1, null, 2n], 3],
  [[0, null], 0],
  [[null], null],
  [[], null],
])('the sum of %s is %s', (counts, sum) => expect(sumOfKnown(counts)).toBe(sum));

test.each([
  [0, '0 units'],
  [1, '1 unit'],
  [1_234, '1,234 units'],
])('%i things are shown as %s', (count, text) => expect(counted(count, 'unit')).toBe(text));

test.each([
  ['16MB', 16_000_000],
  ['1.5 kB', 1500],
  ['1GiB', 1_073_741_824],
  ['2 constructor', Number.NaN],
  ['MB', Number.NaN],
])('%s is %d bytes', (size, bytes) => expect(bytesOf(size)).toBe(bytes));
