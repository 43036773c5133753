import { displayWidth, padToWidth } from './display-width.ts';
import { visibleLine } from './visible.ts';

/** Columns of spaces between two cells. */
const GAP = '  ';

/** Lines of aligned columns; numbers are aligned right, null is a dash. */
export function textTable(
  names: readonly string[],
  rows: readonly (readonly (string | number | bigint | null)[])[],
): string {
  const cells = rows.map((row) => row.map((cell) => (cell === null ? '-' : visibleLine(String(cell)))));
  const isRight = names.map((_name, index) => rows.some((row) => typeof row[index] === 'number'));
  return alignColumns([names, ...cells], isRight)
    .lines.map((line) => `${line}\n`)
    .join('');
}

/**
 * Rows as lines whose columns are aligned on a terminal, in any script.
 *
 * @param isRight the columns that are aligned right
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

/** Of each column, the width of its widest cell. */
export function columnWidths(rows: readonly (readonly string[])[]): number[] {
  const widths: number[] = [];
  for (const row of rows)
    for (const [index, cell] of row.entries())
      widths[index] = Math.max(widths[index] ?? 0, displayWidth(cell));
  return widths;
}

/** A line of dashes below the names of columns. */
export function ruleOf(widths: readonly number[]): string {
  return widths.map((width) => '─'.repeat(width)).join(GAP);
}
