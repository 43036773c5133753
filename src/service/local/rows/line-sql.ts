import { text } from '../../../core/duckdb/duckdb.ts';
import type { Column } from '../fields/column.ts';
import { csvCell, jsonCell } from './cell-sql.ts';

/**
 * SQL for a row as one JSON object with `end` after it. Built as text: a STRUCT could not hold `Title` beside `title`;
 * and in one go, because every step more copies all of it.
 */
export function jsonLine(columns: readonly Column[], end: string): string {
  const cells = columns.flatMap((column, index) => [
    text(`${index === 0 ? '' : ','}${JSON.stringify(column.field.name)}:`),
    jsonCell(column),
  ]);
  return `concat(${[text('{'), ...cells, literal(`}${end}`)].join(', ')})`;
}

/** SQL for a row as one line of CSV with `end` after it. */
export function csvLine(columns: readonly Column[], end: string, delimiter = ';'): string {
  const cells = columns.flatMap((column, index) => {
    const cell = csvCell(column, delimiter);
    return index === 0 ? [cell] : [text(delimiter), cell];
  });
  return `concat(${[...cells, literal(end)].join(', ')})`;
}

function literal(end: string): string {
  return end.endsWith('\n') ? `${text(end.slice(0, -1))} || chr(10)` : text(end);
}

/** The header line, without its newline. */
export function csvHeader(columns: readonly Column[], delimiter = ';'): string {
  return columns.map((column) => headerCell(column.field.name, delimiter)).join(delimiter);
}

function headerCell(name: string, delimiter: string): string {
  return name === '' || name.includes(delimiter) || /["\r\n]/.test(name)
    ? `"${name.replaceAll('"', '""')}"`
    : name;
}
