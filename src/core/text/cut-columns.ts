import { cutMiddle, cutToWidth, displayWidth } from './display-width.ts';

/** No column is cut shorter. */
const LEAST = 12;
const GAP = 2;
const NAME = /^[\w.:-]*$/;
const URL_LIKE = /^([a-z][\w+.-]*:\/\/|\/)/i;

/**
 * The widest column that may be cut loses a character until all fit, or none is longer than the least. Names, which
 * people copy, are cut when nothing else is left.
 */
export function cutColumns(
  rows: readonly (readonly string[])[],
  isNumber: readonly boolean[],
  width: number,
): readonly (readonly string[])[] {
  const [head = []] = rows;
  const widths = head.map((_name, index) => Math.max(...rows.map((row) => displayWidth(row[index] ?? ''))));
  const least = head.map((name, index) =>
    isNumber[index] === true
      ? (widths[index] ?? 0)
      : Math.min(widths[index] ?? 0, Math.max(LEAST, displayWidth(name))),
  );
  let over = widths.reduce((sum, one) => sum + one + GAP, -GAP) - width;
  const isName = head.map((_name, index) => rows.every((row) => NAME.test(row[index] ?? '')));
  while (over > 0) {
    const spare = widths.map((one, index) => (one > (least[index] ?? 0) ? one : 0));
    const texts = spare.map((one, index) => (isName[index] ? 0 : one));
    const longest = Math.max(...texts) || Math.max(...spare);
    if (longest === 0) break;
    const widest = (Math.max(...texts) > 0 ? texts : spare).indexOf(longest);
    widths[widest] = longest - 1;
    over--;
  }
  return rows.map((row) => row.map((cell, index) => cutText(cell, widths[index] ?? 0)));
}

/** A URL is cut in its middle, other texts at their end. */
export const cutText = (text: string, width: number): string =>
  URL_LIKE.test(text) ? cutMiddle(text, width) : cutToWidth(text, width);
