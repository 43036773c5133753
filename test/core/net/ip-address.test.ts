import fc from 'fast-check';
import { expect, test } from 'vitest';
import { addressNumber, plainAddress } from '../../../src/core/net/ip-address.ts';

test.each([
  ['0.0.0.0', 0xffff00000000n],
  ['255.255.255.255', 0xffffffffffffn],
  ['66.249.66.1', 0xffff42f94201n],
  ['::ffff:66.249.66.1', 0xffff42f94201n],
  ['::FFFF:42f9:4201', 0xffff42f94201n],
  ['::', 0n],
  ['::1', 1n],
  ['1::', 1n << 112n],
  ['2001:4860:4801:10::1f', 0x2001_4860_4801_0010_0000_0000_0000_001fn],
  ['2001:4860:4801:0010:0:0:0:001F', 0x2001_4860_4801_0010_0000_0000_0000_001fn],
  ['64:ff9b::1.2.3.4', 0x0064_ff9b_0000_0000_0000_0000_0102_0304n],
])('%s is a number of 128 bits', (address, number) => {
  expect(addressNumber(address)).toBe(number);
});

test.each([
  '',
  '-',
  'unix:',
  'localhost',
  '1.2.3',
  '1.2.3.4.5',
  '010.0.0.1',
  '1.2.3.256',
  '1.2.3.4:80',
  '[::1]',
])('%j is not an address', (address) => {
  expect(addressNumber(address)).toBeNull();
});

test.each([':::', '1::2::3', 'fe80::1%eth0', '::g', '1:2:3:4:5:6:7', '66.249.66.1\n', ' 66.249.66.1'])(
  '%j is not an address either',
  (address) => {
    expect(addressNumber(address)).toBeNull();
  },
);

test('all spellings of an address give the same number', () => {
  fc.assert(
    fc.property(fc.bigInt(0n, (1n << 128n) - 1n), (number) => {
      const groups = Array.from({ length: 8 }, (_, index) => (number >> BigInt(112 - 16 * index)) & 0xffffn);
      const full = groups.map((group) => group.toString(16).padStart(4, '0')).join(':');
      expect(addressNumber(full)).toBe(number);
      expect(addressNumber(full.toUpperCase())).toBe(number);
      // The URL parser writes the shortest form.
      expect(addressNumber(new URL(`http://[${full}]`).hostname.slice(1, -1))).toBe(number);
    }),
  );
});

test('an IPv4-mapped address is treated as IPv4, others stay unchanged', () => {
  expect(['::ffff:1.2.3.4', '::ffff:102:304', '1.2.3.4', '::1.2.3.4', '-'].map(plainAddress)).toEqual([
    '1.2.3.4',
    '1.2.3.4',
    '1.2.3.4',
    '::1.2.3.4',
    '-',
  ]);
});
