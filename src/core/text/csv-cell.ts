/** The first characters of formulas in spreadsheets, and their full-width forms. */
const BEGINS_FORMULA = /^[=+\-@\uff1d\uff0b\uff0d\uff20]/;
/** Characters that spreadsheets skip before a formula, quotes, and the separator of half of all locales. */
const SKIPPED = /[\s\p{Cc}\p{Cf};"'`‘’“”]+/gu;
/** After these a cell or a line begins where the separator is no comma. */
const SEPARATORS = /[;\r\n]/g;
/** Apostrophes count, so that a text that has one already stays apart from one that gets it. */
const BEGINS_WITH_BREAK = /^'*[\t\r\n]/;

/** A cell of CSV. An empty text is quoted, so that it stays apart from NULL. */
export function csvCell(text: string): string {
  return text === '' || /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/**
 * A cell of CSV that no spreadsheet runs. A text that looks like a formula gets an apostrophe before it, and one after
 * each of its separators that another locale would split at. docs/query.md says how to undo it: no two texts have one
 * form.
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
