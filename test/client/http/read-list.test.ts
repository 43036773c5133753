import { expect, test } from 'vitest';
import {
  eachItem,
  type ListPage,
  listUntil,
  MOST_ITEMS,
  wholeList,
} from '../../../src/client/http/read-list.ts';
import { CrawlhouseError } from '../../../src/core/errors/errors.ts';

interface Item {
  readonly id: string;
}

/** Pages of `size` new items each, without an end, of a list that counts `total` then. */
function* endless(size: number, total: (page: number) => number): Generator<ListPage<Item>> {
  for (let page = 0; ; page++) {
    const items = Array.from({ length: size }, (_none, index) => ({ id: `${page * size + index}` }));
    yield { total: total(page), items, broken: [] };
  }
}

async function* asAsync<T>(values: Iterable<T>): AsyncGenerator<T> {
  yield* values;
}

test('a list whose total grows with each page ends in an error with both totals', async () => {
  const read = () => asAsync(endless(2, (page) => 10 + page));
  const message =
    'L does not add up: the service counts 11, after 10 on the page before, but its pages contain 4';
  await expect(wholeList('L', read)).rejects.toMatchObject({ code: 'cut_short', message });
  await expect(Array.fromAsync(eachItem('L', read()))).rejects.toMatchObject({ message });
});

test('a list whose total exceeds the maximum ends at its first page', async () => {
  const pages: number[] = [];
  const read = () =>
    asAsync(
      endless(200_000, (page) => {
        pages.push(page);
        return 1e12;
      }),
    );
  await expect(wholeList('L', read)).rejects.toMatchObject({
    code: 'cut_short',
    message: `L does not add up: the service counts 1000000000000, but its pages contain 200000; a list may have at most ${MOST_ITEMS}`,
  });
  expect(pages).toHaveLength(1);
});

test('a list with more items than its total is refused', async () => {
  const pages: readonly ListPage<Item>[] = [{ total: 1, items: [{ id: 'a' }, { id: 'b' }], broken: [] }];
  await expect(wholeList('L', () => asAsync(pages))).rejects.toMatchObject({
    message: 'L does not add up: the service counts 1, but its pages contain 2',
  });
});

test('items from an offset add up to the rest, and none are expected after the end', async () => {
  const items = [{ id: 'c' }, { id: 'd' }];
  const from = (offset: number, page: readonly Item[]) =>
    Array.fromAsync(eachItem('L', asAsync([{ total: 4, items: page, broken: [] }]), offset));
  expect(await from(2, items)).toEqual(items);
  expect(await from(9, [])).toEqual([]);
  await expect(from(1, items)).rejects.toMatchObject({ code: 'cut_short' });
});

test('an invalid item counts, and is returned separately', async () => {
  const error = new CrawlhouseError('contract_broken', 'L: b is outside its contract');
  const broken = { id: 'b', projectId: null, error };
  const pages: readonly ListPage<Item>[] = [{ total: 2, items: [{ id: 'a' }], broken: [broken] }];
  const read = () => asAsync(pages);
  const never = () => false;
  expect(await listUntil('L', read, never)).toEqual({ items: [{ id: 'a' }], total: 2, broken: [broken] });
  await expect(wholeList('L', read)).rejects.toBe(error);
  await expect(Array.fromAsync(eachItem('L', read()))).rejects.toBe(error);
});

test('a record that appears twice on a page counts once if identical, else both are named', async () => {
  const page = (...items: readonly object[]) => [{ total: items.length, items: items as Item[], broken: [] }];
  const twice = page({ id: 'a', name: 'A' }, { id: 'b', name: 'B' }, { id: 'a', name: 'A' });
  const expected = [
    { id: 'a', name: 'A' },
    { id: 'b', name: 'B' },
  ];
  expect(await wholeList('L', () => asAsync(twice))).toEqual({ items: expected, total: 2 });
  expect(await Array.fromAsync(eachItem('L', asAsync(twice)))).toEqual(expected);
  const different = page({ id: 'a', name: 'A' }, { id: 'a', name: 'B' });
  const message =
    'L does not add up: the record a appears twice, as {"id":"a","name":"A"} and as {"id":"a","name":"B"}';
  await expect(wholeList('L', () => asAsync(different))).rejects.toMatchObject({
    code: 'cut_short',
    message,
  });
  await expect(Array.fromAsync(eachItem('L', asAsync(different)))).rejects.toMatchObject({ message });
  // Another page is of another moment: a record there may have taken the place of one that nobody has read.
  const apart = [
    { total: 3, items: [{ id: 'a' }, { id: 'b' }], broken: [] },
    { total: 3, items: [{ id: 'b' }], broken: [] },
  ];
  await expect(wholeList('L', () => asAsync(apart))).rejects.toMatchObject({ code: 'cut_short' });
});
