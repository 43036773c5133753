import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { CrawlhouseError } from '../../../src/core/errors/errors.ts';
import type { ObjectStore, StoredObject } from '../../../src/core/stores/object-store.ts';
import { tryObject } from '../../../src/core/stores/try-object.ts';

const { signal } = new AbortController();
const CONSEQUENCES = { noWrite: 'nothing is stored', noDelete: 'objects stay' };

interface Faults {
  readonly put?: Error;
  readonly remove?: Error;
  readonly isListed?: boolean;
  readonly read?: string;
}

/** A store of one object, and what is left in it. */
function storeWith({ put, remove, isListed = true, read }: Faults) {
  const objects = new Map<string, string>();
  const store: ObjectStore = {
    async *list(prefix) {
      const text = isListed ? objects.get(prefix) : undefined;
      if (text !== undefined)
        yield { key: prefix, url: `s3://b/${prefix}`, size: text.length, version: '1', hashes: {} };
    },
    checksum: async () => expect.fail('nobody asks for a checksum'),
    async read({ key }: StoredObject) {
      const text = read ?? objects.get(key) ?? '';
      return (async function* () {
        yield Buffer.from(text.slice(0, 3));
        yield Buffer.from(text.slice(3));
      })();
    },
    async remove({ key }) {
      if (remove !== undefined) throw remove;
      objects.delete(key);
    },
    async put(key, file) {
      if (put !== undefined) throw put;
      objects.set(key, readFileSync(file, 'utf8'));
    },
    url: (key) => key,
    async [Symbol.asyncDispose]() {},
  };
  return { objects, tried: () => tryObject(store, 'doctor', signal, CONSEQUENCES) };
}

const denied = new CrawlhouseError('store_access', 'denied');

test('an object is written, read and removed', async () => {
  const { objects, tried } = storeWith({});
  expect(await tried()).toEqual({ message: 'can list, write, read and delete' });
  expect(objects.size).toBe(0);
});

test('what may not be done is said with what follows', async () => {
  expect(await storeWith({ put: denied }).tried()).toEqual({
    message: 'can list, may not write',
    hint: 'nothing is stored',
  });
  expect(await storeWith({ remove: denied }).tried()).toEqual({
    message: 'can list, write and read, but not delete',
    hint: 'objects stay; remove s3://b/doctor by hand',
  });
});

test.each<[string, Faults]>([
  ['store_refused', { isListed: false }],
  ['object_corrupt', { read: 'crawlhouse doctoR' }],
  ['store_unavailable', { put: new CrawlhouseError('store_unavailable', 'busy') }],
  ['store_unavailable', { remove: new CrawlhouseError('store_unavailable', 'busy') }],
])('any other fault is an error: %s', async (code, faults) => {
  await expect(storeWith(faults).tried()).rejects.toMatchObject({ code });
});
