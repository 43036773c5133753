import { UnionFind } from './union-find.ts';

/**
 * Texts with at least so many equal pairs of words, of 100 of both, are similar. Screaming Frog has 90 % as its default, of
 * another measure; the recall of both limits is in docs/decisions/crawler.md.
 */
const LEAST_SIMILARITY = 0.85;
/** Texts that share a pair are compared with so many that precede. */
const WINDOW = 64;
/** Texts of a cluster of which all are compared for its average. */
const MOST_AVERAGED = 48;
/** Places of the counts of pairs; pairs that share one only lose their order. */
const MOST_COUNTS = 2 ** 22;
/** Counts that tell which pair is rarer; with the place of the pair in its text they fit into 32 bits. */
const MOST_COUNTED = 2 ** 16 - 1;
/** Words of 32 bits in which a text marks its pairs, and those of all that tells whether texts are far apart. */
const [MARKS, WORDS] = [8, 16];

/** The sampled pairs of a text, in ascending order, at most 65,536. */
export interface SampledText {
  readonly pairs: Uint32Array;
  /** Larger pairs of the text are not in the sample. */
  readonly last: number;
}

/**
 * The share of equal pairs of two texts, `2 × equal / (pairs of one + pairs of the other)`, of the pairs that the samples
 * of both would have; 0 as soon as it can't reach `least` any more.
 */
export function similarityOf(one: SampledText, other: SampledText, least = 0): number {
  const last = Math.min(one.last, other.last);
  const [a, b] = [one.pairs, other.pairs];
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
 * Finds similar texts, and joins them to clusters. Within a cluster two texts may differ more, if others lie between them.
 *
 * With the pairs of a text in one order for all, the rarest first, two similar texts share one of their first pairs. So
 * only texts that share one of those are compared. Where more than 64 texts share a pair, each is compared with the 64
 * that precede it; similar texts of a large family are then found by way of others.
 *
 * Source: R. Bayardo et al., "Scaling up all pairs similarity search" (2007), §3.
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
  const { starts, pairs } = firstPairs(texts, different);
  const postings = new Postings(pairs);
  for (const [at, text] of different.entries())
    for (const pair of pairs.subarray(starts[at], starts[at + 1])) postings.add(pair, text, compare);
  return {
    /** For each text the lowest one of its cluster; itself, when it is alone. */
    cluster: Int32Array.from(texts, (_, text) => groups.find(text)),
    /** For each text of a cluster the largest share of equal pairs with a text that it was compared with. */
    similarity,
  };
}

const NO_TEXT: SampledText = { pairs: new Uint32Array(), last: 0 };

/** The average similarity of a cluster: of all its pairs of texts, or of those of 48 texts of a larger one. */
export function averageSimilarity(texts: readonly SampledText[]): number {
  const step = Math.max(1, texts.length / MOST_AVERAGED);
  const chosen = Array.from(
    { length: Math.min(texts.length, MOST_AVERAGED) },
    (_, n) => texts[Math.floor(n * step)] ?? NO_TEXT,
  );
  const shares = chosen.flatMap((one, at) => chosen.slice(at + 1).map((other) => similarityOf(one, other)));
  return shares.length === 0 ? 1 : shares.reduce((sum, share) => sum + share, 0) / shares.length;
}

/** Joins texts with equal samples; returns one of each. */
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

/** The first pairs of each of the texts, one after the other, and where those of a text start. */
function firstPairs(texts: readonly SampledText[], different: readonly number[]) {
  const counts = countPairs(texts, different);
  const most = different.map((text) => mostFirst(texts[text] ?? NO_TEXT));
  const pairs = new Uint32Array(most.reduce((sum, one) => sum + one, 0));
  const starts = new Uint32Array(different.length + 1);
  let ranks = new Uint32Array(256);
  let length = 0;
  for (const [at, text] of different.entries()) {
    const one = texts[text] ?? NO_TEXT;
    if (one.pairs.length > ranks.length) ranks = new Uint32Array(2 * one.pairs.length);
    let shared = 0;
    // A pair of one text leads to no other.
    for (let place = 0; place < one.pairs.length; place++) {
      const count = counts[(one.pairs[place] ?? 0) & (counts.length - 1)] ?? 0;
      if (count > 1) ranks[shared++] = (count << 16) | place;
    }
    const first = (most[at] ?? 0) - (one.pairs.length - shared);
    if (first > 0)
      for (const rank of ranks.subarray(0, shared).sort().subarray(0, first))
        pairs[length++] = one.pairs[rank & MOST_COUNTED] ?? 0;
    starts[at + 1] = length;
  }
  return { pairs: pairs.subarray(0, length), starts };
}

/** In how many texts each pair stands, or more, by its last bits. */
function countPairs(texts: readonly SampledText[], different: readonly number[]): Uint16Array {
  const total = different.reduce((sum, text) => sum + (texts[text] ?? NO_TEXT).pairs.length, 0);
  const counts = new Uint16Array(Math.min(places(4 * total), MOST_COUNTS));
  for (const text of different)
    for (const pair of (texts[text] ?? NO_TEXT).pairs) {
      const place = pair & (counts.length - 1);
      counts[place] = Math.min((counts[place] ?? 0) + 1, MOST_COUNTED);
    }
  return counts;
}

/** A power of two that is no less. */
function places(least: number): number {
  return 2 ** Math.ceil(Math.log2(Math.max(1, least)));
}

/** How many of its first pairs a text shares at least one of with each similar one; some more, as samples may end apart. */
function mostFirst({ pairs: { length } }: SampledText): number {
  const least = Math.ceil((LEAST_SIMILARITY / (2 - LEAST_SIMILARITY)) * length);
  return Math.min(length, length - least + 1 + Math.ceil(length / 10));
}

/** Texts by their pairs. */
class Postings {
  readonly #mask: number;
  /** Pairs with their texts: those of a pair, and of others with the same last bits, follow each other. */
  readonly #pairs: Uint32Array;
  readonly #texts: Uint32Array;
  readonly #ends: Uint32Array;

  /** @param all the pairs that are added, as often as they are */
  constructor(all: Uint32Array) {
    this.#mask = places(all.length) - 1;
    this.#pairs = new Uint32Array(all.length);
    this.#texts = new Uint32Array(all.length);
    const ends = new Uint32Array(this.#mask + 2);
    for (const pair of all) ends[(pair & this.#mask) + 1] = (ends[(pair & this.#mask) + 1] ?? 0) + 1;
    for (let place = 0; place <= this.#mask; place++)
      ends[place + 1] = (ends[place + 1] ?? 0) + (ends[place] ?? 0);
    this.#ends = ends;
  }

  /** Adds a text to those of a pair, after it is compared with the last ones of these. */
  add(pair: number, text: number, compare: (text: number, other: number) => void): void {
    const end = this.#ends[pair & this.#mask] ?? 0;
    for (let at = end - 1, left = WINDOW; at >= 0 && left > 0; at--) {
      const before = this.#pairs[at] ?? 0;
      if (before === pair) {
        left--;
        compare(text, this.#texts[at] ?? 0);
      } else if (((before ^ pair) & this.#mask) !== 0) break;
    }
    this.#pairs[end] = pair;
    this.#texts[end] = text;
    this.#ends[pair & this.#mask] = end + 1;
  }
}

/**
 * For each text 256 bits, in which each of its pairs sets one: texts whose bits differ much differ in as many pairs. Then the
 * number of its pairs, the end of its sample, and the pair that a quarter of them follow.
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

/** Whether the marks of two texts differ more than those of similar ones can. */
function isFar(texts: readonly SampledText[], marks: Uint32Array, text: number, other: number): boolean {
  const isLonger = (marks[text * WORDS + MARKS + 1] ?? 0) > (marks[other * WORDS + MARKS + 1] ?? 0);
  const [long, short] = isLonger ? [text, other] : [other, text];
  const [longer, shorter] = [long * WORDS, short * WORDS];
  const length = marks[longer + MARKS] ?? 0;
  const last = marks[shorter + MARKS + 1] ?? 0;
  const most = (1 - LEAST_SIMILARITY) * (length + (marks[shorter + MARKS] ?? 0)) + 1e-6;
  // Pairs that only one of the samples reaches may differ, too: mostly no more than a quarter of them.
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
