import { expect, test } from 'vitest';
import { serveSite } from '../../../support/crawl-site.ts';
import { fetcherOf } from '../fetcher-of.ts';

test.each(['inside.example', '127.0.0.1', '[::ffff:127.0.0.1]', '2130706433', 'localhost'])(
  'a crawl of a public site sends nothing to %s',
  async (host) => {
    const inside = await serveSite({ '/': 'secret' });
    const fetcher = await fetcherOf('http://public.example/');
    const answer = await fetcher.fetch(`http://${host}:${inside.port}/`);
    expect(answer).toMatchObject({ statusCode: null, error: 'refused_address', body: null });
    expect(inside.requests).toEqual([]);
  },
);

test('private addresses are fetched if they are allowed', async () => {
  const inside = await serveSite({ '/': 'open' });
  const fetcher = await fetcherOf('http://public.example/', {}, true);
  expect(await fetcher.fetch(`http://inside.example:${inside.port}/`)).toMatchObject({ statusCode: 200 });
});

test('a closed fetcher sends nothing, and fails immediately', { timeout: 5000 }, async () => {
  const site = await serveSite({ '/': 'open' });
  const fetcher = await fetcherOf(`${site.origin}/`);
  await fetcher[Symbol.asyncDispose]();
  expect(await fetcher.fetch(`${site.origin}/`)).toMatchObject({ statusCode: null, error: 'connection' });
  expect(site.requests).toEqual([]);
});

test('a response keeps its headers as sent, including repeated ones', async () => {
  const site = await serveSite({ '/': { headers: { Link: ['<a>; rel=next', '<b>; rel=prev'] }, body: 'x' } });
  const answer = await (await fetcherOf(`${site.origin}/`)).fetch(`${site.origin}/`);
  expect(answer.headers.filter(([name]) => name === 'link').map(([, value]) => value)).toEqual([
    '<a>; rel=next',
    '<b>; rel=prev',
  ]);
});

test('the load time ends with the last byte, without the wait for a free connection', async () => {
  const gates: (() => void)[] = [];
  const opened = Promise.withResolvers<void>();
  const site = await serveSite({
    '/': (_request, response) => {
      gates.push(() => response.end('x'));
      if (gates.length === 2) opened.resolve();
    },
    '/third': 'x',
  });
  const fetcher = await fetcherOf(`${site.origin}/`);
  const held = [fetcher.fetch(`${site.origin}/`), fetcher.fetch(`${site.origin}/`)];
  await opened.promise;
  const began = performance.now();
  const third = fetcher.fetch(`${site.origin}/third`);
  while (performance.now() - began < 50) await new Promise((resolve) => setImmediate(resolve));
  const openedAt = performance.now();
  for (const open of gates) open();
  expect((await held[0])?.loadTimeMs).toBeGreaterThanOrEqual(50);
  // It had a connection after the gates were opened, however slow this machine is.
  const { loadTimeMs } = await third;
  expect(loadTimeMs).toBeLessThanOrEqual(performance.now() - openedAt);
  await Promise.all(held);
});

test('other hosts get neither credentials nor extra headers', async () => {
  const site = await serveSite({ '/sitemap.xml': 'x' });
  const fetcher = await fetcherOf('http://localhost/', {
    http_auth: { username: 'me', password: 'pass', scheme: 'Basic' },
    extra_headers: { 'X-Key': 'key', 'User-Agent': 'own agent' },
  });
  await fetcher.fetch(`${site.origin}/sitemap.xml`);
  expect(site.requests[0]?.headers).not.toHaveProperty('x-key');
  expect(site.requests[0]?.headers).not.toHaveProperty('authorization');
  expect(site.requests[0]?.headers['user-agent']).toBe('own agent');
});
