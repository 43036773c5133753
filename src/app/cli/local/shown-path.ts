import { isAbsolute, relative } from 'node:path';

/** Returns a path within a folder relative to that folder; other paths are unchanged. */
export function shownPath(folder: string, path: string): string {
  const way = relative(folder, path);
  return isAbsolute(path) && way !== '' && !way.startsWith('..') && !isAbsolute(way) ? way : path;
}
