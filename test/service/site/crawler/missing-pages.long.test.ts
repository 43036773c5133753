import { expect, test } from 'vitest';
import type { CrawlOptions } from '../../../../src/service/site/crawler/crawl.ts';
import type { MissingPageRecord } from '../../../../src/service/site/crawler/records/records.ts';
import { type CrawledPage, link, page, pagesAfterJobs, SITE } from '../../../support/crawl-records.ts';
import { crawlSite, type SiteReply, serveSite } from '../../../support/crawl-site.ts';

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

test('pages are compared with the answer for a page that does not exist, which is no page of the crawl', async () => {
  expect(await crawlWith({ body: SORRY })).toEqual({
    alike: { ...ALL_FALSE, '/gone': true, '/short': null },
    asked: 1,
    fetchedUrls: 5,
  });
});

test('no page is like an answer with status 404', async () => {
  const { alike } = await crawlWith({ status: 404, body: SORRY });
  expect(alike).toEqual(ALL_FALSE);
});

test('nothing is known where the host asks to wait', async () => {
  expect(await crawlWith({ status: 429, body: SORRY })).toMatchObject({ alike: ALL_NULL, asked: 1 });
});

test('a site whose robots.txt denies the address is not asked', async () => {
  expect(await crawlWith({ body: SORRY }, 'User-agent: *\nDisallow: /no-such')).toMatchObject({
    alike: ALL_NULL,
    asked: 0,
  });
});

test('a crawl of a list asks for its URLs alone', async () => {
  const site = await serveSite({ ...PAGES, '*': SORRY });
  await crawlSite(site, {}, { isList: true, seeds: [`${site.origin}/gone`] });
  expect(site.requests.map(({ url }) => url)).toEqual(['/robots.txt', '/gone']);
});

test('contents are alike up to eight different bits, on the same host', async () => {
  const missing = [{ origin: SITE, status_code: 200, title: null, simhash: '0' }];
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
const APP = [{ origin: SITE, status_code: 200, title: 'App', simhash: null }];

test('one HTML for every path is the shell of an application, and no error page', async () => {
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
  ['has links', shell('/', { depth: 0, word_count: 3 }), APP],
  ['has a text of its own', shell('/', { depth: 0, title: 'Home' }), APP],
  [
    'answers 404 for a missing page',
    shell('/', { depth: 0 }),
    [{ ...APP[0], status_code: 404 } as MissingPageRecord],
  ],
])('a site whose start page %s has no shell', async (name, start, missing) => {
  const links = name === 'has links' ? [link('/', '/a')] : [];
  const read = await pagesAfterJobs({ pages: [start, shell('/a')], missing, links }, SHELL);
  expect(Object.values(read).map(({ is_app_shell }) => is_app_shell)).toEqual([false, false]);
});
