import { setTimeout as sleep } from 'node:timers/promises';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { ByteRange, StoredObject } from '../../../src/core/stores/object-store.ts';
import { byteRanges, objectBytes } from '../../../src/core/stores/read-object.ts';
import { LocalStore } from '../../support/local-store.ts';
import { temporaryFolder } from '../../support/temporary.ts';
import { Bench } from './object-store-contract.ts';
import { QUICK } from './store-server.ts';

/** A folder that counts how many ranges are being read. */
class CountingStore extends LocalStore {
  asked = 0;

  override async read(object: StoredObject, range: ByteRange, signal: AbortSignal) {
    this.asked++;
    return super.read(object, range, signal);
  }
}

test('ranges cover an object once, in order, within the maximum size', () => {
  fc.assert(
    fc.property(fc.nat(1000), fc.integer({ min: 1, max: 300 }), (size, length) => {
      let at = 0;
      for (const { from, to } of byteRanges(size, length)) {
        expect([from, to > from, to - from <= length]).toEqual([at, true, true]);
        at = to;
      }
      expect(at).toBe(size);
    }),
  );
});

test('the number of concurrent ranges is limited, however slow the reader is', async () => {
  const store = new CountingStore({ folder: await temporaryFolder() });
  const bench = new Bench(store);
  const object = await bench.stored('bytes', Buffer.alloc(2000));
  const { signal } = new AbortController();
  let taken = 0;
  for await (const piece of objectBytes(store, object, { rangeBytes: 100, inFlight: 3 }, signal)) {
    taken++;
    expect(piece.length).toBe(100);
    if (taken < 5) await sleep(20);
    // The ones handed over, and three on their way.
    expect(store.asked).toBeLessThanOrEqual(taken + 3);
  }
  expect([taken, store.asked]).toEqual([20, 20]);
});

test('an object with more bytes than requested is refused', async () => {
  class Generous extends LocalStore {
    override read(object: StoredObject, range: ByteRange, signal: AbortSignal) {
      return super.read(object, { from: range.from, to: range.to + 1 }, signal);
    }
  }
  const bench = new Bench(new Generous({ folder: await temporaryFolder() }));
  const object = await bench.stored('bytes', Buffer.alloc(200));
  await expect(bench.whole(object, { rangeBytes: 100 })).rejects.toMatchObject({ code: 'contract_broken' });
});

test('a slow but steady range is awaited', async () => {
  class Slow extends LocalStore {
    override async read(object: StoredObject, range: ByteRange, signal: AbortSignal) {
      const bytes = await super.read(object, range, signal);
      return (async function* () {
        for (const byte of Buffer.concat(await Array.fromAsync(bytes))) {
          await sleep(40, undefined, { signal });
          yield Buffer.of(byte);
        }
      })();
    }
  }
  const bench = new Bench(new Slow({ folder: await temporaryFolder() }));
  const object = await bench.stored('bytes', '0123456789abcdef');
  const whole = await bench.whole(object, { idleMs: 400, retry: QUICK });
  expect(whole.bytes.toString()).toBe('0123456789abcdef');
});

test('ranges without a reader are cancelled', async () => {
  const given: number[] = [];
  class Stalling extends LocalStore {
    override async read(object: StoredObject, range: ByteRange, signal: AbortSignal) {
      if (range.from === 0) return super.read(object, range, signal);
      return new Promise<never>((_resolve, reject) => {
        signal.addEventListener('abort', () => {
          given.push(range.from);
          reject(signal.reason);
        });
      });
    }
  }
  const bench = new Bench(new Stalling({ folder: await temporaryFolder() }));
  const object = await bench.stored('bytes', Buffer.alloc(1000));
  const { signal } = new AbortController();
  for await (const piece of objectBytes(bench.store, object, { rangeBytes: 100, inFlight: 3 }, signal)) {
    expect(piece.length).toBe(100);
    break;
  }
  expect(given).toEqual([100, 200, 300]);
});

test('a replaced object fails at once, without a retry', async () => {
  const store = new CountingStore({ folder: await temporaryFolder() });
  store.checksum = async () => ({ kind: 'length' });
  const bench = new Bench(store);
  const object = await bench.stored('bytes', 'before');
  await bench.put('bytes', 'after.');
  await expect(bench.whole(object)).rejects.toMatchObject({ code: 'object_changed' });
  expect(store.asked).toBe(1);
});
