import { expect, test } from 'vitest';
import {
  baseColumn,
  folderName,
  nameColumns,
  variantColumn,
  variantOf,
} from '../../../../src/etl/project/model/column-name.ts';
import { WIDE_WHOLE } from '../../../../src/etl/project/model/field.ts';

const anything = (): boolean => true;

test('a field keeps its name; of fields that differ in case, the lowercase one does', () => {
  expect([...nameColumns(['URL', 'title', 'url'], anything)]).toEqual([
    ['title', 'title'],
    ['url', 'url'],
    ['URL', 'URL~e7a241'],
  ]);
});

test('a mark grows while its names are in use, and ends with the digest', () => {
  const free = (...taken: string[]) =>
    nameColumns(['a'], (name, field) => field === 'a' && !taken.includes(name));
  expect(free().get('a')).toBe('a');
  expect(free('a').get('a')).toBe('a~ca9781');
  expect(free('a', 'a~ca9781').get('a')).toBe('a~ca978112ca1b');
  expect(nameColumns(['a'], anything, (field) => field === 'a').get('a')).toBe('a~ca9781');
  const lengths: number[] = [];
  const none = (name: string) => lengths.push(name.length) < 0;
  expect(() => nameColumns(['a'], none)).toThrow('no name is left for the column of "a"');
  expect(lengths).toEqual([1, ...Array.from({ length: 10 }, (_, index) => 8 + 6 * index)]);
});

test.for([
  ['BIGINT', 'a__v_bigint'],
  [WIDE_WHOLE, 'a__v_decimal'],
  ['VARCHAR[]', 'a__v_text_list'],
  ['TIMESTAMP WITH TIME ZONE', 'a__v_timestamp'],
] as const)('values of %s have the variant %s', ([type, name]) => {
  expect(variantColumn('a', type, anything)).toBe(name);
  expect(variantColumn('a', type, (one) => one !== name)).toMatch(new RegExp(`^${name}~[0-9a-f]{6}$`));
  expect(variantOf(name)).toBe('a');
});

test('a type without a word, and a column without a free name, have no variant', () => {
  expect(() => variantColumn('a', 'BLOB', anything)).toThrow('a has no variant for BLOB');
  expect(() => variantColumn('a', 'DATE', () => false)).toThrow('a has no variant for DATE');
});

test.for([
  ['a', 'a', 'a'],
  ['a', 'a__v_text', 'a'],
  ['A', 'A~559aea', 'A~559aea'],
  ['A', 'A~559aea__v_date_list~123abc', 'A~559aea'],
  ['a', 'b__v_text', 'b__v_text'],
  ['a__v_text', 'a__v_text', 'a__v_text'],
] as const)('the values of %s in %s have the base column %s', ([field, column, base]) => {
  expect(baseColumn(field, column)).toBe(base);
});

test('a folder has a legible name of its own', () => {
  expect(folderName('crawl_pages/a b')).toMatch(/^crawl_pages_a_b-[0-9a-f]{8}$/);
  expect(folderName('a/b')).not.toBe(folderName('a_b'));
  expect(folderName('x'.repeat(500))).toHaveLength(129);
});
