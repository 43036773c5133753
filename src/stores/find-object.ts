import type { ObjectStore, StoredObject } from './object-store.ts';

/** The object of exactly this key; undefined where there is none. */
export async function findObject(
  store: ObjectStore,
  key: string,
  signal: AbortSignal,
): Promise<StoredObject | undefined> {
  for await (const object of store.list(key, signal)) if (object.key === key) return object;
  return undefined;
}
