import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Finding } from '../duckdb/check.ts';
import { CrawlhouseError } from '../errors/errors.ts';
import { listObjects } from './list-objects.ts';
import type { ObjectStore } from './object-store.ts';

const CONTENT = 'crawlhouse doctor';

/** The consequences of missing permissions. */
export interface Consequences {
  readonly noWrite: string;
  readonly noDelete: string;
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
      message: 'can list, write and read, but not delete',
      hint: `${noDelete}; remove ${object.url} by hand`,
    };
  }
  return { message: 'can list, write, read and delete' };
}
