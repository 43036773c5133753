import type { NgramCount } from '../../records/records.ts';

/** Candidates of each length that a page keeps for the job `top_ngrams`, which compares them with other pages. */
const KEPT = 10;
/** Maximum words to count. The first words describe a text; the rest of a very long text would only take time. */
const MOST_WORDS = 20_000;
/**
 * Returns the sequences of one, two and three words that occur at least twice in a page's main text: the ten most
 * frequent of each length, equal ones in alphabetical order. Letters are in lowercase. A sequence does not cross the
 * border of a block.
 *
 * A sequence can only repeat if its parts do. So longer sequences are counted only where shorter ones repeat (the
 * Apriori rule, https://www.vldb.org/conf/1994/P487.PDF), which leaves little to count.
 *
 * @param blocks the words of each block of text
 */
export function ngramCounts(blocks: Iterable<readonly string[]>): NgramCount[] | null {
  const words = new Counts<string>();
  /** The numbers of the words, with a border after each block. */
  const sequence: number[] = [];
  let room = MOST_WORDS;
  for (const block of blocks) {
    if (room <= 0) break;
    for (const word of block.length > room ? block.slice(0, room) : block) sequence.push(words.add(word));
    sequence.push(BORDER);
    room -= block.length;
  }
  // Two numbers of at most 20,000 combine to one that is a small integer to the engine.
  const size = words.keys.length;
  const pairs = new Counts<number>();
  const pairAt = sequence.map((word, at) => {
    const before = at === 0 ? BORDER : (sequence[at - 1] ?? BORDER);
    return words.repeats(before) && words.repeats(word) ? pairs.add(before * size + word) : BORDER;
  });
  const triples = new Counts<number>();
  for (let at = 1; at < sequence.length; at++) {
    const before = pairAt[at - 1] ?? BORDER;
    if (pairs.repeats(before) && pairs.repeats(pairAt[at] ?? BORDER))
      triples.add(before * size + (sequence[at] ?? 0));
  }
  const textOf = (word: number): string => words.keys[word] ?? '';
  const twoWords = (key: number): string => `${textOf(Math.floor(key / size))} ${textOf(key % size)}`;
  const kept = [
    ...top(1, words, String),
    ...top(2, pairs, twoWords),
    ...top(3, triples, (key) => `${twoWords(pairs.keys[Math.floor(key / size)] ?? 0)} ${textOf(key % size)}`),
  ];
  return kept.length === 0 ? null : kept;
}

const BORDER = -1;

/** Counts by number, in the order of first occurrence. */
class Counts<Key> {
  readonly #numbers = new Map<Key, number>();
  readonly keys: Key[] = [];
  readonly counts: number[] = [];

  add(key: Key): number {
    let number = this.#numbers.get(key);
    if (number === undefined) {
      number = this.keys.push(key) - 1;
      this.#numbers.set(key, number);
      this.counts.push(0);
    }
    this.counts[number] = (this.counts[number] ?? 0) + 1;
    return number;
  }

  repeats(number: number): boolean {
    return number !== BORDER && (this.counts[number] ?? 0) > 1;
  }
}

function top<Key>(n: number, { keys, counts }: Counts<Key>, textOf: (key: Key) => string): NgramCount[] {
  const repeated = counts.filter((count) => count > 1).sort((a, b) => b - a);
  const least = repeated[Math.min(KEPT, repeated.length) - 1] ?? Number.POSITIVE_INFINITY;
  return keys
    .flatMap((key, at) => {
      const count = counts[at] ?? 0;
      return count < least ? [] : [{ ngram: textOf(key), n, count }];
    })
    .sort((a, b) => b.count - a.count || (a.ngram < b.ngram ? -1 : 1))
    .slice(0, KEPT);
}
