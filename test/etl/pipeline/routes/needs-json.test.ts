import { expect, test } from 'vitest';
import { FIELD_TYPES } from '../../../../src/client/resources/fields.ts';
import { needsJson } from '../../../../src/etl/pipeline/routes/choose-format.ts';
import type { Field } from '../../../../src/etl/project/model/field.ts';

function field(name: string, type = 'string', arity: Field['arity'] = 'one'): Field {
  return { name, type, arity };
}

test('CSV represents fields of every specified type except objects', () => {
  const types = FIELD_TYPES.filter((type) => type !== 'object');
  expect(needsJson(types.map((type) => field(`of ${type}; "so"`, type)))).toBeNull();
});

test.for([
  ['a list', field('h2', 'string', 'many')],
  ['an object', field('extra', 'object')],
  ['an unknown type', field('new', 'nested')],
  ['a type with the name of a property', field('new', 'constructor')],
  ['a name that looks like a page', field(' <b>')],
  ['a name that looks like an error', field('{"type":"error"}')],
  ['a name with a line break', field('a\nb')],
  ['a name with a byte order mark', field('\ufeffurl')],
] as const)('%s needs JSON, and the reason names it', ([, lost]) => {
  expect(needsJson([field('url'), field('title'), lost])).toBe(
    `CSV loses differences in 1 of 3 fields (${JSON.stringify(lost.name)})`,
  );
});

test('with many fields, the reason names two', () => {
  const lists = ['a', 'b', 'c', 'd'].map((name) => field(name, 'string', 'many'));
  expect(needsJson([field('url'), ...lists])).toBe(
    'CSV loses differences in 4 of 5 fields ("a", "b", and 2 more)',
  );
});

test('a single field needs JSON, because its null would be a blank line', () => {
  expect(needsJson([field('anchor')])).toBe('CSV with one field has no row for null');
});
