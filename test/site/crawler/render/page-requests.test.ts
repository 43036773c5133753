import { expect, test } from 'vitest';
import {
  type GivenResources,
  PageRequests,
  type PausedRequest,
} from '../../../../src/site/crawler/render/page-requests.ts';

const MAIN = {
  url: 'https://a.example/',
  status: 200,
  headers: [
    ['content-type', 'text/html'],
    ['content-encoding', 'br'],
  ] as [string, string][],
  body: Buffer.from('page'),
};
const ANSWER = {
  status: 200 as number | null,
  headers: [['Content-Type', 'text/css']].map(([name = '', value = '']) => [name.toLowerCase(), value]),
  body: Buffer.from('four'),
  error: null as string | null,
  isDenied: false,
};

interface Sent {
  readonly method: string;
  readonly responseCode?: number;
  readonly errorReason?: string;
  readonly body?: string;
  readonly headers: Readonly<Record<string, string>>;
}

interface Told extends Omit<Sent, 'method' | 'headers'> {
  readonly responseHeaders?: readonly { readonly name: string; readonly value: string }[];
}

/** A page whose document is served, and what its browser was told. */
async function page(media = false, answers: (url: string) => Partial<typeof ANSWER> = () => ({})) {
  const sent: Sent[] = [];
  const cdp = {
    send: async (method: string, { responseHeaders = [], ...told }: Told) => {
      const headers = responseHeaders.map(({ name, value }) => [name, value]);
      sent.push({ method: method.slice('Fetch.'.length), ...told, headers: Object.fromEntries(headers) });
    },
  };
  const waits: boolean[] = [];
  const resources = {
    get: async (url: string, _headers: unknown, onTurn: () => void) => {
      waits.push(requests.isWaiting);
      onTurn();
      waits.push(requests.isWaiting);
      return { ...ANSWER, ...answers(url) };
    },
  };
  const given: GivenResources = new Map();
  const requests = new PageRequests(cdp as never, resources as never, MAIN, { frameId: 'f', media, given });
  let number = 0;
  const ask = async (
    resourceType: string,
    more: Partial<PausedRequest['request']> = {},
    paused: Partial<PausedRequest> = {},
  ) => {
    number++;
    await requests.answer({
      requestId: `r${number}`,
      networkId: `n${number}`,
      frameId: 'f',
      resourceType,
      request: { url: `https://a.example/${number}`, method: 'GET', headers: {}, ...more },
      ...paused,
    });
    return sent.at(-1);
  };
  return { requests, ask, sent, given, waits };
}
async function served(...options: Parameters<typeof page>) {
  const all = await page(...options);
  await all.ask('Document');
  return all;
}

test('the document is served once; a script that leaves it is recorded', async () => {
  const { ask, requests } = await page();
  expect(await ask('Script')).toMatchObject({ method: 'failRequest', errorReason: 'Aborted' });
  expect(await ask('Document', {}, { frameId: 'other' })).toMatchObject({ errorReason: 'Aborted' });
  expect(await ask('Document')).toEqual({
    method: 'fulfillRequest',
    requestId: 'r3',
    responseCode: 200,
    body: Buffer.from('page').toString('base64'),
    headers: { 'content-type': 'text/html' },
  });
  expect(await ask('Document', { url: 'https://a.example/next' })).toMatchObject({ errorReason: 'Aborted' });
  await ask('Document', { url: 'https://a.example/later' });
  expect([requests.scriptRedirect, requests.seen]).toEqual(['https://a.example/next', []]);
});

test('a resource is fetched, recorded and cached by its type', async () => {
  const { ask, requests, given, waits } = await served(false, (url) =>
    url.endsWith('redirect')
      ? { status: 301 }
      : url.endsWith('missing')
        ? { status: 404 }
        : { headers: [...ANSWER.headers, ['cache-control', 'no-cache']] },
  );
  const style = await ask('Stylesheet');
  expect(style).toMatchObject({ responseCode: 200, headers: { 'cache-control': 'max-age=31536000' } });
  expect(requests.seen[0]).toEqual({
    url: 'https://a.example/2',
    type: 'stylesheet',
    status: 200,
    content_type: 'text/css',
    size: 4,
    robots_txt_denied: false,
    error: null,
  });
  expect(given.get('https://a.example/2')).toBe(requests.seen[0]);
  expect(waits).toEqual([true, false]);
  expect((await ask('XHR'))?.headers['cache-control']).toBe('no-cache');
  expect((await ask('Script', { url: 'https://a.example/redirect' }))?.headers['cache-control']).toBe(
    'no-store',
  );
  expect((await ask('Script', { url: 'https://a.example/missing' }))?.headers).not.toHaveProperty(
    'cache-control',
  );
});

test('a failed resource fails in the browser too', async () => {
  const { ask, requests, given } = await served(false, (url) =>
    url.endsWith('slow')
      ? { status: null, error: 'timeout' }
      : { status: null, error: 'dns', isDenied: true },
  );
  expect(await ask('Script', { url: 'https://a.example/slow' })).toMatchObject({ errorReason: 'TimedOut' });
  expect(await ask('Script')).toMatchObject({ errorReason: 'Failed' });
  expect(requests.seen[1]).toMatchObject({ size: null, error: 'dns', robots_txt_denied: true });
  expect([given.size, requests.isWaiting]).toEqual([0, false]);
});

test.each([
  ['Script', { url: 'data:text/plain,x' }, null],
  ['Other', { headers: { accept: 'image/*' } }, null],
  ['XHR', { method: 'POST' }, 'refused'],
  ['WebSocket', {}, 'refused'],
  ['Ping', {}, 'refused'],
  ['Script', { headers: { 'Sec-Purpose': 'prefetch;prerender' } }, 'refused'],
  ['Font', {}, 'not_loaded'],
])('%s %j is blocked', async (type, request, error) => {
  const { ask, requests } = await served();
  expect(await ask(type, request)).toMatchObject({ errorReason: 'BlockedByClient' });
  expect(requests.seen.map((one) => one.error)).toEqual(error === null ? [] : [error]);
});

test('the script of a worker is fetched, and media only if they are wanted', async () => {
  const { ask } = await served();
  expect(await ask('Other', { headers: { Accept: '*/*' } })).toMatchObject({ responseCode: 200 });
  expect(await ask('Image')).toMatchObject({ responseCode: 200, headers: { 'content-type': 'image/gif' } });
  const wanted = await served(true);
  expect((await wanted.ask('Image'))?.headers['content-type']).toBe('text/css');
  expect((await wanted.ask('Font'))?.headers['cache-control']).toMatch(/^max-age/);
});

test('a preflight request is allowed', async () => {
  const { ask, requests } = await served();
  const headers = { Origin: 'https://b.example', 'Access-Control-Request-Headers': 'x-a' };
  expect(await ask('Preflight', { method: 'OPTIONS', headers })).toMatchObject({
    responseCode: 204,
    headers: {
      'access-control-allow-origin': 'https://b.example',
      'access-control-allow-headers': 'x-a',
      'access-control-allow-methods': 'GET',
    },
  });
  expect((await ask('Preflight', { method: 'OPTIONS' }))?.headers['access-control-allow-origin']).toBe('*');
  expect(requests.seen).toEqual([]);
});

test('a request may be redirected five times', async () => {
  const { ask, requests } = await served();
  for (let hop = 0; hop <= 5; hop++)
    expect(await ask('XHR', {}, { networkId: 'same' })).toMatchObject({ responseCode: 200 });
  expect((await ask('Script', {}, { networkId: 'other' }))?.headers['cache-control']).toMatch(/^max-age/);
  expect(await ask('XHR', {}, { networkId: 'same' })).toMatchObject({ errorReason: 'BlockedByClient' });
  expect(requests.seen.at(-1)?.error).toBe('too_many_redirects');
});

test('the requests and bytes of a page are limited', async () => {
  const many = await served();
  for (let number = 0; number < 200; number++) await many.ask('Ping');
  expect(many.requests.warnings.size).toBe(0);
  expect(await many.ask('XHR')).toMatchObject({ errorReason: 'BlockedByClient' });
  expect([many.requests.seen.length, ...many.requests.warnings]).toEqual([200, 'render_request_limit']);
  const large = await served(false, () => ({ body: Buffer.alloc(15_000_000) }));
  await large.ask('XHR');
  expect(await large.ask('XHR')).toMatchObject({ responseCode: 200 });
  expect(large.requests.warnings.size).toBe(0);
  expect(await large.ask('XHR')).toMatchObject({ errorReason: 'Failed' });
  expect([...large.requests.warnings]).toEqual(['render_size_limit']);
});

test('a cached resource counts for the page that uses it, once', async () => {
  const { requests, given, ask } = await page();
  const resource = { url: 'https://a.example/a.css' } as never;
  given.set('https://a.example/a.css', resource);
  requests.asked('early', 'https://a.example/a.css');
  await ask('Document');
  requests.kept('early');
  expect(requests.seen).toEqual([]);
  requests.asked('n', 'https://a.example/a.css');
  requests.kept('n');
  requests.kept('n');
  expect(requests.seen).toEqual([resource]);
  requests.asked('m', 'https://a.example/b.css');
  requests.kept('m');
  for (let number = 1; number < 200; number++) await ask('Ping');
  given.set('https://a.example/b.css', { url: 'https://a.example/b.css' } as never);
  requests.kept('m');
  expect([requests.seen.length, ...requests.warnings]).toEqual([200, 'render_request_limit']);
});
