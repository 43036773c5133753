import { expect, test } from 'vitest';
import { page, pagesAfterJobs } from '../../../support/crawl-records.ts';

test('the top n-grams of a page are those that other pages lack', async () => {
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
