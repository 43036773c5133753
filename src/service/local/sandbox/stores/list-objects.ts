import type { IndexedObject } from './object-index.ts';

export interface ListWindow {
  readonly prefix: string;
  /** Keys are gathered up to it, where it comes after the prefix; empty: none are. */
  readonly delimiter: string;
  readonly limit: number;
  /** The last key or common prefix of the page before. */
  readonly after: string;
}

export interface ObjectPage {
  readonly objects: readonly IndexedObject[];
  readonly prefixes: readonly string[];
  /** The last key before the next page; nothing on the last page. */
  readonly next: string | undefined;
}

/** A page of objects, which come in the order of their keys, and of the common prefixes that a delimiter makes. */
export function listObjects(objects: Iterable<IndexedObject>, window: ListWindow): ObjectPage {
  const found: IndexedObject[] = [];
  const prefixes: string[] = [];
  let last = window.after;
  if (window.limit === 0) return { objects: [], prefixes: [], next: undefined };
  for (const object of objects) {
    const common = commonPrefix(object.key, window);
    // All of a common prefix counts once, also when the page before has told it.
    if (common !== undefined && (prefixes.at(-1) === common || window.after === common)) continue;
    if (found.length + prefixes.length >= window.limit) return { objects: found, prefixes, next: last };
    if (common === undefined) found.push(object);
    else prefixes.push(common);
    last = common ?? object.key;
  }
  return { objects: found, prefixes, next: undefined };
}

function commonPrefix(key: string, { prefix, delimiter }: ListWindow): string | undefined {
  const at = delimiter === '' ? -1 : key.indexOf(delimiter, prefix.length);
  return at < 0 ? undefined : key.slice(0, at + delimiter.length);
}
