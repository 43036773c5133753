import { expect, test } from 'vitest';
import {
  filterFlag,
  filterOfQuery,
  pagesAddress,
  pagesCommand,
  partsOfFilter,
} from '../../../../../src/app/answers/explore/pages/page-filter.ts';

const parse = (query: string) => filterOfQuery('p q', new URLSearchParams(query));

test('the query of an address is a filter, without empty values and the parameters of the list', () => {
  expect(
    parse('crawl=c&issue=&page=2&value=x&depth=gte:4&column.page=7&title=&where= &where=a>1&columns=a,,b'),
  ).toEqual({
    project: 'p q',
    ...{ crawl: 'c', issue: undefined, change: undefined, since: undefined },
    ...{ segment: undefined, segmentation: undefined, sort: undefined },
    conditions: [
      { column: 'depth', operator: 'gte', value: '4' },
      { column: 'page', operator: 'eq', value: '7' },
    ],
    where: ['a>1'],
    columns: ['a', 'b'],
  });
  expect(parse('').columns).toEqual([]);
});

test('a filter has the same parts in an address and in a command', () => {
  const filter = parse(
    'crawl=c&sort=depth desc&depth=gte:4&depth=lt:9&column.page=eq:7&where=a > 1&columns=a,b',
  );
  const address = pagesAddress('p q', partsOfFilter(filter));
  expect(address).toBe(
    '/projects/p%20q/pages?crawl=c&sort=depth+desc&depth=gte%3A4&depth=lt%3A9&column.page=eq%3A7&where=a+%3E+1&columns=a%2Cb',
  );
  expect(parse(address.split('?')[1] ?? '')).toEqual(filter);
  expect(pagesCommand(filter)).toBe(
    "crawlhouse pages --project 'p q' --crawl c --sort 'depth desc' --filter depth=gte:4 --filter depth=lt:9 --filter page=eq:7 --where 'a > 1' --columns a --columns b",
  );
  expect(pagesAddress('p', { crawl: null, depth: ['', 'eq:1'] })).toBe('/projects/p/pages?depth=eq%3A1');
  expect(pagesAddress('p', {})).toBe('/projects/p/pages');
});

test.each([
  ['depth=gte:4', { column: 'depth', operator: 'gte', value: '4' }],
  ['depth=4', { column: 'depth', operator: 'eq', value: '4' }],
  ['title=a:b', { column: 'title', operator: 'eq', value: 'a:b' }],
  ['title=constructor:b', { column: 'title', operator: 'eq', value: 'constructor:b' }],
  ['title=eq:', { column: 'title', operator: 'eq', value: '' }],
  ['title=contains:a=b', { column: 'title', operator: 'contains', value: 'a=b' }],
])('the flag %s is a condition', (text, condition) => {
  expect(filterFlag(text)).toEqual(condition);
});

test.each(['depth', 'depth=', '=4', 'a b=4'])('the flag %j is refused', (text) => {
  expect(() => filterFlag(text)).toThrow(`--filter: ${text} is not COLUMN=OPERATOR:VALUE`);
});
