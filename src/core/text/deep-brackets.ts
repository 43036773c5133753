/** Brackets within each other: the parser of YAML takes seconds for some thousands of them. */
const MOST = 1000;

/** Where a text has more than a thousand brackets open, as an index; -1 where it never has. */
export function deepBrackets(text: string): number {
  let open = 0;
  for (const { 0: bracket, index } of text.matchAll(/[[\]{}]/g)) {
    open += bracket === '[' || bracket === '{' ? 1 : -1;
    if (open > MOST) return index;
  }
  return -1;
}
