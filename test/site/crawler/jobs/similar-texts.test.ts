import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  averageSimilarity,
  type SampledText,
  similarityOf,
  similarTexts,
} from '../../../../src/site/crawler/jobs/similar-texts.ts';
import { seededRandom } from '../../../support/random.ts';

/** A text of some pairs, as a sample that has them all. */
function textOf(pairs: Iterable<number>): SampledText {
  return { pairs: Uint32Array.from(new Set(pairs)).sort(), last: 2 ** 32 };
}

/** Clusters by the plainest way: every pair is compared, then names spread until nothing changes. */
function plainClusters(texts: readonly SampledText[]): number[] {
  const cluster = texts.map((_, text) => text);
  for (let changed = true; changed; ) {
    changed = false;
    for (const [a, one] of texts.entries())
      for (const [b, other] of texts.entries()) {
        const [ofA = a, ofB = b] = [cluster[a], cluster[b]];
        if (plainSimilarity(one, other) < 0.85 || ofA === ofB) continue;
        cluster[a] = cluster[b] = Math.min(ofA, ofB);
        changed = true;
      }
  }
  return cluster;
}

function plainSimilarity(one: SampledText, other: SampledText): number {
  const pairs = new Set(other.pairs);
  const equal = [...one.pairs].filter((pair) => pairs.has(pair)).length;
  return (2 * equal) / (one.pairs.length + other.pairs.length);
}

/** Texts that are alike more or less: each has most pairs of its family, and some of its own. */
const families = fc
  .array(
    fc.tuple(
      fc.uniqueArray(fc.nat(2 ** 32 - 1), { minLength: 20, maxLength: 60 }),
      fc.array(fc.tuple(fc.nat(12), fc.array(fc.nat(40), { maxLength: 4 })), { minLength: 1, maxLength: 8 }),
    ),
    { maxLength: 4 },
  )
  .map((all) =>
    all.flatMap(([pairs, members]) =>
      members.map(([without, more]) => textOf([...pairs.slice(without), ...more])),
    ),
  );

test('clusters equal a comparison of every pair', () => {
  fc.assert(
    fc.property(families, (texts) => {
      const { cluster, similarity } = similarTexts(texts);
      expect([...cluster]).toEqual(plainClusters(texts));
      for (const [a, one] of texts.entries()) {
        const nearest = Math.max(
          0,
          ...texts.filter((_, b) => b !== a).map((other) => plainSimilarity(one, other)),
        );
        expect(similarity[a]).toBeLessThanOrEqual(nearest + 1e-9);
        if (nearest >= 0.85) expect(similarity[a]).toBeGreaterThanOrEqual(0.85);
      }
    }),
  );
});

test('similar texts are found anywhere, even if each pair occurs in hundreds of texts', () => {
  const random = seededRandom(11);
  const words = Array.from({ length: 1_000 }, () => Math.floor(random() * 2 ** 32));
  const anyWord = (): number => words[Math.floor(random() * words.length)] ?? 0;
  const texts = Array.from({ length: 2_000 }, () => Array.from({ length: 170 }, anyWord));
  const copies = texts.slice(0, 50).map((text) => text.map((pair) => (random() < 0.05 ? anyWord() : pair)));
  const { cluster } = similarTexts([...texts, ...copies].map(textOf));
  const alike = [...cluster.entries()].filter(([text, first]) => text !== first);
  expect(alike).toEqual(copies.map((_, copy) => [texts.length + copy, copy]));
});

test('the average similarity covers all pairs', () => {
  fc.assert(
    fc.property(families, (texts) => {
      if (texts.length < 2) return;
      const pairs = texts.flatMap((one, a) => texts.slice(a + 1).map((other) => plainSimilarity(one, other)));
      const average = pairs.reduce((sum, one) => sum + one, 0) / pairs.length;
      expect(averageSimilarity(texts)).toBeCloseTo(average, 10);
    }),
  );
});

test('samples of long texts estimate the share of equal pairs', () => {
  const random = seededRandom(7);
  for (const share of [0.5, 0.8, 0.94]) {
    const errors = Array.from({ length: 40 }, () => {
      const pairs = Array.from({ length: 2_000 }, () => Math.floor(random() * 2 ** 32));
      const changed = pairs.map((pair) => (random() < share ? pair : Math.floor(random() * 2 ** 32)));
      const sample = (all: number[]): SampledText => {
        const smallest = textOf(all).pairs.slice(0, 160);
        return { pairs: smallest, last: smallest.at(-1) ?? 0 };
      };
      return similarityOf(sample(pairs), sample(changed)) - share;
    });
    const mean = errors.reduce((sum, one) => sum + one, 0) / errors.length;
    expect(Math.abs(mean)).toBeLessThan(0.03);
    expect(Math.max(...errors.map(Math.abs))).toBeLessThan(0.15);
  }
});
