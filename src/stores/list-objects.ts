import type { ObjectStore, StoredObject } from './object-store.ts';

/** Every object under a prefix, by key. */
export async function listObjects(
  store: ObjectStore,
  prefix: string,
  signal: AbortSignal,
): Promise<readonly StoredObject[]> {
  const objects = await Array.fromAsync(store.list(prefix, signal));
  return objects.sort((a, b) => (a.key < b.key ? -1 : 1));
}
