import { expect, test } from 'vitest';
import { pageUrl, snapshotUrl } from '../../../src/site/crawler/ajax-crawling.ts';
import { Scope } from '../../../src/site/crawler/frontier/scope.ts';
import { crawlSite, pageWith, serveSite } from '../../support/crawl-site.ts';

const AJAX = { ajax_crawling: true };
const DECLARED = '<meta name="fragment" content="!">';

test.each([
  ['/a', '/a?_escaped_fragment_='],
  ['/a?b=1', '/a?b=1&_escaped_fragment_='],
  ['/a#!', '/a?_escaped_fragment_='],
  ['/a#!key=value', '/a?_escaped_fragment_=key=value'],
  ['/a?b=1#!/c/d', '/a?b=1&_escaped_fragment_=/c/d'],
  ['/a#!b=1&c=2', '/a?_escaped_fragment_=b=1%26c=2'],
  ['/a#!b+c d#e', '/a?_escaped_fragment_=b%2Bc%20d%23e'],
  ['/a#!50%25&%26', '/a?_escaped_fragment_=50%2525%26%2526'],
  ['/a#!gr\u00fcn', '/a?_escaped_fragment_=gr%C3%BCn'],
  ['/a#place', '/a?_escaped_fragment_='],
])('the snapshot of %s is requested at %s', (page, snapshot) => {
  expect(snapshotUrl(`http://a.example${page}`)).toBe(`http://a.example${snapshot}`);
});

test('a page has one URL, whether links use it or its snapshot', () => {
  const rules = {
    allowQueryParams: true,
    crawlSubdomains: false,
    filterQueryParams: false,
    isWhitelist: false,
  };
  const scope = new Scope({
    ...rules,
    startUrl: 'http://a.example/',
    alternateStartUrls: [],
    queryParams: [],
    isAjax: true,
  });
  for (const query of ['', '?b=1'])
    for (const one of [
      '',
      'x',
      ...Array.from({ length: 0x180 }, (_one, code) => `a${String.fromCharCode(code)}b`),
      'a%20b%26c%25%2Bd%2F',
    ]) {
      const page = scope.spell(new URL(`http://a.example/p${query}${one === '' ? '' : `#!${one}`}`));
      expect(scope.spell(new URL(snapshotUrl(page)))).toBe(page);
      expect(scope.spell(new URL(page))).toBe(page);
    }
  expect(pageUrl('http://a.example/?x=_escaped_fragment_=1')).toBe(
    'http://a.example/?x=_escaped_fragment_=1',
  );
});

test('pages with #! are separate pages, requested by the scheme and reported as linked', async () => {
  const site = await serveSite({
    '/': pageWith('#!/one', '/#!/two&x', '/plain#place', '/?_escaped_fragment_=/three'),
    '/?_escaped_fragment_=/one': `<title>one</title>${pageWith('/#!/two&x')}`,
    '/?_escaped_fragment_=/two%26x': '<title>two</title>',
    '/?_escaped_fragment_=/three': '<title>three</title>',
    '/plain': '<title>plain</title>',
  });
  const crawled = await crawlSite(site, { ...AJAX, allow_query_params: false });
  expect(await crawled.field('title')).toEqual({
    '/': 'A page',
    '/#!/one': 'one',
    '/#!/two&x': 'two',
    '/#!/three': 'three',
    '/plain': 'plain',
  });
  expect(await crawled.field('depth')).toMatchObject({ '/#!/one': 1, '/#!/two&x': 1, '/plain': 1 });
  expect(site.hits.sort()).toEqual(
    ['/', '/plain', ...['one', 'two%26x', 'three'].map((one) => `/?_escaped_fragment_=/${one}`)].sort(),
  );
});

test('without ajax_crawling, #! is a position on the page', async () => {
  const site = await serveSite({ '/': `${DECLARED}${pageWith('#!/one')}` });
  const crawled = await crawlSite(site);
  expect(await crawled.field('status_code')).toEqual({ '/': 200 });
  expect(site.hits).toEqual(['/']);
});

test('the snapshot of a page that declares one replaces its content, under its URL', async () => {
  const site = await serveSite({
    '/': `<head>${DECLARED}</head>`,
    '/?_escaped_fragment_=': `<title>snapshot</title>${DECLARED}${pageWith('/b?c=1', '/gone')}`,
    '/b?c=1': "<meta content=' ! ' name=FRAGMENT>",
    '/b?c=1&_escaped_fragment_=': '<title>b</title>',
    '/gone': DECLARED,
  });
  const crawled = await crawlSite(site, AJAX);
  expect(await crawled.field('title')).toMatchObject({ '/': 'snapshot', '/b?c=1': 'b' });
  expect(await crawled.field('status_code')).toEqual({ '/': 200, '/b?c=1': 200, '/gone': 404 });
});

test.each([
  ['in the body', `<p>x</p>${DECLARED}`],
  ['in a comment', `<!-- ${DECLARED} -->`],
  ['in a script', `<script>'${DECLARED}'</script>`],
  ['with another content', '<meta name="fragment" content="?">'],
])('a declaration %s is ignored', async (_where, html) => {
  const site = await serveSite({ '/': html });
  await crawlSite(site, AJAX);
  expect(site.hits).toEqual(['/']);
});

test('a snapshot that robots.txt denies, or that redirects to the page, leaves the page unchanged', async () => {
  const site = await serveSite({
    '/robots.txt': 'User-agent: *\nDisallow: /*_escaped_fragment_=/no\nDisallow: /denied?',
    '/': `${DECLARED}<title>page</title>${pageWith('/#!/no', '/denied')}`,
    '/?_escaped_fragment_=': { status: 302, headers: { location: '/' } },
    '/denied': `${DECLARED}<title>denied</title>`,
  });
  const crawled = await crawlSite(site, AJAX);
  expect(await crawled.field('title')).toMatchObject({ '/': 'page', '/denied': 'denied' });
  const [denied] = await crawled.rows(`SELECT fetch_status FROM pages WHERE url LIKE '%#!/no'`);
  expect(denied).toEqual({ fetch_status: 'unfetched_robots_denied' });
  expect(site.hits.filter((one) => one !== '/').sort()).toEqual(['/?_escaped_fragment_=', '/denied']);
});
