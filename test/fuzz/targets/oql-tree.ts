import fc from 'fast-check';
import { FILTER_TYPES, type Oql } from '../../../src/client/oql/oql.ts';
import { anyCharacter } from '../../support/characters.ts';

const name = fc.constantFrom(
  'url',
  'title',
  'depth',
  'status_code',
  'page_group_a b',
  '',
  'é',
  '__proto__',
  'and',
);
const text = fc.oneof(
  fc.string({ unit: anyCharacter, maxLength: 8 }),
  fc.constantFrom('2026-11-24', "it's", '!', '9007199254740993', '(a+)+$', ''),
);
const number = fc.oneof(fc.integer(), fc.constantFrom(2n ** 53n + 1n, 2n ** 64n, -0.5, 1e300));
const bound = fc.oneof(text, number);
const value = fc.oneof(bound, fc.boolean(), fc.tuple(bound, bound));
const options = fc.record({ ci: fc.boolean(), regex: fc.boolean() }, { requiredKeys: [] });
const leaf = fc.oneof(
  fc.tuple(name, fc.constantFrom(...FILTER_TYPES), value),
  fc.tuple(name, fc.constantFrom('equals', 'contains', 'startswith'), text, options),
  fc.tuple(name, fc.constant('has_value'), fc.constant('')),
);

/** Trees in the shape of OQL, of which most leaves are right. */
export const oqlTree = fc.letrec<{ node: unknown }>((tie) => ({
  node: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    leaf.map((field) => ({ field })),
    fc.array(tie('node'), { maxLength: 3 }).map((and) => ({ and })),
    fc.array(tie('node'), { maxLength: 3 }).map((or) => ({ or })),
  ),
})).node as fc.Arbitrary<Oql>;
