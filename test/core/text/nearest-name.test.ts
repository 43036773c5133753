import { expect, test } from 'vitest';
import { didYouMean, nearNames } from '../../../src/core/text/nearest-name.ts';

test.for([
  ['rnu', ['init', 'run', 'query'], 'run'],
  ['crawl_page', ['crawl_links', 'crawl_pages'], 'crawl_pages'],
  ['QUERY', ['query'], 'query'],
  ['crawl_st', ['crawl_links', 'crawl_structured_data'], 'crawl_structured_data'],
] as const)('%s: %j suggests %s', ([name, known, meant]) => {
  expect(didYouMean(name, known)).toBe(`did you mean ${meant}? `);
});

test.for([
  ['zzzzzz', ['init', 'run']],
  ['', ['init']],
  ['init', []],
] as const)('%s: %j has no suggestion', ([name, known]) => {
  expect(didYouMean(name, known)).toBe('');
});

test('similar names are sorted by their distance, and limited', () => {
  const known = ['crawl_pegas', 'crawl_page', 'crawl_pages', 'crawl_bages', 'other'];
  expect(nearNames('crawl_pages', known)).toEqual(['crawl_pages', 'crawl_page', 'crawl_bages']);
  expect(nearNames('crawl_pages', known, 1)).toEqual(['crawl_pages']);
});
