import fc from 'fast-check';
import { expect, test } from 'vitest';
import { runJobs, urlPartsSql } from '../../../../src/site/crawler/jobs/run-jobs.ts';
import { urlParts } from '../../../../src/site/crawler/parse/parse-page.ts';
import {
  crawlDatabase,
  link,
  page,
  pagesAfterJobs,
  SITE,
  sitemapUrl,
} from '../../../support/crawl-records.ts';
import { temporaryConnection, temporaryFolder } from '../../../support/temporary.ts';

test('inlinks and outlinks count each occurrence on pages', async () => {
  const pages = await pagesAfterJobs(
    {
      pages: [page('/', { depth: 0 }), page('/a'), page('/b'), page('/gone', { status_code: 404 })],
      links: [
        link('/', '/a'),
        link('/', '/a', { follow: false, rel: ['nofollow'] }),
        link('/a', '/a'),
        link('/a', '/unknown'),
        link('/a', 'https://other.example/'),
        link('/a', 'https://other.example/x', { follow: false }),
        link('/', '/gone'),
      ],
    },
    [
      'nb_inlinks',
      'follow_inlinks',
      'nofollow_inlinks',
      'internal_outlinks',
      'internal_follow_outlinks',
      'external_outlinks',
      'external_nofollow_outlinks',
      'nb_links_self_referencing',
    ],
  );
  expect(pages).toEqual({
    '/': {
      nb_inlinks: 0,
      follow_inlinks: 0,
      nofollow_inlinks: 0,
      internal_outlinks: 3,
      internal_follow_outlinks: 2,
      external_outlinks: 0,
      external_nofollow_outlinks: 0,
      nb_links_self_referencing: 0,
    },
    '/a': {
      nb_inlinks: 2,
      follow_inlinks: 1,
      nofollow_inlinks: 1,
      internal_outlinks: 2,
      internal_follow_outlinks: 2,
      external_outlinks: 2,
      external_nofollow_outlinks: 1,
      nb_links_self_referencing: 1,
    },
    '/b': {
      nb_inlinks: 0,
      follow_inlinks: 0,
      nofollow_inlinks: 0,
      internal_outlinks: 0,
      internal_follow_outlinks: 0,
      external_outlinks: 0,
      external_nofollow_outlinks: 0,
      nb_links_self_referencing: 0,
    },
    '/gone': {
      nb_inlinks: 1,
      follow_inlinks: 1,
      nofollow_inlinks: 0,
      internal_outlinks: null,
      internal_follow_outlinks: null,
      external_outlinks: null,
      external_nofollow_outlinks: null,
      nb_links_self_referencing: null,
    },
  });
});

test.each([
  [49, '0-50'],
  [50, '50-100'],
  [200, '>200'],
])('%i links are in the range %s', async (count, range) => {
  const pages = await pagesAfterJobs(
    { pages: [page('/'), page('/a')], links: Array.from({ length: count }, () => link('/', '/a')) },
    ['nb_inlinks_range', 'internal_outlinks_range', 'external_outlinks_range', 'nb_outlinks_range'],
  );
  expect(pages['/a']?.nb_inlinks_range).toBe(range);
  expect(pages['/']).toEqual({
    nb_inlinks_range: '0-50',
    internal_outlinks_range: range,
    external_outlinks_range: '0-50',
    nb_outlinks_range: range,
  });
});

test('a link has its target, the parts of both URLs, and its share of the rank', async () => {
  const connection = await crawlDatabase({
    pages: [page('/'), page('/a/b.html?x=1&y', { status_code: 404 })],
    links: [
      link('/', '/a/b.html?x=1&y', { anchor: 'b', link_position: 'Footer' }),
      link('/', '/unknown', { follow: false, rel: ['ugc'], is_image: true, anchor: null }),
    ],
  });
  await runJobs(connection);
  expect(await connection.jsonRows('SELECT * FROM links ORDER BY target')).toMatchObject([
    {
      origin: `${SITE}/`,
      target: `${SITE}/a/b.html?x=1&y`,
      anchor: 'b',
      follow: true,
      intern: true,
      target_status: '404',
      target_status_range: 'client_error',
      target_fetched: true,
      juice: 1,
      link_position: 'Footer',
      is_image: false,
      rel: null,
      origin_path: '/',
      target_host: 'site.example',
      target_path: '/a/b.html',
      target_first_path: '/a/',
      target_ext: 'html',
      target_has_params: true,
      target_querystring_key: 'x&y',
      target_querystring_keyvalue: 'x=1&y',
    },
    {
      target: `${SITE}/unknown`,
      anchor: null,
      follow: false,
      rel: ['ugc'],
      is_image: true,
      target_status: null,
      target_status_range: null,
      target_fetched: false,
      juice: 0,
    },
  ]);
});

test('SQL splits a URL like the URL parser', async () => {
  const connection = await temporaryConnection(await temporaryFolder());
  const url = fc
    .tuple(
      fc.webUrl({ withQueryParameters: true, withFragments: true }),
      fc.constantFrom('', '/', '/a.b/c.Tar.GZ', '?', '?a&b=c?d&=', '//x.html'),
    )
    .map(([base, more]) => URL.parse(base + more)?.href ?? 'https://a.example/');
  await fc.assert(
    fc.asyncProperty(fc.array(url, { minLength: 1, maxLength: 30 }), async (urls) => {
      const rows = await connection.jsonRows(
        `SELECT ${urlPartsSql('url')} FROM (SELECT unnest(from_json($1, '["VARCHAR"]')) AS url)`,
        [JSON.stringify(urls)],
      );
      expect(rows).toEqual(
        urls.map((one) => {
          const parts = urlParts(one);
          return {
            host: parts.url_host,
            path: parts.urlpath,
            first_path: parts.url_first_path,
            ext: parts.url_ext,
            has_params: parts.url_has_params,
            querystring_key: parts.querystring_key,
            querystring_keyvalue: parts.querystring_keyvalue,
          };
        }),
      );
    }),
    { numRuns: 20 },
  );
});

test('sitemap data of a page', async () => {
  const pages = await pagesAfterJobs(
    {
      pages: [page('/'), page('/a', { sources: ['sitemaps'] }), page('/b')],
      sitemap: [
        sitemapUrl('/', { num_images: 2, alternate_langs: ['fr'], alternate_hrefs: [`${SITE}/fr/`] }),
        sitemapUrl('/', { num_images: 1, num_news: 1, sitemap: `${SITE}/a.xml` }),
        sitemapUrl('/a'),
        sitemapUrl('/not-in-crawl'),
      ],
    },
    [
      'sources',
      'sitemaps_file_origin',
      'sitemaps_num_file_origin',
      'sitemaps_num_images',
      'sitemaps_num_news',
      'sitemaps_num_videos',
      'sitemaps_num_alternate',
    ],
  );
  expect(pages).toEqual({
    '/': {
      sources: ['crawler', 'sitemaps'],
      sitemaps_file_origin: [`${SITE}/a.xml`, `${SITE}/sitemap.xml`],
      sitemaps_num_file_origin: 2,
      sitemaps_num_images: 2,
      sitemaps_num_news: 1,
      sitemaps_num_videos: 0,
      sitemaps_num_alternate: 1,
    },
    '/a': {
      sources: ['sitemaps'],
      sitemaps_file_origin: [`${SITE}/sitemap.xml`],
      sitemaps_num_file_origin: 1,
      sitemaps_num_images: 0,
      sitemaps_num_news: 0,
      sitemaps_num_videos: 0,
      sitemaps_num_alternate: 0,
    },
    '/b': {
      sources: ['crawler'],
      sitemaps_file_origin: null,
      sitemaps_num_file_origin: null,
      sitemaps_num_images: null,
      sitemaps_num_news: null,
      sitemaps_num_videos: null,
      sitemaps_num_alternate: null,
    },
  });
});
