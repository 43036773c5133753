/** A moment in UTC, as a day or to the second. */
interface Moment {
  /** Since 1970. */
  readonly milliseconds: number;
  readonly isDay: boolean;
}

/** The value of a cell; null: empty. */
export type SheetCell = string | number | boolean | Moment | null;

/** The most UTF-16 characters of a text. */
export const MOST_TEXT = 32_767;
const DAY_MS = 86_400_000;
/** Days from 1899-12-30, the day 0 of spreadsheets, to 1970. */
const DAYS_BEFORE_1970 = 25_569;
/** 1900-03-01: spreadsheets count an earlier day that did not exist. */
const FIRST_DAY = 61;
/** 9999-12-31 */
const LAST_DAY = 2_958_465;

/** The styles of `styles.xml`, by their place. */
export const STYLES = { plain: 0, head: 1, day: 2, time: 3, formula: 4 } as const;

/** Texts that become a formula when a person edits the cell, unless their style forbids it. */
const BEGINS_FORMULA = /^[=+\-@]/;
/** Characters that XML 1.0 cannot contain. */
const ILLEGAL = /[^\t\n\r\x20-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/gu;
/** Spreadsheets read `_x0041_` as `A`. */
const ESCAPED = /_(?=x[0-9A-Fa-f]{4}_)/g;
const MARKUP = /[&<>\r]/g;
const ENTITIES = new Map([
  ['&', '&amp;'],
  ['<', '&lt;'],
  ['>', '&gt;'],
  // Otherwise XML makes a line feed of it.
  ['\r', '&#13;'],
]);

/** Returns whether a spreadsheet can show a moment as a date. */
export function isDate({ milliseconds }: Moment): boolean {
  const serial = milliseconds / DAY_MS + DAYS_BEFORE_1970;
  return serial >= FIRST_DAY && serial < LAST_DAY + 1;
}

/**
 * Returns a cell as XML, or empty text for null. Text never becomes a formula.
 *
 * @param place such as `B12`
 */
export function cellXml(place: string, value: SheetCell, style?: number): string {
  if (value === null) return '';
  if (typeof value === 'number') return `<c r="${place}"${styled(style)}><v>${value}</v></c>`;
  if (typeof value === 'boolean') return `<c r="${place}"${styled(style)} t="b"><v>${value ? 1 : 0}</v></c>`;
  if (typeof value === 'string') {
    const own = style ?? (BEGINS_FORMULA.test(value) ? STYLES.formula : undefined);
    return `<c r="${place}"${styled(own)} t="inlineStr"><is><t xml:space="preserve">${textXml(cut(value))}</t></is></c>`;
  }
  const serial = value.milliseconds / DAY_MS + DAYS_BEFORE_1970;
  return `<c r="${place}"${styled(style ?? (value.isDay ? STYLES.day : STYLES.time))}><v>${serial}</v></c>`;
}

function styled(style: number | undefined): string {
  return style === undefined ? '' : ` s="${style}"`;
}

function cut(text: string): string {
  if (text.length <= MOST_TEXT) return text;
  const isHalf = text.charCodeAt(MOST_TEXT - 1) >= 0xd800 && text.charCodeAt(MOST_TEXT - 1) < 0xdc00;
  return text.slice(0, isHalf ? MOST_TEXT - 1 : MOST_TEXT);
}

/** Returns a text between XML tags. Characters that XML cannot contain become `U+FFFD`. */
export function textXml(text: string): string {
  return text
    .replaceAll(ILLEGAL, '\ufffd')
    .replaceAll(ESCAPED, '_x005F_')
    .replaceAll(MARKUP, (character) => ENTITIES.get(character) ?? character);
}

/** `A`, `Z`, `AA`: the letters of a column, from 0. */
export function columnLetters(index: number): string {
  const rest = index % 26;
  const letter = String.fromCharCode(65 + rest);
  return index < 26 ? letter : columnLetters((index - rest) / 26 - 1) + letter;
}
