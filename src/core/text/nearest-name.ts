/** Returns the beginning of a hint about an unknown name: the most likely name, or empty. */
export function didYouMean(name: string, known: readonly string[]): string {
  const near = nearNames(name, known)[0] ?? known.find((one) => name !== '' && one.startsWith(name));
  return near === undefined ? '' : `did you mean ${near}? `;
}

/** Returns the known names that are similar to a misspelled one, nearest first. */
export function nearNames(name: string, known: readonly string[], most = 3): string[] {
  return known
    .map((one) => ({ one, edits: edits(name.toLowerCase(), one.toLowerCase()) }))
    .filter((near) => near.edits <= Math.max(1, Math.floor(name.length / 3)))
    .sort((a, b) => a.edits - b.edits)
    .slice(0, most)
    .map(({ one }) => one);
}

/** Counts the letters to insert, delete, replace, or exchange with the next one. */
function edits(from: string, to: string): number {
  let before: number[] = [];
  let row = Array.from({ length: to.length + 1 }, (_, n) => n);
  for (let at = 0; at < from.length; at++) {
    const next = [at + 1];
    for (let n = 1; n <= to.length; n++) {
      const replaced = (row[n - 1] ?? 0) + (from[at] === to[n - 1] ? 0 : 1);
      const isSwapped = n > 1 && at > 0 && from[at] === to[n - 2] && from[at - 1] === to[n - 1];
      const swapped = isSwapped ? (before[n - 2] ?? 0) + 1 : replaced;
      next.push(Math.min(replaced, swapped, (row[n] ?? 0) + 1, (next[n - 1] ?? 0) + 1));
    }
    before = row;
    row = next;
  }
  return row[to.length] ?? 0;
}
