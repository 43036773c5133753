/** Soft hyphens and joiners without a width. */
const INVISIBLE = /[\u00ad\u2060\ufeff]/g;
/** A zero-width space parts words, and is none. */
const BLANK = /[\s\u200b]+/g;

/** The text that people see: without invisible characters. */
export function visible(text: string): string {
  return text.replaceAll(INVISIBLE, '');
}

/** Visible text with each run of white space as one space, and none around; null when nothing is left. */
export function collapsed(text: string): string | null {
  const short = visible(text).replaceAll(BLANK, ' ').trim();
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
