import { createHash, type Hash } from 'node:crypto';

const NEWLINE = 10;
/** Bytes of the longest line. */
export const LONGEST_LINE = 1024 * 1024;

/**
 * Counts and hashes the whole lines of a text, piece by piece, with a key, so that the hashes reveal nothing about the
 * text.
 */
export class TextDigest {
  readonly #hash: Hash;
  /** The bytes after the last line end. */
  #pending: Uint8Array[] = [];
  #offset: number;

  constructor(hash: Hash, offset: number) {
    this.#hash = hash;
    this.#offset = offset;
  }

  static keyed(key: string): TextDigest {
    return new TextDigest(createHash('sha256').update(key), 0);
  }

  /** Bytes up to the end of the last whole line. */
  get offset(): number {
    return this.#offset;
  }

  /** The number of bytes after the last line end. */
  get pending(): number {
    return this.#pending.reduce((all, { length }) => all + length, 0);
  }

  take(piece: Uint8Array): void {
    const end = piece.lastIndexOf(NEWLINE) + 1;
    if (end > 0) {
      this.finish();
      this.#add(piece.subarray(0, end));
    }
    if (end < piece.length) this.#pending.push(piece.subarray(end));
    // The rest of a line that is too long in any case.
    if (this.pending > LONGEST_LINE * 2) this.finish();
  }

  /** Treats the last line as complete. */
  finish(): void {
    for (const one of this.#pending) this.#add(one);
    this.#pending = [];
  }

  copy(): TextDigest {
    return new TextDigest(this.#hash.copy(), this.#offset);
  }

  /** Returns the hash of the whole lines. */
  value(): string {
    return this.#hash.copy().digest('hex');
  }

  #add(bytes: Uint8Array): void {
    this.#hash.update(bytes);
    this.#offset += bytes.length;
  }
}

/** Returns the keyed hash of a text with one byte per character. */
export function keyedHash(key: string, text: string): string {
  return createHash('sha256').update(key).update(text, 'latin1').digest('hex');
}

/**
 * Marks of lines: numbers of 53 bits, by a key, that identify a line. The mixing function is that of MurmurHash3, in
 * two lanes whose multipliers and seeds come from the key.
 */
export function lineMarks(key: string): (text: DataView, from: number, end: number) => number {
  const seed = createHash('sha256').update(key).update('marks').digest();
  const [a, b, p, q] = [seed.readInt32LE(0), seed.readInt32LE(4), odd(seed, 8), odd(seed, 12)];
  return (text, from, end) => {
    let high = a ^ (end - from);
    let low = b;
    let at = from;
    for (; at + 8 <= end; at += 8) {
      // Both in one statement: neither lane waits for the other.
      const next = (mixed(high, text.getInt32(at, true), p, q) + low) | 0;
      low = (mixed(low, text.getInt32(at + 4, true), q, p) + high) | 0;
      high = next;
    }
    for (; at < end; at++) {
      high = mixed(high, text.getUint8(at), p, q);
      low = mixed(low, high, q, p);
    }
    high = Math.imul(high ^ (high >>> 16), 0x85ebca6b) ^ Math.imul(low ^ (low >>> 13), 0xc2b2ae35);
    low = Math.imul(low ^ (low >>> 16), 0x85ebca6b) ^ Math.imul(high ^ (high >>> 13), 0xc2b2ae35);
    return 0x1_0000_0000 * (low & 0x1fffff) + (high >>> 0);
  };
}

function odd(bytes: Buffer, at: number): number {
  return bytes.readInt32LE(at) | 1;
}

function mixed(state: number, word: number, first: number, second: number): number {
  const product = Math.imul(word, first);
  const next = state ^ Math.imul((product << 15) | (product >>> 17), second);
  return (Math.imul((next << 13) | (next >>> 19), 5) + 0xe6546b64) | 0;
}
