import { createHash, type Hash } from 'node:crypto';

const NEWLINE = 10;
/** Bytes of the longest line. */
export const LONGEST_LINE = 1024 * 1024;

/** Counts and hashes the whole lines of a text, piece by piece, with a key: its hashes tell nobody what it says. */
export class TextDigest {
  readonly #hash: Hash;
  /** What stands behind the last line end. */
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

  /** Bytes behind it. */
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
    // The rest of a line that is too long anyway.
    if (this.pending > LONGEST_LINE * 2) this.finish();
  }

  /** Takes the last line as whole. */
  finish(): void {
    for (const one of this.#pending) this.#add(one);
    this.#pending = [];
  }

  /** One that goes on from here. */
  copy(): TextDigest {
    return new TextDigest(this.#hash.copy(), this.#offset);
  }

  /** The hash of the whole lines. */
  value(): string {
    return this.#hash.copy().digest('hex');
  }

  #add(bytes: Uint8Array): void {
    this.#hash.update(bytes);
    this.#offset += bytes.length;
  }
}

/** The keyed hash of a text of one byte a character. */
export function keyedHash(key: string, text: string): string {
  return createHash('sha256').update(key).update(text, 'latin1').digest('hex');
}

/** Marks of lines: numbers of 53 bits, by a key, that tell a line from others. */
export function lineMarks(key: string): (text: string, from: number, end: number) => number {
  const seed = createHash('sha256').update(key).update('marks').digest();
  const [a, b] = [seed.readInt32LE(0), seed.readInt32LE(4)];
  return (text, from, end) => {
    let [high, low] = [a, b];
    for (let at = from; at < end; at++) {
      const code = text.charCodeAt(at);
      high = Math.imul(high ^ code, 0x9e3779b1);
      low = Math.imul(low ^ code, 0x5f356495);
    }
    high = Math.imul(high ^ (high >>> 16), 0x85ebca6b) ^ Math.imul(low ^ (low >>> 13), 0xc2b2ae35);
    low = Math.imul(low ^ (low >>> 16), 0x85ebca6b) ^ Math.imul(high ^ (high >>> 13), 0xc2b2ae35);
    return 0x1_0000_0000 * (low & 0x1fffff) + (high >>> 0);
  };
}
