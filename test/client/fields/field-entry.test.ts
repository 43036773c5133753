import { expect, test } from 'vitest';
import { computed, linked, parsed, required } from '../../../src/client/fields/field-entry.ts';

test('the notation of a field decides its type and arity', () => {
  expect(parsed('string', 'The title.')).toEqual({
    notation: 'string',
    type: 'string',
    arity: 'one',
    from: 'page',
    description: 'The title.',
  });
  expect(computed('enum[]', 'The reasons.', ['a', 'b'])).toMatchObject({
    type: 'enum',
    arity: 'many',
    from: 'jobs',
    values: ['a', 'b'],
  });
  expect([required(parsed('bool', 'x')).isRequired, linked(parsed('bool', 'x')).isOfLinks]).toEqual([
    true,
    true,
  ]);
});
