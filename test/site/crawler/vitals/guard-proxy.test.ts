import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { type CrawlProxy, ProxyRoute } from '../../../../src/site/crawler/fetch/crawl-proxy.ts';
import { HostResolver } from '../../../../src/site/crawler/fetch/resolve-host.ts';
import { GuardProxy } from '../../../../src/site/crawler/vitals/guard-proxy.ts';
import { serveProxy } from '../../../support/connect-proxy.ts';
import { serveSite } from '../../../support/crawl-site.ts';

const DNS = new Map([
  ['public.example', ['93.184.215.14']],
  ['inside.example', ['127.0.0.1']],
]);

async function proxyOf(start: string, crawlProxy?: CrawlProxy): Promise<GuardProxy> {
  const resolver = await HostResolver.forStart(start, { dns: DNS, allowPrivate: false });
  const settings = { useProxy: crawlProxy !== undefined };
  const route = ProxyRoute.forCrawl(settings, crawlProxy, { resolver, timeout: 10_000 });
  const proxy = await GuardProxy.open(resolver, route);
  onTestFinished(() => proxy[Symbol.asyncDispose]());
  return proxy;
}

/** Asks the proxy for a connection, as browsers do: the host as a name, whatever it is. */
async function ask(proxy: GuardProxy, host: string, port: number) {
  const socket = connect(proxy.port, '127.0.0.1');
  onTestFinished(() => void socket.destroy());
  socket.write(Buffer.of(5, 1, 0));
  expect([...(await bytes(socket, 2))]).toEqual([5, 0]);
  socket.write(
    Buffer.concat([Buffer.of(5, 1, 0, 3, host.length), Buffer.from(host), Buffer.of(port >> 8, port & 255)]),
  );
  const code = (await bytes(socket, 10))[1];
  return { code, socket };
}

async function bytes(socket: Socket, size: number): Promise<Buffer> {
  for (;;) {
    const read = socket.read(size) as Buffer | null;
    if (read !== null) return read;
    await once(socket, 'readable');
  }
}

test('the browser reaches allowed addresses, also through a configured host name', async () => {
  const site = await serveSite({ '/': 'open' });
  const proxy = await proxyOf(site.origin);
  proxy.allow(new URL(`http://inside.example:${site.port}/`));
  const { code, socket } = await ask(proxy, 'inside.example', site.port);
  expect(code).toBe(0);
  socket.write('GET / HTTP/1.1\r\nhost: inside.example\r\nconnection: close\r\n\r\n');
  const answer = await Array.fromAsync(socket as AsyncIterable<Buffer>);
  expect(Buffer.concat(answer).toString()).toContain('open');
  expect(site.hits).toEqual(['/']);
});

test('the browser reaches them only through the crawl proxy', async () => {
  const site = await serveSite({ '/': 'open' });
  const outer = await serveProxy();
  const proxy = await proxyOf(site.origin, outer);
  proxy.allow(new URL(site.origin));
  expect(await ask(proxy, '127.0.0.1', site.port)).toMatchObject({ code: 0 });
  expect(outer.asked).toEqual([`CONNECT 127.0.0.1:${site.port}`]);
});

test('the browser reaches nothing else', async () => {
  const site = await serveSite({ '/': 'open' });
  const proxy = await proxyOf(site.origin);
  expect(await ask(proxy, '127.0.0.1', site.port)).toMatchObject({ code: 2 });
  proxy.allow(new URL(`${site.origin}/`));
  expect(await ask(proxy, '127.0.0.1', site.port)).toMatchObject({ code: 0 });
  expect(await ask(proxy, '127.0.0.1', site.port + 1)).toMatchObject({ code: 2 });
  proxy.reset();
  expect(await ask(proxy, '127.0.0.1', site.port)).toMatchObject({ code: 2 });
});

test.each(['inside.example', '127.0.0.1', '::1', '::ffff:7f00:1', 'localhost', '10.0.0.1'])(
  'a page of a public site does not reach %s',
  async (host) => {
    const inside = await serveSite({ '/': 'secret' });
    const proxy = await proxyOf('http://public.example/');
    proxy.allow(new URL(`http://${host.includes(':') ? `[${host}]` : host}:${inside.port}/`));
    expect(await ask(proxy, host, inside.port)).toMatchObject({ code: 4 });
    expect(inside.requests).toEqual([]);
  },
);

test('an open connection ends with the page', async () => {
  const site = await serveSite({ '/': 'open' });
  const proxy = await proxyOf(site.origin);
  proxy.allow(new URL(site.origin));
  const { socket } = await ask(proxy, '127.0.0.1', site.port);
  socket.on('error', () => {});
  proxy.reset();
  await once(socket, 'close');
});
