import { once } from 'node:events';
import type { RequestListener } from 'node:http';
import { createSecureServer } from 'node:http2';
import type { AddressInfo, Socket } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { redact } from '../../../../src/core/secrets/redact.ts';
import { tryStart } from '../../../../src/site/crawler/try-start.ts';
import { serveProxy } from '../../../support/connect-proxy.ts';
import { crawlSite, pageWith, serveSite } from '../../../support/crawl-site.ts';
import { serveTls, trustedIdentity } from '../../../support/tls-server.ts';
import { fetcherOf } from '../fetcher-of.ts';

const USED = { use_proxy: true };
const SECRET = 'proxy-password-0123456';
const KNOWN = { username: 'me', password: SECRET };
const AUTHORIZATION = `Basic ${Buffer.from(`me:${SECRET}`).toString('base64')}`;

test('a crawl through a proxy sends everything through it, with the same results', async () => {
  const site = await serveSite({
    '/robots.txt': (_request, response) => response.end(`Sitemap: ${site.origin}/map.xml\nDisallow: /no`),
    '/map.xml': (_request, response) =>
      response.end(`<urlset><url><loc>${site.origin}/mapped</loc></url></urlset>`),
    '/': pageWith('/a', '/no'),
    '/a': { status: 301, headers: { location: '/b' } },
    '/b': 'b',
    '/mapped': 'mapped',
  });
  const without = await crawlSite(site);
  const direct = site.requests.splice(0).map(({ url }) => url);
  const proxy = await serveProxy({ authorization: AUTHORIZATION });
  const crawled = await crawlSite(site, USED, { proxy: { url: proxy.url, ...KNOWN } });
  expect(await crawled.field('status_code')).toEqual(await without.field('status_code'));
  expect(site.requests.map(({ url }) => url).sort()).toEqual(direct.sort());
  expect(site.requests.filter(({ headers }) => 'proxy-authorization' in headers)).toEqual([]);
  expect(new Set(proxy.asked)).toEqual(new Set([`CONNECT 127.0.0.1:${site.port}`]));
  expect(redact(`${AUTHORIZATION} ${SECRET}`)).not.toMatch(/proxy-password|bWU6/);
});

test('https uses a tunnel, with the host name for TLS and ALPN', async () => {
  const answer: RequestListener = (_request, response) => {
    response.setHeader('content-type', 'text/html');
    response.end('x');
  };
  const port = await serveTls(await trustedIdentity(), 'http2', answer);
  const proxy = await serveProxy({ forwards: true, status: (to) => (to.endsWith(`:${port}`) ? 200 : 403) });
  const crawled = await crawlSite({ origin: `https://localhost:${port}` }, USED, { proxy });
  expect(await crawled.field('tls_version')).toEqual({ '/': 'TLSv1.3' });
  expect(await crawled.field('offers_http2')).toEqual({ '/': true });
  for (const one of proxy.asked) expect(one).toMatch(new RegExp(`^CONNECT (127.0.0.1|\\[::1\\]):${port}$`));
});

test('an HTTP/2-only host is reached by HTTP/2 through a tunnel', async () => {
  const server = createSecureServer(await trustedIdentity());
  const sockets = new Set<Socket>();
  server.on('secureConnection', (socket: Socket) => sockets.add(socket));
  server.on('stream', (stream, { ':path': path }) => {
    stream.respond({ ':status': 200, 'content-type': 'text/html' });
    stream.end(path === '/' ? pageWith('/a') : '<title>A</title>');
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  const proxy = await serveProxy({ authorization: AUTHORIZATION });
  const site = { origin: `https://localhost:${port}` };
  const crawled = await crawlSite(site, USED, { proxy: { url: proxy.url, ...KNOWN } });
  expect(await crawled.field('http_version')).toEqual({ '/': '2', '/a': '2' });
  expect(await crawled.field('status_code')).toEqual({ '/': 200, '/a': 200 });
  for (const one of proxy.asked) expect(one).toMatch(new RegExp(`^CONNECT (127.0.0.1|\\[::1\\]):${port}$`));
});

test('if the proxy opens no tunnel to an http port, requests are forwarded', async () => {
  const site = await serveSite({ '/': pageWith('/a'), '/a': 'a' });
  const proxy = await serveProxy({ forwards: true, status: () => 403, authorization: AUTHORIZATION });
  const crawled = await crawlSite(site, USED, { proxy: { url: proxy.url, ...KNOWN } });
  expect(await crawled.field('status_code')).toEqual({ '/': 200, '/a': 200 });
  expect(proxy.asked).toContain(`GET ${site.origin}/a`);
  expect(proxy.asked.filter((one) => one.startsWith('CONNECT'))).toHaveLength(1);
});

test.each(['inside.example', '127.0.0.1', '[::ffff:127.0.0.1]', '2130706433', 'localhost', '10.0.0.1'])(
  'for a public site, the proxy gets no request for %s, by tunnel or forwarding',
  async (host) => {
    for (const status of [200, 403]) {
      const proxy = await serveProxy({ forwards: true, status: (): number => status });
      const fetcher = await fetcherOf('http://public.example/', USED, false, proxy);
      const answer = await fetcher.fetch(`http://${host}:8080/`);
      expect(answer).toMatchObject({ statusCode: null, error: 'refused_address' });
      expect(proxy.asked).toEqual([]);
    }
  },
);

test('the proxy gets the checked address and resolves no name', async () => {
  const proxy = await serveProxy({ status: () => 502 });
  const fetcher = await fetcherOf('http://public.example/', USED, false, proxy);
  for (const scheme of ['http', 'https'])
    expect(await fetcher.fetch(`${scheme}://public.example/`)).toMatchObject({ error: 'connection' });
  expect(new Set(proxy.asked)).toEqual(new Set(['CONNECT 93.184.215.14:80', 'CONNECT 93.184.215.14:443']));
});

test.each<[string, Parameters<typeof serveProxy>[0], string]>([
  ['with another password', { authorization: 'Basic x' }, 'user name or password (status 407)'],
  ['that forbids the site', { status: () => 403 }, 'opens no connection to'],
  ['that answers 401', { status: () => 401, forwards: true }, 'user name or password (status 401)'],
])('a proxy %s is the reported reason for an unavailable start page', async (_what, rules, why) => {
  const proxy = await serveProxy(rules);
  const port = await serveTls(await trustedIdentity(), 'http1', (_request, response) => response.end('x'));
  const config = { name: 'x', user_agent: 'testbot', max_speed: 1, ...USED };
  const start_url = `https://localhost:${port}/`;
  await expect(tryStart({ ...config, start_url }, { proxy })).rejects.toMatchObject({
    code: 'start_unreachable',
    message: expect.stringContaining(why),
    hint: expect.stringContaining('crawl_proxy'),
  });
});

test('a proxy that requires a password for a forwarded request is not a response of the site', async () => {
  const proxy = await serveProxy({ authorization: 'Basic x', status: () => 403 });
  const site = await serveSite({ '/': 'x' });
  const fetcher = await fetcherOf(`${site.origin}/`, USED, false, proxy);
  expect(await fetcher.fetch(`${site.origin}/`)).toMatchObject({ statusCode: null, error: 'proxy' });
  expect(site.requests).toEqual([]);
});

test('an unreachable proxy and an unreachable site behind it are distinguished', async () => {
  const proxy = await serveProxy();
  const site = 'http://127.0.0.1:1/';
  const behind = await fetcherOf(site, USED, false, proxy);
  expect(await behind.fetch(site)).toMatchObject({ error: 'connection', refusal: null });
  const nowhere = await fetcherOf(site, USED, false, { url: 'http://127.0.0.1:1' });
  expect(await nowhere.fetch(site)).toMatchObject({
    error: 'proxy',
    refusal: 'the proxy 127.0.0.1:1 does not answer (ECONNREFUSED)',
  });
});

test('a configuration with a proxy is refused if none is set', async () => {
  const site = await serveSite({ '/': 'x' });
  await expect(crawlSite(site, USED)).rejects.toMatchObject({
    code: 'missing_feature',
    hint: expect.stringContaining('crawl_proxy'),
  });
  expect(site.requests).toEqual([]);
});

test('a response that only the lenient reader accepts also works through a tunnel', async () => {
  const site = await serveSite({
    '/': (request) => void request.socket.end('HTTP/1.1 200 OK\ncontent-length: 1\nno colon\n\nx'),
  });
  const fetcher = await fetcherOf(`${site.origin}/`, USED, false, await serveProxy());
  expect(await fetcher.fetch(`${site.origin}/`)).toMatchObject({ statusCode: 200 });
});
