import type { IncomingMessage, ServerResponse } from 'node:http';
import { expect, test } from 'vitest';
import type { Row } from '../../../../src/core/duckdb/duckdb.ts';
import type { CrawlOptions } from '../../../../src/site/crawler/crawl-website.ts';
import { CrawlControl } from '../../../../src/site/crawler/progress-reporter.ts';
import {
  type Crawled,
  crawlSite,
  pageWith,
  type Site,
  type SiteRoute,
  serveSite,
} from '../../../support/crawl-site.ts';
import { temporaryFolder } from '../../../support/temporary.ts';

const to = (location: string, status = 301) => ({ status, headers: { location } });
const withHead = (head: string): string =>
  `<!doctype html><head>${head}<title>A page</title></head><main>x</main>`;

async function* pieces(...urls: readonly string[]): AsyncGenerator<readonly string[]> {
  yield urls;
}

/** The requests of a kind, by path. */
async function requestsOf(crawled: Crawled, site: Site, kind: 'recheck' | 'target') {
  const rows = await crawled.rows(
    `SELECT * EXCLUDE (fetch_date, num_urls, content) FROM requests WHERE kind = '${kind}' ORDER BY url`,
  );
  const plain = (value: unknown): unknown =>
    typeof value === 'bigint'
      ? Number(value)
      : typeof value === 'string'
        ? value.replace(site.origin, '')
        : value;
  const known = ({ url, kind: _, ...row }: Row) => [
    String(url).replace(site.origin, ''),
    Object.fromEntries(
      Object.entries(row).flatMap(([name, value]) =>
        value === null || value === false ? [] : [[name, plain(value)]],
      ),
    ),
  ];
  return Object.fromEntries(rows.map(known)) as Record<string, Record<string, unknown>>;
}

async function crawlAgain(
  routes: Readonly<Record<string, SiteRoute>>,
  former: readonly string[],
  more: Partial<CrawlOptions> = {},
  config = {},
) {
  const site = await serveSite({ '/': pageWith('/a'), '/a': 'x', ...routes });
  const crawled = await crawlSite(site, config, {
    former: pieces(...former.map((path) => site.origin + path)),
    ...more,
  });
  return { site, crawled, rechecks: await requestsOf(crawled, site, 'recheck') };
}

test('pages of the previous crawl that were not found are requested at the end, and not counted as pages', async () => {
  const { crawled, rechecks, site } = await crawlAgain(
    {
      '/here': withHead('<link rel=canonical href="/a">'),
      '/hidden': withHead('<meta name=robots content=noindex>'),
      '/moved': to('/hop'),
      '/hop': to('/a', 302),
      '/loop': to('/loop'),
      '/forbidden': { status: 403, body: 'x' },
    },
    ['/a', '/here', '/hidden', '/moved', '/loop', '/gone', '/forbidden'],
  );
  const here = { status_code: 200, fetch_status: 'fetched_2xx' };
  const away = { status_code: 301, fetch_status: 'fetched_3xx' };
  expect(rechecks).toEqual({
    '/here': { ...here, canonical: '/a' },
    '/hidden': { ...here, is_noindex: true },
    '/moved': {
      ...away,
      redirect_location: '/hop',
      final_redirect_location: '/a',
      final_redirect_status: 200,
    },
    '/loop': { ...away, redirect_location: '/loop' },
    '/gone': { status_code: 404, fetch_status: 'fetched_4xx' },
    '/forbidden': { status_code: 403, fetch_status: 'fetched_4xx' },
  });
  expect(await crawled.rows('SELECT urlpath, is_indexable FROM requests JOIN pages USING (url)')).toEqual([]);
  const indexable = await crawled.rows(
    `SELECT url, is_indexable FROM requests WHERE kind = 'recheck' ORDER BY url`,
  );
  expect(indexable.map(({ is_indexable }) => is_indexable)).toEqual([
    null,
    false,
    false,
    false,
    false,
    false,
  ]);
  expect(crawled).toMatchObject({ fetchedUrls: 2, endReason: 'ok' });
  expect(Object.keys(await crawled.field('url'))).toEqual(['/', '/a']);
  expect(site.hits.filter((path) => path === '/a')).toHaveLength(1);
});

test('a URL that robots.txt denies is recorded as blocked, and not requested', async () => {
  const { rechecks, site } = await crawlAgain(
    { '/robots.txt': 'User-agent: *\nDisallow: /old', '/old': 'x' },
    ['/old'],
  );
  expect(rechecks).toEqual({ '/old': { fetch_status: 'unfetched_robots_denied', robots_txt_denied: true } });
  expect(site.hits).not.toContain('/old');
});

test('URLs beyond max_url and max_depth are requested, those with clicks first', async () => {
  const routes = {
    '/': pageWith('/a', '/b', '/c'),
    '/a': pageWith('/deep'),
    '/b': 'x',
    '/c': 'x',
    '/deep': 'x',
  };
  const limited = await crawlAgain(routes, ['/', '/a', '/b', '/c', '/deep'], {}, { max_url: 2 });
  expect(limited.crawled).toMatchObject({ endReason: 'max_url_reached', fetchedUrls: 2 });
  expect(Object.keys(limited.rechecks)).toEqual(['/b', '/c', '/deep']);
  const shallow = await crawlAgain(routes, ['/', '/a', '/b', '/c', '/deep'], {}, { max_depth: 1 });
  expect(shallow.crawled).toMatchObject({ endReason: 'max_depth_reached', fetchedUrls: 4 });
  expect(Object.keys(shallow.rechecks)).toEqual(['/deep']);
  const site = await serveSite(routes);
  const demanded = pieces(
    'https://elsewhere.example/',
    `${site.origin}/a`,
    `${site.origin}/z#x`,
    `${site.origin}/y`,
  );
  const former = pieces(`${site.origin}/w`);
  const crawled = await crawlSite(site, {}, { former, demanded, recheck: 2 });
  expect(Object.keys(await requestsOf(crawled, site, 'recheck'))).toEqual(['/y', '/z']);
});

test('URLs in sitemaps outside of the crawl are requested, with their sitemap', async () => {
  const { rechecks } = await crawlAgain(
    {
      '/robots.txt': 'Sitemap: /s.xml',
      '/s.xml': {
        headers: { 'content-type': 'text/xml' },
        body: '<urlset><url><loc>/b?page=1</loc></url></urlset>',
      },
      '/b?': 'x',
    },
    [],
    {},
    { allow_query_params: false },
  );
  expect(rechecks).toMatchObject({ '/b?page=1': { status_code: 200, source_url: '/s.xml' } });
});

test('no URL is requested again with recheck 0, for a list, without quota, or after a manual end', async () => {
  const former = ['/old'];
  const none = await crawlAgain({}, former, { recheck: 0 });
  const limited = await crawlAgain({}, former, { quota: 1 });
  const control = new CrawlControl();
  const stopping = (_request: IncomingMessage, response: ServerResponse): void => {
    control.terminate();
    response.end('x');
  };
  const stopped = await crawlAgain({ '/a': stopping }, former, { control });
  expect([limited.crawled.endReason, stopped.crawled.endReason]).toEqual(['quota_reached', 'user_requested']);
  const site = await serveSite({});
  const list = await crawlSite(
    site,
    {},
    { isList: true, seeds: [`${site.origin}/b`], former: pieces(`${site.origin}/old`) },
  );
  for (const rechecks of [
    none.rechecks,
    limited.rechecks,
    stopped.rechecks,
    await requestsOf(list, site, 'recheck'),
  ])
    expect(rechecks).toEqual({});
});

test('an interrupted crawl continues with the URLs without a response', async () => {
  const folder = await temporaryFolder();
  const interruption = new AbortController();
  let isCut = false;
  const paths = Array.from({ length: 30 }, (_, number) => `/old/${number}`);
  const site = await serveSite({
    '/': pageWith('/a'),
    '/a': 'x',
    '/old/20': (_request, response) => {
      if (isCut) response.end('x');
      else interruption.abort();
      isCut = true;
    },
    '*': { status: 404, body: 'x' },
  });
  const options = () => ({
    folder,
    concurrency: 1,
    former: pieces(...paths.map((path) => site.origin + path)),
  });
  await expect(crawlSite(site, {}, { ...options(), signal: interruption.signal })).rejects.toThrow();
  const before = site.hits.filter((path) => path.startsWith('/old/'));
  expect(before.length).toBeLessThan(30);
  const crawled = await crawlSite(site, {}, options());
  expect(Object.keys(await requestsOf(crawled, site, 'recheck'))).toHaveLength(30);
  const asked = site.hits.filter((path) => path.startsWith('/old/'));
  // One of them was cut off.
  expect([asked.length, new Set(asked).size]).toEqual([31, 30]);
});

test('unlinked declared targets are requested once, also on other hosts, and redirects to their end', async () => {
  const other = await serveSite({
    '/robots.txt': 'User-agent: *\nDisallow: /denied',
    '/de': withHead('<link rel=alternate hreflang=de href="/de">'),
    '/denied': 'x',
  });
  // The hreflang of a page with another canonical is ignored.
  const canonical = '<link rel=canonical href="/canonical">';
  const head = `<link rel=next href="/next"><link rel=amphtml href="/amp">
    <link rel=alternate hreflang=de href="${other.origin}/de"><link rel=alternate hreflang=fr href="${other.origin}/denied">
    <link rel=alternate hreflang=en href="/gone-en">`;
  const site = await serveSite({
    '/': `${withHead(head)}<a href="/two">a</a><a href="/out">b</a>`,
    '/two': withHead(canonical + head.replace('/next', '/next2')),
    '/out': to(`${other.origin}/elsewhere`),
    '/canonical': to('/end'),
    '/end': { status: 404, body: 'x' },
    '/next': { status: 500, body: 'x' },
    '/next2': withHead('<meta name=robots content=noindex>'),
    '/amp': { status: 410, body: 'x' },
  });
  const crawled = await crawlSite(site);
  const targets = await requestsOf(crawled, site, 'target');
  expect(targets).toMatchObject({
    '/canonical': {
      status_code: 301,
      declared_as: 'canonical',
      source_url: '/two',
      final_redirect_location: '/end',
      final_redirect_status: 404,
    },
    '/end': { status_code: 404, declared_as: 'redirect', source_url: '/canonical' },
    '/next': { status_code: 500, declared_as: 'next' },
    '/next2': { status_code: 200, is_noindex: true },
    '/amp': { status_code: 410, declared_as: 'amp' },
    '/gone-en': { status_code: 404, declared_as: 'hreflang' },
    [`${other.origin}/de`]: { status_code: 200, is_indexable: true },
    [`${other.origin}/denied`]: { robots_txt_denied: true },
    [`${other.origin}/elsewhere`]: { status_code: 404, declared_as: 'redirect', source_url: '/out' },
  });
  for (const { hits } of [site, other]) expect(hits).toHaveLength(new Set(hits).size);
  const pages = await crawled.rows(
    `SELECT urlpath, hreflang_errors, hreflang_error_details, pagination_errors, amp_status_code, final_redirect_status FROM pages ORDER BY url`,
  );
  const lists = pages.map(({ urlpath, hreflang_errors, pagination_errors, ...row }) => ({
    ...row,
    urlpath,
    hreflang: (hreflang_errors as { items?: unknown } | null)?.items ?? null,
    series: (pagination_errors as { items?: unknown } | null)?.items ?? null,
  }));
  expect(lists).toMatchObject([
    {
      urlpath: '/',
      hreflang: ['missing_return_link', 'missing_self', 'relative_url', 'target_not_indexable'],
      series: ['target_missing'],
      amp_status_code: 410n,
    },
    { urlpath: '/out', hreflang: null, series: null, final_redirect_status: 404n },
    { urlpath: '/two', series: ['target_not_indexable'], amp_status_code: 410n },
  ]);
  expect(
    await crawled.rows(`SELECT 1 FROM requests WHERE kind = 'robots_txt' AND url LIKE '${other.origin}%'`),
  ).toEqual([]);
});

test('a target that refuses or does not respond leaves the check unknown', async () => {
  const site = await serveSite({
    '/': `${withHead('<link rel=next href="/busy"><link rel=amphtml href="/shut"><link rel=alternate hreflang=en href="/"><link rel=alternate hreflang=de href="/shut">')}`,
    '/busy': { status: 503, body: 'x' },
    '/shut': { status: 403, body: 'x' },
  });
  const crawled = await crawlSite(site);
  const [page] = await crawled.rows(
    'SELECT pagination_errors, amp_status_code, hreflang_errors::VARCHAR AS hreflang_errors FROM pages',
  );
  expect(page).toEqual({ pagination_errors: null, amp_status_code: null, hreflang_errors: '[relative_url]' });
});

test('redirects of a list are followed to their end, up to ten, and nothing else', async () => {
  const hops = Object.fromEntries(
    Array.from({ length: 12 }, (_, hop) => [`/hop${hop}`, to(`/hop${hop + 1}`)]),
  );
  const site = await serveSite({
    ...hops,
    '/old': to('/middle', 302),
    '/middle': to('/new'),
    '/new': withHead('<link rel=canonical href="/other">'),
  });
  const seeds = ['/old', '/hop0'].map((path) => site.origin + path);
  const crawled = await crawlSite(site, {}, { isList: true, seeds });
  expect(crawled).toMatchObject({ endReason: 'ok', fetchedUrls: 2 });
  const pages = await crawled.rows(
    'SELECT urlpath, redirect_count, final_redirect_location, final_redirect_status FROM pages ORDER BY url',
  );
  expect(pages).toEqual([
    {
      urlpath: '/hop0',
      redirect_count: 11n,
      final_redirect_location: `${site.origin}/hop11`,
      final_redirect_status: null,
    },
    {
      urlpath: '/old',
      redirect_count: 2n,
      final_redirect_location: `${site.origin}/new`,
      final_redirect_status: 200n,
    },
  ]);
  expect(site.hits).not.toContain('/other');
});
