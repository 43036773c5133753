import { createHash, type Hash } from 'node:crypto';
import { crc32 } from 'node:zlib';
import { crc32c } from '../../../core/files/crc32c.ts';

/** Checksums that clients request of an object store. */
export const CHECKSUMS = ['md5', 'sha1', 'sha256', 'crc32', 'crc32c'] as const;
export type ChecksumName = (typeof CHECKSUMS)[number];

/** Checksums of bytes that arrive in pieces. */
export class Digests {
  readonly #hashes = new Map<ChecksumName, Hash>();
  readonly #sums = new Map<ChecksumName, number>();
  size = 0;

  constructor(names: Iterable<ChecksumName>) {
    for (const name of names) {
      if (name === 'crc32' || name === 'crc32c') this.#sums.set(name, 0);
      else this.#hashes.set(name, createHash(name));
    }
  }

  update(piece: Uint8Array): void {
    this.size += piece.length;
    for (const hash of this.#hashes.values()) hash.update(piece);
    for (const [name, sum] of this.#sums)
      this.#sums.set(name, name === 'crc32' ? crc32(piece, sum) : crc32c(piece, sum));
  }

  /** Returns the current checksum as bytes, the most significant first. */
  value(name: ChecksumName): Buffer {
    const hash = this.#hashes.get(name);
    if (hash !== undefined) return hash.copy().digest();
    const sum = this.#sums.get(name);
    if (sum === undefined) throw new Error(`${name} was not computed`);
    const bytes = Buffer.alloc(4);
    bytes.writeUInt32BE(sum);
    return bytes;
  }
}
