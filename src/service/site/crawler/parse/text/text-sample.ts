/** Word pairs that a sample has. */
const MOST_PAIRS = 160;
const ENTRY_BYTES = 6;
/** Pairs that are kept until the smallest of them are chosen. */
const MOST_KEPT = 2_048;

/** The smallest pairs of a text by their hashes, in ascending order, and for each the hash of the block that it stands in. */
export interface SampledPairs {
  readonly pairs: Uint32Array;
  readonly blocks: Uint16Array;
}

/**
 * A sample of a text's word pairs: the 160 pairs with the smallest hashes. Texts that share pairs have the same ones in
 * their samples, so the share of equal pairs of two samples estimates that of the texts. A pair does not cross the border
 * of a block. Each pair knows its block by 16 bits of a hash, so that blocks that most pages of a site share can be left
 * out afterwards.
 *
 * Source: A. Broder, "On the resemblance and containment of documents" (1997), §4.
 */
export class TextSample {
  #pairs = new Uint32Array(MOST_KEPT);
  #blocks = new Uint16Array(MOST_KEPT);
  #length = 0;
  /** Pairs from here on are not among the smallest. */
  #end = 2 ** 32;
  /** Where the pairs of the present block begin. */
  #start = 0;
  #hash = 0;

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

  /** Keeps the smallest pairs of the blocks that have ended; the present block may need larger arrays. */
  #makeRoom(): void {
    const present = this.#pairs.slice(this.#start, this.#length);
    const { pairs, blocks } = this.#smallest();
    const size = Math.max(MOST_KEPT, 2 * (pairs.length + present.length));
    [this.#pairs, this.#blocks] = [new Uint32Array(size), new Uint16Array(size)];
    this.#pairs.set(pairs);
    this.#blocks.set(blocks);
    this.#start = pairs.length;
    if (pairs.length === MOST_PAIRS) this.#end = pairs[MOST_PAIRS - 1] ?? this.#end;
    const smaller = present.filter((pair) => pair < this.#end);
    this.#pairs.set(smaller, this.#start);
    this.#length = this.#start + smaller.length;
  }

  /** Of a pair that stands in several blocks, the first block. */
  #smallest(): SampledPairs {
    const pairs = this.#pairs.slice(0, this.#start).sort();
    let length = 0;
    for (let at = 0; at < pairs.length && length < MOST_PAIRS; at++)
      if (at === 0 || pairs[at] !== pairs[at - 1]) pairs[length++] = pairs[at] ?? 0;
    const smallest = pairs.subarray(0, length);
    const blocks = new Uint16Array(length);
    const last = smallest[length - 1] ?? 0;
    for (let at = this.#start - 1; at >= 0; at--) {
      const pair = this.#pairs[at] ?? 0;
      if (pair <= last) blocks[placeOf(pair, smallest)] = this.#blocks[at] ?? 0;
    }
    return { pairs: smallest, blocks };
  }

  /** As text, for a record. */
  encoded(): string {
    const { pairs, blocks } = this.#smallest();
    const bytes = Buffer.allocUnsafe(pairs.length * ENTRY_BYTES);
    for (let at = 0; at < pairs.length; at++) {
      bytes.writeUInt32BE(pairs[at] ?? 0, at * ENTRY_BYTES);
      bytes.writeUInt16BE(blocks[at] ?? 0, at * ENTRY_BYTES + 4);
    }
    return bytes.toString('base64');
  }
}

/** Where a value stands in a sorted list that has it. */
function placeOf(value: number, sorted: Uint32Array): number {
  let [low, high] = [0, sorted.length - 1];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((sorted[middle] ?? 0) < value) low = middle + 1;
    else high = middle;
  }
  return low;
}

export function decodeSample(text: string): SampledPairs {
  const bytes = Buffer.from(text, 'base64');
  const length = Math.floor(bytes.length / ENTRY_BYTES);
  const [pairs, blocks] = [new Uint32Array(length), new Uint16Array(length)];
  for (let index = 0; index < length; index++) {
    pairs[index] = bytes.readUInt32BE(index * ENTRY_BYTES);
    blocks[index] = bytes.readUInt16BE(index * ENTRY_BYTES + 4);
  }
  return { pairs, blocks };
}

/** Whether a sample has all pairs of its text. */
export function isWhole({ pairs }: SampledPairs): boolean {
  return pairs.length < MOST_PAIRS;
}
