import { Readable } from 'node:stream';
import { expect, test } from 'vitest';
import { CrawlhouseError } from '../../../src/core/errors/errors.ts';
import {
  type Asked,
  NetworkStore,
  retryStore,
  unlessChanged,
} from '../../../src/core/stores/network-store.ts';
import { errorOf } from '../../support/error-of.ts';

const { signal } = new AbortController();
const POLICY = { attempts: 3, baseMs: 0, maxMs: 0 };

/** A store whose errors are `connection`, with the purpose of the request. */
class Store extends NetworkStore {
  protected error(thrown: unknown, asked: Asked, url: string): CrawlhouseError {
    if (thrown instanceof CrawlhouseError) return thrown;
    return new CrawlhouseError('connection', `${asked} of ${url}: ${(thrown as Error).message}`);
  }

  asked<T>(send: () => Promise<T>, signal: AbortSignal): Promise<T> {
    return this.once('object', 's://b/k', signal, send);
  }

  repeated<T>(send: () => Promise<T>): Promise<T> {
    return this.repeat('object', 's://b/k', signal, send);
  }

  listed(tokens: (token: string | undefined) => string | undefined): Promise<(string | undefined)[]> {
    const ask = async (token: string | undefined) => token;
    return Array.fromAsync(this.pages('s://b', signal, ask, tokens));
  }

  read(body: Readable, signal: AbortSignal): AsyncGenerator<Uint8Array> {
    const object = { url: 's://b/k' } as Parameters<NetworkStore['bytes']>[1];
    return this.bytes(body, object, signal);
  }
}

const store = new Store(POLICY);

test('a failed request is converted, but not an abort', async () => {
  const fail = async () => {
    throw new Error('reset');
  };
  expect(await store.asked(async () => 7, signal)).toBe(7);
  await expect(store.asked(fail, signal)).rejects.toThrow('object of s://b/k: reset');
  await expect(store.asked(fail, AbortSignal.abort(new Error('enough')))).rejects.toThrow('enough');
});

test('a request is repeated as often as the policy says', async () => {
  let tries = 0;
  const third = async () => {
    if (++tries < 3) throw new Error('reset');
    return tries;
  };
  expect(await store.repeated(third)).toBe(3);
  const never = async () => {
    tries++;
    throw new Error('reset');
  };
  expect((await errorOf(store.repeated(never))).code).toBe('connection');
  expect(tries).toBe(6);
});

test('a listing reads page after page until a page has no token', async () => {
  const after = new Map<string | undefined, string>([
    [undefined, 'a'],
    ['a', 'b'],
  ]);
  expect(await store.listed((token) => after.get(token))).toEqual([undefined, 'a', 'b']);
});

test('a listing that repeats itself or never ends is refused', async () => {
  const repeats = errorOf(store.listed(() => 'a'));
  expect((await repeats).message).toBe(
    'list of s://b: the listing repeats itself: a page continues with an earlier page',
  );
  const pages = (last: number) =>
    store.listed((token) => (Number(token ?? 0) < last ? `${Number(token ?? 0) + 1}` : undefined));
  expect(await pages(10_000)).toHaveLength(10_001);
  expect((await errorOf(pages(10_001))).message).toBe(
    'list of s://b: the listing does not end within 10000 pages',
  );
});

test('a body ends with the error of its object, or with the abort; it is always destroyed', async () => {
  const whole = Readable.from([Buffer.from('a'), Buffer.from('b')]);
  expect(Buffer.concat(await Array.fromAsync(store.read(whole, signal))).toString()).toBe('ab');
  const cut = new Readable({
    read() {
      this.destroy(new Error('cut'));
    },
  });
  expect((await errorOf(Array.fromAsync(store.read(cut, signal)))).message).toBe('body of s://b/k: cut');
  const controller = new AbortController();
  const endless = new Readable({ read() {} });
  const reading = Array.fromAsync(store.read(endless, controller.signal));
  controller.abort(new Error('enough'));
  await expect(reading).rejects.toThrow('enough');
  expect(endless.destroyed).toBe(true);
  const left = Readable.from([Buffer.from('a'), Buffer.from('b')]);
  for await (const _piece of store.read(left, signal)) break;
  expect(left.destroyed).toBe(true);
});

test('an object that was replaced is not requested again, and may be gone if it is to be removed', async () => {
  let tries = 0;
  const failing = (code: 'object_changed' | 'connection') => async () => {
    tries++;
    throw new CrawlhouseError(code, 'no');
  };
  expect((await errorOf(retryStore(failing('object_changed'), { policy: POLICY }))).code).toBe(
    'object_changed',
  );
  expect(tries).toBe(1);
  expect((await errorOf(retryStore(failing('connection'), { policy: POLICY }))).code).toBe('connection');
  expect(tries).toBe(4);
  await unlessChanged(failing('object_changed'));
  expect((await errorOf(unlessChanged(failing('connection')))).code).toBe('connection');
  expect(tries).toBe(6);
});
