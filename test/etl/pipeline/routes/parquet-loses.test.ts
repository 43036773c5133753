import { expect, test } from 'vitest';
import { parquetLoses } from '../../../../src/etl/pipeline/routes/weigh-export.ts';
import type { Field } from '../../../../src/etl/project/model/field.ts';

const field = (name: string, type = 'string', arity: Field['arity'] = 'one'): Field => ({
  name,
  type,
  arity,
});

test('Parquet represents every known type, lists, objects and nested values', () => {
  expect(parquetLoses([])).toBeNull();
  const types = [
    'string',
    'natural',
    'float',
    'bool',
    'date',
    'datetime',
    'enum',
    'hash',
    'object',
    'nested',
  ];
  expect(
    parquetLoses(types.flatMap((type) => [field(`${type}_1`, type), field(type, type, 'many')])),
  ).toBeNull();
});

test.for([
  [[field('Title'), field('url'), field('title')], `cannot have both "Title" and "title"`],
  [[field('url'), field('what', 'geometry')], 'in "what", of the unknown type "geometry"'],
] as const)('%o may lose differences: %s', ([fields, why]) => {
  expect(parquetLoses(fields)).toContain(why);
});
