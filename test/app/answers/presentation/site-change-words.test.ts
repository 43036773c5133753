import { expect, test } from 'vitest';
import { siteChangeWords } from '../../../../src/app/answers/presentation/site-change-words.ts';

test.each([
  ['robots_denied', 1, 'robots.txt now blocks 1 page that was indexable'],
  ['robots_denied', 1200, 'robots.txt now blocks 1,200 pages that were indexable'],
  ['noindex', 1, '1 page that was indexable now has noindex'],
  ['noindex', 2, '2 pages that were indexable now have noindex'],
  ['canonicalised', 2, '2 pages that were indexable now have the canonical of another page'],
  ['client_error', 1, '1 page newly answers with a client error'],
  ['server_error', 2, '2 pages newly answer with a server error'],
  ['title', null, 'the title of 0 pages changed'],
  ['canonical', 2, 'the canonical of 2 pages changed'],
  ['robots_txt', 0, 'robots.txt changed'],
  ['sitemap', 0, 'no page is in a sitemap anymore'],
  ['another', 2, 'another'],
])('%s of %s pages: %s', (change, pages, words) => {
  const own = { change, segmentation: '(site)', segment: 'x', before: null, after: null };
  expect(siteChangeWords(own, pages, null)).toBe(words);
});

test.each([
  [
    'title',
    '(directory)',
    '/blog',
    null,
    8061,
    'the title of 2 pages changed in /blog: 8,061 clicks at risk',
  ],
  ['title', 'type', 'product', null, 0, 'the title of 2 pages changed in product (type)'],
  ['sitemap', '(file)', 'x', null, 1, 'a sitemap can no longer be read: 1 click at risk'],
  [
    'start_page',
    '(site)',
    'x',
    'robots_denied',
    null,
    'the start page is no longer indexable (blocked by robots.txt)',
  ],
  [
    'start_page',
    '(site)',
    'x',
    'not_found_at_all',
    null,
    'the start page is no longer indexable (not found at all)',
  ],
  ['clicks', '(site)', 'x', '750', 9, 'clicks fell by 25 % within a week, from 1,000 to 750'],
])('%s in %s %s after %s with %s clicks: %s', (change, segmentation, segment, after, clicks, words) => {
  expect(siteChangeWords({ change, segmentation, segment, before: '1000', after }, 2, clicks)).toBe(words);
});
