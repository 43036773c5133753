import { randomBytes } from 'node:crypto';
import { expect, test } from 'vitest';
import type { StoredObject } from '../../../src/core/stores/object-store.ts';
import type { ReadOptions } from '../../../src/core/stores/read-object.ts';
import { faultyProxy, type Strike } from './faulty-proxy.ts';
import { Bench } from './object-store-contract.ts';
import { openServer, QUICK, type StoreServer } from './store-server.ts';

const RANGE = 20_000;
const OPTIONS = { rangeBytes: RANGE, inFlight: 2, retry: QUICK };

/** A request for the content of an object. */
const reads = (request: string): boolean => /x-id=GetObject|alt=media/.test(request);
/** A request for a page of a listing, the first one or one that goes on. */
const lists = (request: string): boolean => /list-type=2|\/o\?prefix=/.test(request);

/** How a store lets one down, and that we notice: held against the server behind `server`. */
export function storeFaults(name: string, server: () => StoreServer): void {
  /** A store of five ranges behind a proxy that strikes as told, and its content. */
  const behind = async (strike: (request: string, times: number) => Strike | undefined, idleMs = 60_000) => {
    const real = server();
    const direct = new Bench(await openServer(real));
    const content = randomBytes(5 * RANGE);
    const object = await direct.stored('bytes', content);
    const proxy = await faultyProxy(real.endpoint, strike);
    const store = await openServer({ ...real, endpoint: proxy.endpoint }, { idleMs });
    return { direct, one: new Bench(store), object, content, proxy };
  };

  test.for([
    ['answers 503', { status: 503, body: slowDown(503) }],
    ['answers 429', { status: 429, body: slowDown(429) }],
    ['answers 500', { status: 500 }],
    ['resets the connection', { cutAfter: 7000 }],
    ['ends a body early', { shortBy: 1 }],
    ['stands still', { stallAfter: 7000 }],
  ] as const)(`${name}: a range is requested again by itself if the store %s`, async ([, strike]) => {
    let left = 2;
    const { one, object, content, proxy } = await behind((request) =>
      reads(request) && left-- > 0 ? { headers: { 'retry-after': '0' }, ...strike } : undefined,
    );
    const whole = await one.whole(object, optionsFor(strike, 3000));
    expect([whole.bytes.equals(content), whole.verified]).toEqual([true, 'md5']);
    expect(proxy.seen.filter(reads)).toHaveLength(7);
  });

  test.for([
    ['answers 503', { status: 503, headers: { 'retry-after': '0' } }, 'store_unavailable'],
    ['resets the connection', { cutAfter: 7000 }, 'connection'],
    ['ends a body early', { shortBy: 1 }, 'cut_short'],
    ['stands still', { stallAfter: 7000 }, 'connection'],
  ] as const)(`${name}: a permanent failure is a retriable error: the store %s`, async ([, strike, code]) => {
    const { one, object } = await behind((request) => (reads(request) ? strike : undefined));
    await expect(one.whole(object, optionsFor(strike, 400))).rejects.toMatchObject({
      code,
      kind: 'retriable',
      message: expect.stringContaining(object.key),
    });
  });

  test(`${name}: the wait of the store is respected`, async () => {
    const { one, object } = await behind((request) =>
      reads(request) ? { status: 503, headers: { 'retry-after': '2' } } : undefined,
    );
    const signal = AbortSignal.timeout(5000);
    await expect(one.store.read(object, { from: 0, to: 1 }, signal)).rejects.toMatchObject({
      code: 'store_unavailable',
      retryAfterMs: 2000,
    });
  });

  test(`${name}: the checksum finds a flipped bit`, async () => {
    const { one, object } = await behind((request, times) =>
      reads(request) && times === 1 ? { flip: true } : undefined,
    );
    await expect(one.whole(object, OPTIONS)).rejects.toMatchObject({
      code: 'object_corrupt',
      kind: 'retriable',
      message: expect.stringContaining('md5'),
    });
  });

  test(`${name}: bytes of a replaced object are never mixed`, async () => {
    const { direct, one, object } = await behind(() => undefined);
    const { signal } = new AbortController();
    const first = await one.store.read(object, { from: 0, to: 10 }, signal);
    expect(Buffer.concat(await Array.fromAsync(first))).toHaveLength(10);
    await direct.put('bytes', randomBytes(5 * RANGE));
    await expect(one.whole(object, OPTIONS)).rejects.toMatchObject({ code: 'object_changed' });
  });

  test(`${name}: a listing is retried, and finally an error`, async () => {
    let left = 2;
    const { direct, one } = await behind((request) =>
      lists(request) && left-- > 0 ? { status: 503, headers: { 'retry-after': '0' } } : undefined,
    );
    expect(await one.list(direct.prefix)).toHaveLength(1);
    left = 100;
    await expect(one.list(direct.prefix)).rejects.toMatchObject({ code: 'store_unavailable' });
  });

  test.for([
    ['401', 401],
    ['403', 403],
  ] as const)(
    `${name}: %s is an access error, with a hint about the standard credential chain`,
    async ([, status]) => {
      const { one, object, proxy } = await behind((request) =>
        request.startsWith('GET') ? { status } : undefined,
      );
      const refused = {
        code: 'store_access',
        kind: 'forbidden',
        hint: expect.stringContaining('the standard chain of'),
      };
      await expect(one.list()).rejects.toMatchObject(refused);
      await expect(one.whole(object, OPTIONS)).rejects.toMatchObject(refused);
      // Nothing that a retry would help.
      expect(proxy.seen.filter(lists)).toHaveLength(1);
    },
  );

  test(`${name}: an unreachable server is retriable`, async () => {
    const one = new Bench(await openServer({ ...server(), endpoint: 'http://127.0.0.1:1' }));
    await expect(one.list()).rejects.toMatchObject({ code: 'connection', kind: 'retriable' });
    const object: StoredObject = { key: 'k', url: 'x://b/k', size: 1, version: '1', hashes: { md5: '0' } };
    await expect(one.whole(object, OPTIONS)).rejects.toMatchObject({ code: 'connection' });
  });
}

/**
 * Patience is short only where the store stands still: a busy machine is no fault. Where the ranges must come after all,
 * it is longer than a busy machine takes for one.
 */
function optionsFor(strike: Strike, idleMs: number): ReadOptions {
  return 'stallAfter' in strike ? { ...OPTIONS, idleMs } : OPTIONS;
}

function slowDown(status: number): string {
  return `<?xml version="1.0"?><Error><Code>SlowDown</Code><Message>${status}</Message></Error>`;
}
