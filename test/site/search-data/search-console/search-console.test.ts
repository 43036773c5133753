import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { propertyOf, SearchConsole } from '../../../../src/site/search-data/search-console/search-console.ts';
import { type Shown, serveSearchConsole } from '../../../support/search-console-server.ts';

const signal = new AbortController().signal;
const PROPERTY = 'sc-domain:example.com';
const POLICY = { attempts: 3, baseMs: 1, maxMs: 2 };

async function serve(shown: readonly Shown[] = []) {
  const server = await serveSearchConsole(PROPERTY, shown);
  const access = async () => ({ authorization: 'Bearer token-of-the-test' });
  const console = new SearchConsole(server.origin, access, POLICY);
  const ask = async (...dimensions: ('date' | 'page' | 'query' | 'device')[]) => {
    const span = { property: PROPERTY, from: '2026-11-01', to: '2026-11-02' };
    return (await Array.fromAsync(console.rows(span, dimensions, signal))).flat();
  };
  return { server, console, ask };
}

function shown(count: number): Shown[] {
  return Array.from({ length: count }, (_, index) => ({
    day: '2026-11-01',
    page: `https://example.com/${index}`,
    query: `query ${index}`,
    device: 'MOBILE',
    clicks: 1,
    impressions: 2,
    position: 3,
  }));
}

test('rows are requested in pages until one is not full, for final web results', async () => {
  const { server, ask } = await serve(shown(60_000));
  const rows = await ask('page', 'query');
  expect(rows).toHaveLength(60_000);
  expect(new Set(rows.map(({ keys }) => String(keys))).size).toBe(60_000);
  expect(server.queries.map(({ startRow }) => startRow)).toEqual([0, 25_000, 50_000]);
  expect(server.queries[0]).toMatchObject({
    startDate: '2026-11-01',
    endDate: '2026-11-02',
    type: 'web',
    dataState: 'final',
  });
  const full = await serve(shown(25_000));
  expect(await full.ask('page')).toHaveLength(25_000);
  expect(full.server.queries).toHaveLength(2);
});

test('a day without rows yields none', async () => {
  const { ask } = await serve();
  expect(await ask('page')).toEqual([]);
});

test('429 and 5xx are retried, as late as the service requests', async () => {
  const { server, ask } = await serve(shown(1));
  server.failures.push({ status: 503 }, { status: 429, headers: { 'retry-after': '0' } });
  expect(await ask('page')).toHaveLength(1);
  const limited = { error: { code: 403, errors: [{ reason: 'rateLimitExceeded' }] } };
  server.failures.push({ status: 403, body: limited }, { status: 500 });
  expect(await ask('page')).toHaveLength(1);
  server.failures.push({ status: 500 }, { status: 500 }, { status: 500 });
  await expect(ask('page')).rejects.toMatchObject({ code: 'service_unavailable', exitCode: 3 });
});

const QUOTA = {
  error: { code: 403, message: 'Search Analytics QPS quota exceeded', errors: [{ reason: 'quotaExceeded' }] },
};
const DENIED = {
  error: {
    code: 403,
    message: 'User does not have sufficient permission',
    errors: [{ reason: 'forbidden' }],
  },
};

test.each([
  [{ status: 403, body: QUOTA }, 'quota', 'run the command again in 15 minutes'],
  [{ status: 403, body: DENIED }, 'forbidden', 'add the account as a user of the property'],
  [{ status: 401, body: { error: { message: 'expired' } } }, 'unauthorized', undefined],
  [{ status: 400, body: { error: { message: 'bad date' } } }, 'invalid_request', undefined],
  [{ status: 200, body: { rows: [{ clicks: 'many', impressions: 1 }] } }, 'contract_broken', undefined],
])('a refusal is classified: %#', async (failure, code, hint) => {
  const { server, ask } = await serve();
  server.failures.push(failure);
  await expect(ask('page')).rejects.toMatchObject({
    code,
    ...(hint ? { hint: expect.stringContaining(hint) } : {}),
  });
});

test('redirects are not followed, so no other server gets the token or the query', async () => {
  const heard: string[] = [];
  const other = createServer((request, response) => {
    heard.push(String(request.url));
    response.end('{}');
  });
  await once(other.listen(0, '127.0.0.1'), 'listening');
  onTestFinished(() => void other.close());
  const { port } = other.address() as AddressInfo;
  for (const status of [301, 302, 303, 307, 308]) {
    const redirecting = createServer((_request, response) => {
      response.writeHead(status, { location: `http://127.0.0.1:${port}/` }).end();
    });
    await once(redirecting.listen(0, '127.0.0.1'), 'listening');
    onTestFinished(() => void redirecting.close());
    const origin = `http://127.0.0.1:${(redirecting.address() as AddressInfo).port}`;
    const access = async () => ({ authorization: 'Bearer token-of-the-test' });
    await using console = new SearchConsole(origin, access, POLICY);
    await expect(console.properties(signal)).rejects.toThrow(String(status));
  }
  expect(heard).toEqual([]);
});

test('an unresponsive server is a connection error, and an interruption ends the request', async () => {
  const nowhere = new SearchConsole('http://127.0.0.1:9', async () => ({}), POLICY);
  await expect(nowhere.properties(signal)).rejects.toMatchObject({ code: 'connection' });
  const { console } = await serve();
  await expect(console.properties(AbortSignal.abort(new Error('stopped')))).rejects.toThrow('stopped');
  expect(await console.properties(signal)).toEqual([PROPERTY]);
});

test.each([
  [
    'https://www.example.com/',
    ['sc-domain:example.com', 'https://www.example.com/'],
    'https://www.example.com/',
  ],
  ['https://www.example.com/a', ['sc-domain:example.com', 'https://other.com/'], 'sc-domain:example.com'],
  [
    'https://www.example.com/',
    ['sc-domain:example.com', 'sc-domain:www.example.com'],
    'sc-domain:www.example.com',
  ],
])('for %s among %j, the property is %s', (url, properties, property) => {
  expect(propertyOf(url, properties, undefined)).toBe(property);
});

test('a website without a property, or an unreadable property, is refused with the available ones', () => {
  const properties = ['http://www.example.com/', 'sc-domain:com'];
  for (const wanted of [undefined, 'sc-domain:example.org'])
    expect(() => propertyOf('https://www.example.com/', properties, wanted)).toThrow(
      expect.objectContaining({
        code: 'usage',
        hint: expect.stringContaining('properties: http://www.example.com/, sc-domain:com'),
      }),
    );
});
