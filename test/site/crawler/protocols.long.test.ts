import { once } from 'node:events';
import type { RequestListener } from 'node:http';
import { type AddressInfo, createServer } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { crawlSite, pageWith, serveSite } from '../../support/crawl-site.ts';
import { serveTls, trustedIdentity } from '../../support/tls-server.ts';

test('pages show the HTTP and TLS versions of their response', async () => {
  const identity = await trustedIdentity();
  const answer: RequestListener = (request, response) => {
    response.setHeader('content-type', 'text/html');
    response.end(request.url === '/' ? pageWith('/a', '/b') : `${'long '.repeat(100_000)}`);
  };
  for (const [kind, offer] of [
    ['http2', true],
    ['http1', false],
  ] as const) {
    const origin = `https://localhost:${await serveTls(identity, kind, answer)}`;
    const crawled = await crawlSite({ origin });
    expect(crawled).toMatchObject({ endReason: 'ok', fetchedUrls: 3 });
    expect(await crawled.field('http_version')).toEqual({ '/': '1.1', '/a': '1.1', '/b': '1.1' });
    expect(await crawled.field('offers_http2')).toEqual({ '/': offer, '/a': offer, '/b': offer });
    const tls = await crawled.field('tls_version');
    expect(tls).toEqual({ '/': 'TLSv1.3', '/a': 'TLSv1.3', '/b': 'TLSv1.3' });
    expect(await crawled.field('weight')).toMatchObject({ '/a': 489, '/b': 489 });
  }
});

test('an HTTP/2 host is crawled by HTTP/1.1, with all headers, and requested once', async () => {
  let connections = 0;
  const answer: RequestListener = (request, response) => {
    response.setHeader('x-robots-tag', ['otherbot: noindex', 'nosnippet']);
    if (request.url === '/old') response.writeHead(301, { location: '/new' });
    else response.setHeader('content-type', 'text/html');
    response.end(request.url === '/' ? pageWith('/old') : 'x');
  };
  const port = await serveTls(await trustedIdentity(), 'http2', answer, () => connections++);
  const origin = `https://localhost:${port}`;
  const crawled = await crawlSite({ origin }, {}, { concurrency: 1 });
  expect(await crawled.field('redirect_location')).toMatchObject({ '/old': `${origin}/new` });
  expect(await crawled.field('meta_robots')).toMatchObject({ '/': ['nosnippet'] });
  expect(connections).toBe(2);
});

test('over http there is no TLS, and a page without a response has neither', async () => {
  const site = await serveSite({
    '/': pageWith('/cut'),
    '/cut': (_request, response) => void response.destroy(),
  });
  const crawled = await crawlSite(site);
  expect(await crawled.field('http_version')).toEqual({ '/': '1.1', '/cut': null });
  expect(await crawled.field('tls_version')).toEqual({ '/': null, '/cut': null });
  expect(await crawled.field('offers_http2')).toEqual({ '/': null, '/cut': null });
});

test('each response has its own version, even on one connection', async () => {
  const versions = ['1.1', '1.0', '1.1', '1.0'];
  const server = createServer((socket) => {
    socket.on('error', () => {});
    socket.on('data', (piece) => {
      const path = /^GET \/(\S*)/.exec(piece.toString())?.[1] ?? '';
      const body = path === '' ? pageWith('/1', '/2', '/3') : 'HTTP/1.0 200 OK in a body';
      const version = versions[Number(path)] ?? '1.1';
      const status = /^\d?$/.test(path) ? '200 OK' : '404 Not Found';
      const head = `content-type: text/html\r\nconnection: keep-alive\r\ncontent-length: ${body.length}`;
      socket.write(`HTTP/${version} ${status}\r\n${head}\r\n\r\n${body}`);
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const crawled = await crawlSite({ origin }, {}, { concurrency: 1 });
  expect(await crawled.field('http_version')).toEqual({ '/': '1.1', '/1': '1.0', '/2': '1.1', '/3': '1.0' });
});

test('a server without TLS 1.2 is not used, and the page shows the reason', async () => {
  const port = await serveTls(await trustedIdentity(), 'old_tls', (_request, response) =>
    response.end('old'),
  );
  const crawled = await crawlSite({ origin: `https://localhost:${port}` });
  expect(await crawled.field('fetch_error')).toEqual({ '/': 'tls_version' });
});
