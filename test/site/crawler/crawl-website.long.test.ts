import type { IncomingMessage, ServerResponse } from 'node:http';
import { gzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { tryStart } from '../../../src/site/crawler/try-start.ts';
import { crawlSite, pageWith, type SiteReply, serveSite } from '../../support/crawl-site.ts';
import { temporaryFolder } from '../../support/temporary.ts';

const PAGES = {
  '/': pageWith('/a', '/b', 'http://elsewhere.example/', '/a#part', 'mailto:a@b.example'),
  '/a': pageWith('/b', '/c'),
  '/b': pageWith('/'),
  '/c': pageWith('/gone'),
};

test('a crawl fetches each linked URL of a site once, with its clicks from the start URL', async () => {
  const site = await serveSite(PAGES);
  const crawled = await crawlSite(site);
  expect(crawled).toMatchObject({ endReason: 'ok', fetchedUrls: 5, lastDepth: 3 });
  expect(await crawled.field('depth')).toEqual({ '/': 0, '/a': 1, '/b': 1, '/c': 2, '/gone': 3 });
  expect(await crawled.field('status_code')).toMatchObject({ '/': 200, '/gone': 404 });
  expect(site.hits.sort()).toEqual(['/', '/a', '/b', '/c', '/gone']);
});

test('links to other sites are recorded and not followed', async () => {
  const crawled = await crawlSite(await serveSite(PAGES));
  const links = await crawled.rows(
    `SELECT intern FROM fetched_links WHERE target = 'http://elsewhere.example/'`,
  );
  expect(links).toEqual([{ intern: false }]);
});

test('each hop of a redirect is a page of its own', async () => {
  const to = (location: string) => ({ status: 301, headers: { location } });
  const site = await serveSite({
    '/': pageWith('/one', '/loop'),
    '/one': to('two'),
    '/two': to('/three'),
    '/three': 'x',
    '/loop': to('/loop'),
  });
  const crawled = await crawlSite(site);
  expect(await crawled.field('redirect_location')).toMatchObject({
    '/one': `${site.origin}/two`,
    '/two': `${site.origin}/three`,
    '/three': null,
    '/loop': `${site.origin}/loop`,
  });
  expect(await crawled.field('depth')).toMatchObject({ '/one': 1, '/two': 2, '/three': 3 });
});

test('a list of URLs and their redirects are fetched, without a start page, links or sitemaps', async () => {
  const site = await serveSite({
    '/robots.txt': (_request, response) => response.end(`Sitemap: ${site.origin}/sitemap.xml`),
    '/sitemap.xml': {
      headers: { 'content-type': 'text/xml' },
      body: '<urlset><url><loc>/z</loc></url></urlset>',
    },
    '/': pageWith('/a'),
    '/a': pageWith('/b', '/c'),
    '/old': { status: 301, headers: { location: '/b' } },
  });
  const seeds = ['/a', '/gone', '/old', '/a'].map((path) => site.origin + path);
  const crawled = await crawlSite(site, {}, { isList: true, seeds: [...seeds, 'mailto:a@b.example'] });
  expect(crawled).toMatchObject({ endReason: 'ok', fetchedUrls: 3 });
  expect(site.hits.sort()).toEqual(['/a', '/b', '/gone', '/old']);
  expect(await crawled.field('sources')).toEqual({
    '/a': ['ingested_data'],
    '/gone': ['ingested_data'],
    '/old': ['ingested_data'],
  });
});

test('a list may contain any host, each with its robots.txt, and only the own site gets credentials', async () => {
  const other = await serveSite({
    '/robots.txt': 'User-agent: *\nDisallow: /secret',
    '/a': pageWith('/b'),
    '/secret': 'x',
  });
  const site = await serveSite({ '/a': pageWith('/b', `${other.origin}/a`, 'http://elsewhere.example/') });
  const seeds = [`${site.origin}/a`, `${other.origin}/a`, `${other.origin}/secret`];
  const http_auth = { username: 'me', password: 'pass', scheme: 'Basic' };
  const crawled = await crawlSite(site, { http_auth }, { isList: true, seeds });
  expect(crawled).toMatchObject({ endReason: 'ok', fetchedUrls: 2 });
  expect([site.hits, other.hits]).toEqual([['/a'], ['/a']]);
  expect(site.requests.at(-1)?.headers).toHaveProperty('authorization');
  expect(other.requests.at(-1)?.headers).not.toHaveProperty('authorization');
  const links = await crawled.rows('SELECT target, intern FROM fetched_links');
  const internal = links.filter(({ intern }) => intern).map(({ target }) => target);
  expect(internal.sort()).toEqual([`${site.origin}/b`, `${other.origin}/a`, `${other.origin}/b`].sort());
  expect(links).toHaveLength(4);
  const denied = await crawled.rows(
    "SELECT url FROM fetched_pages WHERE fetch_status = 'unfetched_robots_denied'",
  );
  expect(denied).toEqual([{ url: `${other.origin}/secret` }]);
});

test('a list with a foreign host is crawled at the speed for foreign hosts', async () => {
  const site = await serveSite({ '/a': 'a' });
  const listed = crawlSite(
    site,
    {},
    { isList: true, seeds: [`${site.origin}/a`, 'http://stranger.example/'] },
  );
  await expect(listed).rejects.toThrow('10000 URLs per second is more than 5');
});

test('a redirect to another site is recorded, and its target is not a page of the crawl', async () => {
  const other = await serveSite({ '/': 'secret' });
  const site = await serveSite({ '/': { status: 302, headers: { location: `${other.origin}/` } } });
  const crawled = await crawlSite(site);
  expect(await crawled.field('redirect_location')).toEqual({ '/': `${other.origin}/` });
  expect(other.requests.map(({ url }) => url)).toEqual(['/robots.txt', '/']);
  expect(crawled.fetchedUrls).toBe(1);
});

test('max_url selects the first URLs in breadth-first order, whichever responds first', async () => {
  const slow =
    (body: string) =>
    (_request: unknown, response: { end(text: string): void; setHeader(a: string, b: string): void }) => {
      response.setHeader('content-type', 'text/html');
      setTimeout(() => response.end(body), 30);
    };
  const site = await serveSite({
    '/': pageWith('/a', '/b'),
    '/a': slow(pageWith('/a1', '/a2', '/shared')),
    '/b': pageWith('/shared', '/b1'),
  });
  const crawled = await crawlSite(site, { max_url: 6 });
  expect(crawled).toMatchObject({ endReason: 'max_url_reached', fetchedUrls: 6 });
  expect(Object.keys(await crawled.field('depth'))).toEqual(['/', '/a', '/a1', '/a2', '/b', '/shared']);
});

test('a crawl of exactly max_url URLs ends with all of them', async () => {
  const site = await serveSite({ '/': pageWith('/a'), '/a': 'x' });
  expect(await crawlSite(site, { max_url: 2 })).toMatchObject({ endReason: 'ok', fetchedUrls: 2 });
});

test('a quota below max_url ends the crawl as quota_reached', async () => {
  const site = await serveSite({ '/': pageWith('/a', '/b') });
  expect(await crawlSite(site, {}, { quota: 2 })).toMatchObject({
    endReason: 'quota_reached',
    fetchedUrls: 2,
  });
});

test('the links of pages at max_depth are not followed', async () => {
  const crawled = await crawlSite(await serveSite(PAGES), { max_depth: 1 });
  expect(crawled).toMatchObject({ endReason: 'max_depth_reached', fetchedUrls: 3, lastDepth: 1 });
});

test('max_depth is not reached if the deepest pages lead only to known ones', async () => {
  const crawled = await crawlSite(await serveSite({ '/': pageWith('/a'), '/a': pageWith('/') }), {
    max_depth: 1,
  });
  expect(crawled.endReason).toBe('ok');
});

test('URLs denied by robots.txt are recorded and not requested', async () => {
  const site = await serveSite({
    '/robots.txt': 'User-agent: testbot\nDisallow: /private\n',
    '/': pageWith('/private/a', '/open'),
    '/open': 'x',
  });
  const crawled = await crawlSite(site);
  expect(await crawled.field('fetch_status')).toEqual({
    '/': 'fetched_2xx',
    '/open': 'fetched_2xx',
    '/private/a': 'unfetched_robots_denied',
  });
  expect(await crawled.field('robots_txt_denied')).toMatchObject({ '/open': false, '/private/a': true });
  expect(site.hits).not.toContain('/private/a');
});

test('the configuration can replace the robots.txt of a host', async () => {
  const site = await serveSite({
    '/robots.txt': 'User-agent: *\nDisallow: /',
    '/': pageWith('/a', '/b'),
    '/a': 'x',
  });
  const robots_txt = [{ host: `127.0.0.1:${site.port}`, content: 'User-agent: *\nDisallow: /b' }];
  const crawled = await crawlSite(site, { robots_txt });
  expect(await crawled.field('robots_txt_denied')).toEqual({ '/': false, '/a': false, '/b': true });
});

test.for([
  ['a failure', { status: 500 }],
  ['no answer', (_request: unknown, response: ServerResponse) => void response.socket?.destroy()],
] as const)(
  'if robots.txt is always %s, nothing is fetched, and the reason is not a denial',
  async ([, route]) => {
    const site = await serveSite({ '/robots.txt': route, '/': pageWith('/a') });
    const crawled = await crawlSite(site);
    expect(crawled.endReason).toBe('stopped_progressing');
    expect(await crawled.field('fetch_status')).toEqual({ '/': 'unfetched_exception' });
    expect(site.hits).toEqual([]);
  },
);

test.for([
  ['a failure', (response: ServerResponse): void => void response.writeHead(503).end()],
  ['no answer', (response: ServerResponse): void => void response.socket?.destroy()],
] as const)('if robots.txt is %s once, it is requested again, and its rules apply', async ([, fail]) => {
  let asked = 0;
  const robots = (_request: unknown, response: ServerResponse): void => {
    if (++asked === 1) fail(response);
    else response.end('User-agent: *\nDisallow: /b');
  };
  const site = await serveSite({ '/robots.txt': robots, '/': pageWith('/a', '/b'), '/a': pageWith() });
  const crawled = await crawlSite(site);
  expect(await crawled.field('robots_txt_denied')).toEqual({ '/': false, '/a': false, '/b': true });
});

test('an unavailable robots.txt is requested again when the crawl continues', async () => {
  const folder = await temporaryFolder();
  let isWell = false;
  const interrupt = new AbortController();
  const robots = (_request: unknown, response: ServerResponse): void => {
    if (isWell) return void response.end('');
    setTimeout(() => interrupt.abort(), 20);
    response.writeHead(500).end();
  };
  const site = await serveSite({ '/robots.txt': robots, '/': pageWith('/a'), '/a': pageWith() });
  const first = crawlSite(site, {}, { folder, signal: interrupt.signal, retryDelayMs: 60_000 });
  await expect(first).rejects.toThrow();
  isWell = true;
  const crawled = await crawlSite(site, {}, { folder });
  expect(await crawled.field('fetch_status')).toEqual({ '/': 'fetched_2xx', '/a': 'fetched_2xx' });
});

test('a host without its robots.txt does not delay other hosts', async () => {
  const others = Promise.withResolvers<void>();
  const slow = await serveSite({
    // It comes once all pages of the other host have been asked for.
    '/robots.txt': (_request: unknown, response: ServerResponse) =>
      void others.promise.then(() => response.end('')),
    '/x': pageWith(),
  });
  const paths = Array.from({ length: 30 }, (_, index) => `/${index}`);
  let asked = 0;
  const page = (_request: unknown, response: ServerResponse): void => {
    response.setHeader('content-type', 'text/html');
    response.end(pageWith());
    if (++asked === paths.length) others.resolve();
  };
  const elsewhere = `http://localhost:${slow.port}/x`;
  const site = await serveSite({
    '/': pageWith(elsewhere, ...paths),
    ...Object.fromEntries(paths.map((path) => [path, page])),
  });
  const start = { origin: `http://localhost:${site.port}` };
  const crawled = await crawlSite(start, { alternate_start_urls: [elsewhere] });
  expect(crawled).toMatchObject({ endReason: 'ok', fetchedUrls: 32 });
});

test('a slow host does not delay other hosts', async () => {
  const others = Promise.withResolvers<void>();
  const paths = Array.from({ length: 30 }, (_, index) => `/${index}`);
  // Its pages come once all pages of the other host have been asked for.
  const late = (_request: unknown, response: ServerResponse): void =>
    void others.promise.then(() => response.end('x'));
  const slow = await serveSite(Object.fromEntries(paths.map((path) => [path, late])));
  let asked = 0;
  const page = (_request: unknown, response: ServerResponse): void => {
    response.end('x');
    if (++asked === paths.length) others.resolve();
  };
  const elsewhere = `http://localhost:${slow.port}`;
  const site = await serveSite({
    '/': pageWith(...paths.map((path) => elsewhere + path), ...paths),
    ...Object.fromEntries(paths.map((path) => [path, page])),
  });
  const start = { origin: `http://localhost:${site.port}` };
  const alternates = { alternate_start_urls: [`${elsewhere}/0`] };
  expect(await crawlSite(start, alternates)).toMatchObject({ endReason: 'ok', fetchedUrls: 61 });
});

test('alternate start URLs have depth 1, and further start URLs show their source', async () => {
  const site = await serveSite({ '/': 'x', '/other': pageWith('/below'), '/seed': 'x' });
  const crawled = await crawlSite(
    site,
    { alternate_start_urls: [`${site.origin}/other`] },
    { seeds: [`${site.origin}/seed`, 'http://elsewhere.example/'] },
  );
  expect(await crawled.field('depth')).toEqual({ '/': 0, '/below': 2, '/other': 1, '/seed': 1 });
  expect(await crawled.field('sources')).toMatchObject({ '/seed': ['ingested_data'], '/other': ['crawler'] });
});

test('query parameters are stripped by the whitelist, and URLs with remaining ones are skipped if not allowed', async () => {
  const site = await serveSite({ '/': pageWith('/p?a=1&sid=2', '/p?sid=3'), '/p': 'x', '/p?': 'x' });
  const filter = { filter_query_params: true, query_params_list: 'a, b', whitelist_params_mode: true };
  const stripped = await crawlSite(site, filter);
  expect(Object.keys(await stripped.field('depth'))).toEqual(['/', '/p', '/p?a=1']);
  const without = await crawlSite(site, { ...filter, allow_query_params: false });
  expect(Object.keys(await without.field('depth'))).toEqual(['/', '/p']);
});

test('subdomains are crawled on request, at the configured addresses', async () => {
  const site = await serveSite({
    '/': (request, response) => {
      response.setHeader('content-type', 'text/html');
      response.end(pageWith(`http://sub.${request.headers.host}/x`));
    },
  });
  const [main, sub] = [`http://site.example:${site.port}`, `http://sub.site.example:${site.port}`];
  const dns = ['site.example', 'sub.site.example'].map((host) => ({ host, ips: ['127.0.0.1'] }));
  const crawled = await crawlSite({ origin: main }, { dns, crawl_subdomains: true });
  expect(await crawled.field('status_code')).toEqual({ '/': 200, [`${sub}/x`]: 404 });
  expect(site.requests.map(({ headers }) => headers.host)).toContain(`sub.site.example:${site.port}`);
});

test('a sitemap adds unlinked pages without a depth, after all others', async () => {
  const site = await serveSite({
    '/': pageWith('/a'),
    '/a': 'x',
    '/orphan': pageWith('/below-orphan'),
    '/moved': { status: 301, headers: { location: '/target' } },
    '/target': 'x',
    '/sitemap.xml': (request, response) => {
      const urls = ['/a', '/orphan', '/moved'].map(
        (path) => `<url><loc>http://${request.headers.host}${path}</loc></url>`,
      );
      response.end(
        gzipSync(
          `<?xml version="1.0"?><urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">${urls.join('')}</urlset>`,
        ),
      );
    },
  });
  const crawled = await crawlSite(site, { sitemaps: [`${site.origin}/sitemap.xml`] });
  expect(await crawled.field('depth')).toEqual({
    '/': 0,
    '/a': 1,
    '/moved': null,
    '/orphan': null,
    '/target': null,
  });
  expect(await crawled.field('sources')).toEqual({
    '/': ['crawler'],
    '/a': ['crawler', 'sitemaps'],
    '/moved': ['sitemaps'],
    '/orphan': ['sitemaps'],
    '/target': [],
  });
});

test('a crawl leaves its report in the fields of the service', async () => {
  const site = await serveSite({
    '/': pageWith('/a', '/b', '/gone'),
    '/a': pageWith('/b'),
    '/b': pageWith('/'),
  });
  const crawled = await crawlSite(site);
  const pages = await crawled.rows(
    'SELECT url, status_code_range, nb_inlinks::INT AS nb_inlinks, title_evaluation FROM pages ORDER BY url',
  );
  expect(pages).toEqual([
    { url: `${site.origin}/`, status_code_range: 'ok', nb_inlinks: 1, title_evaluation: 'duplicated' },
    { url: `${site.origin}/a`, status_code_range: 'ok', nb_inlinks: 1, title_evaluation: 'duplicated' },
    { url: `${site.origin}/b`, status_code_range: 'ok', nb_inlinks: 2, title_evaluation: 'duplicated' },
    { url: `${site.origin}/gone`, status_code_range: 'client_error', nb_inlinks: 1, title_evaluation: null },
  ]);
  const [links] = await crawled.rows('SELECT count(*)::INT AS links FROM links');
  expect(links).toEqual({ links: 5 });
  const tables = await crawled.rows(
    'SELECT (SELECT count(*) FROM clusters) + (SELECT count(*) FROM structured_data) AS n',
  );
  expect(tables.length).toBe(1);
});

test('pages are fetched while nested sitemaps are read, which have a budget', async () => {
  let listed = 0;
  const index = (_request: unknown, response: ServerResponse): void => {
    const items = Array.from(
      { length: 100 },
      () => `<sitemap><loc>${site.origin}/map?${listed++}</loc></sitemap>`,
    );
    response.end(
      `<sitemapindex xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">${items.join('')}</sitemapindex>`,
    );
  };
  const routes = {
    '/robots.txt': (_request: unknown, response: ServerResponse): void =>
      void response.end(`Sitemap: ${site.origin}/map?first`),
    '/map?': index,
    '/': pageWith('/a', '/b'),
    '/a': pageWith(),
    '/b': pageWith(),
  };
  const site = await serveSite(routes);
  const crawled = await crawlSite(site, { max_url: 3 });
  expect(crawled.fetchedUrls).toBe(3);
  const maps = site.hits.filter((path) => path.startsWith('/map'));
  expect(maps.length).toBe(20);
  // The first page did not wait for the last sitemap.
  expect(site.hits.indexOf('/')).toBeLessThan(site.hits.indexOf(maps.at(-1) ?? ''));
});

test('pages missing from the previous crawl are counted, also by a resumed crawl', async () => {
  const folder = await temporaryFolder();
  const interrupt = new AbortController();
  const site = await serveSite({
    '/': pageWith('/a', '/b', '/c'),
    '/a': pageWith(),
    '/b': pageWith(),
    '/c': pageWith('/d', '/moved'),
    '/d': (_request, response) => {
      if (interrupt.signal.aborted) return void response.end(pageWith('/gone'));
      setTimeout(() => interrupt.abort(), 20);
    },
    '/moved': { status: 301, headers: { location: '/a' } },
  });
  const former = async function* () {
    yield ['/', '/a'].map((path) => site.origin + path);
    yield ['/moved', '/taken-away'].map((path) => site.origin + path);
  };
  const told: (number | null)[] = [];
  const onProgress = ({ new_pages }: { readonly new_pages: number | null }) => told.push(new_pages);
  const first = crawlSite(site, {}, { folder, former: former(), onProgress, signal: interrupt.signal });
  await expect(first).rejects.toThrow();
  expect(told.at(-1)).toBe(2);
  await crawlSite(site, {}, { folder, former: former(), onProgress });
  expect(told.at(-1)).toBe(4);
  await crawlSite(site, {}, { onProgress });
  expect(told.at(-1)).toBe(null);
});

test('progress reports that sitemaps are read, and that robots.txt is requested again', async () => {
  const saysSitemaps = Promise.withResolvers<void>();
  const saysRobots = Promise.withResolvers<void>();
  const seen: { readonly work: string; readonly left: number }[] = [];
  let asked = 0;
  const site = await serveSite({
    '/robots.txt': (_request, response) => {
      if (asked++ === 0) return void response.writeHead(503).end();
      void saysRobots.promise.then(() => response.end(`Sitemap: ${site.origin}/map.xml`));
    },
    '/map.xml': (_request, response) => void saysSitemaps.promise.then(() => response.end('<urlset/>')),
    '/': pageWith('/a'),
    '/a': (_request, response) => void saysSitemaps.promise.then(() => response.end(pageWith())),
  });
  await crawlSite(
    site,
    {},
    {
      onProgress: ({ side_work, counts }) => {
        for (const work of side_work) seen.push({ work, left: counts.queued_urls });
        if (side_work.some((work) => work.includes('robots.txt'))) saysRobots.resolve();
        if (side_work.includes('reading sitemaps') && counts.queued_urls > 0) saysSitemaps.resolve();
      },
    },
  );
  const robots = `${site.origin}/robots.txt: status 503; the next try is in 1 s`;
  expect(new Set(seen.map(({ work }) => work))).toEqual(new Set([robots, 'reading sitemaps']));
});

test('invalid sitemap lines of robots.txt are resolved or skipped, and the crawl continues', async () => {
  const lines = ['/list.xml', '', 'www.site.example/s.xml', 'http://[::1', 'javascript:x', 'http://'];
  const site = await serveSite({
    '/': pageWith('/a'),
    '/a': 'x',
    '/listed': 'x',
    '/list.xml': (_request, response) =>
      response.end(`<urlset><url><loc>${site.origin}/listed</loc></url></urlset>`),
    '/robots.txt': lines.map((line) => `Sitemap: ${line}\n`).join(''),
  });
  const crawled = await crawlSite(site);
  expect(crawled.endReason).toBe('ok');
  expect(Object.keys(await crawled.field('url'))).toEqual(['/', '/a', '/listed']);
});

test('an unknown content encoding is ignored, and a wrongly encoded body is reported', async () => {
  const odd = (body: string, encoding: string): SiteReply => ({
    body,
    headers: { 'content-encoding': encoding },
  });
  const site = await serveSite({
    '/': odd(pageWith('/a', '/private/x', '/gzip'), 'UTF-8'),
    '/a': odd('<title>A</title>', 'none'),
    '/gzip': odd('<title>No gzip</title>', 'gzip'),
    '/private/x': 'x',
    '/robots.txt': odd('User-agent: *\nDisallow: /private/', 'aws-chunked'),
  });
  const crawled = await crawlSite(site);
  expect(await crawled.field('title')).toEqual({
    '/': 'A page',
    '/a': 'A',
    '/gzip': null,
    '/private/x': null,
  });
  expect(site.hits).not.toContain('/private/x');
  const pages = await crawled.rows(
    `SELECT indexable, processing_warnings::VARCHAR AS warnings FROM pages WHERE url = '${site.origin}/gzip'`,
  );
  expect(pages).toEqual([{ indexable: null, warnings: '[unreadable_content]' }]);
});

/** Begins an answer of 9,999 bytes, and hangs up. */
function breakOff(body: string, headers: Readonly<Record<string, string>> = {}, status = 200) {
  return (_request: IncomingMessage, response: ServerResponse): void => {
    response.writeHead(status, { 'content-type': 'text/html', 'content-length': '9999', ...headers });
    response.write(body, () => response.socket?.end());
  };
}

test('only the beginning of a large file is read, and its size is the announced one', async () => {
  const sent: Record<string, number> = {};
  const large =
    (type: string, kilobytes: number) =>
    (request: IncomingMessage, response: ServerResponse): void => {
      response.writeHead(200, { 'content-type': type, 'content-length': kilobytes * 1024 });
      let left = kilobytes;
      const send = (): void => {
        for (; left > 0; left--) if (!response.write(Buffer.alloc(1024, 'x'))) break;
        if (left-- <= 0) response.end();
      };
      response.on('drain', send);
      response.on('close', () => {
        sent[request.url ?? ''] = (response.socket?.bytesWritten ?? 0) / 1024;
      });
      send();
    };
  const site = await serveSite({
    '/': pageWith('/film', '/photo', '/long'),
    '/film': large('video/mp4', 30_000),
    '/photo': large('image/jpeg', 900),
    '/long': large('text/html', 3_000),
  });
  const crawled = await crawlSite(site);
  expect(await crawled.field('weight')).toEqual({ '/': 1, '/film': 30_000, '/photo': 900, '/long': 3_000 });
  expect(await crawled.field('is_truncated')).toMatchObject({
    '/film': true,
    '/photo': false,
    '/long': false,
  });
  expect(await crawled.field('content_kind')).toMatchObject({ '/film': 'video', '/photo': 'image' });
  expect(sent['/film']).toBeLessThan(15_000);
});

test('a page that is always cut off keeps the received part, an incomplete robots.txt counts as unavailable', async () => {
  let asked = 0;
  const site = await serveSite({
    '/': pageWith('/short', '/away', '/once'),
    '/short': breakOff('<title>Short</title><a href=/a>a</a>'),
    '/away': breakOff('', { location: '/b' }, 302),
    '/once': (request, response) => {
      if (asked++ === 0) breakOff('<title>On')(request, response);
      else response.writeHead(200, { 'content-type': 'text/html' }).end('<title>Once</title>');
    },
    '/a': '<title>A</title>',
    '/b': '<title>B</title>',
  });
  const crawled = await crawlSite(site, { use_cookies: false });
  expect(crawled.endReason).toBe('ok');
  const titles = { '/': 'A page', '/a': 'A', '/away': null, '/b': 'B', '/once': 'Once', '/short': 'Short' };
  expect(await crawled.field('title')).toEqual(titles);
  expect(await crawled.field('is_truncated')).toMatchObject({ '/once': false, '/short': true });
  expect(site.hits.toSorted()).toEqual([
    '/',
    '/a',
    '/away',
    '/b',
    '/once',
    '/once',
    '/short',
    '/short',
    '/short',
  ]);
  const denied = await serveSite({ '/': 'x', '/robots.txt': breakOff('User-agent: *\nAll') });
  const none = await crawlSite(denied);
  expect(await none.field('fetch_error')).toEqual({ '/': 'robots_unavailable' });
});

test('a robots.txt that cannot be decoded denies everything, like an unavailable one', async () => {
  const site = await serveSite({
    '/': pageWith('/a'),
    '/robots.txt': { body: 'User-agent: *\nDisallow:', headers: { 'content-encoding': 'gzip' } },
  });
  const crawled = await crawlSite(site);
  expect(site.hits).toEqual([]);
  expect(await crawled.field('fetch_error')).toEqual({ '/': 'robots_unavailable' });
});

/** A page that is shown only with a cookie: it redirects to where the cookie comes, or comes with the cookie. */
function behindDoor(
  at: string,
  cookie: string,
  over = at,
): Record<string, Parameters<typeof serveSite>[0][string]> {
  const isKnown = (request: IncomingMessage): boolean => request.headers.cookie?.includes(cookie) ?? false;
  const redirect = (response: ServerResponse, location: string, isSetting: boolean): void =>
    void response
      .writeHead(302, { location, ...(isSetting ? { 'set-cookie': `${cookie}; Path=/` } : {}) })
      .end();
  const door: Parameters<typeof serveSite>[0][string] = (request, response) =>
    isKnown(request)
      ? void response.setHeader('content-type', 'text/html').end(pageWith('/a', '/inner'))
      : redirect(response, over, over === at);
  if (over === at) return { [at]: door };
  return { [at]: door, [over]: (_request, response) => redirect(response, at, true) };
}

test.each([
  ['a cookie of its own', '/'],
  ['one that comes on the way', '/check'],
])('pages behind a cookie redirect are read like in browsers: %s', async (_name, over) => {
  const site = await serveSite({
    ...behindDoor('/', 'seen=1', over),
    ...behindDoor('/inner', 'inside=1'),
    '/a': 'x',
  });
  const crawled = await crawlSite(site);
  expect(await crawled.field('status_code')).toEqual({ '/': 200, '/a': 200, '/inner': 200 });
  const { startUrl } = await tryStart({
    name: 'x',
    start_url: `${site.origin}/`,
    user_agent: 'testbot',
    max_speed: 10_000,
  });
  expect(startUrl).toBe(`${site.origin}/`);
});

test('an inner page behind a cookie redirect over other URLs is read, with at most one extra request', async () => {
  const site = await serveSite({
    '/': pageWith('/inner', '/kept', '/old', '/login?1', '/login?2', '/choice'),
    '/a': 'x',
    ...behindDoor('/inner', 'inside=1', '/check'),
    '/kept': { status: 301, headers: { location: '/kept/check' } },
    '/kept/check': { status: 302, headers: { location: '/kept', 'set-cookie': 'kept=1' } },
    '/old': { status: 302, headers: { location: '/new' } },
    '/new': 'x',
    '/login?': { status: 303, headers: { location: '/login' } },
    '/login': 'x',
    '/choice': { status: 300, headers: { location: '/a' } },
  });
  const crawled = await crawlSite(site);
  expect(await crawled.field('status_code')).toMatchObject({
    '/inner': 200,
    '/kept': 301,
    '/old': 302,
    '/login?1': 303,
    '/choice': 300,
  });
  const times = (path: string): number => site.hits.filter((hit) => hit === path).length;
  expect(times('/kept')).toBe(2);
  expect(times('/new')).toBe(2);
  expect(times('/login')).toBeLessThanOrEqual(3);
});

test('without cookies, a cookie redirect is not passed', async () => {
  const site = await serveSite(behindDoor('/', 'seen=1'));
  const crawled = await crawlSite(site, { use_cookies: false });
  expect(await crawled.field('status_code')).toEqual({ '/': 302 });
  expect(site.hits).toEqual(['/']);
});

test('robots.txt is requested before any other URL of a host', async () => {
  const site = await serveSite({ '/': 'x', '/robots.txt': { status: 503 } });
  const config = {
    name: 'x',
    start_url: `${site.origin}/`,
    user_agent: 'testbot',
    max_speed: 10_000,
    robots_txt: [],
  };
  await expect(tryStart(config)).rejects.toMatchObject({ code: 'start_unreachable' });
  expect(site.hits).toEqual([]);
});

test('a sitemap announced by robots.txt may list any path of the site, other sitemaps only their folder', async () => {
  const site = await serveSite({
    '/': 'x',
    '/robots.txt': (_request, response) =>
      response.end(`Sitemap: ${site.origin}/sm/index.xml\nSitemap: /sm/feed.xml`),
    '/sm/index.xml': (_request, response) =>
      response.end(`<sitemapindex><sitemap><loc>${site.origin}/sm/a.xml</loc></sitemap></sitemapindex>`),
    '/sm/a.xml': (_request, response) =>
      response.end(`<urlset><url><loc>${site.origin}/t/x</loc></url></urlset>`),
    '/sm/feed.xml': (_request, response) =>
      response.end(`<rss><channel><item><link>${site.origin}/news</link></item></channel></rss>`),
    '/sm/own.xml': (_request, response) =>
      response.end(`${site.origin}/sm/below\n${site.origin}/elsewhere\nhttp://other.example/`),
    '*': 'x',
  });
  const urls = async (config: object): Promise<string[]> =>
    Object.keys(await (await crawlSite(site, { ...config })).field('url'));
  expect(await urls({})).toEqual(['/', '/news', '/t/x']);
  expect(await urls({ sitemaps: [`${site.origin}/sm/own.xml`] })).toEqual(['/', '/sm/below']);
  expect(await urls({ sitemaps: [`${site.origin}/sm/own.xml`], strict_sitemaps: false })).toEqual([
    '/',
    '/elsewhere',
    '/sm/below',
  ]);
});
