import { CrawlhouseError } from '../core/errors.ts';

/** One page of a list as it came. */
export interface ListPage<T> {
  readonly total: number;
  readonly items: readonly T[];
}

/** A whole list: its items in the service's order, and the service's own total. */
export interface WholeList<T> {
  readonly items: readonly T[];
  readonly total: number;
}

interface Item {
  readonly id: string;
}

/** How often a list that changes while it is read is read again. */
const LIST_READS = 5;

/** Every item of a list, each once, by a pass during which the list stood still. */
export function wholeList<T extends Item>(
  name: string,
  read: () => AsyncIterable<ListPage<T>>,
): Promise<WholeList<T>> {
  return listUntil(name, read, () => false);
}

/**
 * Reads a list from its beginning to the first page that is enough, or to its end. Offsets shift when items come or go
 * meanwhile, so items are known by id, and a pass counts only if every page gave the same total and, where it went to
 * the end, as many items came; any other is made again.
 *
 * @throws CrawlhouseError `cut_short` when no pass was still
 */
export async function listUntil<T extends Item>(
  name: string,
  read: () => AsyncIterable<ListPage<T>>,
  isEnough: (page: readonly T[]) => boolean,
): Promise<WholeList<T>> {
  let total = 0;
  let found = new Map<string, T>();
  for (let reads = 0; reads < LIST_READS; reads++) {
    found = new Map();
    const totals = new Set<number>();
    let isCut = false;
    for await (const page of read()) {
      total = page.total;
      totals.add(total);
      for (const item of page.items) found.set(item.id, item);
      isCut = isEnough(page.items);
      if (isCut) break;
    }
    if (totals.size <= 1 && (isCut || found.size === total)) return { items: [...found.values()], total };
  }
  throw new CrawlhouseError(
    'cut_short',
    `the list of ${name} does not add up: the service counts ${total}, its pages hold ${found.size}`,
    { hint: 'it may be changing too fast; the next run tries again' },
  );
}
