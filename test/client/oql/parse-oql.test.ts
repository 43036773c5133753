import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { Oql } from '../../../src/client/oql/oql.ts';
import { OqlError, parseOql } from '../../../src/client/oql/parse-oql.ts';
import { printOql } from '../../../src/client/oql/print-oql.ts';

function problemOf(tree: unknown, root?: string): OqlError {
  try {
    parseOql(tree, root === undefined ? {} : { root });
  } catch (error) {
    if (error instanceof OqlError) return error;
    throw error;
  }
  throw new Error(`${JSON.stringify(tree)} was taken`);
}

describe('invalid OQL is refused with its path, its field and the allowed values', () => {
  test.each<[unknown, string, string | undefined, RegExp]>([
    [null, 'oql', undefined, /an object with one of the keys field, and, or/],
    [{}, 'oql', undefined, /exactly one of the keys field, and, or, not none/],
    [{ and: [], or: [] }, 'oql', undefined, /not and, or/],
    [{ and: { field: ['a', 'equals', 'b'] } }, 'oql.and', undefined, /an array of nodes/],
    [{ and: [{ or: [7] }] }, 'oql.and[0].or[0]', undefined, /an object/],
    [{ field: ['a', 'equals'] }, 'oql.field', 'a', /\[field_name, filter_type, filter_value\]/],
    [{ field: [404, 'equals', 404] }, 'oql.field[0]', undefined, /a string, not 404/],
    [
      { and: [{ field: ['a', 'like', 'b'] }] },
      'oql.and[0].field[1]',
      'a',
      /"like" on a is none of .*between/,
    ],
    [{ field: ['a', 'between', [1]] }, 'oql.field[2]', 'a', /between on a takes an array of two values/],
    [{ field: ['a', 'between', [1, true]] }, 'oql.field[2]', 'a', /two values/],
    [{ field: ['a', 'has_no_value', 'x'] }, 'oql.field[2]', 'a', /takes an empty string/],
    [{ field: ['a', 'contains', 5] }, 'oql.field[2]', 'a', /takes a string/],
    [{ field: ['a', 'gt', true] }, 'oql.field[2]', 'a', /a number or a date/],
    [{ field: ['a', 'equals', null] }, 'oql.field[2]', 'a', /a string, a number or a boolean/],
    [{ field: ['a', 'gt', 1, { ci: true }] }, 'oql.field[3]', 'a', /takes no options; equals, contains/],
    [{ field: ['a', 'equals', 'b', { ci: 1 }] }, 'oql.field[3]', 'a', /the booleans ci and regex/],
  ])('%j', (tree, path, field, message) => {
    const problem = problemOf(tree);
    expect(problem.path).toBe(path);
    expect(problem.field).toBe(field);
    expect(problem.message).toMatch(message);
    expect(problem.message).toMatch(new RegExp(`^${path.replace(/[[\].]/g, '\\$&')}: `));
  });

  test('a path starts with the parent of the tree', () => {
    expect(problemOf({ or: [{}] }, 'filter').path).toBe('filter.or[0]');
  });

  test('a long name does not make the message long', () => {
    const { message, detail, field } = problemOf({ field: ['a'.repeat(30_000), 'like', 'b'] });
    expect(message).toBe(`oql.field[1]: ${detail}`);
    expect(detail).toMatch(/^"like" on a+…a+ is none of .*between$/);
    expect(detail).toHaveLength(1001);
    expect(field).toHaveLength(30_000);
  });

  test('a tree that is too deep or too large is refused, without a stack overflow', () => {
    let deep: unknown = { and: [] };
    for (let level = 0; level < 100_000; level++) deep = { or: [deep] };
    expect(problemOf(deep).problem).toBe('too_deep');
    expect(problemOf({ and: Array.from({ length: 2000 }, () => ({ and: [] })) }).problem).toBe('too_large');
  });
});

const name = fc.constantFrom('a', 'b c', 'and', '"', 'a has no value', 'A.b', '', 'é', '日');
const text = fc.constantFrom('', 'a', '1', 'true', '" or a = "', 'a (ignoring case)', '\n');
const bound = fc.oneof(text, fc.constantFrom(0, 1, -1.5, 2n ** 64n));
const scalar = fc.oneof(bound, fc.boolean());
const options = fc.record({ ci: fc.boolean(), regex: fc.boolean() }, { requiredKeys: [] });
const leaf = fc.oneof(
  fc.tuple(name, fc.constant('has_value'), fc.constant('')),
  fc.tuple(name, fc.constant('has_no_value'), fc.constant('')),
  fc.tuple(name, fc.constantFrom('equals', 'not_equals'), scalar),
  fc.tuple(name, fc.constant('equals'), text, options),
  fc.tuple(name, fc.constantFrom('contains', 'startswith', 'endswith'), text),
  fc.tuple(name, fc.constantFrom('contains', 'startswith', 'endswith'), text, options),
  fc.tuple(name, fc.constantFrom('gt', 'gte', 'lt', 'lte'), bound),
  fc.tuple(name, fc.constant('between'), fc.tuple(bound, bound)),
);
const tree = fc.letrec<{ node: unknown }>((tie) => ({
  node: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    leaf.map((field) => ({ field })),
    fc.array(tie('node'), { maxLength: 3 }).map((and) => ({ and })),
    fc.array(tie('node'), { maxLength: 3 }).map((or) => ({ or })),
  ),
})).node as fc.Arbitrary<Oql>;

test('every OQL tree survives a round trip', () => {
  fc.assert(
    fc.property(tree, (oql) => {
      expect(parseOql(oql)).toEqual(oql);
    }),
  );
});

test('the parser accepts exactly what the contract schema accepts', () => {
  const anything = fc.anything({ maxDepth: 2, withBigInt: true });
  const nearly = fc
    .tuple(
      fc.oneof(name, anything),
      fc.oneof(
        leaf.map((one) => one[1]),
        anything,
      ),
      fc.oneof(scalar, anything),
      fc.oneof(options, anything),
    )
    .chain((four) => fc.constantFrom(four, four.slice(0, 3), four.slice(0, 2)))
    .map((field) => ({ and: [{ field }] }));
  const taken = (value: unknown): boolean => {
    try {
      parseOql(value);
      return true;
    } catch (error) {
      if (error instanceof OqlError) return false;
      throw error;
    }
  };
  fc.assert(
    fc.property(fc.oneof(tree, nearly, anything), (value) => {
      expect(taken(value)).toBe(Oql.safeParse(value).success);
    }),
    { numRuns: 1000 },
  );
});

test.each<[Oql, string]>([
  [
    {
      and: [
        { field: ['status_code', 'gte', 400] },
        {
          or: [{ field: ['url', 'contains', '/a', { ci: true }] }, { field: ['title', 'has_no_value', ''] }],
        },
      ],
    },
    'status_code >= 400 and (url contains "/a" (ignoring case) or title has no value)',
  ],
  [{ field: ['depth', 'between', [1, 4]] }, 'depth in [1, 4)'],
  [{ field: ['page_group_casino main', 'not_equals', 'x'] }, '"page_group_casino main" != "x"'],
  [{ field: ['url', 'equals', 'a.*', { regex: true }] }, 'url matches "a.*"'],
  [
    { field: ['url', 'endswith', 'A', { regex: true, ci: true }] },
    'url ends with a match of "A" (ignoring case)',
  ],
  [{ field: ['simhash', 'lt', 2n ** 64n] }, 'simhash < 18446744073709551616'],
  [{ field: ['indexable', 'equals', true] }, 'indexable = true'],
  [{ field: ['indexable', 'equals', 'true'] }, 'indexable = "true"'],
  [{ field: ['title', 'has_value', ''] }, 'title has a value'],
  [{ and: [] }, 'everything'],
  [{ or: [] }, 'nothing'],
  [{ or: [{ and: [{ field: ['a', 'gt', 1] }] }] }, 'a > 1'],
])('%o reads as text', (oql, said) => {
  expect(printOql(oql)).toBe(said);
});

/** A tree without what makes no difference: compounds of one, options that are off. */
function plain(oql: Oql): unknown {
  if ('field' in oql) {
    const [field, filter, value, { ci = false, regex = false } = {}] = oql.field;
    return [field, filter, value, ci, regex];
  }
  const [word, children] = 'and' in oql ? (['and', oql.and] as const) : (['or', oql.or] as const);
  const [only] = children;
  return children.length === 1 && only ? plain(only) : [word, ...children.map(plain)];
}

test('trees that differ in meaning read differently', () => {
  const seen = new Map<string, unknown>();
  fc.assert(
    fc.property(tree, (oql) => {
      const said = printOql(oql);
      const known = seen.get(said);
      seen.set(said, plain(oql));
      if (known !== undefined) expect(plain(oql)).toEqual(known);
    }),
    { numRuns: 5000 },
  );
  expect(seen.size).toBeGreaterThan(500);
});
