import { expect, test } from 'vitest';
import type { CrawlOptions } from '../../../src/site/crawler/crawl-website.ts';
import type { MissingPageRecord } from '../../../src/site/crawler/records/records.ts';
import { type CrawledPage, link, page, pagesAfterJobs, SITE } from '../../support/crawl-records.ts';
import { crawlSite, type SiteReply, serveSite } from '../../support/crawl-site.ts';

const SORRY =
  '<title>Sorry</title><main>We looked in every drawer of the house and could not find what you wanted, so please try again.</main>';
const PAGES = {
  '/': `<title>Sorry</title><main><a href="/gone">We looked</a> <a href="/lamps">in every</a> <a href="/named">drawer</a>
    <a href="/short">of</a> the house and could not find what you wanted, so please try again.</main>`,
  '/gone': SORRY,
  '/lamps':
    '<title>Sorry</title><main>Lamps of brass and glass stand on the shelf beside the window where the morning light comes in.</main>',
  '/named': SORRY.replace('Sorry', 'Named'),
  '/short': '<title>Sorry</title><main>Sorry</main>',
};
const ALL_FALSE = Object.fromEntries(Object.keys(PAGES).map((path) => [path, false]));
const ALL_NULL = Object.fromEntries(Object.keys(PAGES).map((path) => [path, null]));

async function crawlWith(missing: SiteReply, robots = '', options: Partial<CrawlOptions> = {}) {
  const site = await serveSite({ ...PAGES, '/robots.txt': robots, '*': missing });
  const crawled = await crawlSite(site, {}, options);
  const rows = await crawled.rows('SELECT urlpath, like_missing_page AS alike FROM pages ORDER BY url');
  return {
    alike: Object.fromEntries(rows.map(({ urlpath, alike }) => [urlpath, alike])),
    asked: site.requests.filter(({ url }) => url?.startsWith('/no-such-page-')).length,
    fetchedUrls: crawled.fetchedUrls,
  };
}

test('pages are compared with the response for a missing page, which is not part of the crawl', async () => {
  expect(await crawlWith({ body: SORRY })).toEqual({
    alike: { ...ALL_FALSE, '/gone': true, '/short': null },
    asked: 1,
    fetchedUrls: 5,
  });
});

test('no page equals a response with status 404', async () => {
  const { alike } = await crawlWith({ status: 404, body: SORRY });
  expect(alike).toEqual(ALL_FALSE);
});

test('if the host requests a wait, missing pages are unknown', async () => {
  expect(await crawlWith({ status: 429, body: SORRY })).toMatchObject({ alike: ALL_NULL, asked: 1 });
});

test('a site whose robots.txt denies the test address is not requested', async () => {
  expect(await crawlWith({ body: SORRY }, 'User-agent: *\nDisallow: /no-such')).toMatchObject({
    alike: ALL_NULL,
    asked: 0,
  });
});

test('a crawl of a list requests only its URLs', async () => {
  const site = await serveSite({ ...PAGES, '*': SORRY });
  await crawlSite(site, {}, { isList: true, seeds: [`${site.origin}/gone`] });
  expect(site.requests.map(({ url }) => url)).toEqual(['/robots.txt', '/gone']);
});

test('content is similar up to eight different bits, on the same host', async () => {
  const missing = [{ origin: SITE, status_code: 200, title: null, h1: null, word_count: 20, simhash: '0' }];
  const pages = [
    page('/eight', { simhash: String(2 ** 8 - 1) }),
    page('/nine', { simhash: String(2 ** 9 - 1) }),
    page('/error', { simhash: '0', status_code: 404 }),
    { ...page('/else', { simhash: '0' }), url: 'https://site.example.org/else' },
  ];
  expect(await pagesAfterJobs({ pages, missing }, ['like_missing_page'])).toEqual({
    '/eight': { like_missing_page: true },
    '/nine': { like_missing_page: false },
    '/error': { like_missing_page: null },
    '/else': { like_missing_page: null },
  });
});

const shell = (path: string, more: Partial<CrawledPage> = {}) =>
  page(path, { title: 'App', has_script: true, word_count: 3, simhash: null, ...more });
const SHELL = ['like_missing_page', 'is_app_shell'];
const APP = [{ origin: SITE, status_code: 200, title: 'App', h1: null, word_count: 3, simhash: null }];

test('one HTML for every path is an application shell, not an error page', async () => {
  const pages = [
    shell('/', { depth: 0 }),
    shell('/a'),
    shell('/rendered', { rendered: true }),
    shell('/texts', { word_count: 60 }),
    shell('/other', { title: 'Other' }),
    shell('/plain', { has_script: false }),
  ];
  const read = await pagesAfterJobs({ pages, missing: APP }, SHELL);
  expect(Object.keys(read).filter((path) => read[path]?.is_app_shell === true)).toEqual(['/', '/a']);
  expect(read['/a']).toEqual({ like_missing_page: false, is_app_shell: true });
});

test.each<[string, CrawledPage, MissingPageRecord[]]>([
  ['has a text of its own', shell('/', { depth: 0, title: 'Home' }), APP],
  [
    'answers 404 for a missing page',
    shell('/', { depth: 0 }),
    [{ ...APP[0], status_code: 404 } as MissingPageRecord],
  ],
])('a site whose start page %s has no shell', async (_, start, missing) => {
  const read = await pagesAfterJobs({ pages: [start, shell('/a')], missing }, SHELL);
  expect(Object.values(read).map(({ is_app_shell }) => is_app_shell)).toEqual([false, false]);
});

test('a shell that links to other pages counts only if they are the shell too', async () => {
  const linked = ['/a', '/b'].map((path) => link('/', path));
  const pages = [shell('/', { depth: 0 }), shell('/a'), shell('/b')];
  const shells = async (...more: CrawledPage[]): Promise<string[]> => {
    const read = await pagesAfterJobs({ pages: [...pages, ...more], missing: APP, links: linked }, SHELL);
    return Object.keys(read).filter((path) => read[path]?.is_app_shell === true);
  };
  expect(await shells()).toEqual(['/', '/a', '/b']);
  // Pages of their own: a small site that sends its start page for what it does not have.
  expect(await shells(page('/c', { title: 'C', word_count: 300 }))).toEqual([]);
});

test('short rendered texts are compared by H1 and word count', async () => {
  const short = (path: string, more: Partial<CrawledPage> = {}): CrawledPage =>
    page(path, { title: 'App', h1: 'Not found', rendered: true, word_count: 3, simhash: null, ...more });
  const pages = [
    short('/gone'),
    short('/sign-in', { h1: 'Sign in' }),
    short('/longer', { word_count: 4 }),
    short('/plain', { rendered: null }),
    short('/text', { simhash: '1' }),
  ];
  const missing = [{ ...APP[0], h1: 'Not found' } as MissingPageRecord];
  expect(await pagesAfterJobs({ pages, missing }, ['like_missing_page'])).toEqual({
    '/gone': { like_missing_page: true },
    '/sign-in': { like_missing_page: false },
    '/longer': { like_missing_page: false },
    '/plain': { like_missing_page: null },
    '/text': { like_missing_page: null },
  });
});

/** What build tools of frameworks write, and hosts send for every path. */
const SHELLS: Readonly<Record<string, string>> = {
  React: `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>React App</title>
    <meta name="description" content="Web site created using create-react-app"><script defer src="/static/js/main.6d2f.js"></script>
    </head><body><noscript>You need to enable JavaScript to run this app.</noscript><div id="root"></div></body></html>`,
  Vite: `<!doctype html><html lang="en"><head><meta charset="UTF-8"><title>Vite + React + TS</title>
    <script type="module" crossorigin src="/assets/index-D2.js"></script></head><body><div id="root"></div></body></html>`,
  Vue: `<!DOCTYPE html><html lang=""><head><title>shop</title><script defer="defer" src="/js/chunk-vendors.js"></script></head>
    <body><noscript><strong>We're sorry but shop doesn't work properly without JavaScript enabled. Please enable it to
    continue.</strong></noscript><div id="app"></div></body></html>`,
  Angular: `<!doctype html><html lang="en"><head><title>Shop</title><base href="/"></head>
    <body><app-root>Loading...</app-root><script src="main.js" type="module"></script></body></html>`,
  SvelteKit: `<!doctype html><html><head><link rel="modulepreload" href="/_app/immutable/start.js"></head>
    <body><div style="display: contents"><script>{ __sveltekit = { base: "" };
    Promise.all([import("/_app/immutable/start.js")]); }</script></div></body></html>`,
  Flutter: `<!DOCTYPE html><html><head><base href="/"><title>shop</title></head>
    <body><script src="flutter_bootstrap.js" async></script></body></html>`,
  'a static footer': `<!doctype html><html lang="en"><head><title>Shop</title></head><body><div id="app"></div>
    <footer><a href="/imprint">Imprint</a> <a href="/privacy">Privacy</a> <a href="/">Start</a></footer><script src="/app.js"></script></body></html>`,
};

test.each(Object.entries(SHELLS))(
  'the shell of %s is distinguished from pages and error pages',
  async (_, body) => {
    const site = await serveSite({
      '/sitemap.xml': (request, response) => {
        response.writeHead(200, { 'content-type': 'application/xml' });
        const origin = `http://${request.headers.host}`;
        const urls = ['/', '/shop', '/shop/lamp', '/about'].map(
          (path) => `<url><loc>${origin}${path}</loc></url>`,
        );
        response.end(`<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">${urls.join('')}</urlset>`);
      },
      '/robots.txt': 'User-agent: *\nAllow: /',
      '*': { body },
    });
    const crawled = await crawlSite(site, { sitemaps: [`${site.origin}/sitemap.xml`] });
    const rows = await crawled.rows(
      'SELECT is_app_shell AS shell, like_missing_page AS alike, nearduplicate_content AS near, count(*) AS n FROM pages WHERE status_code = 200 GROUP BY ALL',
    );
    expect(rows).toEqual([{ shell: true, alike: false, near: null, n: expect.any(BigInt) }]);
    expect(Number(rows[0]?.n)).toBeGreaterThanOrEqual(4);
  },
);
