import { expect, test } from 'vitest';
import type { FieldRecord } from '../../../../src/client/resources/fields.ts';
import { declaredFields, projectedFields } from '../../../../src/etl/pipeline/routes/describe-rows.ts';
import { includedKeys } from '../../../../src/etl/project/model/included-keys.ts';

function records(...names: readonly string[]): FieldRecord[] {
  return names.map((name) => ({ name, type: 'string', arity: 'one', can_display: true }));
}

function chosen(names: readonly string[], include: string[], exclude: string[] = []): string[] {
  return projectedFields(records(...names), { include, exclude }).map((field) => field.name);
}

test('every displayable field is requested by name, in the order of the service', () => {
  const catalog: FieldRecord[] = [
    { name: 'url', type: 'string', arity: 'one', can_display: true },
    { name: 'hidden', type: 'string', arity: 'one', can_display: false },
    { name: 'silent', type: 'natural', arity: 'many' },
    { name: 'odd', type: 'nested', arity: 'several', can_display: null },
  ];
  expect(projectedFields(catalog, { include: ['*'], exclude: [] })).toEqual([
    { name: 'url', type: 'string', arity: 'one' },
    { name: 'silent', type: 'natural', arity: 'many' },
    { name: 'odd', type: 'nested', arity: 'one' },
  ]);
});

test('names are included and excluded literally, with * for any characters', () => {
  const names = ['url', 'title', 'title_length', 'ngrams', 'a.b', 'aXb', 'page_group_x y'];
  expect(chosen(names, ['*'], ['ngrams', 'title*'])).toEqual(['url', 'a.b', 'aXb', 'page_group_x y']);
  expect(chosen(names, ['a.b'])).toEqual(['a.b']);
  expect(chosen(names, ['page_group_*', 'url'])).toEqual(['url', 'page_group_x y']);
  expect(chosen(names, ['*_l*'])).toEqual(['title_length']);
  expect(chosen(names, ['URL'])).toEqual([]);
  expect(chosen(names, ['*'], ['*'])).toEqual([]);
});

test('a pattern is not a regular expression', () => {
  const names = ['a+b', 'aab', '(x)', 'x', '$', '^', '\\d', '5'];
  for (const name of names) expect(chosen(names, [name])).toEqual([name]);
});

test('declared columns are fields, of arity one by default', () => {
  expect(declaredFields({ id: 'string', tags: { type: 'hash', arity: 'many' } })).toEqual([
    { name: 'id', type: 'string', arity: 'one' },
    { name: 'tags', type: 'hash', arity: 'many' },
  ]);
});

test('a record of a list keeps the keys that the pipeline includes, declared or not', () => {
  const record = { id: 'a', name: null, last_seen: 3, more: { id: 1 } };
  expect(includedKeys(record, { include: ['*'], exclude: ['last_*'] })).toEqual({
    id: 'a',
    name: null,
    more: { id: 1 },
  });
  expect(includedKeys(record, { include: ['id'], exclude: [] })).toEqual({ id: 'a' });
});
