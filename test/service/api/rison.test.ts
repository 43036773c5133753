import fc from 'fast-check';
import { expect, onTestFinished, test, vi } from 'vitest';
import { FILTER_TYPES, type Oql } from '../../../src/service/api/oql.ts';
import { decodeRison, encodeRison } from '../../../src/service/api/rison.ts';
import { anyCharacter } from '../../support/characters.ts';

const anyText = fc.string({ unit: anyCharacter });
const riddled = fc.string({
  unit: fc.constantFrom(' ', "'", '!', '(', ')', ',', ':', '+', '%', '&', '-', '0', 'é', '🕷'),
});
const text = fc.oneof(anyText, riddled);
const scalar = fc.oneof(
  text,
  fc.integer(),
  fc.double({ noNaN: true, noDefaultInfinity: true }).map((number) => (Object.is(number, -0) ? 0 : number)),
  fc.boolean(),
  fc.constant(null),
);
const { value } = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 4, withCrossShrink: true },
    scalar,
    fc.array(tie('value'), { maxLength: 4 }),
    fc.dictionary(
      text.filter((key) => key !== '__proto__'),
      tie('value'),
      { maxKeys: 4, noNullPrototype: true },
    ),
  ),
}));

function roundTrip(item: unknown): unknown {
  return decodeRison(decodeURIComponent(encodeRison(item)));
}

test('any value comes back equal through a query string', () => {
  fc.assert(
    fc.property(value, (item) => {
      expect(roundTrip(item)).toEqual(item);
    }),
    { numRuns: 500 },
  );
});

test('an encoded value has no character that a query string takes apart', () => {
  fc.assert(
    fc.property(value, (item) => {
      expect(encodeRison(item)).toMatch(/^[A-Za-z0-9\-_.!~*'()%]*$/);
      expect(new URLSearchParams(`filters=${encodeRison(item)}`).get('filters')).toBe(
        decodeURIComponent(encodeRison(item)),
      );
    }),
  );
});

test('OQL with spaces, quotes and other alphabets comes back equal', () => {
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

test('a whole number beyond what JavaScript numbers hold keeps its digits', () => {
  expect(decodeURIComponent(encodeRison({ field: ['n', 'equals', 2n ** 63n] }))).toBe(
    '(field:!(n,equals,9223372036854775808))',
  );
});

test.for(['', '(', '(a:1', "(a:'x)", '!(1,2', '(a:--1)', '(a:1))', '!x', '(a)', '(a:1)(b:2)', '!(--1)', ' '])(
  'text that is not rison is refused without a word on stdout: %j',
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

test.each(['(', '(((', '(field:', ''])('%j, which breaks off, is told so', (text) => {
  expect(() => decodeRison(text)).toThrow(`not rison (it breaks off, or is nested too deeply): ${text}`);
});
