import { randomUUID } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { CrawlhouseError } from '../../core/errors.ts';
import type { Settings } from '../../project/settings/settings.ts';
import { listObjects } from '../../stores/list-objects.ts';
import type { ObjectStore } from '../../stores/object-store.ts';
import { openConfiguredStore, type StoreName } from '../../stores/registry.ts';
import { type Check, type Finding, look } from './check.ts';

const CONTENT = 'crawlhouse doctor';

/** What follows from a right that is missing. */
interface Consequences {
  readonly noWrite: string;
  readonly noDelete: string;
}

/** Lists, writes, reads and removes a small object where data exports go. */
export async function examineStore(settings: Settings, name: StoreName, signal: AbortSignal): Promise<Check> {
  const at = { check: name, store: name, prefix: settings[name]?.prefix ?? '' };
  return await examinePrefix(settings, at, signal, {
    noWrite: 'only the service needs to write; the first export shows whether objects can be read',
    noDelete: 'keep_exports: never needs that right',
  });
}

/** Does the same where the packages of workers go. */
export async function examinePackages(
  settings: Settings,
  { store, prefix }: NonNullable<Settings['packages']>,
  signal: AbortSignal,
): Promise<Check> {
  return await examinePrefix(settings, { check: 'packages', store, prefix }, signal, {
    noWrite: 'that is enough for a run; crawlhouse worker has to write',
    noDelete: 'a run has to remove packages, or a rule of the bucket does; a worker needs no more',
  });
}

async function examinePrefix(
  settings: Settings,
  at: { readonly check: string; readonly store: StoreName; readonly prefix: string },
  signal: AbortSignal,
  consequences: Consequences,
): Promise<Check> {
  return await look(
    at.check,
    async () => {
      await using store = await openConfiguredStore(settings, at.store);
      const key = `${at.prefix === '' ? '' : `${at.prefix}/`}crawlhouse-doctor/${randomUUID()}`;
      // The right that every export needs, and where a wrong bucket or region shows.
      await listObjects(store, key, signal);
      const rights = await tryObject(store, key, signal, consequences);
      return { ...rights, message: `${settings[at.store]?.bucket}: ${rights.message}` };
    },
    signal,
  );
}

/** Writes, lists, reads and removes a small object. */
export async function tryObject(
  store: ObjectStore,
  key: string,
  signal: AbortSignal,
  { noWrite, noDelete }: Consequences,
): Promise<Finding> {
  const folder = await mkdtemp(join(tmpdir(), 'crawlhouse-doctor-'));
  try {
    const file = join(folder, 'object');
    await writeFile(file, CONTENT);
    await store.put(key, file, signal);
  } catch (error) {
    if (!(error instanceof CrawlhouseError) || error.code !== 'store_access') throw error;
    return { message: 'can list, may not write', hint: noWrite };
  } finally {
    await rm(folder, { recursive: true });
  }
  const [object] = await listObjects(store, key, signal);
  if (object === undefined)
    throw new CrawlhouseError('store_refused', `${key} was written but is not listed`);
  const pieces = await Array.fromAsync(await store.read(object, { from: 0, to: object.size }, signal));
  if (Buffer.concat(pieces).toString() !== CONTENT)
    throw new CrawlhouseError('object_corrupt', `${object.url} returned other bytes`);
  try {
    await store.remove(object, signal);
  } catch (error) {
    if (!(error instanceof CrawlhouseError) || error.code !== 'store_access') throw error;
    return {
      message: 'can list, write and read, may not delete',
      hint: `${noDelete}; remove ${object.url} by hand`,
    };
  }
  return { message: 'can list, write, read and delete' };
}
