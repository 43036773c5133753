import { cutMiddle, cutToWidth, displayWidth } from '../../../core/text/display-width.ts';
import { alignColumns, ruleOf } from './text-table.ts';

/** The minimum width of a cut column. */
const LEAST = 12;
const GAP = 2;
const NAME = /^[\w.:-]*$/;
const URL_LIKE = /^([a-z][\w+.-]*:\/\/|\/)/i;

/**
 * Cuts the widest column that may be cut by one character until all fit or none is longer than the minimum. Names,
 * which people copy, are cut last.
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
    const spare = widths.map((width, index) => (width > (least[index] ?? 0) ? width : 0));
    const texts = spare.map((one, index) => (isName[index] ? 0 : one));
    const longest = Math.max(...texts) || Math.max(...spare);
    if (longest === 0) break;
    const widest = (Math.max(...texts) > 0 ? texts : spare).indexOf(longest);
    widths[widest] = longest - 1;
    over--;
  }
  return rows.map((row) => row.map((cell, index) => cutText(cell, widths[index] ?? 0)));
}

/**
 * Formats a table that fits a width. Columns with the same value in every row move to one line above it. One column
 * stays, so that the rows can be identified.
 */
export function liftedTable(
  names: readonly string[],
  rows: readonly (readonly string[])[],
  isNumber: readonly boolean[],
  width: number,
): readonly string[] {
  const isSame = names.map(
    (_name, index) => rows.length > 1 && rows.every((row) => row[index] === rows[0]?.[index]),
  );
  if (isSame.every((same) => same)) isSame[0] = false;
  const differing = <T>(row: readonly T[]): T[] => row.filter((_cell, index) => isSame[index] !== true);
  const shown = cutColumns([names, ...rows].map(differing), differing(isNumber), width);
  const { lines, widths } = alignColumns(shown, differing(isNumber));
  const same = names.flatMap((name, index) => (isSame[index] ? [`${name}: ${rows[0]?.[index] || '-'}`] : []));
  return [...(same.length === 0 ? [] : [same.join(', ')]), ...lines.toSpliced(1, 0, ruleOf(widths))];
}

/** Cuts a URL in the middle, and other texts at the end. */
export const cutText = (text: string, width: number): string =>
  URL_LIKE.test(text) ? cutMiddle(text, width) : cutToWidth(text, width);
