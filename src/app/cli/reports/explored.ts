import { CrawlhouseError } from '../../../core/errors/errors.ts';
import { stringifyJson } from '../../../core/text/json.ts';
import { lookUp } from '../../../core/text/look-up.ts';
import { didYouMean } from '../../../core/text/nearest-name.ts';
import { CRAWL_NAMES } from '../../../etl/project/model/crawl-name.ts';
import type { Names } from '../../answers/presentation/blocks.ts';
import { textTable } from '../../answers/presentation/text-table.ts';
import { columnNames } from '../../answers/presentation/value-text.ts';
import { peopleTable, writeRows } from '../../answers/query/result/write-result.ts';
import type { Flag, Invocation } from '../command.ts';
import { NAMES_FLAG, namesOf, oneOf } from '../flag-values.ts';
import { printPaged } from '../pager.ts';

const FORMATS = ['table', 'csv', 'json', 'jsonl', 'markdown'] as const;
type Format = (typeof FORMATS)[number];

export const EXPLORE_FLAGS = {
  project: { value: 'PROJECT', help: 'the project, by name or id; required if there are several' },
  crawl: { value: 'CRAWL', help: `${CRAWL_NAMES} (the main crawl)` },
} as const satisfies Readonly<Record<string, Flag>>;

export const SEGMENT_FLAGS = {
  segment: {
    value: 'SEGMENT',
    help: 'only pages in this first directory or segment, such as template:other',
  },
  segmentation: { value: 'NAME', help: 'the segmentation, if --segment names only a segment' },
} as const satisfies Readonly<Record<string, Flag>>;

export const ROWS_FLAGS = {
  format: { value: 'FORMAT', values: FORMATS, help: 'the format of the rows (table)' },
  names: { ...NAMES_FLAG, help: 'readable column names (default in tables) or SQL names (elsewhere)' },
  open: { help: 'open the page in the running console' },
} as const satisfies Readonly<Record<string, Flag>>;

/** @throws CrawlhouseError `usage` */
export function formatOf(invocation: Invocation): Format {
  return oneOf(invocation, 'format', FORMATS) ?? 'table';
}

/**
 * Writes rows with the union of their columns. In CSV, texts never become formulas, because people open it in
 * spreadsheets.
 */
export async function writeFound(
  invocation: Invocation,
  format: Exclude<Format, 'table'>,
  rows: readonly object[],
): Promise<void> {
  const names = [...new Set(rows.flatMap((row) => Object.keys(row)))];
  const options = { format, safeCsv: true, names: namesOf(invocation, 'columns') };
  const values = rows.map((row) => names.map((name) => (row as Record<string, unknown>)[name] ?? null));
  const result = {
    names,
    types: names.map(() => 'VARCHAR'),
    async *chunks() {
      if (values.length > 0) yield values;
    },
  };
  await writeRows(result, options, invocation.write);
}

/** Returns the end of a crawl for people: `2026-03-16 03:00 UTC`. */
export const endText = (time: string | null): string =>
  time === null ? 'an unknown day' : `${time.slice(0, 16).replace('T', ' ')} UTC`;

/** Returns rows as a table with the columns of the first row, fitted to the terminal. */
function foundTable(rows: readonly object[], width: number | undefined, called: Names = 'columns'): string {
  const names = Object.keys(rows[0] ?? {});
  const heads = called === 'people' ? columnNames(names) : names;
  const values = rows.map((row) => names.map((name) => (row as Record<string, unknown>)[name] ?? null));
  if (width !== undefined) return peopleTable({ names, heads, rows: values, width });
  const plain = (value: unknown): string | number | null =>
    value === null || typeof value === 'number' || typeof value === 'string' ? value : stringifyJson(value);
  return textTable(
    heads,
    values.map((row) => row.map(plain)),
  );
}

/**
 * Returns the rows of `--part`, or null if the flag is not set.
 *
 * @throws CrawlhouseError `usage` for an unknown part, and for a format of rows without a part
 */
export function partOf<T>(
  invocation: Invocation,
  parts: Readonly<Record<string, (answer: T) => readonly object[]>>,
): ((answer: T) => readonly object[]) | null {
  const name = invocation.text('part');
  const known = Object.keys(parts);
  if (name === undefined && formatOf(invocation) === 'table') return null;
  const part = name === undefined ? undefined : lookUp(parts, name);
  if (part !== undefined) return part;
  throw new CrawlhouseError(
    'usage',
    name === undefined ? '--format needs --part' : `--part: ${name} is not a valid part`,
    { hint: `${didYouMean(name ?? '', known)}--part ${known.join(', --part ')}` },
  );
}

export async function writePart(
  invocation: Invocation,
  format: Format,
  rows: readonly object[],
): Promise<void> {
  if (format !== 'table') return await writeFound(invocation, format, rows);
  if (rows.length === 0) return invocation.say('no rows\n');
  const names = namesOf(invocation, 'people');
  await printPaged(invocation, foundTable(rows, invocation.terminal?.width, names));
}
