import fc from 'fast-check';
import { FIELD_TYPES } from '../../src/client/resources/fields.ts';
import type { Field } from '../../src/etl/project/model/field.ts';
import { anyCharacter } from './characters.ts';

/** A value as the service holds it; a number as it is printed. */
export type WireValue =
  | null
  | boolean
  | string
  | { readonly number: string }
  | { readonly json: string }
  | readonly WireValue[];

/** Rows of a dataset with their fields. */
export interface WireRows {
  readonly fields: readonly Field[];
  readonly rows: readonly (readonly WireValue[])[];
}

const number = (text: fc.Arbitrary<string>): fc.Arbitrary<WireValue> => text.map((one) => ({ number: one }));
const EDGES = [0n, 2n ** 31n, 2n ** 53n, 2n ** 63n, 2n ** 64n, 10n ** 30n];

const whole = number(
  fc.oneof(
    fc.integer().map(String),
    fc.tuple(fc.constantFrom(...EDGES), fc.bigInt({ min: -2n, max: 2n })).map(([at, by]) => String(at + by)),
    fc.constantFrom('-0', '12.0', '1e2', '3112553.0', '9007199254740993.0', '1.8446744073709552e+19', '0.5'),
  ),
);
const real = number(
  fc.oneof(
    fc.double({ noNaN: true, noDefaultInfinity: true }).map((one) => String(one + 0)),
    fc.constantFrom('0', '1', '0.1', '1e300', '9007199254740993', '9007199254740993.0', '5e-324', '12.50'),
  ),
);
const text: fc.Arbitrary<WireValue> = fc.oneof(
  fc.constantFrom(
    ...[
      '',
      ' ',
      'null',
      'NULL',
      'true',
      'True',
      'NaN',
      '-inf',
      '5',
      '1.50',
      '[1,2]',
      '["a"]',
      '{}',
      '{"a":1}',
    ],
    ...[
      '"',
      '""',
      ';',
      'a;b',
      'a,b',
      'line\nbreak',
      '\r',
      'a\r\nb',
      '\n',
      '\t',
      "'",
      '\\',
      '\\"',
      '\\N',
      '#',
    ],
    ...['ünï 🕷️', '\ufeffmark', '\u0000', 'a\u0000b', '\u2028', '=1+1', '<html>'],
  ),
  fc.array(anyCharacter, { maxLength: 12 }).map((all) => all.join('')),
);
const day = fc.constantFrom('2025-01-08', '1970-01-01', '1900-01-01', '9999-12-31', '2025-02-30', 'today');
const time = fc.constantFrom(
  ...['2025/01/08 14:07:03 UTC', '2025/07/01 12:00:00 Europe/Paris', '1900/01/01 00:00:00 UTC'],
  ...['2025/01/08 14:07:03 +02:00', 'infinity'],
);
const object: fc.Arbitrary<WireValue> = fc.oneof(
  fc.constantFrom('{}', '[]', '{"a":[1,"x"]}', '[1,2]', '1.5').map((json) => ({ json })),
  text,
  fc.boolean(),
  whole,
);

const VALUES: Readonly<Record<string, fc.Arbitrary<WireValue>>> = {
  natural: whole,
  integer: whole,
  float: real,
  percentage: real,
  ratio: real,
  bool: fc.boolean(),
  date: day,
  datetime: time,
  string: text,
  hash: text,
  enum: text,
};
const TYPES = [...FIELD_TYPES, 'nested', 'Natural', 'constructor'];

const NAMES = [
  'url',
  'Title',
  'title',
  'page_group_casino main',
  'say "so"',
  'a;b',
  ' led',
  'trailed ',
  'c0',
  '"',
  "it's",
  'ünï 🕷️',
  '[x]',
  '*',
  '/a~b',
  'NaN',
  '#',
  '\\',
  'a<b>',
  'null',
];
/** Names that may make a header look like something else. */
const BAD_NAMES = [
  'tab\there',
  'line\nbreak',
  'return\rhere',
  '<b>',
  ' <b',
  '{"type":"error","message":"m"}',
  '\ufeffmarked',
];
const names = fc.oneof(
  { weight: 40, arbitrary: fc.constantFrom(...NAMES) },
  { weight: 1, arbitrary: fc.constantFrom(...BAD_NAMES) },
);

const plainField = fc.record({ type: fc.constantFrom(...Object.keys(VALUES)), arity: fc.constant('one') });
const anyField = fc.record({ type: fc.constantFrom(...TYPES), arity: fc.constantFrom('one', 'many') });

/** Rows of any fields; in most of them no field is many, or of a type that holds anything. */
export const wireRows: fc.Arbitrary<WireRows> = fc
  .tuple(
    fc.uniqueArray(names, { minLength: 1, maxLength: 8 }),
    fc
      .oneof({ weight: 3, arbitrary: plainField }, { weight: 1, arbitrary: anyField })
      .chain((first) => fc.array(plainField, { minLength: 7, maxLength: 7 }).map((rest) => [first, ...rest])),
  )
  .map(([own, kinds]) => own.map((name, at) => ({ name, ...(kinds[at] as Omit<Field, 'name'>) })))
  .chain((fields) => {
    const row = fc.tuple(...fields.map(valuesOf));
    return fc.record({ fields: fc.constant(fields), rows: fc.array(row, { minLength: 1, maxLength: 20 }) });
  });

function valuesOf({ type, arity }: Field): fc.Arbitrary<WireValue> {
  const one = (Object.hasOwn(VALUES, type) ? VALUES[type] : undefined) ?? object;
  const value = arity === 'one' ? one : fc.array(one, { maxLength: 3 });
  return fc.option<WireValue>(value, { freq: 4 });
}

/** The rows as the service exports them; each has its number as `id`, behind the other fields. */
export function exportAs(format: 'csv' | 'json', { fields, rows }: WireRows): string {
  const names = [...fields.map(({ name }) => name), 'id'];
  const all = rows.map((row, id): readonly WireValue[] => [...row, { number: String(id) }]);
  if (format === 'csv')
    return [names.map((name) => quoted(name)), ...all.map((row) => row.map(cellOf))]
      .map((line) => `${line.join(';')}\n`)
      .join('');
  return all
    .map((row) => `{${row.map((value, at) => `${JSON.stringify(names[at])}:${jsonOf(value)}`).join(',')}}\n`)
    .join('');
}

function jsonOf(value: WireValue): string {
  if (Array.isArray(value)) {
    const lone = loneOf(value);
    return lone === null ? arrayOf(value) : jsonOf(lone);
  }
  if (value === null || typeof value !== 'object') return JSON.stringify(value);
  return 'number' in value ? value.number : (value as { json: string }).json;
}

/** A list of one comes as a lone value (wire-facts.md), perhaps in CSV too. */
function loneOf(values: readonly WireValue[]): WireValue {
  return values.length === 1 ? (values[0] ?? null) : null;
}

function arrayOf(values: readonly WireValue[]): string {
  return `[${values.map(jsonOf).join(',')}]`;
}

function cellOf(value: WireValue): string {
  if (value === null) return '';
  if (typeof value === 'boolean') return value ? 'True' : 'False';
  if (typeof value === 'string') return quoted(value);
  if (Array.isArray(value)) {
    const lone = loneOf(value);
    return lone === null ? quoted(arrayOf(value)) : cellOf(lone);
  }
  return 'number' in value ? value.number : quoted((value as { json: string }).json);
}

function quoted(text: string): string {
  return text === '' || /[;"\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
