import { expect, test } from 'vitest';
import { type TryUrlOptions, tryUrl } from '../../../src/site/crawler/try-url.ts';
import { type SiteRoute, serveSite } from '../../support/crawl-site.ts';

const PAGE = `<!doctype html><html><head><title>A &amp; B</title><meta name="robots" content="noindex">
<link rel="canonical" href="/b"></head><body><p class="price">12,50 €</p></body></html>`;
const ROUTES: Readonly<Record<string, SiteRoute>> = {
  '/robots.txt': 'User-agent: *\nDisallow: /closed # not yet\nAllow: /closed/open\n',
  '/old': { status: 301, headers: { location: '/a' } },
  '/a': PAGE,
  '/closed/open': 'open',
  '/away': { status: 302, headers: { location: 'http://localhost:1/' } },
  '/loop': { status: 302, headers: { location: '/loop' } },
  '/silent': (request) => request.socket.destroy(),
};

async function trying(
  path: string,
  config: Readonly<Record<string, unknown>> = {},
  options: Partial<TryUrlOptions> = {},
) {
  const site = await serveSite(ROUTES);
  const whole = { name: 'x', start_url: `${site.origin}/`, user_agent: 'testbot', max_speed: 5, ...config };
  const signal = new AbortController().signal;
  return { site, ...(await tryUrl(whole, `${site.origin}${path}`, { signal, ...options })) };
}

test('a URL is fetched with its redirects, and read with the scraped fields', async () => {
  const custom_fields = [
    { name: 'price', css: '.price', type: 'number', decimal: ',' },
    { name: 'sku', regex: 'sku' },
  ];
  const { site, hops, page } = await trying('/old', { custom_fields });
  expect(hops).toMatchObject([
    { url: `${site.origin}/old`, state: 'fetched', status: 301, rule: null },
    { url: `${site.origin}/a`, state: 'fetched', status: 200, bytes: Buffer.byteLength(PAGE) },
  ]);
  expect(page).toEqual({
    title: 'A & B',
    canonical: `${site.origin}/b`,
    meta_robots: ['noindex'],
    is_indexable: false,
    not_indexable: 'noindex',
    warnings: [],
    scraped: [
      { field: 'custom_price', value: '12.5' },
      { field: 'custom_sku', value: null },
    ],
  });
  // A redirect of the first page may be a door that cookies open.
  expect([...new Set(site.hits)]).toEqual(['/old', '/a']);
});

test.for([
  ['/closed/x', {}, [{ state: 'denied', rule: { line: 2, text: 'Disallow: /closed # not yet' } }]],
  ['/closed/open', {}, [{ state: 'fetched', rule: { line: 3, text: 'Allow: /closed/open' } }]],
  [
    '/a',
    { robots_txt: [{ host: '127.0.0.1', content: 'User-agent: *\nDisallow: /a' }] },
    [{ state: 'denied', rule: { line: 2 } }],
  ],
  ['/a?x=1', { allow_query_params: false }, [{ state: 'left_out' }]],
  ['/a?x=1', { filter_query_params: true }, [{ state: 'fetched' }]],
  ['/away', {}, [{ status: 302 }, { state: 'outside', status: null }]],
  ['/loop', {}, [{ status: 302 }]],
  ['/silent', {}, [{ state: 'failed', status: null }]],
  ['/missing', {}, [{ state: 'fetched', status: 404 }]],
] as const)('%s with %j', async ([path, config, expected]) => {
  const { hops, page } = await trying(path, config);
  expect(hops).toMatchObject(expected);
  expect(page === null).toBe(hops.at(-1)?.status !== 200 && hops.at(-1)?.status !== 404);
});

test('addresses that a crawl of the website does not reach are not fetched', async () => {
  const site = await serveSite(ROUTES);
  const config = { name: 'x', start_url: 'http://198.51.100.7/', user_agent: 'testbot', max_speed: 5 };
  const signal = new AbortController().signal;
  const inside = { ...config, alternate_start_urls: [] };
  const { hops } = await tryUrl(inside, `${site.origin}/a`, { signal, sites: [site.origin] });
  expect(hops).toMatchObject([{ state: 'no_robots', status: null }]);
  expect(site.requests).toEqual([]);
  await expect(tryUrl(config, 'no url', { signal })).rejects.toThrow('no url is not a URL');
  await expect(tryUrl(config, ' ', { signal })).rejects.toThrow('the URL is empty');
});

test('with public addresses only, neither the start URL nor its override may be private', async () => {
  const site = await serveSite(ROUTES);
  const dns = [{ host: 'shop.example', ips: ['127.0.0.1'] }];
  for (const start_url of [`${site.origin}/`, `http://shop.example:${site.port}/`]) {
    const config = { name: 'x', start_url, user_agent: 'testbot', max_speed: 5, dns };
    const options = { signal: new AbortController().signal, publicOnly: true };
    expect((await tryUrl(config, `${start_url}a`, options)).hops).toMatchObject([{ state: 'no_robots' }]);
  }
  expect(site.requests).toEqual([]);
});

test('an abort ends a test', async () => {
  const site = await serveSite({ '*': () => {} });
  const config = { name: 'x', start_url: `${site.origin}/`, user_agent: 'testbot', max_speed: 5 };
  const signal = AbortSignal.timeout(100);
  await expect(tryUrl(config, `${site.origin}/a`, { signal })).rejects.toThrow();
});
