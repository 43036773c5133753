import { CrawlhouseError } from '../errors/errors.ts';
import type { ObjectStore, StoredObject } from './object-store.ts';

/** Maximum objects under one prefix. They are in memory. */
const MOST_OBJECTS = 1_000_000;

/**
 * Returns every object under a prefix exactly once, sorted by key.
 *
 * @throws CrawlhouseError `store_refused` for a listing with a repeated object, an object elsewhere, or no end
 */
export async function listObjects(
  store: ObjectStore,
  prefix: string,
  signal: AbortSignal,
): Promise<readonly StoredObject[]> {
  const objects = new Map<string, StoredObject>();
  for await (const object of store.list(prefix, signal)) {
    const problem = problemOf(object, prefix, objects);
    if (problem !== null) throw new CrawlhouseError('store_refused', `${object.url}: ${problem}`);
    objects.set(object.key, object);
  }
  return [...objects.values()].sort((a, b) => (a.key < b.key ? -1 : 1));
}

function problemOf(
  { key }: StoredObject,
  prefix: string,
  before: ReadonlyMap<string, StoredObject>,
): string | null {
  if (before.has(key)) return 'the listing shows it twice';
  if (!key.startsWith(prefix)) return `it was listed under ${prefix}`;
  return before.size === MOST_OBJECTS ? `the listing shows more than ${MOST_OBJECTS} objects` : null;
}

/** Returns the object with exactly this key; undefined if there is none. */
export async function findObject(
  store: ObjectStore,
  key: string,
  signal: AbortSignal,
): Promise<StoredObject | undefined> {
  for await (const object of store.list(key, signal)) if (object.key === key) return object;
  return undefined;
}
