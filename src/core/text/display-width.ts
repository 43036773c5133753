/**
 * Characters with two columns, as a class of DuckDB's regular expressions: East Asian Wide and Fullwidth (UAX #11),
 * without emoji. mart.pages uses an equal class.
 */
export const FULL_WIDTH = String.raw`\x{1100}-\x{115f}\x{2329}\x{232a}\x{2e80}-\x{303e}\x{3041}-\x{a4cf}\x{a960}-\x{a97f}\x{ac00}-\x{d7a3}\x{f900}-\x{faff}\x{fe10}-\x{fe19}\x{fe30}-\x{fe6f}\x{ff01}-\x{ff60}\x{ffe0}-\x{ffe6}\x{16fe0}-\x{18aff}\x{1aff0}-\x{1b2ff}\x{1f200}-\x{1f2ff}\x{20000}-\x{3fffd}`;
const WIDE = new RegExp(`^[${FULL_WIDTH.replaceAll('x', 'u')}]`, 'u');
/** Characters that a terminal draws as a picture: alone, with the selector U+FE0F, or as a flag of two letters. */
const PICTURE = /^(?:\p{Emoji_Presentation}|\p{Emoji}\ufe0f|\p{Regional_Indicator}{2})/u;
const WITHOUT_WIDTH = /^[\p{Mn}\p{Me}\p{Cf}]+$/u;
const PLAIN = /^[\x20-\x7e]*$/;

let segmenter: Intl.Segmenter | undefined;

/** Created on demand, because its creation takes longer than most commands spend on texts. */
function graphemesOf(text: string): Intl.Segments {
  segmenter ??= new Intl.Segmenter('en', { granularity: 'grapheme' });
  return segmenter.segment(text);
}

/** Returns columns of a text on a terminal: two for CJK and emoji, none for a combining mark. */
export function displayWidth(text: string): number {
  if (PLAIN.test(text)) return text.length;
  let width = 0;
  for (const { segment } of graphemesOf(text)) width += widthOf(segment);
  return width;
}

export function padToWidth(text: string, width: number, isRight = false): string {
  const spaces = ' '.repeat(Math.max(0, width - displayWidth(text)));
  return isRight ? spaces + text : text + spaces;
}

/** Cuts a text to a width, with an ellipsis in its last column, and never within a character. */
export function cutToWidth(text: string, width: number): string {
  let cut = '';
  let used = 0;
  // No further than needed: a value may be megabytes long.
  for (const { segment } of graphemesOf(text)) {
    used += widthOf(segment);
    if (used > width) return `${cut}…`;
    if (used < width) cut += segment;
  }
  return text;
}

/** Cuts a text to a width, with an ellipsis in its middle, because beginning and end distinguish URLs. */
export function cutMiddle(text: string, width: number): string {
  if (displayWidth(text) <= width) return text;
  const parts = [...graphemesOf(text)].map(({ segment }) => segment);
  const [start, end]: [string[], string[]] = [[], []];
  let left = width - 1;
  for (let at = 0; at < parts.length; at++) {
    const side = at % 2 === 0 ? end : start;
    const part = (side === end ? parts.at(-1 - end.length) : parts[start.length]) ?? '';
    left -= widthOf(part);
    if (left < 0) break;
    side.push(part);
  }
  return `${start.join('')}…${end.reverse().join('')}`;
}

/**
 * Wraps a line between its words; continuation lines are indented. A longer word is not split, so that an id or a path
 * can be copied.
 */
export function wrapToWidth(line: string, width: number, indent: string): string[] {
  if (displayWidth(line) <= width) return [line];
  const lines: string[] = [];
  let now = '';
  for (const word of line.match(/ *\S+/g) ?? []) {
    if (now === '' || displayWidth(now + word) <= width) now += word;
    else {
      lines.push(now);
      now = indent + word.trimStart();
    }
  }
  return [...lines, now];
}

function widthOf(grapheme: string): number {
  if (WITHOUT_WIDTH.test(grapheme)) return 0;
  return WIDE.test(grapheme) || PICTURE.test(grapheme) ? 2 : 1;
}
