import { stringifyJson } from '../core/json.ts';
import type { StreamedRows } from '../core/streamed-rows.ts';
import { valueToJson } from './value-json.ts';

/** Formats that are text; Parquet is written by DuckDB itself. */
export const TEXT_FORMATS = ['table', 'csv', 'json', 'jsonl', 'markdown'] as const;
export type TextFormat = (typeof TEXT_FORMATS)[number];

/** Rows that a table for people shows at the most; the other formats stream all of them. */
const TABLE_ROWS = 1000;
const CELL_WIDTH = 80;

/** Takes a piece of output; the next one waits until it is taken. */
export type Write = (text: string) => Promise<void>;

/**
 * Writes a result in a format.
 *
 * @returns the number of rows
 */
export async function writeResult(result: StreamedRows, format: TextFormat, write: Write): Promise<number> {
  const names = result.names;
  if (format === 'table' || format === 'markdown') return writeTable(result, names, format, write);
  const line = { json: jsonLine, jsonl: jsonLine, csv: csvLine }[format];
  let count = 0;
  if (format === 'json') await write('[');
  if (format === 'csv') await write(`${names.map(csvCell).join(',')}\n`);
  for await (const rows of chunks(result)) {
    const lines = rows.map((row) => line(names, row));
    if (format === 'json') await write(`${count === 0 ? '\n' : ',\n'}${lines.join(',\n')}`);
    else await write(`${lines.join('\n')}\n`);
    count += rows.length;
  }
  if (format === 'json') await write(count === 0 ? ']\n' : '\n]\n');
  return count;
}

async function* chunks(result: StreamedRows): AsyncGenerator<unknown[][]> {
  const { types } = result;
  for await (const chunk of result.chunks()) {
    yield chunk
      .getRows()
      .map((row) => row.map((value, index) => valueToJson(value, types[index] as (typeof types)[number])));
  }
}

function jsonLine(names: readonly string[], row: readonly unknown[]): string {
  return stringifyJson(Object.fromEntries(names.map((name, index) => [name, row[index]])));
}

function csvLine(_names: readonly string[], row: readonly unknown[]): string {
  return row.map((value) => (value === null ? '' : csvCell(cellText(value)))).join(',');
}

/** An empty text is quoted, so that it stays apart from NULL. */
function csvCell(text: string): string {
  return text === '' || /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

function cellText(value: unknown): string {
  return typeof value === 'string' ? value : stringifyJson(value);
}

async function writeTable(
  result: StreamedRows,
  names: readonly string[],
  format: 'table' | 'markdown',
  write: Write,
): Promise<number> {
  const shown: string[][] = [];
  const numeric = names.map(() => true);
  let count = 0;
  for await (const rows of chunks(result)) {
    for (const row of rows) {
      count++;
      if (shown.length >= TABLE_ROWS && format === 'table') continue;
      shown.push(
        row.map((value, index) => {
          if (value !== null && typeof value !== 'number' && typeof value !== 'bigint')
            numeric[index] = false;
          return value === null ? '' : clip(cellText(value), format);
        }),
      );
    }
  }
  await write(format === 'markdown' ? markdown(names, shown) : aligned(names, shown, numeric));
  if (count > shown.length)
    await write(`… ${count - shown.length} more rows; --format csv, json or jsonl has all\n`);
  return count;
}

function clip(text: string, format: 'table' | 'markdown'): string {
  const flat = text.replaceAll(/\s+/g, ' ');
  if (format === 'markdown') return flat.replaceAll('|', '\\|');
  return flat.length > CELL_WIDTH ? `${flat.slice(0, CELL_WIDTH - 1)}…` : flat;
}

function aligned(names: readonly string[], rows: readonly string[][], numeric: readonly boolean[]): string {
  const widths = names.map((name, index) =>
    Math.max(name.length, ...rows.map((row) => row[index]?.length ?? 0)),
  );
  const line = (cells: readonly string[]): string =>
    cells
      .map((cell, index) =>
        numeric[index] ? cell.padStart(widths[index] ?? 0) : cell.padEnd(widths[index] ?? 0),
      )
      .join('  ')
      .trimEnd();
  return `${[line(names), widths.map((width) => '─'.repeat(width)).join('  '), ...rows.map(line)].join('\n')}\n`;
}

function markdown(names: readonly string[], rows: readonly string[][]): string {
  const line = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`;
  return `${[line(names), line(names.map(() => '---')), ...rows.map(line)].join('\n')}\n`;
}
