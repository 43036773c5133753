const PIECE = 32 * 1024;
const FIRST_BYTES = 1024 * 1024;
const ZERO = 48;
/** Digits that are written together as a 32-bit number. */
const DIGITS = 9;
const BILLION = 10 ** DIGITS;

/** Rows of text, one byte per character, in one reused buffer. */
export class RowBytes {
  /** Texts that are not in the buffer yet: a long text of many pieces costs more to flatten than to build. */
  #text = '';
  #bytes = Buffer.allocUnsafe(FIRST_BYTES);
  #length = 0;

  get size(): number {
    return this.#length + this.#text.length;
  }

  add(text: string): void {
    this.#text += text;
    if (this.#text.length >= PIECE) this.#flush();
  }

  /** Returns the buffer, with room for this many bytes after the rows; `extend` sets how many were written there. */
  reserve(bytes: number): Buffer {
    if (this.#text !== '') this.#flush();
    if (this.#length + bytes > this.#bytes.length) this.#grow(this.#length + bytes);
    return this.#bytes;
  }

  /** @param size of all rows, including those written after the others */
  extend(size: number): void {
    this.#length = size;
  }

  /** Returns all rows, valid until the next one is added. */
  take(): Buffer {
    this.#flush();
    const taken = this.#bytes.subarray(0, this.#length);
    this.#length = 0;
    return taken;
  }

  #flush(): void {
    const needed = this.#length + this.#text.length;
    if (needed > this.#bytes.length) this.#grow(needed);
    this.#length += this.#bytes.write(this.#text, this.#length, 'latin1');
    this.#text = '';
  }

  #grow(needed: number): void {
    const larger = Buffer.allocUnsafe(Math.max(needed, this.#bytes.length * 2));
    this.#bytes.copy(larger, 0, 0, this.#length);
    this.#bytes = larger;
  }
}

/** Writes a non-negative whole number; returns the position after it. */
export function putNumber(out: Uint8Array, at: number, value: number): number {
  if (value < BILLION) return putDigits(out, at, value, digitsOf(value));
  const high = Math.floor(value / BILLION);
  return putDigits(out, putNumber(out, at, high), value - high * BILLION, DIGITS);
}

function putDigits(out: Uint8Array, at: number, value: number, digits: number): number {
  let left = value | 0;
  for (let place = at + digits - 1; place >= at; place--) {
    const tens = (left / 10) | 0;
    out[place] = ZERO + left - tens * 10;
    left = tens;
  }
  return at + digits;
}

function digitsOf(value: number): number {
  let digits = 1;
  for (let limit = 10; value >= limit; limit *= 10) digits += 1;
  return digits;
}
