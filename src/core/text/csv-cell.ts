/** The first characters of formulas in spreadsheets, and their full-width forms. */
const BEGINS_FORMULA = /^[=+\-@\uff1d\uff0b\uff0d\uff20]/;
/** Characters that spreadsheets skip before a formula, quotes, and the separator of half of all locales. */
const SKIPPED = /[\s\p{Cc}\p{Cf};"'`‘’“”]+/gu;
/** Characters after which a cell or a line begins if the separator is not a comma. */
const SEPARATORS = /[;\r\n]/g;
/** Apostrophes count, to distinguish a text that already has one from a text that gets one. */
const BEGINS_WITH_BREAK = /^'*[\t\r\n]/;

/** Returns a CSV cell. An empty text is quoted, to distinguish it from NULL. */
export function csvCell(text: string): string {
  return text === '' || /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/**
 * Returns a CSV cell that no spreadsheet runs. A text that looks like a formula gets a leading apostrophe, and another
 * one after each separator at which another locale would split it. Different texts have different forms, so this can be
 * undone (docs/query.md).
 */
export function spreadsheetCell(text: string): string {
  return csvCell(inert(text));
}

function inert(text: string): string {
  let isFormula = BEGINS_FORMULA.test(text) || BEGINS_WITH_BREAK.test(text);
  const split = text.replaceAll(SKIPPED, (run, at: number) => {
    if (!BEGINS_FORMULA.test(text.charAt(at + run.length))) return run;
    const parted = run.replaceAll(SEPARATORS, "$&'");
    isFormula ||= at === 0 || parted !== run;
    return parted;
  });
  return isFormula ? `'${split}` : text;
}
