import { isAbsolute, relative } from 'node:path';

/** A path as people of a folder name it: by its way from there where it lies below. Other names stay as they are. */
export function shownPath(folder: string, path: string): string {
  const way = relative(folder, path);
  return isAbsolute(path) && way !== '' && !way.startsWith('..') && !isAbsolute(way) ? way : path;
}
