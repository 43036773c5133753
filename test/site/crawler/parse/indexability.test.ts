import { expect, test } from 'vitest';
import { isIndexable, nonIndexableReason } from '../../../../src/site/crawler/parse/indexability.ts';
import { page } from '../../../support/crawl-records.ts';

test.each([
  [{}, null, true],
  [{ content_kind: 'pdf' }, null, true],
  [{ rel_canonical: 'https://site.example/' }, null, true],
  [{ meta_refresh_delay: 5 }, null, true],
  [{ rel_canonical: 'https://site.example/other' }, 'canonicalised', false],
  [{ meta_robots_index: false, rel_canonical: 'https://site.example/other' }, 'noindex', false],
  [{ meta_refresh_delay: 0, meta_robots_index: false }, 'redirect', false],
  [{ status_code: 301, meta_refresh_delay: 0 }, 'status', false],
  [{ status_code: 204 }, 'status', false],
  [{ status_code: null, robots_txt_denied: true }, 'robots_denied', false],
  [{ status_code: null, meta_robots_index: false }, null, null],
  [{ content_kind: 'image' }, null, null],
  [{ content_problem: 'not_parsed' }, null, null],
  [{ content_problem: 'not_parsed', meta_robots_index: false }, 'noindex', false],
  [{ content_kind: 'image', status_code: 404 }, 'status', false],
])('a page with %j is not indexable because of %s: %s', (more, reason, isIndexed) => {
  const record = page('/', more);
  expect([nonIndexableReason(record), isIndexable(record)]).toEqual([reason, isIndexed]);
});
