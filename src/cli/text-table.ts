/** Lines of aligned columns; numbers stand to the right, null is a dash. */
export function textTable(
  names: readonly string[],
  rows: readonly (readonly (string | number | bigint | null)[])[],
): string {
  const cells = rows.map((row) => row.map((cell) => (cell === null ? '-' : String(cell))));
  const right = names.map((_name, index) => rows.some((row) => typeof row[index] === 'number'));
  const widths = names.map((name, index) =>
    Math.max(name.length, ...cells.map((row) => row[index]?.length ?? 0)),
  );
  const line = (row: readonly string[]): string =>
    row
      .map((cell, index) =>
        right[index] ? cell.padStart(widths[index] ?? 0) : cell.padEnd(widths[index] ?? 0),
      )
      .join('  ')
      .trimEnd();
  return [line(names), ...cells.map(line)].map((text) => `${text}\n`).join('');
}
