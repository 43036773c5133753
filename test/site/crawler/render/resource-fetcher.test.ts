import { gzipSync } from 'node:zlib';
import { expect, onTestFinished, test, vi } from 'vitest';
import { Pace } from '../../../../src/site/crawler/frontier/pace.ts';
import { ResourceFetcher, type ResourceTools } from '../../../../src/site/crawler/render/resource-fetcher.ts';

const SITE = 'https://shop.example';
const RULES = { isUnavailable: false, isAllowed: (url: string) => !url.includes('private'), delayMs: null };

interface Given {
  readonly status?: number | null;
  readonly error?: string;
  readonly headers?: readonly (readonly [string, string])[];
  readonly body?: Buffer | null;
  readonly isTruncated?: boolean;
  readonly isBrokenOff?: boolean;
}

/** Resources of a site, and the requests for them with their headers. */
function resourcesOf(answers: Readonly<Record<string, Given | Promise<Given>>>, rules: object = RULES) {
  const asked: [string, Readonly<Record<string, string>>][] = [];
  const fetch = async (url: string, _bytes: number, _room: undefined, headers: Record<string, string>) => {
    const path = url.replace(SITE, '');
    asked.push([path, headers]);
    const given = (await answers[path]) ?? {};
    return {
      ...{ url, statusCode: given.status === undefined ? 200 : given.status, error: given.error ?? null },
      ...{ headers: given.headers ?? [], body: given.body === undefined ? Buffer.from('x') : given.body },
      ...{ isTruncated: given.isTruncated ?? false, isBrokenOff: given.isBrokenOff ?? false },
    };
  };
  const { signal } = new AbortController();
  const tools = {
    fetcher: { fetch },
    robots: { rulesOf: async () => rules },
    pace: new Pace(100_000),
    signal,
  };
  const resources = new ResourceFetcher(tools as unknown as ResourceTools);
  let turns = 0;
  const get = (path: string, headers: Readonly<Record<string, string>> = {}) =>
    resources.get(SITE + path, headers, () => void turns++);
  return { get, asked, turns: () => turns };
}

test('a resource is fetched once for all pages, and each page that waits gets its turn', async () => {
  const { get, asked, turns } = resourcesOf({
    '/a.js': { headers: [['etag', '1']], body: Buffer.from('text') },
  });
  const [first, same] = await Promise.all([get('/a.js'), get('/a.js')]);
  const later = await get('/a.js');
  expect([first === same, first === later, asked.length, turns()]).toEqual([true, true, 1, 3]);
  expect({ ...first, body: String(first.body) }).toEqual({
    ...{ status: 200, headers: [['etag', '1']], body: 'text', isDenied: false, error: null },
  });
});

test('headers of the page are sent, except those of the crawl; those that change the resource tell it apart', async () => {
  const { get, asked } = resourcesOf({});
  await get('/a.js', {
    'User-Agent': 'x',
    Cookie: 'x',
    'Sec-Fetch-Mode': 'cors',
    Accept: 'text/css',
    'X-Key': '1',
  });
  await get('/a.js', { accept: 'image/png', 'x-key': '1' });
  await get('/a.js', { 'x-key': '2' });
  expect(asked).toEqual([
    ['/a.js', { accept: 'text/css', 'x-key': '1' }],
    ['/a.js', { 'x-key': '2' }],
  ]);
});

test('robots.txt may forbid a resource, which is not requested', async () => {
  const { get, asked, turns } = resourcesOf({});
  const denied = await get('/private.js');
  expect(denied).toMatchObject({ status: null, isDenied: true, error: null });
  expect([await get('/private.js'), turns(), asked]).toEqual([denied, 2, []]);
  const unavailable = resourcesOf({}, { ...RULES, isUnavailable: true });
  expect(await unavailable.get('/a.js')).toMatchObject({ isDenied: false, error: 'robots_unavailable' });
  expect(unavailable.asked).toEqual([]);
});

test('a body is decoded; one that is cut, too large or not decodable is left out with its status', async () => {
  const gzip = [['content-encoding', 'gzip']] as const;
  const { get } = resourcesOf({
    '/gzip': { headers: gzip, body: gzipSync('text') },
    '/bomb': { headers: gzip, body: gzipSync(Buffer.alloc(6_000_000)) },
    '/bad': { headers: gzip, body: Buffer.from('text') },
    '/large': { isTruncated: true },
    '/none': { body: null, status: 204 },
  });
  expect(String((await get('/gzip')).body)).toBe('text');
  for (const [path, error] of [
    ['/bomb', 'too_large'],
    ['/bad', 'protocol'],
    ['/large', 'too_large'],
  ] as const)
    expect(await get(path), path).toMatchObject({ status: 200, error, body: new Uint8Array(0) });
  expect(await get('/none')).toMatchObject({ status: 204, error: null });
});

test('a request without an answer is not kept', async () => {
  const { get, asked } = resourcesOf({
    '/silent': { status: null, error: 'timeout' },
    '/cut': { isBrokenOff: true },
  });
  for (const [path, error] of [
    ['/silent', 'timeout'],
    ['/cut', 'connection'],
  ] as const) {
    expect(await get(path)).toMatchObject({ status: null, isDenied: false, error });
    await get(path);
  }
  expect(asked).toHaveLength(4);
});

test('the least recently used resources are dropped beyond 48 MB, and a very large one is not kept', async () => {
  const large = Buffer.alloc(4_900_000);
  const paths = Array.from({ length: 10 }, (_, n) => `/${n}`);
  const { get, asked } = resourcesOf(Object.fromEntries(paths.map((path) => [path, { body: large }])));
  for (const path of paths.slice(0, 9)) await get(path);
  await get('/0');
  expect(asked).toHaveLength(9);
  await get('/9');
  await get('/0');
  await get('/2');
  expect(asked).toHaveLength(10);
  await get('/1');
  expect(asked).toHaveLength(11);
});

test('a page waits ten seconds for a resource, and a late failure harms nobody', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  onTestFinished(() => void vi.useRealTimers());
  const late = Promise.withResolvers<Given>();
  const { get, turns } = resourcesOf({ '/slow': late.promise });
  let answer: object | undefined;
  const got = get('/slow').then((given) => {
    answer = given;
  });
  await vi.waitFor(() => expect(turns()).toBe(1));
  await vi.advanceTimersByTimeAsync(9_000);
  expect(answer).toBeUndefined();
  await vi.advanceTimersByTimeAsync(1_500);
  await got;
  expect(answer).toMatchObject({ status: null, error: 'timeout' });
  late.reject(new Error('late'));
});
