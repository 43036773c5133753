/** The name that was most likely meant; none where no known name is near. */
export function nearestName(name: string, known: readonly string[]): string | undefined {
  const ranked = known
    .map((one) => ({ one, edits: edits(name.toLowerCase(), one.toLowerCase()) }))
    .sort((a, b) => a.edits - b.edits);
  const [best] = ranked;
  return best && best.edits <= Math.max(1, Math.floor(name.length / 3)) ? best.one : undefined;
}

/** How many letters must be put in, taken out or replaced (Levenshtein). */
function edits(from: string, to: string): number {
  let row = Array.from({ length: to.length + 1 }, (_, n) => n);
  for (const [index, letter] of [...from].entries()) {
    const next = [index + 1];
    for (let n = 1; n <= to.length; n++) {
      const replaced = (row[n - 1] ?? 0) + (letter === to[n - 1] ? 0 : 1);
      next.push(Math.min(replaced, (row[n] ?? 0) + 1, (next[n - 1] ?? 0) + 1));
    }
    row = next;
  }
  return row[to.length] ?? 0;
}
