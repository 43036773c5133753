import fc from 'fast-check';
import { grapheme } from '../support/characters.ts';

/** One value as JSON writes it, as a CSV cell, and as the warehouse must give it back (null: NULL). */
export interface Cell {
  readonly json: string;
  readonly csv: string;
  readonly loaded: string | null;
}

export type Row = readonly Cell[];

/** The columns of a hostile crawl; `loaded` is SQL that gives a value as the text that a `Cell` holds. */
export const COLUMNS = [
  { name: 'url', type: 'string', arity: 'one', loaded: textAsIs },
  { name: 'title', type: 'string', arity: 'one', loaded: textAsIs },
  { name: 'clicks', type: 'natural', arity: 'one', loaded: asText },
  { name: 'ratio', type: 'float', arity: 'one', loaded: asText },
  { name: 'indexable', type: 'bool', arity: 'one', loaded: asText },
  {
    name: 'fetched',
    type: 'datetime',
    arity: 'one',
    loaded: (column: string) => asText(`epoch_ms(${column})`),
  },
  {
    name: 'tags',
    type: 'string',
    arity: 'many',
    loaded: (column: string) => textAsIs(`array_to_string(${column}, chr(31))`),
  },
] as const;

/** Behind a mark: DuckDB's binding for Node.js drops a byte order mark at the beginning of a text. */
function textAsIs(column: string): string {
  return `'=' || ${column}`;
}

function asText(sql: string): string {
  return `CAST(${sql} AS VARCHAR)`;
}

export const NULL: Cell = { json: 'null', csv: '', loaded: null };

function quoted(text: string): string {
  return `"${text.replaceAll('"', '""')}"`;
}

export function textCell(text: string): Cell {
  return { json: JSON.stringify(text), csv: quoted(text), loaded: `=${text}` };
}

const TEXTS = [
  '',
  ' ',
  'null',
  'NULL',
  'NaN',
  '5',
  'true',
  '[1,2]',
  'semi;colon',
  'comma,comma',
  'say "so"',
  "it's",
  'two\nlines',
  'return\rhere',
  'both\r\nhere',
  'tab\there',
  'line\u2028separator',
  'paragraph\u2029separator',
  '\ufeffmark',
  'ünïcode 🕷️',
  '\u001b[31mred\u001b[0m',
  '\u202Eesrever',
  '=HYPERLINK("x")',
  "'; DROP TABLE raw.crawl_pages; --",
  '{"type":"internal_error"}',
  '\\N',
  '\\',
  'x'.repeat(5000),
] as const;

const text = fc.oneof(fc.constantFrom(...TEXTS), fc.string({ maxLength: 12, unit: grapheme }));

const whole = fc
  .oneof(
    fc.constantFrom(0n, 1n, 9_007_199_254_740_993n, 9_223_372_036_854_775_807n),
    fc.bigInt({ min: 0n, max: 1_000_000n }),
  )
  .map((value): Cell => ({ json: String(value), csv: String(value), loaded: String(value) }));

const real = fc
  .constantFrom('0.5', '0.1', '-2.25', '1e+300', '1234567.875')
  .map((value): Cell => ({ json: value, csv: value, loaded: value }));

const bool = fc
  .boolean()
  .map((value): Cell => ({ json: String(value), csv: value ? 'True' : 'False', loaded: String(value) }));

const moment = fc
  .integer({ min: Date.UTC(1990, 0, 1) / 1000, max: Date.UTC(2050, 0, 1) / 1000 })
  .map((seconds): Cell => {
    const [day = '', time = ''] = new Date(seconds * 1000).toISOString().slice(0, 19).split('T');
    const written = `${day.replaceAll('-', '/')} ${time} UTC`;
    return { json: JSON.stringify(written), csv: written, loaded: String(seconds * 1000) };
  });

const tags = fc.array(text, { minLength: 2, maxLength: 3 }).map((values): Cell => {
  const json = JSON.stringify(values);
  return { json, csv: quoted(json), loaded: `=${values.join('\u001f')}` };
});

function optional(cell: fc.Arbitrary<Cell>): fc.Arbitrary<Cell> {
  return fc.option(cell, { nil: NULL, freq: 4 });
}

/** Rows with URLs of their own. */
export const rows: fc.Arbitrary<readonly Row[]> = fc
  .array(
    fc.tuple(
      optional(text.map(textCell)),
      optional(whole),
      optional(real),
      optional(bool),
      optional(moment),
      optional(tags),
    ),
    { maxLength: 30 },
  )
  .map((found) =>
    found.map((cells, index): Row => [textCell(`https://example.com/${index}?a=1;b="2"`), ...cells]),
  );
