import { randomUUID } from 'node:crypto';
import { type Check, look } from '../../core/duckdb/check.ts';
import { listObjects } from '../../stores/list-objects.ts';
import {
  openConfiguredStore,
  type StoreName,
  type StorePrefix,
  type StoreSettings,
} from '../../stores/registry.ts';
import { type Consequences, tryObject } from '../../stores/try-object.ts';

/** Lists, writes, reads and removes a small object where data exports go. */
export async function examineStore(
  settings: StoreSettings,
  name: StoreName,
  signal: AbortSignal,
): Promise<Check> {
  const at = { check: name, store: name, prefix: settings[name]?.prefix ?? '' };
  return await examinePrefix(settings, at, signal, {
    noWrite: 'only the service needs to write; the first export shows whether objects can be read',
    noDelete: 'keep_exports: never needs that right',
  });
}

/** Does the same where the packages of workers go. */
export async function examinePackages(
  settings: StoreSettings,
  { store, prefix }: StorePrefix,
  signal: AbortSignal,
): Promise<Check> {
  return await examinePrefix(settings, { check: 'packages', store, prefix }, signal, {
    noWrite: 'that is enough for a run; crawlhouse worker has to write',
    noDelete: 'a run has to remove packages, or a rule of the bucket does; a worker needs no more',
  });
}

async function examinePrefix(
  settings: StoreSettings,
  at: StorePrefix & { readonly check: string },
  signal: AbortSignal,
  consequences: Consequences,
): Promise<Check> {
  return await look(at.check, signal, async () => {
    await using store = await openConfiguredStore(settings, at.store);
    const key = `${at.prefix === '' ? '' : `${at.prefix}/`}crawlhouse-doctor/${randomUUID()}`;
    // The right that every export needs, and where a wrong bucket or region shows.
    await listObjects(store, key, signal);
    const rights = await tryObject(store, key, signal, consequences);
    return { ...rights, message: `${settings[at.store]?.bucket}: ${rights.message}` };
  });
}
