import fc from 'fast-check';
import { COLUMNS, NULL, type Row, rows, textCell } from './rows.ts';

/**
 * What may become of a unit: `loads` must load, with equal rows; `never` must not load; `either` may, and then with
 * equal rows.
 */
export type Verdict = 'loads' | 'either' | 'never';

/** How a body is changed before it is encoded. */
export const CONTENTS = {
  plain: 'loads',
  shuffled_columns: 'loads',
  byte_order_mark: 'either',
  blank_lines: 'either',
  lines_of_spaces: 'loads',
  omitted_nulls: 'either',
  crlf: 'either',
  mixed_line_ends: 'either',
  no_final_newline: 'either',
  unknown_key: 'either',
  json_array: 'either',
  half_a_row: 'never',
  row_lost: 'never',
  row_twice: 'never',
  error_object: 'never',
  error_behind_rows: 'never',
  html: 'never',
  zero_bytes: 'never',
  invalid_utf8: 'never',
  wrong_delimiter: 'never',
  columns_missing: 'never',
  no_columns: 'never',
  key_twice: 'never',
  broken_number: 'never',
  fraction_in_natural: 'never',
  underscore_number: 'never',
  broken_date: 'never',
  ambiguous_zone: 'never',
  endless_line: 'never',
  endless_rows: 'never',
  deep_nesting: 'either',
} as const satisfies Readonly<Record<string, Verdict>>;
export type Content = keyof typeof CONTENTS;

export const ENCODINGS = {
  identity: 'loads',
  gzip: 'loads',
  gzip_members: 'loads',
  upper_case_gzip: 'either',
  brotli: 'either',
  deflate: 'either',
  gzip_twice: 'either',
  unknown_encoding: 'either',
  gzip_without_trailer: 'never',
  gzip_flipped: 'either',
  gzip_with_garbage: 'either',
  claims_gzip: 'never',
  hides_gzip: 'never',
  bomb: 'never',
} as const satisfies Readonly<Record<string, Verdict>>;
type Encoding = keyof typeof ENCODINGS;

export const FRAMINGS = {
  length: 'loads',
  chunks: 'loads',
  small_chunks: 'loads',
  until_close: 'loads',
  hints_before: 'loads',
  length_too_long: 'never',
  length_too_short: 'never',
  cut: 'never',
  reset: 'never',
  no_last_chunk: 'never',
  broken_chunk_size: 'never',
  huge_header: 'either',
  status_206: 'never',
  status_204: 'never',
  status_302: 'never',
  status_404: 'never',
  status_409: 'never',
  status_500: 'never',
  wrong_content_type: 'either',
} as const satisfies Readonly<Record<string, Verdict>>;
type Framing = keyof typeof FRAMINGS;

/** What the service reports under the same filter. */
export const COUNTS = {
  right: 'loads',
  one_more: 'never',
  one_less: 'never',
  text: 'either',
  negative: 'never',
  absurd: 'never',
  fraction: 'never',
  absent: 'either',
  html: 'never',
  endless_answer: 'never',
} as const satisfies Readonly<Record<string, Verdict>>;
type Count = keyof typeof COUNTS;

/** What the schema of the fields says beside the columns that are there. */
export const DRIFTS = {
  none: 'loads',
  more_fields: 'loads',
  case_twin: 'loads',
  named_star: 'either',
  named_like_ours: 'either',
  named_like_prototype: 'either',
  named_like_sql: 'either',
  long_name: 'either',
  control_characters: 'either',
  unknown_type: 'either',
  unknown_arity: 'either',
  field_twice: 'either',
  no_fields: 'never',
  html: 'never',
} as const satisfies Readonly<Record<string, Verdict>>;
export type Drift = keyof typeof DRIFTS;

/** The name of the further field that a drift brings. */
export const DRIFT_NAMES: Partial<Record<Drift, string>> = {
  more_fields: 'further field',
  case_twin: 'Title',
  named_star: '*',
  named_like_ours: '_unit',
  named_like_prototype: '__proto__',
  named_like_sql: 'a"); DROP TABLE raw.crawl_pages; --',
  long_name: 'n'.repeat(4000),
  control_characters: 'bell\u0007\u001b[2Jname',
  unknown_type: 'hologram',
  unknown_arity: 'several',
};

/** What one crawl's service does at the next run. */
export interface UnitCase {
  readonly rows: readonly Row[];
  readonly content: Content;
  readonly encoding: Encoding;
  readonly framing: Framing;
  readonly count: Count;
  readonly drift: Drift;
  /** Where a cut, a flip or a lost row falls, as a share of what there is. */
  readonly at: number;
}

/** Nothing is wrong with it. */
export const HEALTHY: UnitCase = {
  rows: ['a', 'b', 'c'].map((name) => [
    textCell(`https://example.com/${name}`),
    ...COLUMNS.slice(1).map(() => NULL),
  ]),
  content: 'plain',
  encoding: 'identity',
  framing: 'length',
  count: 'right',
  drift: 'none',
  at: 0.5,
};

/** Most parts of a case are harmless, so that each fault is met alone and together with others. */
function mostly<T extends string>(verdicts: Readonly<Record<T, Verdict>>, weight: number): fc.Arbitrary<T> {
  const all = Object.keys(verdicts) as T[];
  const harmless = all.filter((one) => verdicts[one] === 'loads');
  return fc.oneof(
    { weight, arbitrary: fc.constantFrom(...harmless) },
    { weight: 1, arbitrary: fc.constantFrom(...all) },
  );
}

export const unitCase: fc.Arbitrary<UnitCase> = fc
  .record({
    rows,
    content: mostly(CONTENTS, 1),
    encoding: mostly(ENCODINGS, 3),
    framing: mostly(FRAMINGS, 3),
    count: mostly(COUNTS, 6),
    drift: mostly(DRIFTS, 3),
    at: fc.double({ min: 0, max: 1, noNaN: true }),
  })
  .map((one) => (agrees(one) ? { ...one, count: 'right' } : one));

/** Nobody can tell rows that are wrong and counted so from right ones. */
function agrees({ content, count }: UnitCase): boolean {
  return (
    (content === 'row_twice' && count === 'one_more') || (content === 'row_lost' && count === 'one_less')
  );
}

/** Contents that change nothing where there are no rows, or in one format only. */
const NEEDS_ROWS: readonly Content[] = [
  'half_a_row',
  'row_lost',
  'row_twice',
  'invalid_utf8',
  'key_twice',
  'broken_number',
  'fraction_in_natural',
  'underscore_number',
  'broken_date',
  'ambiguous_zone',
  'columns_missing',
  'no_columns',
  'wrong_delimiter',
  'deep_nesting',
];
const CSV_ONLY: readonly Content[] = ['wrong_delimiter', 'mixed_line_ends', 'shuffled_columns'];
const JSON_ONLY: readonly Content[] = [
  'key_twice',
  'json_array',
  'omitted_nulls',
  'deep_nesting',
  'lines_of_spaces',
];

/** The content that a case really has, in this format. */
export function contentOf({ content, rows: given }: UnitCase, format: 'csv' | 'json'): Content {
  if (given.length === 0 && NEEDS_ROWS.includes(content)) return 'plain';
  if (format === 'json' && CSV_ONLY.includes(content)) return 'plain';
  if (format === 'csv' && JSON_ONLY.includes(content)) return 'plain';
  return content;
}

/**
 * The rows that the service has sent. A JSON row may leave out what is null (docs/decisions/staging.md), so a column
 * that no row has is one of nulls.
 */
export function sentRows(one: UnitCase, format: 'csv' | 'json'): readonly Row[] {
  if (format === 'csv' || contentOf(one, format) !== 'columns_missing') return one.rows;
  return one.rows.map((row) => row.map((cell, index) => (index < 2 ? cell : NULL)));
}

/** What must become of the unit. */
export function verdictOf(one: UnitCase, format: 'csv' | 'json'): Verdict {
  const verdicts: Verdict[] = [
    format === 'json' && one.content === 'columns_missing' ? 'either' : CONTENTS[contentOf(one, format)],
    ENCODINGS[one.encoding],
    FRAMINGS[one.framing],
    COUNTS[one.count],
    DRIFTS[one.drift],
  ];
  if (verdicts.includes('never')) return isHarmlessAfterAll(one, format) ? 'either' : 'never';
  return verdicts.includes('either') ? 'either' : 'loads';
}

/** A fault of the bytes changes nothing where there are none. */
function isHarmlessAfterAll(one: UnitCase, format: 'csv' | 'json'): boolean {
  if (one.rows.length > 0) return false;
  const others: Verdict[] = [COUNTS[one.count], DRIFTS[one.drift]];
  const content = contentOf(one, format);
  return !others.includes('never') && (content === 'plain' || CONTENTS[content] !== 'never');
}

export const FURTHER = textCell('further');
