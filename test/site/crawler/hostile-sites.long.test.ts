import { createHash } from 'node:crypto';
import type { AddressInfo } from 'node:net';
import { createServer } from 'node:net';
import { brotliCompressSync, gzipSync, zstdCompressSync } from 'node:zlib';
import { expect, onTestFinished, test } from 'vitest';
import { crawlSite, pageWith, type SiteReply, serveSite } from '../../support/crawl-site.ts';

const encoded = (encoding: string, body: Uint8Array): SiteReply => ({
  headers: { 'content-encoding': encoding },
  body,
});

test('bodies are decoded from their content encodings', async () => {
  const site = await serveSite({
    '/': encoded('gzip', gzipSync(pageWith('/br', '/zstd', '/broken', '/unknown'))),
    '/br': encoded('br', brotliCompressSync(pageWith('/from-br'))),
    '/zstd': encoded('zstd', zstdCompressSync(pageWith('/from-zstd'))),
    '/broken': encoded('gzip', Buffer.from('this is not gzip')),
    // An encoding that nobody knows is none.
    '/unknown': encoded('rot13', Buffer.from('<a href=/from-unknown>x</a>')),
  });
  const crawled = await crawlSite(site);
  expect(Object.keys(await crawled.field('url')).sort()).toEqual(
    ['/', '/br', '/broken', '/from-br', '/from-unknown', '/from-zstd', '/unknown', '/zstd'].sort(),
  );
  expect(await crawled.field('parsed_html')).toMatchObject({
    '/br': true,
    '/broken': false,
    '/unknown': true,
  });
});

test('a body beyond the limit is cut', async () => {
  const bomb = gzipSync(Buffer.concat([Buffer.from(pageWith('/early')), Buffer.alloc(30_000_000, 'a ')]));
  const site = await serveSite({ '/': pageWith('/bomb'), '/bomb': encoded('gzip', bomb), '/early': 'x' });
  const crawled = await crawlSite(site, {}, { limits: { bytes: 1_000_000 } });
  expect(await crawled.field('is_truncated')).toMatchObject({ '/': false, '/bomb': true });
});

test('an endless page is cut at the byte limit, and a dripping one times out', async () => {
  const site = await serveSite({
    '/': pageWith('/endless', '/drip'),
    '/endless': (_request, response) => {
      response.setHeader('content-type', 'text/html');
      response.write(pageWith('/found'));
      const more = (): void => {
        while (!response.destroyed && response.write('<p>more and more and more</p>'.repeat(1000)));
        response.once('drain', more);
      };
      more();
    },
    '/drip': (_request, response) => {
      const timer = setInterval(() => response.write('.'), 20);
      response.once('close', () => clearInterval(timer));
    },
    '/found': 'x',
  });
  const crawled = await crawlSite(site, {}, { limits: { bytes: 500_000, totalTimeout: 300 } });
  expect(await crawled.field('fetch_error')).toMatchObject({
    '/endless': null,
    '/drip': 'timeout',
    '/found': null,
  });
  expect(await crawled.field('is_truncated')).toMatchObject({ '/endless': true });
  expect(crawled.endReason).toBe('ok');
});

test('pages that exhaust the parser are recorded without affecting others', async () => {
  const item = (name: string) =>
    `<script type="application/ld+json">{"@type": "Thing", "name": "${name}"}</script>`;
  const site = await serveSite({
    '/': pageWith('/deep', '/long', '/surrogate', '/nul', '/fine'),
    '/deep': `${'<div>'.repeat(50_000)}<a href="/below">x</a>`,
    '/long': `<title>${'long '.repeat(1_000_000)}</title>${pageWith('/after-long')}`,
    '/surrogate': `<title>&#xD800;</title>${item('\\\\ud800 \\ud83d')}`,
    '/nul': `<title>a\0b</title>${item('\\u0000')}`,
    '/fine': pageWith('/'),
  });
  const crawled = await crawlSite(site);
  expect(crawled.endReason).toBe('ok');
  expect(await crawled.field('status_code')).toMatchObject({
    '/deep': 200,
    '/long': 200,
    '/surrogate': 200,
    '/nul': 200,
  });
  expect(await crawled.field('parsed_html')).toMatchObject({
    '/fine': true,
    '/surrogate': true,
    '/nul': true,
  });
});

test('a trap of endless URLs ends at max_url', async () => {
  const site = await serveSite({
    '/': pageWith('/trap?page=1'),
    '/trap?': (request, response) => {
      const page = Number(/\d+/.exec(request.url ?? '')?.[0]);
      response.setHeader('content-type', 'text/html');
      response.end(pageWith(`/trap?page=${page * 2}`, `/trap?page=${page * 2 + 1}`));
    },
  });
  const crawled = await crawlSite(site, { max_url: 40, max_depth: 100 });
  expect(crawled).toMatchObject({ endReason: 'max_url_reached', fetchedUrls: 40 });
  const urls = Object.keys(await crawled.field('depth')).map((url) => Number(/\d+/.exec(url)?.[0] ?? 0));
  expect(urls.sort((a, b) => a - b)).toEqual(Array.from({ length: 40 }, (_, index) => index));
});

// Each of 500 levels is flushed to disk, which takes a minute on a busy machine.
test('a trap of endless depth ends after 500 iterations', async () => {
  const site = await serveSite({
    '/': pageWith('/deep?1'),
    '/deep?': (request, response) => {
      const page = Number(/\d+/.exec(request.url ?? '')?.[0]);
      response.setHeader('content-type', 'text/html');
      response.end(pageWith(`/deep?${page + 1}`));
    },
  });
  const crawled = await crawlSite(site, { max_depth: 10_000 });
  expect(crawled).toMatchObject({ endReason: 'max_iteration_reached', fetchedUrls: 500 });
});

test('a URL that breaks its connection is tried three times', async () => {
  const site = await serveSite({
    '/': pageWith('/broken', '/flaky', '/fine'),
    '/broken': (request) => request.socket.destroy(),
    '/flaky': (request, response) => {
      if (site.hits.filter((path) => path === '/flaky').length < 3) request.socket.destroy();
      else response.end('at last');
    },
    '/fine': 'x',
  });
  const crawled = await crawlSite(site);
  expect(site.hits.filter((path) => path === '/broken').length).toBe(3);
  expect(await crawled.field('fetch_status')).toMatchObject({
    '/broken': 'unfetched_exception',
    '/flaky': 'fetched_2xx',
  });
  expect(crawled.endReason).toBe('ok');
});

test('a server that requests a retry is requested again, and its last response counts', async () => {
  let asked = 0;
  const site = await serveSite({
    '/': pageWith('/busy', '/always'),
    '/busy': (_request, response) => {
      response.statusCode = ++asked < 2 ? 429 : 200;
      response.end();
    },
    '/always': { status: 503 },
  });
  const crawled = await crawlSite(site);
  expect(await crawled.field('status_code')).toMatchObject({ '/busy': 200, '/always': 503 });
});

test('a crawl whose site stops answering ends as stopped_progressing', async () => {
  const site = await serveSite({
    '/': pageWith('/a', '/b'),
    '/a': (request) => request.socket.destroy(),
    '/b': (request) => request.socket.destroy(),
  });
  expect(await crawlSite(site)).toMatchObject({ endReason: 'stopped_progressing', fetchedUrls: 1 });
});

test('a site that stops responding is not requested for each of its URLs', async () => {
  const targets = Array.from({ length: 900 }, (_, index) => `/silent?${index}`);
  const site = await serveSite({
    '/': pageWith(...targets),
    '/silent?': (request) => request.socket.destroy(),
  });
  expect(await crawlSite(site)).toMatchObject({ endReason: 'stopped_progressing', fetchedUrls: 1 });
  expect(site.hits.length).toBeLessThan(900);
});

test('a start URL without a response ends as stopped_progressing', async () => {
  const closed = createServer().listen(0, '127.0.0.1');
  await new Promise((resolve) => closed.once('listening', resolve));
  const { port } = closed.address() as AddressInfo;
  await new Promise((resolve) => closed.close(resolve));
  const crawled = await crawlSite({ origin: `http://127.0.0.1:${port}` });
  expect(crawled).toMatchObject({ endReason: 'stopped_progressing', fetchedUrls: 0 });
  expect(await crawled.field('fetch_error')).toEqual({ '/': 'connection' });
});

test('a response that is not HTTP is an exception of its page', async () => {
  const noise = createServer((socket) =>
    socket.once('data', () => socket.end('SSH-2.0-OpenSSH_9.6\r\n')),
  ).listen(0, '127.0.0.1');
  await new Promise((resolve) => noise.once('listening', resolve));
  onTestFinished(() => void noise.close());
  const { port } = noise.address() as AddressInfo;
  const robots_txt = [{ host: '127.0.0.1', content: '' }];
  const crawled = await crawlSite({ origin: `http://127.0.0.1:${port}` }, { robots_txt });
  expect(await crawled.field('fetch_error')).toEqual({ '/': 'protocol: there is no status line of HTTP' });
});

test('a crawl of this machine reaches no other private address', async () => {
  const site = await serveSite({
    '/': { status: 302, headers: { location: 'http://127.0.0.1.nip.example/' } },
  });
  const dns = [
    { host: 'site.example', ips: ['127.0.0.1'] },
    { host: 'meta.site.example', ips: ['169.254.169.254'] },
  ];
  const seeds = [`http://meta.site.example:${site.port}/`];
  const origin = `http://site.example:${site.port}`;
  const robots_txt = [{ host: 'meta.site.example', content: '' }];
  const config = { dns, crawl_subdomains: true, robots_txt };
  const crawled = await crawlSite({ origin }, config, { seeds });
  expect(await crawled.field('fetch_error')).toEqual({ '/': null, [`${seeds[0]}`]: 'refused_address' });
  // Nor for its robots.txt.
  const bare = await crawlSite({ origin }, { dns, crawl_subdomains: true }, { seeds });
  expect(await bare.field('fetch_error')).toEqual({ '/': null, [`${seeds[0]}`]: 'robots_unavailable' });
});

test('Basic credentials go with each request to the site', async () => {
  const site = await serveSite({
    '/': (request, response) => {
      const isRight = request.headers.authorization === `Basic ${btoa('me:pass')}`;
      response.writeHead(isRight ? 200 : 401).end();
    },
  });
  const http_auth = { username: 'me', password: 'pass', scheme: 'Basic' };
  expect(await (await crawlSite(site, { http_auth })).field('status_code')).toEqual({ '/': 200 });
});

test('a Digest challenge is answered once per nonce', async () => {
  const hash = (text: string): string => createHash('md5').update(text).digest('hex');
  const site = await serveSite({
    '/': (request, response) => {
      const header = request.headers.authorization ?? '';
      const value = (name: string): string => new RegExp(`${name}="?([^",]+)`).exec(header)?.[1] ?? '';
      const ha1 = hash('me:area:pass');
      const expected = hash(`${ha1}:n1:${value('nc')}:${value('cnonce')}:auth:${hash('GET:/')}`);
      if (value('response') === expected) response.writeHead(200).end();
      else
        response.writeHead(401, { 'www-authenticate': 'Digest realm="area", nonce="n1", qop="auth"' }).end();
    },
  });
  const http_auth = { username: 'me', password: 'pass', scheme: 'Digest' };
  expect(await (await crawlSite(site, { http_auth })).field('status_code')).toEqual({ '/': 200 });
  expect(site.hits).toEqual(['/', '/']);
  const wrong = { ...http_auth, password: 'wrong' };
  expect(await (await crawlSite(site, { http_auth: wrong })).field('status_code')).toEqual({ '/': 401 });
});

test('cookies are kept between requests if configured', async () => {
  const site = await serveSite({
    '/': {
      headers: { 'set-cookie': ['seen=1; Path=/', 'other=2; Domain=elsewhere.example'] },
      body: pageWith('/a'),
    },
    '/a': 'x',
  });
  const cookies = (): unknown[] =>
    site.requests.filter(({ url }) => url === '/a').map(({ headers }) => headers.cookie);
  await crawlSite(site);
  await crawlSite(site, { use_cookies: false });
  expect(cookies()).toEqual(['seen=1', undefined]);
});

test('requests send the user agent and the extra headers', async () => {
  const site = await serveSite({ '/': 'x' });
  await crawlSite(site, { agent_kind: 'mobile', extra_headers: { 'X-Who': 'me' } });
  const [request] = site.requests.filter(({ url }) => url === '/');
  expect(request?.headers['x-who']).toBe('me');
  expect(request?.headers['user-agent']).toMatch(/Mobile.*testbot/);
});
