import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { crc32c } from '../../../src/core/files/crc32c.ts';
import type { Checksum } from '../../../src/core/stores/object-store.ts';
import { checksumCheck } from '../../../src/core/stores/read-object.ts';

const md5 = (bytes: Uint8Array): Buffer => createHash('md5').update(bytes).digest();

/** Whether bytes that come in these pieces hold against a checksum. */
function holds(checksum: Checksum, pieces: readonly Uint8Array[]): boolean {
  const check = checksumCheck(checksum);
  for (const piece of pieces) check.update(piece);
  return check.holds();
}

const Pieces = fc.array(fc.uint8Array({ maxLength: 30 }), { maxLength: 8 });

/** The same checksums as a store that has these parts would give. */
function checksumsOf(parts: readonly Uint8Array[]): Checksum[] {
  const whole = Buffer.concat(parts);
  return [
    { kind: 'md5', hex: md5(whole).toString('hex') },
    { kind: 'crc32c', value: crc32c(whole) },
    {
      kind: 'etag',
      etag: `${md5(Buffer.concat(parts.map(md5))).toString('hex')}-${parts.length}`,
      partSizes: parts.map((part) => part.length),
    },
  ];
}

test('bytes match their checksums, however they are split', () => {
  const Parts = fc.array(fc.uint8Array({ minLength: 1, maxLength: 20 }), { minLength: 1, maxLength: 5 });
  fc.assert(
    fc.property(Parts, fc.array(fc.nat(100), { maxLength: 6 }), (parts, cuts) => {
      const whole = Buffer.concat(parts);
      const at = [0, ...cuts.map((cut) => cut % (whole.length + 1)).sort((a, b) => a - b), whole.length];
      const pieces = at.slice(1).map((to, i) => whole.subarray(at[i], to));
      expect(checksumsOf(parts).map((checksum) => holds(checksum, pieces))).toEqual([true, true, true]);
    }),
  );
});

test('changed, missing and extra bytes fail the check', () => {
  fc.assert(
    fc.property(Pieces, fc.nat(), (pieces, where) => {
      const whole = Buffer.concat(pieces);
      fc.pre(whole.length > 0);
      const changed = Buffer.from(whole);
      changed[where % whole.length] = (changed[where % whole.length] ?? 0) ^ 64;
      for (const wrong of [changed, whole.subarray(1), Buffer.concat([whole, Buffer.of(0)])]) {
        expect(checksumsOf([whole]).map((checksum) => holds(checksum, [wrong]))).toEqual([
          false,
          false,
          false,
        ]);
      }
    }),
  );
});

test('without a checksum from the store, no check fails', () => {
  expect(holds({ kind: 'length' }, [Buffer.from('anything')])).toBe(true);
});
