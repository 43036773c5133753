import fc from 'fast-check';
import { anyCharacter, grapheme } from './characters.ts';
import { NO_ZONE, ONE_MEANING, PLACES } from './exact-time.ts';
import type { Family, JsonToken } from './value-oracle.ts';

const digits = (max: number): fc.Arbitrary<string> =>
  fc.array(fc.constantFrom(...'0123456789'), { maxLength: max }).map((all) => all.join(''));
const join = (...parts: fc.Arbitrary<string>[]): fc.Arbitrary<string> =>
  fc.tuple(...parts).map((all) => all.join(''));
const two = (from: number, to: number): fc.Arbitrary<string> =>
  fc.oneof(
    { weight: 9, arbitrary: fc.integer({ min: from, max: to }).map((n) => String(n).padStart(2, '0')) },
    { weight: 1, arbitrary: fc.integer({ min: 0, max: 99 }).map(String) },
  );

/** Where doubles, 64-bit numbers and decimals end. */
const EDGES = [
  0n,
  2n ** 24n,
  2n ** 52n,
  2n ** 53n,
  2n ** 63n,
  2n ** 64n,
  10n ** 15n,
  10n ** 38n,
  6815006321142732n,
];

const jsonNumber: fc.Arbitrary<string> = fc.oneof(
  fc.integer().map(String),
  fc.double({ noNaN: true, noDefaultInfinity: true }).map((n) => String(n + 0)),
  fc.double({ noNaN: true, noDefaultInfinity: true, min: -1e9, max: 1e9 }).map((n) => n.toPrecision(17)),
  fc.bigInt({ min: -(10n ** 40n), max: 10n ** 40n }).map(String),
  fc
    .tuple(
      fc.constantFrom(...EDGES),
      fc.bigInt({ min: -3n, max: 3n }),
      fc.constantFrom('', '.0', '.5', '.25', 'e0', '0e-1', '.00000000000000001', '00e-2', 'E+0'),
    )
    .map(([edge, by, rest]) => `${edge + by}${rest}`),
  fc
    .tuple(
      fc.integer({ min: 0, max: 10_000 }),
      fc.constantFrom('0', '9'),
      fc.integer({ min: 8, max: 20 }),
      digits(3),
    )
    .map(([whole, digit, times, rest]) => `${whole}.${digit.repeat(times)}${rest}`),
  join(
    fc.constantFrom('', '-'),
    fc.constantFrom('0', '1', '9', '12', '900719925474099', '123456789012345678'),
    fc.constantFrom('', '.0', '.1', '.000', '.50'),
    digits(0),
    fc.constantFrom('', 'e1', 'E+2', 'e-1', 'e15', 'e22', 'e-300', 'e300', 'e400', 'e-400'),
  ),
);

const numberText = fc.oneof(
  { weight: 4, arbitrary: jsonNumber },
  {
    weight: 2,
    arbitrary: join(
      fc.constantFrom('', '', '+', '-', ' ', '+-'),
      digits(20),
      fc.constantFrom('', '.', '.', '_'),
      digits(20),
      fc.constantFrom('', '', 'e', 'e3', 'E-3', 'e+02', '_', ' '),
    ),
  },
  {
    weight: 2,
    arbitrary: fc.constantFrom(
      ...'1_0.5 1_000 0x10 0b1 1,5 1.5f 5. .5 . - + e5 1e 1e400 1e-400 1e99999999999 nan NaN inf -Infinity infinity true'.split(
        ' ',
      ),
      ...[
        '٣',
        '१२',
        '１２',
        ' 12',
        '12 ',
        '12\t',
        '1 0',
        '--1',
        '-+1',
        '+-1',
        '00012',
        '-0',
        '$5',
        '5%',
        '\u00a05',
      ],
    ),
  },
);

const year = fc.oneof(
  { weight: 8, arbitrary: fc.integer({ min: 1972, max: 2024 }).map(String) },
  {
    weight: 1,
    arbitrary: fc.constantFrom('25', '5', '025', '0025', '12025', '1900', '9999', '0000', '1000', '0999'),
  },
);

const dayText = fc.oneof(
  { weight: 8, arbitrary: join(year, fc.constant('-'), two(1, 12), fc.constant('-'), two(1, 31)) },
  {
    weight: 2,
    arbitrary: fc.constantFrom(
      ...'25-01-02 2025/01/02 2025-02-29 2024-02-29 20250102 infinity -infinity epoch 01-02-2025 2025-01-02T00:00:00Z'.split(
        ' ',
      ),
      ...[
        ' 2025-01-02',
        '2025-01-02 ',
        '2025-1-2',
        '２０２５-01-02',
        '1900-01-01',
        '2025-01-02 00:00:00',
        '+2025-01-02',
      ],
    ),
  },
);

const zone = fc.oneof(
  { weight: 3, arbitrary: fc.constant('UTC') },
  { weight: 2, arbitrary: fc.constantFrom(...Object.keys(ONE_MEANING)) },
  { weight: 2, arbitrary: fc.constantFrom(...PLACES, 'europe/paris') },
  { weight: 1, arbitrary: fc.constantFrom(...NO_ZONE, '') },
  {
    weight: 1,
    arbitrary: fc.constantFrom(
      '+0200',
      '-03:30',
      '+05',
      '+2',
      'GMT+02:00',
      'UTC-3',
      '-00:00',
      'GMT-0',
      '+23:59',
    ),
  },
);

/** The hours in which the clocks of Paris, New York, Lord Howe and Apia were changed. */
const changes = fc
  .tuple(
    fc.constantFrom(
      ['Europe/Paris', '2024/03/31', '2024/10/27'],
      ['America/New_York', '2024/03/10', '2024/11/03'],
      ['Australia/Lord_Howe', '2024/04/07', '2024/10/06'],
      ['Pacific/Apia', '2011/12/30', '2011/12/31'],
    ),
    fc.constantFrom(1, 2),
    two(0, 3),
    fc.constantFrom('00', '15', '30', '45', '59'),
  )
  .map(
    ([[place, spring, autumn], which, hour, minute]) =>
      `${which === 1 ? spring : autumn} ${hour}:${minute}:00 ${place}`,
  );

const timeText = fc.oneof(
  {
    weight: 8,
    arbitrary: join(
      ...[year, fc.constant('/'), two(1, 12), fc.constant('/'), two(1, 31)],
      ...[
        fc.constantFrom(' ', ' ', ' ', '  ', 'T'),
        two(0, 23),
        fc.constant(':'),
        two(0, 59),
        fc.constant(':'),
      ],
      ...[
        two(0, 59),
        fc.constantFrom('', '', '', '', '.5'),
        fc.constant(' '),
        zone,
        fc.constantFrom('', '', '', ' '),
      ],
    ),
  },
  { weight: 3, arbitrary: changes },
  {
    weight: 2,
    arbitrary: fc.constantFrom(
      ...'infinity epoch 2025-01-08T14:07:03Z 1736345223000'.split(' '),
      ...['infinity UTC', '2025/01/02 24:00:00 UTC', '2025/01/02 23:59:60 UTC', '25/01/02 00:00:00 UTC'],
      ...['2025/01/02 00:00 UTC', '2025/01/02 UTC', '1900/01/01 00:00:00 UTC', ' 2025/01/02 00:00:00 UTC'],
    ),
  },
);

const word = fc.constantFrom(
  ...'true false True False TRUE t yes 1 0 null NULL NaN nan Infinity -inf Nancy information'.split(' '),
);

const plainText = fc.oneof(
  fc.string({ unit: grapheme, maxLength: 12 }),
  fc.constantFrom('ünï 🕷️', '[1', '{', '\\N', 'a;b"c'),
);

const jsonText: fc.Arbitrary<string> = fc.oneof(
  fc.jsonValue({ stringUnit: anyCharacter, maxDepth: 2 }).map((value) => JSON.stringify(value)),
  jsonNumber,
  fc.constantFrom(
    '{"a":[1,2.50,"NaN"]}',
    '{"a":NaN}',
    '[1,Infinity]',
    '[nan]',
    '{}',
    '[]',
    '""',
    '{"a":18446744073709551616}',
  ),
);

/** A text as it may stand in a field of a family: mostly one of its own kind, else of any other. Without line breaks. */
export function valueText(family: Family): fc.Arbitrary<string> {
  const own: Readonly<Record<Family, fc.Arbitrary<string>>> = {
    whole: numberText,
    real: numberText,
    bool: word,
    date: dayText,
    datetime: timeText,
    text: plainText,
    json: jsonText,
  };
  const any = fc.oneof(...Object.values(own));
  const text = fc.oneof({ weight: 5, arbitrary: own[family] }, { weight: 1, arbitrary: any });
  // biome-ignore lint/suspicious/noControlCharactersInRegex: line breaks and the character that ends a text in C
  return text.map((value) => value.replace(/[\r\n\u0000\u2028\u2029]/g, ' '));
}

/** Words that are no JSON break a whole line, so they are rare. */
const MANY_NULLS = Array.from({ length: 40 }, () => 'null');

/** A JSON value as it may stand in a field: its text as a number, a string or a word. */
export function jsonToken(family: Family): fc.Arbitrary<JsonToken> {
  const text = valueText(family);
  return fc.oneof(
    {
      weight: 4,
      arbitrary:
        family === 'whole' || family === 'real' ? jsonNumber : text.map((one) => JSON.stringify(one)),
    },
    {
      weight: 2,
      arbitrary: fc.oneof(
        jsonNumber,
        text.map((one) => JSON.stringify(one)),
      ),
    },
    {
      weight: 1,
      arbitrary: fc.constantFrom('true', 'false', ...MANY_NULLS, 'NaN', '-Infinity', 'nan', 'inf'),
    },
    {
      weight: 1,
      arbitrary: fc.constantFrom('{}', '[]', '{"a":1}', '["a"]', '"NaN"', '"1_0.5"', '"2025-01-02"'),
    },
  );
}
