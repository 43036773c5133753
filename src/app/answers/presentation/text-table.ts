import { displayWidth, padToWidth } from '../../../core/text/display-width.ts';
import { visibleLine } from '../../../core/text/visible.ts';

/** Columns of spaces between two cells. */
const GAP = '  ';

/** The text for null. */
const NONE = '-';

type Cells = readonly (string | number | bigint | null)[];

export interface Fit {
  /** Columns of the terminal; null if there is none: lines of any width. */
  readonly width: number | null;
  /** The columns that leave a narrow table. Their cells move below each row. */
  readonly below: readonly string[];
}

const ANY_WIDTH: Fit = { width: null, below: [] };

/** Formats aligned columns; numbers are right-aligned, null is a dash. */
export function textTable(names: readonly string[], rows: readonly Cells[], fit = ANY_WIDTH): string {
  const cells = rows.map((row) => row.map((cell) => (cell === null ? NONE : visibleLine(String(cell)))));
  const isRight = names.map((_name, index) => rows.some((row) => typeof row[index] === 'number'));
  return fittedRows([names, ...cells], isRight, fit)
    .flat()
    .map((line) => `${line}\n`)
    .join('');
}

/** Formats rows of cells as the lines of each row; the first row contains the names of the columns. */
export function fittedRows(
  rows: readonly (readonly string[])[],
  isRight: readonly boolean[],
  { width, below }: Fit,
): string[][] {
  const { lines } = alignColumns(rows, isRight);
  if (width === null || below.length === 0 || lines.every((line) => displayWidth(line) <= width))
    return lines.map((line) => [line]);
  const [names = [], ...others] = rows;
  const stays = <T>(cells: readonly T[]): T[] =>
    cells.filter((_cell, index) => !below.includes(names[index] ?? ''));
  const [head, ...narrow] = alignColumns(rows.map(stays), stays(isRight)).lines;
  const rest = others.map((row) =>
    row.flatMap((cell, index) =>
      below.includes(names[index] ?? '') && cell !== NONE ? [`    ${names[index]}: ${cell}`] : [],
    ),
  );
  return [[head ?? ''], ...narrow.map((line, index) => [line, ...(rest[index] ?? [])])];
}

/**
 * Formats rows as lines with aligned columns for a terminal. The text can be in any writing system.
 *
 * @param isRight the right-aligned columns
 */
export function alignColumns(
  rows: readonly (readonly string[])[],
  isRight: readonly boolean[],
): { readonly lines: readonly string[]; readonly widths: readonly number[] } {
  const widths = columnWidths(rows);
  const lines = rows.map((row) =>
    row
      .map((cell, index) => padToWidth(cell, widths[index] ?? 0, isRight[index]))
      .join(GAP)
      .trimEnd(),
  );
  return { lines, widths };
}

export function columnWidths(rows: readonly (readonly string[])[]): number[] {
  const widths: number[] = [];
  for (const row of rows)
    for (const [index, cell] of row.entries())
      widths[index] = Math.max(widths[index] ?? 0, displayWidth(cell));
  return widths;
}

/** Returns a line of dashes below the column names. */
export function ruleOf(widths: readonly number[]): string {
  return widths.map((width) => '─'.repeat(width)).join(GAP);
}
