import { CrawlhouseError } from '../../core/errors/errors.ts';
import { stringifyJson } from '../../core/text/json.ts';

/** An item of a list that violates its contract. */
export interface BrokenItem {
  /** Its id, or its position in the list if it has none. */
  readonly id: string;
  readonly projectId: string | null;
  /** `contract_broken`: the list, the item, the field and the problem. */
  readonly error: CrawlhouseError;
}

export interface ListPage<T> {
  readonly total: number;
  readonly items: readonly T[];
  readonly broken: readonly BrokenItem[];
}

/** A whole list: its items in the service's order, and the service's total. */
export interface WholeList<T> {
  readonly items: readonly T[];
  readonly total: number;
}

/** A list with the items that violate their contract; its total includes them. */
export interface ReadList<T> extends WholeList<T> {
  readonly broken: readonly BrokenItem[];
}

interface Item {
  readonly id: string;
}

/** How many times to read a list that changes while it is read. */
const LIST_READS = 5;
/** Maximum items of a list. They are in memory, and an endless list must end. */
export const MOST_ITEMS = 1_000_000;

/** Characters of each of two records in a message. */
const SHOWN = 300;

/** One pass over a list: its items by id, and whether they add up to the service's total. */
class ListPass<T extends Item> {
  readonly items = new Map<string, T>();
  readonly broken = new Map<string, BrokenItem>();
  #total: number | undefined;
  /** Records that appear twice on one page. They count once, because a response reflects one moment. */
  #repeated = 0;

  /** Without repeated records. */
  get total(): number {
    return (this.#total ?? 0) - this.#repeated;
  }

  /** Includes broken items. */
  get size(): number {
    return this.items.size + this.broken.size;
  }

  /** Whether the total or the number of items exceeds the limit. */
  get isTooLong(): boolean {
    return Math.max(this.size, this.total) > MOST_ITEMS;
  }

  /** Adds a page; returns the inconsistency of the list so far, or null. */
  take(page: ListPage<T>): string | null {
    const before = this.#total ?? page.total;
    this.#total = page.total;
    const known = this.size;
    const onPage = new Map<string, string>();
    for (const item of page.items) {
      const [former, own] = [onPage.get(item.id), stringifyJson(item) ?? ''];
      if (former !== undefined && former !== own)
        return `the record ${item.id} appears twice, as ${former.slice(0, SHOWN)} and as ${own.slice(0, SHOWN)}`;
      if (former !== undefined) this.#repeated += 1;
      onPage.set(item.id, own);
      this.items.set(item.id, item);
    }
    for (const item of page.broken) this.broken.set(item.id, item);
    if (page.total !== before) return this.#said(`, after ${before} on the page before`);
    if (page.items.length + page.broken.length > 0 && this.size === known)
      return this.#said('; the service repeated a page');
    if (this.isTooLong) return this.#said(`; a list may have at most ${MOST_ITEMS}`);
    return this.size > this.total ? this.#said('') : null;
  }

  /** Returns the inconsistency of a list that ends here, without the first `offset` items; null if there is none. */
  end(offset = 0): string | null {
    return this.size === Math.max(this.total - offset, 0) ? null : this.#said('');
  }

  #said(more: string): string {
    return `the service counts ${this.total}${more.startsWith(',') ? more : ''}, but its pages contain ${this.size}${more.startsWith(';') ? more : ''}`;
  }
}

/**
 * Returns every item of a list exactly once, from a pass during which the list did not change.
 *
 * @throws CrawlhouseError `contract_broken` for an item that violates its contract
 */
export async function wholeList<T extends Item>(
  what: string,
  read: () => AsyncIterable<ListPage<T>>,
): Promise<WholeList<T>> {
  const { items, total, broken } = await listUntil(what, read, () => false);
  if (broken[0]) throw broken[0].error;
  return { items, total };
}

/**
 * Reads a list from its beginning until a page satisfies the caller, or to its end. Offsets shift when items are added
 * or removed meanwhile, so items are identified by id. A pass is valid only if every page reports the same total and
 * contains a new item. A complete pass must also contain as many items as the total. An invalid pass is repeated.
 *
 * @param what the list in messages, such as `GET /workspaces`
 * @throws CrawlhouseError `cut_short` if the list changed during every pass
 */
export async function listUntil<T extends Item>(
  what: string,
  read: () => AsyncIterable<ListPage<T>>,
  isEnough: (page: readonly T[]) => boolean,
): Promise<ReadList<T>> {
  let problem: string | null = null;
  for (let reads = 0; reads < LIST_READS; reads++) {
    const pass = new ListPass<T>();
    let isCut = false;
    for await (const page of read()) {
      problem = pass.take(page);
      isCut = problem === null && isEnough(page.items);
      if (isCut || problem !== null) break;
    }
    problem ??= isCut ? null : pass.end();
    if (problem === null)
      return { items: [...pass.items.values()], total: pass.total, broken: [...pass.broken.values()] };
    if (pass.isTooLong) break;
  }
  throw doesNotAddUp(what, problem);
}

/**
 * Yields each item of a list once, and checks the number of items at the end.
 *
 * @param offset items at the beginning that were skipped
 * @throws CrawlhouseError `cut_short` if the list does not add up to the service's total
 */
export async function* eachItem<T extends Item>(
  what: string,
  pages: AsyncIterable<ListPage<T>>,
  offset = 0,
): AsyncGenerator<T> {
  const pass = new ListPass<T>();
  for await (const page of pages) {
    const once = new Map(page.items.map((item) => [item.id, item])).values();
    const fresh = [...once].filter((item) => !pass.items.has(item.id));
    const problem = pass.take(page);
    if (page.broken[0]) throw page.broken[0].error;
    if (problem !== null) throw doesNotAddUp(what, problem);
    yield* fresh;
  }
  const problem = pass.end(offset);
  if (problem !== null) throw doesNotAddUp(what, problem);
}

function doesNotAddUp(what: string, problem: string | null): CrawlhouseError {
  return new CrawlhouseError('cut_short', `${what} does not add up: ${problem}`, {
    hint: 'the list may be changing too fast; the next run tries again',
  });
}
