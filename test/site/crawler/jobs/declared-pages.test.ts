import { expect, test } from 'vitest';
import { page, pagesAfterJobs, redirect, SITE } from '../../../support/crawl-records.ts';
import { crawlSite, serveSite } from '../../../support/crawl-site.ts';

const FIELDS = ['pagination_errors', 'amp_status_code'];

test('a page of a series shows the state of its neighbors and its AMP version', async () => {
  const declares = (
    path: string,
    rel_prev: string | null,
    rel_next: string | null,
    amp: string | null = null,
  ) =>
    page(path, {
      rel_prev: rel_prev && SITE + rel_prev,
      rel_next: rel_next && SITE + rel_next,
      amp_url: amp && SITE + amp,
    });
  const pages = [
    page('/ok'),
    page('/gone', { status_code: 410 }),
    redirect('/moved', '/ok'),
    page('/noindex', { meta_robots_index: false }),
    page('/canonical', { rel_canonical: `${SITE}/ok` }),
    page('/denied', { fetched: false, status_code: null, robots_txt_denied: true }),
    page('/silent', { fetched: false, status_code: null }),
    declares('/1', '/ok', '/gone', '/gone'),
    declares('/2', '/moved', '/ok', '/moved'),
    declares('/3', '/noindex', '/canonical', '/ok'),
    declares('/4', '/gone', '/moved', '/unknown'),
    declares('/5', '/denied', null, '/silent'),
    declares('/6', '/silent', '/unknown'),
    { ...declares('/7', null, '/gone', '/gone'), status_code: 404 },
  ];
  const found = await pagesAfterJobs({ pages }, FIELDS);
  expect(Object.entries(found).filter(([path]) => /\d/.test(path))).toEqual([
    ['/1', { pagination_errors: ['target_missing'], amp_status_code: 410 }],
    ['/2', { pagination_errors: ['target_redirects'], amp_status_code: 301 }],
    ['/3', { pagination_errors: ['target_not_indexable'], amp_status_code: 200 }],
    ['/4', { pagination_errors: ['target_missing', 'target_redirects'], amp_status_code: null }],
    ['/5', { pagination_errors: ['target_not_indexable'], amp_status_code: null }],
    ['/6', { pagination_errors: null, amp_status_code: null }],
    ['/7', { pagination_errors: null, amp_status_code: null }],
  ]);
});

test('a crawl resolves these pages by the declared addresses', async () => {
  const site = await serveSite({
    '/': `<link rel="next" href="?page=2"><link rel="amphtml" href="amp"><p><a href="?page=2">2</a><a href="amp">a</a>`,
  });
  const crawled = await crawlSite(site);
  expect(await crawled.rows(`SELECT ${FIELDS.join(', ')} FROM pages WHERE status_code = 200`)).toMatchObject([
    { pagination_errors: { items: ['target_missing'] }, amp_status_code: 404n },
  ]);
});
