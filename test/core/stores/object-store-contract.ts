import { randomBytes, randomUUID } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { expect, onTestFinished, test } from 'vitest';
import { CrawlhouseError } from '../../../src/core/errors/errors.ts';
import type { Checksum, ObjectStore, StoredObject } from '../../../src/core/stores/object-store.ts';
import { objectBytes, type ReadOptions } from '../../../src/core/stores/read-object.ts';
import { temporaryFolder } from '../../support/temporary.ts';

/** What the contract is checked against. */
export interface ContractSubject {
  /** A store whose bucket is there. */
  open(): Promise<ObjectStore>;
  /** The same with a bucket that is not. */
  openMissing(): Promise<ObjectStore>;
  /** What an object that was put in one piece is checked against. */
  readonly verified: Checksum['kind'];
}

const signal = new AbortController().signal;

/** Objects under a prefix of its own: tests may share a bucket. */
export class Bench {
  readonly store: ObjectStore;
  readonly prefix = `${randomUUID()}/`;

  constructor(store: ObjectStore) {
    this.store = store;
    onTestFinished(() => store[Symbol.asyncDispose]());
  }

  async put(name: string, content: string | Uint8Array): Promise<void> {
    const file = join(await temporaryFolder(), 'upload');
    await writeFile(file, content);
    await this.store.put(this.prefix + name, file, signal);
  }

  list(prefix = this.prefix): Promise<StoredObject[]> {
    return Array.fromAsync(this.store.list(prefix, signal));
  }

  /** Puts an object and lists it. */
  async stored(name: string, content: string | Uint8Array): Promise<StoredObject> {
    await this.put(name, content);
    const found = (await this.list()).find(({ key }) => key === this.prefix + name);
    if (!found) throw new Error(`${name} is not listed`);
    return found;
  }

  async range(object: StoredObject, from: number, to: number): Promise<string> {
    return (await buffer(await this.store.read(object, { from, to }, signal))).toString();
  }

  /** Everything that `objectBytes` gives, and what it was checked against. */
  async whole(object: StoredObject, options: ReadOptions = {}) {
    let verified: Checksum['kind'] | undefined;
    const onVerified = (kind: Checksum['kind']): void => {
      verified = kind;
    };
    const pieces = await Array.fromAsync(objectBytes(this.store, object, { ...options, onVerified }, signal));
    return { bytes: Buffer.concat(pieces), pieces: pieces.length, verified };
  }
}

/** What every object store does alike (src/core/stores/object-store.ts). */
export function objectStoreContract(name: string, subject: ContractSubject): void {
  const bench = async (): Promise<Bench> => new Bench(await subject.open());

  test(`${name}: uploaded objects are listed by key with size, and nothing outside the prefix`, async () => {
    const one = await bench();
    const names = ['b', 'a/2 two.csv', 'a/10', 'a/ü+%20&?#=.gz', 'B'];
    for (const [index, each] of names.entries()) await one.put(each, 'x'.repeat(index));
    const keys = names.toSorted((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)));
    expect((await one.list()).map(({ key, size }) => [key, size])).toEqual(
      keys.map((key) => [one.prefix + key, names.indexOf(key)]),
    );
    expect((await one.list(`${one.prefix}a/1`)).map(({ key }) => key)).toEqual([`${one.prefix}a/10`]);
    expect(await one.list(`${one.prefix}none`)).toEqual([]);
  });

  test(`${name}: an object with an odd key is read back`, async () => {
    const one = await bench();
    const object = await one.stored('a/ü+%20&?#=.gz', 'content');
    expect((await one.whole(object)).bytes.toString()).toBe('content');
    expect(one.store.url(object.key)).toBe(object.url);
  });

  test(`${name}: a range gives exactly its bytes`, async () => {
    const one = await bench();
    const object = await one.stored('digits', '0123456789');
    expect(await one.range(object, 0, 1)).toBe('0');
    expect(await one.range(object, 3, 7)).toBe('3456');
    expect(await one.range(object, 9, 10)).toBe('9');
  });

  test(`${name}: an object is read in ordered ranges, and checked against the checksum of the store`, async () => {
    const one = await bench();
    const content = randomBytes(100_000);
    const object = await one.stored('bytes', content);
    for (const [rangeBytes, pieces] of [
      [1_000_000, 1],
      [100_000, 1],
      [50_000, 2],
      [33_333, 4],
      [9_999, 11],
    ] as const) {
      const whole = await one.whole(object, { rangeBytes, inFlight: 3 });
      expect([whole.bytes.equals(content), whole.pieces, whole.verified]).toEqual([
        true,
        pieces,
        subject.verified,
      ]);
    }
  });

  test(`${name}: an empty object has no bytes`, async () => {
    const one = await bench();
    const whole = await one.whole(await one.stored('empty', ''));
    expect([whole.bytes.length, whole.verified]).toEqual([0, subject.verified]);
  });

  test(`${name}: an object replaced or deleted since the listing is not read`, async () => {
    const one = await bench();
    const replaced = await one.stored('replaced', 'before');
    await one.put('replaced', 'after.');
    const deleted = await one.stored('deleted', 'before');
    await one.store.remove(deleted, signal);
    for (const object of [replaced, deleted]) {
      const changed = { code: 'object_changed', kind: 'retriable' };
      await expect(one.range(object, 0, 3)).rejects.toMatchObject(changed);
      await expect(one.whole(object)).rejects.toMatchObject(changed);
    }
    const [now] = await one.list(`${one.prefix}replaced`);
    expect((await one.whole(now as StoredObject)).bytes.toString()).toBe('after.');
  });

  test(`${name}: only the listed version is removed, and a missing object is no error`, async () => {
    const one = await bench();
    const before = await one.stored('one', 'before');
    await one.put('one', 'after.');
    await one.store.remove(before, signal);
    const [after] = await one.list();
    expect((await one.whole(after as StoredObject)).bytes.toString()).toBe('after.');
    await one.store.remove(after as StoredObject, signal);
    await one.store.remove(after as StoredObject, signal);
    expect(await one.list()).toEqual([]);
  });

  test(`${name}: a missing bucket is a configuration error, not an empty list`, async () => {
    const one = new Bench(await subject.openMissing());
    await expect(one.list()).rejects.toMatchObject({
      code: 'bad_settings',
      message: expect.stringMatching(/\.bucket: there is no bucket /),
    });
  });

  test(`${name}: an abort ends listing and reading with its reason`, async () => {
    const one = await bench();
    const object = await one.stored('bytes', randomBytes(10_000));
    const reason = new CrawlhouseError('interrupted', 'enough');
    await expect(Array.fromAsync(one.store.list(one.prefix, AbortSignal.abort(reason)))).rejects.toBe(reason);
    const control = new AbortController();
    const bytes = objectBytes(one.store, object, { rangeBytes: 1000, inFlight: 2 }, control.signal);
    expect((await bytes.next()).value?.length).toBe(1000);
    control.abort(reason);
    await expect(Array.fromAsync(bytes)).rejects.toBe(reason);
  });

  test(`${name}: a reader may stop in the middle`, async () => {
    const one = await bench();
    const object = await one.stored('bytes', randomBytes(50_000));
    let read = 0;
    for await (const piece of objectBytes(one.store, object, { rangeBytes: 1000 }, signal)) {
      read += piece.length;
      if (read >= 5000) break;
    }
    expect(read).toBe(5000);
    expect((await one.whole(object)).bytes.length).toBe(50_000);
  });
}
