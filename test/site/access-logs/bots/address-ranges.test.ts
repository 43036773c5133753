import fc from 'fast-check';
import { expect, test } from 'vitest';
import { addressNumber } from '../../../../src/core/net/ip-address.ts';
import { AddressRanges, prefixInterval } from '../../../../src/site/access-logs/bots/address-ranges.ts';

/** The text of a number of 128 bits; IPv4 where it is one. */
function textOf(number: bigint): string {
  if (number >> 32n === 0xffffn) return [24n, 16n, 8n, 0n].map((shift) => (number >> shift) & 255n).join('.');
  return Array.from({ length: 8 }, (_, index) =>
    ((number >> BigInt(112 - 16 * index)) & 0xffffn).toString(16),
  ).join(':');
}

const ipv4 = fc.bigInt(0n, (1n << 32n) - 1n).map((number) => (0xffffn << 32n) | number);
const ipv6 = fc.bigInt(0n, (1n << 128n) - 1n);
/** Numbers near each other, so that ranges touch, overlap and hold each other. */
const near = fc.bigInt(0n, 2_000n).map((number) => (0xffffn << 32n) | 0x42f94000n | number);
const address = fc.oneof(near, near, ipv4, ipv6);
/** A prefix as its first number and its length of 128 bits. */
const prefix = fc
  .tuple(address, fc.integer({ min: 0, max: 32 }))
  .map(([number, free]) => ({ first: (number >> BigInt(free)) << BigInt(free), free }));

test('an address is in the ranges exactly if a prefix matches its first bits', () => {
  fc.assert(
    fc.property(
      fc.array(prefix, { maxLength: 40 }),
      fc.array(address, { minLength: 1, maxLength: 20 }),
      (some, asked) => {
        const texts = some.map(({ first, free }) => {
          const text = textOf(first);
          return `${text}/${(text.includes('.') ? 32 : 128) - free}`;
        });
        const ranges = new AddressRanges(texts);
        const edges = some.flatMap(({ first, free }) => [
          first,
          first + (1n << BigInt(free)) - 1n,
          first - 1n,
        ]);
        for (const number of [...asked, ...edges].filter((one) => one >= 0n)) {
          const plain = some.some(({ first, free }) => number >> BigInt(free) === first >> BigInt(free));
          expect(ranges.has(number)).toBe(plain);
        }
      },
    ),
  );
});

test('IPv4 ranges include the IPv4-mapped form of their addresses', () => {
  const ranges = new AddressRanges(['66.249.64.0/27', '2001:4860:4801:10::/64', '1.2.3.4']);
  const has = (text: string): boolean => ranges.has(addressNumber(text) ?? -1n);
  expect(['66.249.64.31', '::ffff:66.249.64.31', '::FFFF:42f9:401f', '1.2.3.4'].map(has)).toEqual([
    true,
    true,
    true,
    true,
  ]);
  expect(['66.249.64.32', '66.249.63.255', '1.2.3.5', '::66.249.64.31'].map(has)).toEqual([
    false,
    false,
    false,
    false,
  ]);
  expect(
    ['2001:4860:4801:10::', '2001:4860:4801:0010:ffff:ffff:ffff:ffff', '2001:4860:4801:11::'].map(has),
  ).toEqual([true, true, false]);
  expect(new AddressRanges([]).has(0n)).toBe(false);
});

test.each([
  '',
  '66.249.64.0/33',
  '66.249.64.0/-1',
  '66.249.64.0/',
  '66.249.64.0/27/27',
  '66.249.64.1/27',
  '2001::/129',
  '2001::1/64',
  '::ffff:66.249.64.0/27x',
  'googlebot.com/27',
])('%j is not a prefix', (text) => {
  expect(prefixInterval(text)).toBeNull();
});
