import { expect, test } from 'vitest';
import { CHECKSUMS, Digests } from '../../../../src/service/sandbox/stores/digests.ts';

test('the checksums of pieces are those of the whole', () => {
  const digests = new Digests(CHECKSUMS);
  for (const piece of ['1234', '', '56789']) digests.update(Buffer.from(piece));
  const written = CHECKSUMS.map((name) => [name, digests.value(name).toString('hex')]);
  expect(Object.fromEntries(written)).toEqual({
    md5: '25f9e794323b453885f5181f1b624d0b',
    sha1: 'f7c3bc1d808e04732adf679965ccc34ca7ae3441',
    sha256: '15e2b0d3c33891ebb0f1ef609ec419420c20e320ce94c65fbc8c3312448eb225',
    crc32: 'cbf43926',
    crc32c: 'e3069283',
  });
  expect(digests.size).toBe(9);
});

test('a checksum that nobody asked for is a fault', () => {
  expect(() => new Digests(['md5']).value('crc32')).toThrow('crc32 was not computed');
  expect(() => new Digests(['crc32']).value('md5')).toThrow('md5 was not computed');
});
