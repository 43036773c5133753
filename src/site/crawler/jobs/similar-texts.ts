import { UnionFind } from './union-find.ts';

/**
 * Texts with at least this share of equal pairs of words, of the pairs of both, are similar. Screaming Frog's default
 * is 90 %, of another measure (docs/decisions/crawler.md).
 */
const LEAST_SIMILARITY = 0.85;
/** Texts with equal bins are compared with this many earlier ones. */
const WINDOW = 64;
/** Bins that the pairs of a text are divided into, and the number of bins in memory at a time. */
const [BINS, BINS_AT_ONCE] = [64, 16];
/** A text with more pairs has enough bins of several pairs: too many texts have equal bins of one pair. */
const MANY_PAIRS = 96;
/** The maximum number of texts of a cluster that are all compared for its average. */
const MOST_AVERAGED = 48;
/** 32-bit words in which a text marks its pairs, and all words that decide whether texts are far apart. */
const [MARKS, WORDS] = [8, 16];

/** The sampled pairs of a text, in ascending order. */
export interface SampledText {
  readonly pairs: Uint32Array;
  /** Larger pairs of the text are not in the sample. */
  readonly last: number;
}

/**
 * Returns the share of equal pairs of two texts, `2 × equal / (pairs of one + pairs of the other)`, of the pairs that
 * the samples of both would have; 0 as soon as it can no longer reach `least`.
 */
export function similarityOf(text: SampledText, other: SampledText, least = 0): number {
  const last = Math.min(text.last, other.last);
  const [a, b] = [text.pairs, other.pairs];
  const mostDifferent = (1 - least) * (a.length + b.length) + 1e-6;
  let [atA, atB, equal] = [0, 0, 0];
  while (atA < a.length || atB < b.length) {
    const [pairA = Number.POSITIVE_INFINITY, pairB = Number.POSITIVE_INFINITY] = [a[atA], b[atB]];
    if (Math.min(pairA, pairB) > last) break;
    if (pairA === pairB) equal++;
    if (pairA <= pairB) atA++;
    if (pairB <= pairA) atB++;
    if (atA + atB - 2 * equal > mostDifferent) return 0;
  }
  return equal === 0 ? 0 : (2 * equal) / (atA + atB);
}

/**
 * Finds similar texts, and joins them to clusters. Within a cluster, two texts may differ more if other texts connect
 * them.
 *
 * The last bits of a pair put it into one of 64 bins. A pair that only one of two texts has changes one bin, so some
 * bins of similar texts are equal, and only texts with an equal bin are compared. With 160 pairs and 85 % of them
 * equal, 30 bins are equal on average; the chance of none is less than one in a million. If more than 64 texts have the
 * same bin, each is compared with the 64 before it; similar texts of a large family are then found via others.
 *
 * Source: P. Li et al., "One permutation hashing" (2012).
 */
export function similarTexts(texts: readonly SampledText[]) {
  const groups = new UnionFind(texts.length);
  const similarity = new Float64Array(texts.length);
  const join = (a: number, b: number, share: number): void => {
    groups.join(a, b);
    similarity[a] = Math.max(similarity[a] ?? 0, share);
    similarity[b] = Math.max(similarity[b] ?? 0, share);
  };
  const different = joinEqual(texts, join);
  const marks = marksOf(texts);
  const lastCompared = new Int32Array(texts.length).fill(-1);
  const compare = (text: number, other: number): void => {
    if (lastCompared[other] === text) return;
    lastCompared[other] = text;
    if (isFar(texts, marks, text, other) || groups.find(text) === groups.find(other)) return;
    const share = similarityOf(texts[text] ?? NO_TEXT, texts[other] ?? NO_TEXT, LEAST_SIMILARITY);
    if (share >= LEAST_SIMILARITY) join(text, other, share);
  };
  const bins = new EqualBins(texts.length);
  for (let first = 0; first < BINS; first += BINS_AT_ONCE) {
    bins.clear();
    for (const text of different) bins.add(text, (texts[text] ?? NO_TEXT).pairs, first, compare);
  }
  return {
    /** For each text the lowest one of its cluster; the text itself if it is alone. */
    cluster: Int32Array.from(texts, (_, text) => groups.find(text)),
    /** For each text of a cluster the largest share of equal pairs with a compared text. */
    similarity,
  };
}

const NO_TEXT: SampledText = { pairs: new Uint32Array(), last: 0 };

/**
 * Returns the average similarity of a cluster: of all its pairs of texts, or of the pairs among 48 texts if it is
 * larger.
 */
export function averageSimilarity(texts: readonly SampledText[]): number {
  const step = Math.max(1, texts.length / MOST_AVERAGED);
  const chosen = Array.from(
    { length: Math.min(texts.length, MOST_AVERAGED) },
    (_, n) => texts[Math.floor(n * step)] ?? NO_TEXT,
  );
  const shares = chosen.flatMap((text, at) => chosen.slice(at + 1).map((other) => similarityOf(text, other)));
  return shares.length === 0 ? 1 : shares.reduce((sum, share) => sum + share, 0) / shares.length;
}

/** Joins texts with equal samples; returns one of each group. */
function joinEqual(
  texts: readonly SampledText[],
  join: (a: number, b: number, share: number) => void,
): number[] {
  const byHash = new Map<number, number>();
  return [...texts.keys()].filter((text) => {
    const { pairs } = texts[text] ?? NO_TEXT;
    let hash = pairs.length;
    for (const pair of pairs) hash = (Math.imul(hash, 0x01000193) ^ pair) | 0;
    const former = byHash.get(hash);
    if (former === undefined) byHash.set(hash, text);
    else if (isEqual(pairs, (texts[former] ?? NO_TEXT).pairs)) {
      join(former, text, 1);
      return false;
    }
    return true;
  });
}

function isEqual(a: Uint32Array, b: Uint32Array): boolean {
  return a.length === b.length && a.every((pair, at) => pair === b[at]);
}

/** Texts by their bins, some bins at a time. */
class EqualBins {
  readonly #mask: number;
  /** For each key, the last bin of a text with this key, in an open hash table. */
  readonly #lasts: Uint32Array;
  /** For each bin of a text its key, and the previous bin with the same key. */
  readonly #keys: Uint32Array;
  readonly #befores: Uint32Array;
  readonly #own = new Uint32Array(BINS_AT_ONCE);
  readonly #sizes = new Uint8Array(BINS_AT_ONCE);

  constructor(texts: number) {
    const bins = texts * BINS_AT_ONCE + 1;
    this.#mask = 2 ** Math.ceil(Math.log2(1.5 * bins)) - 1;
    this.#lasts = new Uint32Array(this.#mask + 1);
    this.#keys = new Uint32Array(bins);
    this.#befores = new Uint32Array(bins);
  }

  clear(): void {
    this.#lasts.fill(0);
  }

  /** Adds consecutive bins of a text, after comparing it with the last texts that have the same bins. */
  add(text: number, pairs: Uint32Array, first: number, compare: (text: number, other: number) => void): void {
    // Local names: this is the longest work of the job.
    const [lasts, keys, befores, mask] = [this.#lasts, this.#keys, this.#befores, this.#mask];
    const [hashes, sizes] = [this.#own.fill(0), this.#sizes.fill(0)];
    for (let at = 0; at < pairs.length; at++) {
      const pair = pairs[at] ?? 0;
      const bin = (pair & (BINS - 1)) - first;
      if (bin < 0 || bin >= BINS_AT_ONCE) continue;
      hashes[bin] = Math.imul((hashes[bin] ?? 0) ^ pair, 0x9e3779b1) + 1;
      sizes[bin] = (sizes[bin] ?? 0) + 1;
    }
    const fewest = pairs.length < MANY_PAIRS ? 1 : 2;
    for (let bin = 0; bin < BINS_AT_ONCE; bin++) {
      if ((sizes[bin] ?? 0) < fewest) continue;
      const key = hashes[bin] ?? 0;
      let place = (key ^ (key >>> 15)) & mask;
      while (lasts[place] !== 0 && keys[lasts[place] ?? 0] !== key) place = (place + 1) & mask;
      const last = lasts[place] ?? 0;
      for (let at = last, left = WINDOW; at > 0 && left > 0; at = befores[at] ?? 0, left--)
        compare(text, Math.floor((at - 1) / BINS_AT_ONCE));
      const own = text * BINS_AT_ONCE + bin + 1;
      keys[own] = key;
      befores[own] = last;
      lasts[place] = own;
    }
  }
}

/**
 * For each text 256 bits, of which each of its pairs sets one: texts whose bits differ a lot also differ in at least as
 * many pairs. Then the number of its pairs, the end of its sample, and the pair that a quarter of its pairs follow.
 */
function marksOf(texts: readonly SampledText[]): Uint32Array {
  const marks = new Uint32Array(texts.length * WORDS);
  for (const [text, { pairs, last }] of texts.entries()) {
    const start = text * WORDS;
    for (const pair of pairs) {
      const place = start + ((pair >>> 5) & (MARKS - 1));
      marks[place] = (marks[place] ?? 0) | (1 << (pair & 31));
    }
    const late = pairs[pairs.length - 1 - (pairs.length >>> 2)] ?? 0;
    marks.set([pairs.length, Math.min(last, 2 ** 32 - 1), late], start + MARKS);
  }
  return marks;
}

/** Returns whether the marks of two texts differ more than those of similar ones can. */
function isFar(texts: readonly SampledText[], marks: Uint32Array, text: number, other: number): boolean {
  const isLonger = (marks[text * WORDS + MARKS + 1] ?? 0) > (marks[other * WORDS + MARKS + 1] ?? 0);
  const [long, short] = isLonger ? [text, other] : [other, text];
  const [longer, shorter] = [long * WORDS, short * WORDS];
  const length = marks[longer + MARKS] ?? 0;
  const last = marks[shorter + MARKS + 1] ?? 0;
  const most = (1 - LEAST_SIMILARITY) * (length + (marks[shorter + MARKS] ?? 0)) + 1e-6;
  // Pairs that only one sample reaches may differ too: usually at most a quarter.
  const far = (marks[longer + MARKS + 2] ?? 0) <= last ? most + (length >>> 2) : Number.POSITIVE_INFINITY;
  let count = 0;
  for (let word = 0; word < MARKS && count <= far; word++) {
    let bits = (marks[longer + word] ?? 0) ^ (marks[shorter + word] ?? 0);
    bits -= (bits >>> 1) & 0x55555555;
    bits = (bits & 0x33333333) + ((bits >>> 2) & 0x33333333);
    count += Math.imul((bits + (bits >>> 4)) & 0x0f0f0f0f, 0x01010101) >>> 24;
  }
  if (count > far) return true;
  const over = Math.ceil(count - most);
  return over > 0 && (texts[long]?.pairs[length - over] ?? 0) <= last;
}
