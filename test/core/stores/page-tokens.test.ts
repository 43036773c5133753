import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { listObjects } from '../../../src/core/stores/list-objects.ts';
import type { ObjectStore, StoredObject } from '../../../src/core/stores/object-store.ts';
import { openServer } from './store-server.ts';

const PREFIX = 'exports/';
const signal = new AbortController().signal;

/** The pages of a listing, by the token that leads to each ('' the first). */
type Pages = (token: string) => { readonly keys: readonly string[]; readonly next?: string };

function s3Page({ keys, next }: ReturnType<Pages>): string {
  const contents = keys.map((key) => `<Contents><Key>${key}</Key><Size>1</Size><ETag>"e"</ETag></Contents>`);
  const more = next === undefined ? '' : `<NextContinuationToken>${next}</NextContinuationToken>`;
  return `<?xml version="1.0"?><ListBucketResult><IsTruncated>${next !== undefined}</IsTruncated>${more}${contents.join('')}</ListBucketResult>`;
}

function gcsPage({ keys, next }: ReturnType<Pages>): string {
  const items = keys.map((name) => ({ name, size: '1', generation: '1' }));
  return JSON.stringify({
    kind: 'storage#objects',
    items,
    ...(next === undefined ? {} : { nextPageToken: next }),
  });
}

/** A store whose listing is this, and the number of its pages that were asked for. */
async function storeWith(
  kind: 'store_a' | 'store_b',
  pages: Pages,
): Promise<{ readonly store: ObjectStore; readonly asked: () => number }> {
  let asked = 0;
  const server = createServer((request, response) => {
    asked++;
    const query = new URL(`${request.url}`, 'http://store').searchParams;
    const page = pages(query.get('continuation-token') ?? query.get('pageToken') ?? '');
    const [type, body] =
      kind === 'store_b' ? ['application/xml', s3Page(page)] : ['application/json', gcsPage(page)];
    response.writeHead(200, { 'content-type': type }).end(body);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const endpoint = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const store = await openServer(
    kind === 'store_a'
      ? { kind, endpoint, bucket: 'b' }
      : { kind, endpoint, bucket: 'b', region: 'eu-west-1', accessKey: 'k', secretKey: 's' },
  );
  onTestFinished(async () => {
    await store[Symbol.asyncDispose]();
    server.closeAllConnections();
    server.close();
  });
  return { store, asked: () => asked };
}

test.for(['store_a', 'store_b'] as const)('%s: a repeated page token ends the listing', async (kind) => {
  // Pages without objects, whose tokens go round in three steps.
  const next: Readonly<Record<string, string>> = { '': 'a', a: 'b', b: 'c', c: 'a' };
  const { store, asked } = await storeWith(kind, (token) => ({ keys: [], next: next[token] ?? '' }));
  await expect(listObjects(store, PREFIX, signal)).rejects.toMatchObject({
    code: 'store_refused',
    message: expect.stringContaining('the listing repeats itself: a page continues with an earlier page'),
  });
  expect(asked()).toBe(4);
});

test.for(['store_a', 'store_b'] as const)('%s: an object listed twice ends the listing', async (kind) => {
  const { store } = await storeWith(kind, (token) => ({
    keys: [`${PREFIX}one`],
    ...(token === '' ? { next: 'a' } : {}),
  }));
  await expect(listObjects(store, PREFIX, signal)).rejects.toMatchObject({
    code: 'store_refused',
    message: expect.stringMatching(/:\/\/b\/exports\/one: the listing shows it twice$/),
  });
});

test('an object outside the prefix is not part of the export', async () => {
  const { store } = await storeWith('store_b', () => ({ keys: ['other/one'] }));
  await expect(listObjects(store, PREFIX, signal)).rejects.toMatchObject({
    code: 'store_refused',
    message: 's3://b/other/one: it was listed under exports/',
  });
});

test('objects are listed by key', async () => {
  const { store } = await storeWith('store_b', () => ({ keys: [`${PREFIX}b`, `${PREFIX}a`] }));
  const keys = (objects: readonly StoredObject[]): string[] => objects.map(({ key }) => key);
  expect(keys(await listObjects(store, PREFIX, signal))).toEqual([`${PREFIX}a`, `${PREFIX}b`]);
});
