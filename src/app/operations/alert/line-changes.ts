/** Maximum lines of a text to compare; the rest is ignored. */
const MOST_LINES = 500;

/** Returns the lines that only one of two texts has, as `diff` shows them: `- former`, `+ present`. */
export function lineChanges(before: string, after: string): readonly string[] {
  const [former, present] = [linesOf(before), linesOf(after)];
  // The length of the longest common subsequence of lines, from each position to the end.
  const common = Array.from({ length: former.length + 1 }, () => new Uint16Array(present.length + 1));
  const at = (row: number, column: number): number => common[row]?.[column] ?? 0;
  for (let row = former.length - 1; row >= 0; row--)
    for (let column = present.length - 1; column >= 0; column--) {
      const length =
        former[row] === present[column]
          ? at(row + 1, column + 1) + 1
          : Math.max(at(row + 1, column), at(row, column + 1));
      (common[row] as Uint16Array)[column] = length;
    }
  const changes: string[] = [];
  let [row, column] = [0, 0];
  while (row < former.length || column < present.length) {
    if (row < former.length && column < present.length && former[row] === present[column]) {
      row++;
      column++;
    } else if (
      column >= present.length ||
      (row < former.length && at(row + 1, column) >= at(row, column + 1))
    )
      changes.push(`- ${former[row++]}`);
    else changes.push(`+ ${present[column++]}`);
  }
  return changes;
}

function linesOf(text: string): readonly string[] {
  return text
    .split(/\r\n|\r|\n/)
    .map((line) => line.trimEnd())
    .filter((line) => line !== '')
    .slice(0, MOST_LINES);
}
