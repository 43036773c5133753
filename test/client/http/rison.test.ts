import fc from 'fast-check';
import { expect, onTestFinished, test, vi } from 'vitest';
import { decodeRison, encodeRison } from '../../../src/client/http/rison.ts';
import { FILTER_TYPES, type Oql } from '../../../src/client/oql/oql.ts';
import { anyCharacter } from '../../support/characters.ts';

const anyText = fc.string({ unit: anyCharacter });
const riddled = fc.string({
  unit: fc.constantFrom(' ', "'", '!', '(', ')', ',', ':', '+', '%', '&', '-', '0', 'é', '🕷'),
});
const text = fc.oneof(anyText, riddled);
/** A number as its digits stand for it: 0 for -0, and whole ones beyond 2^53 are `bigint`. */
function asWritten(number: number): number | bigint {
  if (Object.is(number, -0)) return 0;
  return /^-?\d+$/.test(String(number)) && !Number.isSafeInteger(number) ? BigInt(String(number)) : number;
}
const scalar = fc.oneof(
  text,
  fc.integer(),
  fc.double({ noNaN: true, noDefaultInfinity: true }).map(asWritten),
  fc.boolean(),
  fc.constant(null),
);
const { value } = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 4, withCrossShrink: true },
    scalar,
    fc.array(tie('value'), { maxLength: 4 }),
    fc.dictionary(text, tie('value'), { maxKeys: 4, noNullPrototype: true }),
  ),
}));

function roundTrip(item: unknown): unknown {
  return decodeRison(decodeURIComponent(encodeRison(item)));
}

test('any value survives a round trip through a query string', () => {
  fc.assert(
    fc.property(value, (item) => {
      expect(roundTrip(item)).toEqual(item);
    }),
    { numRuns: 500 },
  );
});

test('an encoded value contains no separator of query strings', () => {
  fc.assert(
    fc.property(value, (item) => {
      expect(encodeRison(item)).toMatch(/^[A-Za-z0-9\-_.!~*'()%]*$/);
      expect(new URLSearchParams(`filters=${encodeRison(item)}`).get('filters')).toBe(
        decodeURIComponent(encodeRison(item)),
      );
    }),
  );
});

test('OQL with spaces, quotes and other alphabets survives a round trip', () => {
  const filter: Oql = {
    and: [
      { field: ['title', 'contains', "it's a  two space! (title)", { ci: true }] },
      {
        or: [
          { field: ['url', 'equals', 'https://x/?a=1&b=ü 汉字'] },
          { field: ['depth', 'between', [1, 3]] },
        ],
      },
    ],
  };
  expect(roundTrip(filter)).toEqual(filter);
  expect(FILTER_TYPES.map((type) => roundTrip({ field: ['f', type, ''] }))).toHaveLength(12);
});

test('integers beyond the JavaScript range keep their digits', () => {
  expect(decodeURIComponent(encodeRison({ field: ['n', 'equals', 2n ** 63n] }))).toBe(
    '(field:!(n,equals,9223372036854775808))',
  );
});

test.for(['', '(', '(a:1', "(a:'x)", '!(1,2', '(a:--1)', '(a:1))', '!x', '(a)', '(a:1)(b:2)', '!(--1)', ' '])(
  'invalid rison is refused without output on stdout: %j',
  (broken) => {
    const printed = [
      vi.spyOn(console, 'log').mockReturnValue(undefined),
      vi.spyOn(console, 'error').mockReturnValue(undefined),
    ];
    onTestFinished(() => void vi.restoreAllMocks());
    expect(() => decodeRison(broken)).toThrow('not rison');
    for (const spy of printed) expect(spy).not.toHaveBeenCalled();
  },
);

test.each(['(', '!(!(', '(field:', ''])('truncated %j is reported as such', (text) => {
  expect(() => decodeRison(text)).toThrow(`not rison (it breaks off): ${text}`);
});

test.each([
  ['!(*,a)', '"*" is not expected at character 3'],
  ['(a:1$)', '"$" is not expected at character 5'],
  ['(404:a)', '"4" is not expected at character 2'],
  ['(a:01)', '"1" is not expected at character 5'],
  ['!(1e999)', '1e999 is too large for a number'],
])('%j is refused with its position, although the library would misread it', (text, problem) => {
  expect(() => decodeRison(text)).toThrow(`not rison (${problem}): ${text}`);
});

test('deeply nested text is refused, without a stack overflow', () => {
  expect(() => decodeRison('!('.repeat(100_000))).toThrow('not rison (more than 500 levels): !(!(');
});

test('integers beyond 2^53 and the key __proto__ are decoded unchanged', () => {
  expect(decodeRison('!(9007199254740993,-18446744073709551616,9007199254740991)')).toEqual([
    9007199254740993n,
    -18446744073709551616n,
    9007199254740991,
  ]);
  expect(Object.entries(decodeRison('(__proto__:1,a:2)') as object)).toEqual([
    ['__proto__', 1],
    ['a', 2],
  ]);
});
