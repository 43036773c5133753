import fc from 'fast-check';
import { expect, test } from 'vitest';
import { runJobs } from '../../../../../src/service/site/crawler/jobs/run-jobs.ts';
import {
  averageSimilarity,
  similarTexts,
} from '../../../../../src/service/site/crawler/jobs/similar-texts.ts';
import { crawlDatabase, page, pagesAfterJobs, pagesByPath, SITE } from '../../../../support/crawl-records.ts';

const half = fc.integer({ min: 0, max: 2 ** 30 - 1 });

function differentBits(a: readonly [number, number], b: readonly [number, number]): number {
  const ones = (value: number): number => value.toString(2).replaceAll('0', '').length;
  return ones(a[0] ^ b[0]) + ones(a[1] ^ b[1]);
}

/** Clusters by the plainest way: every pair is compared, then names spread until nothing changes. */
function plainClusters(texts: readonly (readonly [number, number])[]): number[] {
  const cluster = texts.map((_, text) => text);
  for (let changed = true; changed; ) {
    changed = false;
    for (const [a, one] of texts.entries())
      for (const [b, other] of texts.entries()) {
        const [ofA = a, ofB = b] = [cluster[a], cluster[b]];
        if (differentBits(one, other) > 8 || ofA === ofB) continue;
        cluster[a] = cluster[b] = Math.min(ofA, ofB);
        changed = true;
      }
  }
  return cluster;
}

test('clusters and similarities are those of comparing every pair', () => {
  const flips = fc.array(fc.integer({ min: 0, max: 59 }), { maxLength: 12 });
  const family = fc
    .tuple(half, half, fc.array(flips, { minLength: 1, maxLength: 8 }))
    .map(([high, low, members]) =>
      members.map((bits) =>
        bits.reduce<readonly [number, number]>(
          ([h, l], bit) => (bit < 30 ? [h ^ (1 << bit), l] : [h, l ^ (1 << (bit - 30))]),
          [high, low],
        ),
      ),
    );
  fc.assert(
    fc.property(fc.array(family, { maxLength: 4 }), (families) => {
      const texts = families.flat();
      const { cluster, similarity } = similarTexts(
        Int32Array.from(texts, ([high]) => high),
        Int32Array.from(texts, ([, low]) => low),
      );
      expect([...cluster]).toEqual(plainClusters(texts));
      for (const [a, one] of texts.entries()) {
        const nearest = Math.min(
          60,
          ...texts.filter((_, b) => b !== a).map((other) => differentBits(one, other)),
        );
        if (nearest <= 8) expect(similarity[a]).toBeCloseTo(1 - nearest / 60, 10);
      }
    }),
  );
});

test('the average similarity is that of all pairs', () => {
  fc.assert(
    fc.property(fc.array(fc.tuple(half, half), { minLength: 2, maxLength: 6 }), (texts) => {
      const pairs = texts.flatMap((one, a) =>
        texts.slice(a + 1).map((other) => 1 - differentBits(one, other) / 60),
      );
      const average = averageSimilarity(
        Int32Array.from(texts, ([high]) => high),
        Int32Array.from(texts, ([, low]) => low),
        [...texts.keys()],
      );
      expect(average).toBeCloseTo(pairs.reduce((sum, one) => sum + one, 0) / pairs.length, 10);
    }),
  );
});

test('pages of a cluster, its figures, and how canonicals handle it', async () => {
  const connection = await crawlDatabase({
    pages: [
      page('/a', { simhash: '1152921504606846975' }),
      page('/b', { simhash: '1152921504606846972' }),
      page('/c', { simhash: '1152921504606846975', rel_canonical: `${SITE}/a` }),
      page('/other', { simhash: '0' }),
      page('/short', { simhash: null }),
      page('/gone', { simhash: '0', status_code: 404 }),
    ],
  });
  await runJobs(connection);
  const pages = await pagesByPath(connection, [
    'clusters',
    'nearduplicate_content',
    'nearduplicate_content_similarity',
    'nearduplicate_status',
    'has_nearduplicate_issue',
    'simhash',
  ]);
  const [cluster] = await connection.jsonRows('SELECT * FROM clusters');
  expect(cluster).toEqual({
    cluster_id: expect.stringMatching(/^[0-9a-f]{16}$/),
    size: '3',
    average_similarity: 0.9778,
    canonical_status: 'canonical_not_set',
    sample_urls: [`${SITE}/a`, `${SITE}/b`, `${SITE}/c`],
  });
  expect(pages['/a']).toEqual({
    clusters: [cluster?.cluster_id],
    nearduplicate_content: true,
    nearduplicate_content_similarity: 1,
    nearduplicate_status: 'canonical_not_set',
    has_nearduplicate_issue: true,
    simhash: '1152921504606846975',
  });
  expect(pages['/b']).toMatchObject({ nearduplicate_content_similarity: 0.9667 });
  expect(pages['/c']).toMatchObject({ nearduplicate_status: 'canonical_ok', has_nearduplicate_issue: false });
  expect(pages['/other']).toMatchObject({
    clusters: null,
    nearduplicate_content: false,
    nearduplicate_status: null,
  });
  expect(pages['/gone']).toMatchObject({
    clusters: null,
    nearduplicate_content: null,
    has_nearduplicate_issue: null,
  });
});

test('the top n-grams of a page are those that others do not have', async () => {
  const gram = (ngram: string, count: number) => ({ ngram, n: ngram.split(' ').length, count });
  const pages = await pagesAfterJobs(
    {
      pages: [
        page('/a', { ngrams: [gram('the', 90), gram('red shoe', 4), gram('shoe', 6)] }),
        page('/b', { ngrams: [gram('the', 80), gram('shoe', 3)] }),
        page('/c', { ngrams: [gram('the', 70)] }),
      ],
    },
    ['ngrams'],
  );
  const grams = (path: string) => JSON.parse(String(pages[path]?.ngrams ?? null));
  expect(grams('/a')).toEqual([
    { weight: 4.394449, ngram: 'red shoe', n: 2, count: 4 },
    { weight: 2.432791, ngram: 'shoe', n: 1, count: 6 },
  ]);
  expect(grams('/b')).toEqual([{ weight: 1.216395, ngram: 'shoe', n: 1, count: 3 }]);
  expect(grams('/c')).toBeNull();
});
