import fc from 'fast-check';
import { expect, test } from 'vitest';
import { crc32c } from '../../../src/core/files/crc32c.ts';

test('the checksums equal the examples of RFC 3720', () => {
  expect(crc32c(Buffer.from('123456789'))).toBe(0xe3069283);
  expect(crc32c(Buffer.alloc(32))).toBe(0x8a9136aa);
  expect(crc32c(Buffer.alloc(32, 0xff))).toBe(0x62a8ab43);
  expect(crc32c(Buffer.from(Array.from({ length: 32 }, (_, index) => index)))).toBe(0x46dd794e);
  expect(crc32c(Buffer.alloc(0))).toBe(0);
});

test('checksums do not depend on how the data is split', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 100 }), fc.nat(100), (bytes, cut) => {
      let plain = 0xffffffff;
      for (const byte of bytes) {
        plain ^= byte;
        for (let bit = 0; bit < 8; bit++) plain = plain & 1 ? (plain >>> 1) ^ 0x82f63b78 : plain >>> 1;
      }
      const pieces = crc32c(bytes.subarray(cut), crc32c(bytes.subarray(0, cut)));
      expect(pieces).toBe((plain ^ 0xffffffff) >>> 0);
      expect(crc32c(bytes)).toBe(pieces);
    }),
  );
});
