import { statSync } from 'node:fs';

/** Returns a text that changes with each publication; empty if nothing is published. */
export function publicationStamp(path: string): string {
  const found = statSync(path, { throwIfNoEntry: false });
  return found === undefined ? '' : `${found.ino} ${found.mtimeMs} ${found.size}`;
}
