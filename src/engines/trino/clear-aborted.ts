import { listObjects } from '../../stores/list-objects.ts';
import type { ObjectStore } from '../../stores/object-store.ts';
import { TrinoFailure } from './trino-error.ts';

/** Whether a table could not be made because files are in its folder. */
export function isOccupied(error: unknown): boolean {
  const { cause } = error as { readonly cause?: unknown };
  return cause instanceof TrinoFailure && cause.message.includes('on a non-empty location');
}

/**
 * Removes the metadata that a CREATE TABLE left when Trino or its catalogue crashed. If the folder has any other file,
 * nothing is removed.
 *
 * @param folder of a table that is not there
 * @returns whether there was such metadata, and nothing else
 */
export async function clearAborted(
  objects: ObjectStore,
  folder: string,
  signal: AbortSignal,
): Promise<boolean> {
  const left = await listObjects(objects, `${folder}/`, signal);
  if (left.length === 0 || left.some(({ key }) => !key.startsWith(`${folder}/metadata/`))) return false;
  for (const object of left) await objects.remove(object, signal);
  return true;
}
