/** Text with each run of white space as one space, and none around; null when nothing is left. */
export function collapsed(text: string): string | null {
  const short = text.replaceAll(/\s+/g, ' ').trim();
  return short === '' ? null : short;
}

/** Number of characters, by code point, as SQL's `length` counts. */
export function characters(text: string): number {
  let pairs = 0;
  for (let at = 0; at < text.length - 1; at++)
    if ((text.charCodeAt(at) & 0xfc00) === 0xd800 && (text.charCodeAt(at + 1) & 0xfc00) === 0xdc00) {
      pairs++;
      at++;
    }
  return text.length - pairs;
}

/** The list without repetitions, or null when it is empty. */
export function distinct<T>(values: Iterable<T>): T[] | null {
  const list = [...new Set(values)];
  return list.length === 0 ? null : list;
}
