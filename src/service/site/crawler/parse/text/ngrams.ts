import type { NgramCount } from '../../records/records.ts';

/** Candidates of each length that a page keeps for the job `top_ngrams`, which weighs them against other pages. */
const KEPT = 10;
/** A text's first words say what it is about; the rest of a very long one would only take time. */
const MOST_WORDS = 20_000;
/** Ids of words are below this, so three of them make one exact number. */
const IDS = 2 ** 17;

/**
 * The word sequences of one, two and three words that a page's main text has at least twice: of each length the ten most
 * frequent ones, equal ones by the alphabet. Letters are in lower case. A sequence does not cross the border of a block.
 *
 * A sequence can only repeat if its parts do. So longer ones are counted where shorter ones repeat (the Apriori rule,
 * https://www.vldb.org/conf/1994/P487.PDF), which leaves little to count.
 *
 * @param blocks the words of each block of text
 */
export function ngramCounts(blocks: Iterable<readonly string[]>): NgramCount[] | null {
  const ids = new Map<string, number>();
  const texts: string[] = [];
  const counts: number[] = [];
  const lines: number[][] = [];
  let room = MOST_WORDS;
  for (const block of blocks) {
    if (room <= 0) break;
    lines.push(
      block.slice(0, room).map((word) => {
        let id = ids.get(word);
        if (id === undefined) {
          id = texts.length;
          ids.set(word, id);
          texts.push(word);
          counts.push(0);
        }
        counts[id] = (counts[id] ?? 0) + 1;
        return id;
      }),
    );
    room -= block.length;
  }
  const repeats = (id: number | undefined): id is number => id !== undefined && (counts[id] ?? 0) > 1;
  const textOf = (id: number | undefined): string => texts[id ?? 0] ?? '';

  const pairs = new Map<number, number>();
  for (const line of lines)
    for (let at = 1; at < line.length; at++) {
      const [a, b] = [line[at - 1], line[at]];
      if (repeats(a) && repeats(b)) pairs.set(a * IDS + b, (pairs.get(a * IDS + b) ?? 0) + 1);
    }
  const triples = new Map<number, number>();
  for (const line of lines)
    for (let at = 2; at < line.length; at++) {
      const [a, b, c] = [line[at - 2] ?? 0, line[at - 1] ?? 0, line[at] ?? 0];
      if ((pairs.get(a * IDS + b) ?? 0) < 2 || (pairs.get(b * IDS + c) ?? 0) < 2) continue;
      const key = (a * IDS + b) * IDS + c;
      triples.set(key, (triples.get(key) ?? 0) + 1);
    }
  const kept = [
    ...top(1, counts.entries(), textOf),
    ...top(2, pairs, (key) => `${textOf(Math.floor(key / IDS))} ${textOf(key % IDS)}`),
    ...top(3, triples, (key) => {
      const pair = Math.floor(key / IDS);
      return `${textOf(Math.floor(pair / IDS))} ${textOf(pair % IDS)} ${textOf(key % IDS)}`;
    }),
  ];
  return kept.length === 0 ? null : kept;
}

function top(n: number, counts: Iterable<[number, number]>, textOf: (key: number) => string): NgramCount[] {
  const repeated = [...counts].filter(([, count]) => count > 1).sort(([, a], [, b]) => b - a);
  const least = repeated[KEPT - 1]?.[1] ?? 0;
  return repeated
    .filter(([, count]) => count >= least)
    .map(([key, count]) => ({ ngram: textOf(key), n, count }))
    .sort((a, b) => b.count - a.count || (a.ngram < b.ngram ? -1 : 1))
    .slice(0, KEPT);
}
