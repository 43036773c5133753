import type { TextSample } from './text-sample.ts';

/** A text with fewer words is too short for a comparison. */
const FEWEST_WORDS = 10;
const HALF = 30;
const MASK = 2 ** HALF - 1;
/** Bits of the largest number of pairs. */
const PLANES = 32;

/**
 * Returns a 60-bit fingerprint. Texts that share most of their word pairs have fingerprints that share most of their
 * bits. Every different pair of consecutive words has a hash; bit n is set when it is set in more than half of them.
 * The share of different bits grows with the angle between the two sets of pairs. Null for a text of fewer than ten
 * words.
 *
 * Sources: M. Charikar, "Similarity estimation techniques from rounding algorithms" (2002); G. Manku et al., "Detecting
 * near-duplicates for web crawling" (2007). Sixty bits, because the field is a number that must fit a BIGINT.
 *
 * @param blocks the words of each block of text
 * @param sample is filled with the pairs of each block
 */
export function simhash(blocks: Iterable<readonly string[]>, sample?: TextSample): bigint | null {
  const low = new Int32Array(PLANES);
  const high = new Int32Array(PLANES);
  const seen = new Set<number>();
  let before = 0;
  let wordCount = 0;
  for (const block of blocks) {
    let isFirst = true;
    for (const word of block) {
      const hash = hashOf(word);
      const pair = mix(Math.imul(before, 31) + hash);
      sample?.add(isFirst ? mix(hash) : pair, hash);
      isFirst = false;
      before = hash;
      wordCount++;
      if (seen.has(pair)) continue;
      seen.add(pair);
      count(low, pair);
      count(high, mix(pair ^ 0x5bd1e995));
    }
    sample?.endBlock();
  }
  if (wordCount < FEWEST_WORDS) return null;
  return (BigInt(bits(high, seen.size)) << BigInt(HALF)) | BigInt(bits(low, seen.size));
}

/** FNV-1a over UTF-16 code units (http://www.isthe.com/chongo/tech/comp/fnv/). */
function hashOf(word: string): number {
  let hash = 0x811c9dc5;
  for (let at = 0; at < word.length; at++) hash = Math.imul(hash ^ word.charCodeAt(at), 0x01000193);
  return hash;
}

/** Spreads every bit over all others (the finalizer of MurmurHash3). */
function mix(value: number): number {
  let hash = value | 0;
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return hash ^ (hash >>> 16);
}

/** Adds the bits of a hash to the numbers of ones. Plane `n` has bit `n` of all 30 numbers, so one step adds to each. */
function count(planes: Int32Array, hash: number): void {
  let carry = hash;
  for (let plane = 0; carry !== 0; plane++) {
    const former = planes[plane] ?? 0;
    planes[plane] = former ^ carry;
    carry &= former;
  }
}

function bits(planes: Int32Array, total: number): number {
  let value = 0;
  for (let bit = 0; bit < HALF; bit++) {
    let ones = 0;
    for (let plane = 32 - Math.clz32(total); plane >= 0; plane--)
      ones = 2 * ones + (((planes[plane] ?? 0) >>> bit) & 1);
    if (ones * 2 > total) value |= 1 << bit;
  }
  return value & MASK;
}
