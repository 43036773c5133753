/** Word pairs in a sample. */
const MOST_PAIRS = 160;
const ENTRY_BYTES = 6;
/** Pairs that are collected before the smallest ones are chosen. */
const MOST_KEPT = 2_048;

/** The pairs of a text with the smallest hashes, in ascending order, each with the hash of its block. */
export interface SampledPairs {
  readonly pairs: Uint32Array;
  readonly blocks: Uint16Array;
}

/** Factor that packs a pair and its position into one number: texts are read in pieces of fewer words. */
const PLACES = 2 ** 20;
/** The sample that was chosen or decoded last, as numbers and as bytes. */
const SAMPLE = { pairs: new Uint32Array(MOST_PAIRS), blocks: new Uint16Array(MOST_PAIRS) };
const BYTES = Buffer.alloc(MOST_PAIRS * ENTRY_BYTES);

/**
 * A sample of a text's word pairs: the 160 pairs with the smallest hashes. Texts that share pairs have the same ones in
 * their samples, so the share of equal pairs of two samples estimates that of the texts. A pair does not cross the
 * border of a block. Each pair knows its block by 16 bits of a hash, so that blocks that most pages of a site share can
 * be left out afterwards. After `clear`, its memory is used for the next text.
 *
 * Source: A. Broder, "On the resemblance and containment of documents" (1997), §4.
 */
export class TextSample {
  #pairs = new Uint32Array(MOST_KEPT);
  #blocks = new Uint16Array(MOST_KEPT);
  #order = new Float64Array(MOST_KEPT);
  #length = 0;
  /** Pairs from this value on are not among the smallest. */
  #end = 2 ** 32;
  /** Where the pairs of the current block begin. */
  #start = 0;
  #hash = 0;

  clear(): this {
    [this.#length, this.#end, this.#start, this.#hash] = [0, 2 ** 32, 0, 0];
    return this;
  }

  add(pair: number, word: number): void {
    this.#hash = (Math.imul(this.#hash, 31) + word) | 0;
    const hash = pair >>> 0;
    if (hash >= this.#end) return;
    if (this.#length === this.#pairs.length) this.#makeRoom();
    this.#pairs[this.#length++] = hash;
  }

  endBlock(): void {
    this.#blocks.fill(this.#hash ^ (this.#hash >>> 16), this.#start, this.#length);
    this.#start = this.#length;
    this.#hash = 0;
  }

  /** Keeps the smallest pairs of the ended blocks; the current block may need larger arrays. */
  #makeRoom(): void {
    const present = this.#pairs.slice(this.#start, this.#length);
    const { pairs, blocks } = this.#smallest();
    const size = Math.max(this.#pairs.length, 2 * (pairs.length + present.length));
    if (size > this.#pairs.length)
      [this.#pairs, this.#blocks, this.#order] = [
        new Uint32Array(size),
        new Uint16Array(size),
        new Float64Array(size),
      ];
    this.#pairs.set(pairs);
    this.#blocks.set(blocks);
    this.#start = pairs.length;
    if (pairs.length === MOST_PAIRS) this.#end = pairs[MOST_PAIRS - 1] ?? this.#end;
    const smaller = present.filter((pair) => pair < this.#end);
    this.#pairs.set(smaller, this.#start);
    this.#length = this.#start + smaller.length;
  }

  /** For a pair in several blocks, the first block. */
  #smallest(): SampledPairs {
    for (let at = 0; at < this.#start; at++) this.#order[at] = (this.#pairs[at] ?? 0) * PLACES + at;
    let length = 0;
    for (const entry of this.#order.subarray(0, this.#start).sort()) {
      const pair = Math.floor(entry / PLACES);
      if (length > 0 && SAMPLE.pairs[length - 1] === pair) continue;
      if (length === MOST_PAIRS) break;
      SAMPLE.pairs[length] = pair;
      SAMPLE.blocks[length++] = this.#blocks[entry - pair * PLACES] ?? 0;
    }
    return sampleOf(length);
  }

  /** As text, for a record. */
  encoded(): string {
    const { pairs, blocks } = this.#smallest();
    for (let at = 0; at < pairs.length; at++) {
      const pair = pairs[at] ?? 0;
      const block = blocks[at] ?? 0;
      const byte = at * ENTRY_BYTES;
      BYTES[byte] = pair >>> 24;
      BYTES[byte + 1] = pair >>> 16;
      BYTES[byte + 2] = pair >>> 8;
      BYTES[byte + 3] = pair;
      BYTES[byte + 4] = block >>> 8;
      BYTES[byte + 5] = block;
    }
    return BYTES.toString('base64', 0, pairs.length * ENTRY_BYTES);
  }
}

function sampleOf(length: number): SampledPairs {
  return { pairs: SAMPLE.pairs.subarray(0, length), blocks: SAMPLE.blocks.subarray(0, length) };
}

/** Returns the sample of a record. The next call reuses its memory. */
export function decodeSample(text: string): SampledPairs {
  const length = Math.floor(BYTES.write(text, 'base64') / ENTRY_BYTES);
  for (let at = 0; at < length; at++) {
    SAMPLE.pairs[at] = BYTES.readUInt32BE(at * ENTRY_BYTES);
    SAMPLE.blocks[at] = BYTES.readUInt16BE(at * ENTRY_BYTES + 4);
  }
  return sampleOf(length);
}

/** Returns whether a sample contains all pairs of its text. */
export function isWhole({ pairs }: SampledPairs): boolean {
  return pairs.length < MOST_PAIRS;
}
