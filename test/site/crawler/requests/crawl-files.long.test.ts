import { gzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { crawlSite, pageWith, type SiteRoute, serveSite } from '../../../support/crawl-site.ts';

const XML = { 'content-type': 'text/xml' };
const urlset = (...paths: readonly string[]): string =>
  `<urlset>${paths.map((path) => `<url><loc>${path}</loc></url>`).join('')}</urlset>`;

/** What a crawl says of its robots.txt and sitemaps, by path. */
async function filesOf(routes: Readonly<Record<string, SiteRoute>>, config = {}) {
  const site = await serveSite({ '/': pageWith('/a'), '/a': 'x', ...routes });
  const crawled = await crawlSite(site, config);
  const rows = await crawled.rows(
    `SELECT url, kind, status_code, fetch_status, error, num_urls, content, source_url, fetch_date IS NOT NULL AS has_date
     FROM requests WHERE kind IN ('robots_txt', 'sitemap') ORDER BY url`,
  );
  const path = (url: unknown): string | null => (url === null ? null : String(url).replace(site.origin, ''));
  const files = rows.map(({ url, source_url, status_code, num_urls, ...row }) => [
    path(url),
    {
      ...row,
      source_url: path(source_url),
      status_code: status_code === null ? null : Number(status_code),
      num_urls: num_urls === null ? null : Number(num_urls),
    },
  ]);
  return { site, fetched: crawled.fetchedUrls, files: Object.fromEntries(files) };
}

test('a robots.txt is stored with its text, and each sitemap with its number of URLs', async () => {
  const robots = 'Sitemap: /index.xml\nUser-agent: *\nDisallow: /x';
  const { files, fetched } = await filesOf({
    '/robots.txt': robots,
    '/index.xml': {
      headers: XML,
      body: '<sitemapindex><sitemap><loc>/one.xml.gz</loc></sitemap><sitemap><loc>/two.txt</loc></sitemap></sitemapindex>',
    },
    '/one.xml.gz': { body: gzipSync(urlset('/a', 'https://elsewhere.example/')) },
    '/two.txt': (request, response) => {
      response.end(`http://${request.headers.host}/a\n`);
    },
  });
  const read = { status_code: 200, fetch_status: 'fetched_2xx', error: null, content: null, has_date: true };
  expect(files).toEqual({
    '/robots.txt': { ...read, kind: 'robots_txt', content: robots, num_urls: null, source_url: null },
    '/index.xml': { ...read, error: 'relative_url', kind: 'sitemap', num_urls: 0, source_url: '/robots.txt' },
    '/one.xml.gz': { ...read, error: 'relative_url', kind: 'sitemap', num_urls: 2, source_url: '/index.xml' },
    '/two.txt': { ...read, kind: 'sitemap', num_urls: 1, source_url: '/index.xml' },
  });
  expect(fetched).toBe(2);
});

test.for<[string, SiteRoute, number | null, string]>([
  ['a 404', { status: 404, body: 'x' }, 404, 'status_404'],
  ['a 500', { status: 500, body: urlset('/a') }, 500, 'status_500'],
  ['a page of HTML', pageWith('/a'), 200, 'not_a_sitemap'],
  ['a plain text', 'not found', 200, 'not_a_sitemap'],
  ['XML that ends too early', { headers: XML, body: urlset('/a', '/b').slice(0, -9) }, 200, 'broken'],
  ['a redirect to itself', { status: 302, headers: { location: '/s.xml' } }, 302, 'too_many_redirects'],
  [
    'a body that breaks off',
    (_request, response) => {
      response.writeHead(200, { ...XML, 'content-length': '1000' });
      response.write(urlset('/a'));
      setTimeout(() => response.destroy(), 10);
    },
    200,
    'truncated',
  ],
])('%s is a sitemap that is not read', async ([, route, status_code, error]) => {
  const { files, site } = await filesOf({ '/robots.txt': 'Sitemap: /s.xml', '/s.xml': route });
  expect(files['/s.xml']).toMatchObject({ kind: 'sitemap', status_code, error, num_urls: null });
  expect(site.hits).toContain('/a');
});

test.for<[string, string, string]>([
  ['a warning before the XML', `<b>Warning</b>: x in <b>y.php</b><br />\n${urlset('/a')}`, 'text_before_xml'],
  ...['/a', '//ORIGINHOST/a', 'a'].map((loc): [string, string, string] => [
    `the address ${loc}`,
    `<urlset><url><loc>${loc}</loc></url></urlset>`,
    'relative_url',
  ]),
  ...['yesterday', '2026-02-30', '2026/01/02', '2026-13-01', '2026-01-02 10:00:00', '2026-01-02T10:00'].map(
    (date): [string, string, string] => [
      `the lastmod ${date}`,
      `<urlset><url><loc>/a</loc><lastmod>${date}</lastmod></url></urlset>`.replace('<loc>', '<loc>ORIGIN'),
      'invalid_lastmod',
    ],
  ),
])('a sitemap with %s is read, with a warning', async ([, body, error]) => {
  const { files, site } = await filesOf({
    '/robots.txt': 'Sitemap: /s.xml',
    '/s.xml': (request, response) => {
      response.writeHead(200, XML);
      response.end(
        body
          .replace('ORIGINHOST', String(request.headers.host))
          .replace('ORIGIN', `http://${request.headers.host}`),
      );
    },
  });
  expect(files['/s.xml']).toMatchObject({ status_code: 200, error, num_urls: 1 });
  expect(site.hits).toContain('/a');
});

test.each(['2026', '2026-02', '2024-02-29', '2026-01-02T10:00Z', '2026-01-02T10:00:00.5+02:00', ''])(
  'the lastmod %j is a date',
  async (date) => {
    const { files } = await filesOf({
      '/robots.txt': 'Sitemap: /s.xml',
      '/s.xml': (request, response) => {
        response.writeHead(200, XML);
        response.end(
          `<urlset><url><loc>http://${request.headers.host}/a</loc><lastmod>${date}</lastmod></url></urlset>`,
        );
      },
    });
    expect(files['/s.xml']).toMatchObject({ error: null, num_urls: 1 });
  },
);

test('a missing or failing robots.txt has its status, and no text', async () => {
  const missing = await filesOf({});
  expect(missing.files).toMatchObject({ '/robots.txt': { status_code: 404, error: null, content: null } });
  const failing = await filesOf({ '/robots.txt': { status: 503 } });
  expect(failing.files).toMatchObject({
    '/robots.txt': { status_code: 503, error: 'status 503', content: null },
  });
});

test('a configured robots.txt is not a request', async () => {
  const { files } = await filesOf({}, { robots_txt: [{ host: '127.0.0.1', content: 'User-agent: *' }] });
  expect(files).toEqual({});
});
