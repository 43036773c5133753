/** Word pairs that a sample has. */
const MOST_PAIRS = 160;
const ENTRY_BYTES = 6;
/** Pairs that are kept until the smallest of them are chosen. */
const MOST_KEPT = 4_096;

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
  #blocks = new Map<number, number>();
  /** Pairs from here on are not among the smallest. */
  #end = Number.POSITIVE_INFINITY;
  #block: number[] = [];
  #hash = 0;

  add(pair: number, word: number): void {
    this.#block.push(pair >>> 0);
    this.#hash = (Math.imul(this.#hash, 31) + word) | 0;
  }

  endBlock(): void {
    const hash = (this.#hash ^ (this.#hash >>> 16)) & 0xffff;
    for (const pair of this.#block)
      if (pair < this.#end && !this.#blocks.has(pair)) this.#blocks.set(pair, hash);
    if (this.#blocks.size > MOST_KEPT) {
      const smallest = this.#smallest();
      this.#blocks = new Map(Array.from(smallest, (pair) => [pair, this.#blocks.get(pair) ?? 0]));
      this.#end = smallest.at(-1) ?? this.#end;
    }
    this.#block = [];
    this.#hash = 0;
  }

  #smallest(): Uint32Array {
    return Uint32Array.from(this.#blocks.keys()).sort().subarray(0, MOST_PAIRS);
  }

  /** As text, for a record. */
  encoded(): string {
    const pairs = this.#smallest();
    const bytes = Buffer.alloc(pairs.length * ENTRY_BYTES);
    for (const [index, pair] of pairs.entries()) {
      bytes.writeUInt32BE(pair, index * ENTRY_BYTES);
      bytes.writeUInt16BE(this.#blocks.get(pair) ?? 0, index * ENTRY_BYTES + 4);
    }
    return bytes.toString('base64');
  }
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
