import { UnionFind } from './union-find.ts';

/**
 * Texts with at least so many equal pairs of words, of 100 of both, are similar. Screaming Frog has 90 % as its default, of
 * another measure; the recall of both limits is in docs/decisions/crawler.md.
 */
const LEAST_SIMILARITY = 0.85;
/** Texts that share a pair are compared with so many that follow. */
const WINDOW = 64;
/** Texts of a cluster of which all are compared for its average. */
const MOST_AVERAGED = 48;
/** Places of the counts of pairs; pairs that share one only lose their order. */
const MOST_COUNTS = 2 ** 22;
/** Places for the two texts that were compared last; most share several pairs. */
const COMPARED = 2 ** 20;
/** Texts that a posting has room for, with 30 bits of a pair. */
const MOST_TEXTS = 2 ** 23;

/** Counts of pairs that tell which is rarer; with the pair they fit into a number. */
const MOST_RANKED = 2 ** 20;
/** Words of 32 bits in which a text marks its pairs. */
const MARKS = 8;

/** The sampled pairs of a text, in ascending order. */
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
 * that follow it; similar texts of a large family are then found by way of others.
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
  const marks = marksOf(texts, different);
  const postings = postingsOf(texts, different);
  const compared = new Float64Array(COMPARED);
  const owners = Int32Array.from(postings, (posting) => posting % MOST_TEXTS);
  for (const [at, text] of owners.entries()) {
    // The postings of a pair follow each other.
    const end = (postings[at] ?? 0) - text + MOST_TEXTS;
    for (let next = at + 1; next <= at + WINDOW && (postings[next] ?? end) < end; next++) {
      const other = owners[next] ?? 0;
      const both = text * MOST_TEXTS + other + 1;
      const place = (Math.imul(text, 0x9e3779b1) ^ other) & (COMPARED - 1);
      if (compared[place] === both) continue;
      compared[place] = both;
      const one = texts[text] ?? NO_TEXT;
      const two = texts[other] ?? NO_TEXT;
      if (differingMarks(marks, text, other) > mostDiffering(one, two)) continue;
      if (groups.find(text) === groups.find(other)) continue;
      const share = similarityOf(one, two, LEAST_SIMILARITY);
      if (share >= LEAST_SIMILARITY) join(text, other, share);
    }
  }
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

/** The first pairs of texts with the texts, sorted. */
function postingsOf(texts: readonly SampledText[], different: readonly number[]): Float64Array {
  const total = different.reduce((sum, text) => sum + (texts[text] ?? NO_TEXT).pairs.length, 0);
  const counts = new Uint32Array(Math.min(4 * total + 1, MOST_COUNTS));
  for (const text of different)
    for (const pair of (texts[text] ?? NO_TEXT).pairs)
      counts[pair % counts.length] = countOf(counts, pair) + 1;
  const postings: number[] = [];
  for (const text of different.slice(0, MOST_TEXTS)) {
    const { pairs } = texts[text] ?? NO_TEXT;
    const ranked = new Float64Array(pairs.length);
    let shared = 0;
    // A pair of one text leads to no other.
    for (const pair of pairs) {
      const count = countOf(counts, pair);
      if (count > 1) ranked[shared++] = Math.min(count, MOST_RANKED) * 2 ** 32 + pair;
    }
    const first = firstPairs(pairs.length) - (pairs.length - shared);
    for (const rank of ranked.subarray(0, shared).sort().subarray(0, Math.max(0, first)))
      postings.push(Math.floor((rank % 2 ** 32) / 4) * MOST_TEXTS + text);
  }
  return Float64Array.from(postings).sort();
}

function countOf(counts: Uint32Array, pair: number): number {
  return counts[pair % counts.length] ?? 0;
}

/** How many of its first pairs a text shares at least one of with each similar one; some more, as samples may end apart. */
function firstPairs(pairs: number): number {
  const least = Math.ceil((LEAST_SIMILARITY / (2 - LEAST_SIMILARITY)) * pairs);
  return pairs - least + 1 + Math.ceil(pairs / 10);
}

/** 256 bits for each text, in which each of its pairs sets one: texts whose bits differ much differ in as many pairs. */
function marksOf(texts: readonly SampledText[], different: readonly number[]): Uint32Array {
  const marks = new Uint32Array(texts.length * MARKS);
  for (const text of different)
    for (const pair of (texts[text] ?? NO_TEXT).pairs) {
      const place = text * MARKS + ((pair >>> 5) & (MARKS - 1));
      marks[place] = (marks[place] ?? 0) | (1 << (pair & 31));
    }
  return marks;
}

function differingMarks(marks: Uint32Array, text: number, other: number): number {
  let count = 0;
  for (let word = 0; word < MARKS; word++) {
    let bits = (marks[text * MARKS + word] ?? 0) ^ (marks[other * MARKS + word] ?? 0);
    bits -= (bits >>> 1) & 0x55555555;
    bits = (bits & 0x33333333) + ((bits >>> 2) & 0x33333333);
    count += Math.imul((bits + (bits >>> 4)) & 0x0f0f0f0f, 0x01010101) >>> 24;
  }
  return count;
}

/** In how many pairs two similar texts can differ, with those that only one of the samples reaches. */
function mostDiffering(one: SampledText, other: SampledText): number {
  const [shorter, longer] = one.last < other.last ? [one, other] : [other, one];
  let beyond = 0;
  for (let at = longer.pairs.length - 1; at >= 0 && (longer.pairs[at] ?? 0) > shorter.last; at--) beyond++;
  return (1 - LEAST_SIMILARITY) * (one.pairs.length + other.pairs.length) + beyond + 1e-6;
}
