import fc from 'fast-check';
import { expect, test } from 'vitest';
import { readRefresh } from '../../../../src/site/crawler/parse/refresh-address.ts';
import type { Fetched } from '../../../../src/site/crawler/records/records.ts';
import { crawlSite, serveSite } from '../../../support/crawl-site.ts';
import { parsed } from '../../../support/fetched-page.ts';

const pageOf = (html: string, more: Partial<Fetched>) => parsed(html, more).page;

const HTTPS = { url: 'https://site.example/a' };

test('headers are kept by an allow-list, and missing security headers are named', () => {
  const page = pageOf('<p>x', {
    ...HTTPS,
    headers: [
      ['content-type', 'text/html'],
      ['etag', '"1"'],
      ['cache-control', 'no-store'],
      ['cache-control', 'private'],
      ['x-content-type-options', 'nosniff'],
      ['content-encoding', 'gzip'],
      ['set-cookie', 'secret=1'],
    ],
  });
  expect(page).toMatchObject({
    header_etag: '"1"',
    header_cache_control: 'no-store, private',
    header_x_content_type_options: 'nosniff',
    header_last_modified: null,
    compressed: true,
    missing_security_headers: ['strict-transport-security', 'content-security-policy'],
  });
  expect(JSON.stringify(page)).not.toContain('secret');
});

test.each([
  ['<img src="http://a.example/a.png"><script src="HTTP://a.example/a.js"></script>', 2, 0],
  [
    '<link rel="stylesheet" href="http://a.example/a.css"><link rel="canonical" href="http://a.example/">',
    1,
    0,
  ],
  ['<form action="http://a.example/"></form><form action="/b"></form>', 0, 1],
  ['<a href="http://a.example/">a</a><img src="//a.example/a.png">', 0, 0],
  ['<img src=/a srcset="/b 1x, http://x.example/c 2x"><source srcset="http://x.example/c">', 2, 0],
  [
    '<meta http-equiv=Content-Security-Policy content="upgrade-insecure-requests"><img src="http://x.example/a">',
    0,
    0,
  ],
])('%s has %d parts and %d forms over HTTP', (html, num_mixed_content, num_insecure_forms) => {
  expect(pageOf(html, HTTPS)).toMatchObject({ num_mixed_content, num_insecure_forms });
  const plain = { num_mixed_content: 0, num_insecure_forms: 0 };
  expect(pageOf(html, { url: 'http://site.example/a' })).toMatchObject(plain);
});

test('links without text, with a generic text, and images without a size are counted', () => {
  const html = `<a href="/1"></a><a href="/2"><img src="a.png" alt="" width=1 height=1></a><a href="/3"><img src="b.png" alt="Red" width=1></a>
    <a href="/4">Read more »</a><a href="/5">Mehr erfahren</a><a href="/6">More lamps</a><a href="https://else.example/"></a>`;
  expect(pageOf(html, HTTPS)).toMatchObject({
    num_links_without_text: 2,
    num_links_generic_text: 2,
    num_img_without_size: 1,
  });
});

test('heading permalinks and links back to the top need no text', () => {
  const html =
    '<h2 id=a>A <a href="#a"></a></h2><a href="#">more</a><a href="#top"><svg></svg></a><a href="">here</a>';
  expect(pageOf(html, HTTPS)).toMatchObject({ num_links_without_text: 0, num_links_generic_text: 0 });
});

test('the header canonical is kept next to that of the HTML', () => {
  const page = pageOf('<link rel=canonical href=/html><link rel=amphtml href=/amp>', {
    ...HTTPS,
    headers: [
      ['content-type', 'text/html'],
      ['link', '</header>; rel="canonical"'],
    ],
  });
  expect(page).toMatchObject({
    rel_canonical: null,
    canonicals: ['https://site.example/html', 'https://site.example/header'],
    header_canonical: 'https://site.example/header',
    amp_url: 'https://site.example/amp',
  });
});

test.each([
  ['0; url=/b', 0, '/b'],
  ['5;URL="/b"', 5, '/b'],
  ["0.5 , url = '/b' ", 0, '/b'],
  ['0 url=/b c', 0, '/b c'],
  ['30', 30, ''],
  ['0; url=', 0, ''],
  ['0; /b', 0, '/b'],
  ['0;/b', 0, '/b'],
  ['0,/b', 0, '/b'],
  ['\t0\n;\t"/b" x', 0, '/b'],
  [`0;url="/x?a='b'"`, 0, "/x?a='b'"],
  ['0;url="/b', 0, '/b'],
  ['.5;/b', 0, '/b'],
  ['0; u', 0, 'u'],
  ['0; urlx', 0, 'urlx'],
  ['0; ur=/b', 0, 'ur=/b'],
  ['99999999999999999999;/b', Number.MAX_SAFE_INTEGER, '/b'],
])('the refresh %s leads after %s seconds to %s', (content, delay, address) => {
  expect(readRefresh(content)).toEqual({ delay, address });
});

test.each(['url=/x', '', ';/b', '0x;/b', 'now; url=/b', '-1;/b', '0/b'])(
  'the refresh %j is ignored',
  (content) => {
    expect(readRefresh(content)).toBeNull();
  },
);

test('a Refresh header works, and precedes elements', () => {
  const headers = [
    ['content-type', 'text/html'],
    ['refresh', '3; url=/header'],
  ] as const;
  const html = '<meta http-equiv=refresh content="0;/meta">';
  const { page } = parsed(html, { headers });
  expect(page).toMatchObject({ meta_refresh_location: 'https://site.example/header', meta_refresh_delay: 3 });
  expect(parsed(html).page).toMatchObject({
    meta_refresh_location: 'https://site.example/meta',
    meta_refresh_delay: 0,
  });
});

test('any refresh can be read', () => {
  fc.assert(
    fc.property(fc.string(), (content) => {
      const refresh = readRefresh(content);
      expect(refresh === null || (refresh.delay >= 0 && refresh.address === refresh.address.trim())).toBe(
        true,
      );
    }),
  );
});

test('a meta refresh is followed, except in noscript or to the page itself', async () => {
  const refresh = (to: string): string => `<meta http-equiv="Refresh" content="0; url=${to}">`;
  const site = await serveSite({
    '/': refresh('/b'),
    '/b': `<noscript>${refresh('/c')}</noscript>${refresh('/b')}`,
  });
  const crawled = await crawlSite(site);
  expect(await crawled.field('meta_refresh_location')).toEqual({ '/': `${site.origin}/b`, '/b': null });
});
