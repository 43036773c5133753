import type { BigIntStats } from 'node:fs';
import { dirname, join, relative, resolve, sep } from 'node:path';
import type { CrawlhouseError } from '../../src/core/errors/errors.ts';
import { commitFile, removeOld } from '../../src/core/files/atomic-file.ts';
import { makeFolder } from '../../src/core/files/make-folder.ts';
import { orMissing } from '../../src/core/files/read-text.ts';
import { host } from '../../src/core/host/host.ts';
import type { ByteRange, Checksum, ObjectStore, StoredObject } from '../../src/core/stores/object-store.ts';
import { storeError } from '../../src/core/stores/store-errors.ts';

interface LocalOptions {
  /** The folder that acts as the bucket. */
  readonly folder: string;
}

/** The folder of incomplete uploads; never listed. */
const UPLOADS = '.uploads';

/**
 * A folder as a store: keys are paths below it. It gives no checksums, so only the length of its objects is checked.
 */
export class LocalStore implements ObjectStore {
  readonly #folder: string;

  constructor(options: LocalOptions) {
    this.#folder = resolve(options.folder);
  }

  async *list(prefix: string, signal: AbortSignal): AsyncGenerator<StoredObject> {
    const entries = await host()
      .files.readdir(this.#folder, { recursive: true, withFileTypes: true })
      .catch((error) => {
        throw error.code === 'ENOENT'
          ? storeError('no_bucket', { ...this.#facts(prefix), reason: error.message })
          : this.#error(error, prefix);
      });
    const keys = entries
      .filter((entry) => entry.isFile())
      .map((entry) => relative(this.#folder, join(entry.parentPath, entry.name)).split(sep).join('/'))
      .filter((key) => key.startsWith(prefix) && !key.startsWith(`${UPLOADS}/`))
      .sort((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)));
    for (const key of keys) {
      signal.throwIfAborted();
      const facts = await orMissing(host().files.stat(this.#path(key), { bigint: true })).catch(
        (error: Error) => {
          throw this.#error(error, key);
        },
      );
      // A file that was removed during the listing is left out.
      if (!facts) continue;
      yield { key, url: this.url(key), size: Number(facts.size), version: versionOf(facts), hashes: {} };
    }
  }

  async checksum(object: StoredObject): Promise<Checksum> {
    await this.#current(object);
    return { kind: 'length' };
  }

  async read(
    object: StoredObject,
    range: ByteRange,
    signal: AbortSignal,
  ): Promise<AsyncIterable<Uint8Array>> {
    const file = await host()
      .files.open(this.#path(object.key))
      .catch((error) => {
        throw this.#error(error, object.key);
      });
    if (versionOf(await file.stat({ bigint: true })) !== object.version) {
      await file.close();
      throw this.#changed(object);
    }
    return file.createReadStream({ start: range.from, end: range.to - 1, signal });
  }

  async remove(object: StoredObject): Promise<void> {
    try {
      await this.#current(object);
      await host().files.rm(this.#path(object.key), { force: true });
    } catch (error) {
      if ((error as { code?: unknown }).code !== 'object_changed') throw error;
    }
  }

  async put(key: string, file: string, signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    const path = this.#path(key);
    const uploads = join(this.#folder, UPLOADS);
    const temporary = join(uploads, host().uuid());
    makeFolder(uploads);
    await removeOld(uploads, () => true);
    makeFolder(dirname(path));
    try {
      await host().files.copyFile(file, temporary);
      await commitFile(temporary, path);
    } catch (error) {
      await host().files.rm(temporary, { force: true });
      throw error;
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {}

  async #current(object: StoredObject): Promise<void> {
    const facts = await host()
      .files.stat(this.#path(object.key), { bigint: true })
      .catch((error) => {
        throw this.#error(error, object.key);
      });
    if (versionOf(facts) !== object.version) throw this.#changed(object);
  }

  /** @throws CrawlhouseError `store_refused` for a key that would lead out of the folder */
  #path(key: string): string {
    if (key.split('/').some((name) => name === '' || name === '.' || name === '..')) {
      throw storeError('refused', { ...this.#facts(key), reason: 'a file cannot have this key' });
    }
    return join(this.#folder, key);
  }

  url(key: string): string {
    return `file://${this.#folder}/${key}`;
  }

  #changed(object: StoredObject): CrawlhouseError {
    return storeError('changed', this.#facts(object.key));
  }

  #error(error: unknown, key: string): CrawlhouseError {
    const { code, message } = error as { code?: string; message: string };
    const facts = { ...this.#facts(key), reason: message };
    if (code === 'ENOENT') return storeError('changed', facts);
    return storeError(code === 'EACCES' || code === 'EPERM' ? 'access' : 'refused', facts);
  }

  #facts(key: string) {
    return {
      url: this.url(key),
      reason: '',
      setting: 'local',
      bucket: this.#folder,
      credentials: 'the folder and its files must be readable',
    };
  }
}

function versionOf({ ino, mtimeNs, size }: BigIntStats): string {
  return `${ino}-${mtimeNs}-${size}`;
}
