import { text } from '../../core/duckdb.ts';
import { csvCell, jsonCell } from './cell-sql.ts';
import type { Column } from './column.ts';

/** SQL for a row as one JSON object. Built as text: a STRUCT could not hold `Title` beside `title`. */
export function jsonLine(columns: readonly Column[]): string {
  const cells = columns.flatMap((column, index) => [
    text(`${index === 0 ? '{' : ','}${JSON.stringify(column.field.name)}:`),
    jsonCell(column),
  ]);
  return `concat(${[...cells, text('}')].join(', ')})`;
}

/** SQL for a row as one line of semicolon CSV. */
export function csvLine(columns: readonly Column[]): string {
  const cells = columns.flatMap((column, index) =>
    index === 0 ? [csvCell(column)] : [text(';'), csvCell(column)],
  );
  return `concat(${cells.join(', ')})`;
}

/** The header line, without its newline. */
export function csvHeader(columns: readonly Column[]): string {
  return columns.map((column) => headerCell(column.field.name)).join(';');
}

function headerCell(name: string): string {
  return name === '' || /[;"\r\n]/.test(name) ? `"${name.replaceAll('"', '""')}"` : name;
}
