/**
 * Characters that a terminal interprets or hides: C0 except line feed and tab, DEL, C1, overrides of the text
 * direction, Unicode line ends. Without ESC and C1 no escape sequence begins.
 */
const UNSEEN =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what it is about
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u2028\u2029\u202a-\u202e\u2066-\u2069]/g;

/**
 * Shows control characters as escapes (`\u001b`) on a terminal. Text from the service or from data must not move the
 * cursor, or color, retitle or reorder our output. A JSON document keeps its value.
 */
export function visible(text: string): string {
  return text.replaceAll(UNSEEN, escaped);
}

/** Makes a text visible on one line: line feeds and tabs are escaped, too. */
export function visibleLine(text: string): string {
  return visible(text).replaceAll(/[\n\t]/g, escaped);
}

function escaped(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
}
