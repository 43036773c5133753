import fc from 'fast-check';
import { text } from '../../src/core/duckdb/duckdb.ts';

const LITERALS = [
  'a',
  'b',
  'A',
  'k',
  's',
  'i',
  'ß',
  'ẞ',
  'ı',
  'İ',
  'é',
  'σ',
  'ſ',
  'ss',
  'fi',
  'ﬁ',
  '5',
  '_',
  '-',
  '/',
  '{',
  '}',
  ']',
  ' ',
  '#',
  '😀',
  '\\.',
  '\\$',
  '\\^',
  '\\/',
  '\\-',
  '\\x{df}',
  '\\x{131}',
  '\\t',
  '\\n',
  '\\v',
  '\\[',
  '\\\\',
];
const CLASSES = [
  '.',
  '\\d',
  '\\w',
  '\\s',
  '\\D',
  '\\W',
  '\\S',
  '\\b',
  '\\p{L}',
  '\\p{Lu}',
  '\\P{L}',
  '[a-z]',
  '[^a-z]',
  '[ß-ÿ]',

  '[\\s]',
  '[\\W]',
  '[^\\S]',
  '[\\d_]',
  '[a\\-z]',
  '[-a]',
  '[a-]',
  '[]a]',
  '[^]a]',
  '[\\x{e9}-\\x{17f}]',
  '[k-s]',
  '[^ß]',
  '[&a]',
];
/** Pieces that RE2 or Joni do not have, or read otherwise. */
const FOREIGN = [
  '(?=a)',
  '(?<x>a)',
  '\\Z',
  '[[:alpha:]]',
  '[a&&b]',
  '\\1',
  'a^',
  '$a',
  'a**',
  '\\C',
  '\\h',
  '(?s).',
  '\\xe9',
  'a{2,1}',
];

const piece: fc.Arbitrary<string> = fc.oneof(
  { weight: 6, arbitrary: fc.constantFrom(...LITERALS) },
  { weight: 5, arbitrary: fc.constantFrom(...CLASSES) },
);
const repeated = fc
  .tuple(piece, fc.constantFrom('', '', '', '*', '+', '?', '{2}', '{1,2}', '{0,}', '*?', '+?', '??'))
  .map(([one, count]) => (count === '' || !/^\\[bB]$/.test(one) ? one + count : one));
const sequence = fc
  .tuple(fc.constantFrom('', '', '^'), fc.array(repeated, { maxLength: 4 }), fc.constantFrom('', '', '$'))
  .map(([start, pieces, end]) => start + pieces.join('') + end);
const group = fc
  .tuple(
    fc.constantFrom('(', '(?:'),
    fc.array(sequence, { minLength: 1, maxLength: 3 }),
    fc.constantFrom('', '?', '*', '+'),
  )
  .map(([open, parts, count]) => `${open}${parts.join('|')})${count}`);

/** Regular expressions; most are of the flavour that engines share. */
export const patterns: fc.Arbitrary<string> = fc
  .tuple(
    fc.constantFrom('', '', '(?i)'),
    fc.oneof(
      { weight: 4, arbitrary: sequence },
      { weight: 2, arbitrary: fc.tuple(repeated, group, repeated).map((parts) => parts.join('')) },
      {
        weight: 2,
        arbitrary: fc.array(sequence, { minLength: 2, maxLength: 3 }).map((parts) => parts.join('|')),
      },
      { weight: 1, arbitrary: fc.constantFrom(...FOREIGN) },
    ),
  )
  .map((parts) => parts.join(''));

/** Texts to match, as SQL. */
export const SUBJECTS: readonly string[] = [
  '',
  'a',
  'A',
  'ab',
  'aa',
  'b',
  'k',
  'K',
  'K',
  's',
  'S',
  'ſ',
  'ß',
  'ẞ',
  'SS',
  'ss',
  'ı',
  'I',
  'i',
  'İ',
  'é',
  'É',
  'σ',
  'ς',
  'fi',
  'ﬁ',

  '5',
  '٣',
  '_',
  '-',
  '/',
  '{',
  ']',
  '[',
  '\\',
  '^',
  '$',
  '.',
  '#',
  '&',
  ' ',
  '\u00a0',
  '😀',
  'aß',
  'ßa',
  'a b',
  'aéb',
  'ÿ',
  'Ÿ',
  'Ⅷ',
]
  .map(text)
  .concat(
    ['a\n', '\na', 'a\nb', '\t', '\v', 'a\v', '\r\n', '\u2028', '\u0085'].map((one) =>
      Array.from(one)
        .map((sign) => (/^\w$/.test(sign) ? text(sign) : `chr(${sign.codePointAt(0)})`))
        .join(' || '),
    ),
  );
