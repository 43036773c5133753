import type { StreamedRows } from '../../../../core/duckdb/streamed-rows.ts';
import { countText } from '../../../../core/text/amounts.ts';
import { csvCell, spreadsheetCell } from '../../../../core/text/csv-cell.ts';
import { cutToWidth } from '../../../../core/text/display-width.ts';
import { stringifyJson } from '../../../../core/text/json.ts';
import { visible } from '../../../../core/text/visible.ts';
import type { Names } from '../../presentation/blocks.ts';
import { cutText, liftedTable } from '../../presentation/cut-columns.ts';
import { markdownLine, markdownText } from '../../presentation/markdown.ts';
import { alignColumns, ruleOf } from '../../presentation/text-table.ts';
import { columnNames, numberText } from '../../presentation/value-text.ts';
import { queryLimitError } from '../query-limits.ts';
import { jsonRows, type ResultRows } from './result-rows.ts';
import type { TextFormat } from './text-formats.ts';

/** Maximum rows of a table for people; the other formats stream all rows. */
const TABLE_ROWS = 1000;
/** Columns of a terminal. */
const CELL_WIDTH = 80;
/** More than a table can show. */
const MOST_CHARACTERS = 2000;

/** Writes a piece of output; resolves when the receiver can take the next one. */
export type Write = (text: string) => Promise<void>;

export interface TextOptions {
  /** `typed`: a line with names and one with types of the columns, then one array of values per row. */
  readonly format: TextFormat | 'typed';
  /** The maximum number of rows, beyond which an error is thrown; without it, there is no limit. */
  readonly rowLimit?: number;
  /** Rows after these are not read. */
  readonly firstRows?: number;
  /** Whether texts that look like formulas get a leading apostrophe, in CSV. */
  readonly safeCsv?: boolean;
  /** Whether a CSV begins with a byte order mark, so that Excel recognizes UTF-8. */
  readonly bom?: boolean;
  /** Column names in each format but `typed`: as in SQL (default), or readable. */
  readonly names?: Names;
  /** The text for NULL in a table or record; none: empty. */
  readonly nullText?: string;
  /** Characters per line of the terminal, to fit a table; none: a table is as wide as its cells. */
  readonly width?: number;
}

/**
 * Writes a result in a format.
 *
 * @returns the number of rows
 * @throws CrawlhouseError `query_limit` for more rows than `rowLimit`
 */
export function writeResult(result: StreamedRows, options: TextOptions, write: Write): Promise<number> {
  return writeRows(jsonRows(result), options, write);
}

export async function writeRows(result: ResultRows, options: TextOptions, write: Write): Promise<number> {
  const { format, safeCsv = false, bom = false, nullText = '' } = options;
  const names = options.names === 'people' ? columnNames(result.names) : result.names;
  const chunks = chunksOf(result, options);
  if (format === 'table') return writeTable(chunks, result.names, { ...options, heads: names }, write);
  if (format === 'record') return writeRecords(chunks, names, nullText, write);
  const cell = safeCsv ? spreadsheetCell : csvCell;
  const row: (values: Values) => string = {
    json: (values: Values) => jsonLine(names, values),
    jsonl: (values: Values) => jsonLine(names, values),
    typed: (values: Values) => stringifyJson(values),
    csv: (values: Values) => csvLine(values, cell),
    markdown: markdownRow,
  }[format];
  let count = 0;
  if (format === 'typed') {
    await write(`${stringifyJson(result.names)}\n${stringifyJson(result.types)}\n`);
  }
  if (format === 'json') await write('[');
  if (format === 'csv') await write(`${bom ? '\ufeff' : ''}${names.map(cell).join(',')}\n`);
  if (format === 'markdown') await write(`${markdownRow(names)}\n${markdownLine(names.map(() => '---'))}\n`);
  for await (const rows of chunks) {
    const lines = rows.map(row);
    if (format === 'json') await write(`${count === 0 ? '\n' : ',\n'}${lines.join(',\n')}`);
    else await write(`${lines.join('\n')}\n`);
    count += rows.length;
  }
  if (format === 'json') await write(count === 0 ? ']\n' : '\n]\n');
  return count;
}

async function* chunksOf(
  result: ResultRows,
  { rowLimit = Number.POSITIVE_INFINITY, firstRows = Number.POSITIVE_INFINITY }: TextOptions,
): AsyncGenerator<readonly Values[]> {
  let count = 0;
  for await (const rows of result.chunks()) {
    count += rows.length;
    if (Math.min(count, firstRows) > rowLimit)
      throw queryLimitError(`it returned more than ${countText(rowLimit)} rows`, 'query_row_limit');
    yield rows.slice(0, Math.max(0, rows.length - (count - firstRows)));
    if (count >= firstRows) return;
  }
}

type Values = readonly unknown[];

function jsonLine(names: readonly string[], row: readonly unknown[]): string {
  return stringifyJson(Object.fromEntries(names.map((name, index) => [name, row[index]])));
}

function csvLine(row: readonly unknown[], textCell: (text: string) => string): string {
  return row
    .map((value) => {
      if (value === null) return '';
      const text = cellText(value);
      const isText = typeof value === 'string' || /^[[{]/.test(text);
      return isText ? textCell(text) : csvCell(text);
    })
    .join(',');
}

/** Returns a value as the text of a cell: lists and objects are JSON. */
export function cellText(value: unknown): string {
  return typeof value === 'string' ? value : stringifyJson(value);
}

async function writeTable(
  chunks: AsyncIterable<readonly Values[]>,
  names: readonly string[],
  { nullText = '', width, heads }: TextOptions & { readonly heads: readonly string[] },
  write: Write,
): Promise<number> {
  const first: Values[] = [];
  let count = 0;
  for await (const rows of chunks) {
    count += rows.length;
    first.push(...rows.slice(0, TABLE_ROWS - first.length).map((row) => row.map(shortened)));
  }
  await write(
    width === undefined
      ? plainTable(heads, first, nullText)
      : peopleTable({ names, heads, rows: first, width, nullText }),
  );
  if (count > first.length)
    await write(`… ${count - first.length} more rows; --format csv, json or jsonl prints all\n`);
  return count;
}

/** A value may be megabytes long; a table shows only its beginning. */
function shortened(value: unknown): unknown {
  if (value === null || isNumber(value)) return value;
  return cellText(value).slice(0, MOST_CHARACTERS);
}

function plainTable(names: readonly string[], rows: readonly Values[], nullText: string): string {
  const cells = rows.map((row) =>
    row.map((value) => (value === null ? nullText : cutToWidth(flat(String(value)), CELL_WIDTH))),
  );
  const { lines, widths } = alignColumns([names.map(flat), ...cells], numberColumns(names, rows));
  return `${lines.toSpliced(1, 0, ruleOf(widths)).join('\n')}\n`;
}

/** One line per column, for rows that are wider than the screen. */
async function writeRecords(
  chunks: AsyncIterable<readonly Values[]>,
  names: readonly string[],
  nullText: string,
  write: Write,
): Promise<number> {
  let count = 0;
  for await (const rows of chunks) {
    const records = rows.map((row) => {
      count++;
      const cells = row.map((value) => (value === null ? nullText : flat(cellText(value))));
      const { lines } = alignColumns(
        names.map((name, index) => [flat(name), cells[index] ?? '']),
        [],
      );
      return `─ row ${count} ${'─'.repeat(10)}\n${lines.join('\n')}\n`;
    });
    await write(records.join(''));
  }
  return count;
}

/** One line, without control characters. */
function flat(text: string): string {
  return visible(text.replaceAll(/\s+/g, ' '));
}

function markdownRow(values: readonly unknown[]): string {
  return markdownLine(values.map((value) => (value === null ? '' : markdownText(cellText(value)))));
}

export interface PeopleTable {
  /** The names of the columns. */
  readonly names: readonly string[];
  readonly heads?: readonly string[];
  readonly rows: readonly (readonly unknown[])[];
  /** Characters per line. */
  readonly width: number;
  readonly nullText?: string;
}

/**
 * Formats a table for a user's terminal. Truncates columns until the lines fit: URLs in the middle, other texts at the
 * end.
 * Numbers get thousands separators unless they are codes. Shares are shown as percentages.
 */
export function peopleTable({ names, heads = names, rows, width, nullText = '-' }: PeopleTable): string {
  const cells = rows.map((row) =>
    row.map((value, index) =>
      value === null ? nullText : cutText(shownText(names[index] ?? '', value), width),
    ),
  );
  return `${liftedTable(heads.map(flat), cells, numberColumns(names, rows), width).join('\n')}\n`;
}

function shownText(name: string, value: unknown): string {
  return isNumber(value) ? numberText(name, value) : flat(cellText(value));
}

const isNumber = (value: unknown): value is number | bigint =>
  typeof value === 'number' || typeof value === 'bigint';

function numberColumns(names: readonly string[], rows: readonly Values[]): boolean[] {
  return names.map((_name, index) => rows.every((row) => row[index] === null || isNumber(row[index])));
}
