const LONGEST = 31;
const FORBIDDEN = /[[\]:*?/\\\p{Cc}]/gu;

/** Names of the sheets of one workbook: valid in spreadsheets, and unique regardless of case. */
export class SheetNames {
  readonly #taken = new Set<string>();

  /** Returns the name, or the first free one of `name (2)`, `name (3)`, …, and reserves it. */
  take(wanted: string): string {
    const plain =
      wanted
        .toWellFormed()
        .replaceAll(FORBIDDEN, ' ')
        .replaceAll(/^['\s]+|['\s]+$/g, '') || 'Sheet';
    // Spreadsheets reserve this name.
    const base = plain.toLowerCase() === 'history' ? `${plain}_` : plain;
    for (let number = 1; ; number++) {
      const ending = number === 1 ? '' : ` (${number})`;
      const name = beginning(base, LONGEST - ending.length) + ending;
      if (this.#taken.has(name.toLowerCase())) continue;
      this.#taken.add(name.toLowerCase());
      return name;
    }
  }
}

/** Returns the first characters of a text, without half a character or spaces and apostrophes at the end. */
function beginning(text: string, most: number): string {
  return text
    .slice(0, most)
    .replace(/[\ud800-\udbff]$/, '')
    .replace(/['\s]+$/, '');
}
