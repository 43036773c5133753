/** A language of the demo's site. */
export interface Language {
  /** For `lang` and `hreflang`. */
  readonly code: string;
  /** The first directory of its pages. */
  readonly folder: string;
  readonly translate: (text: string) => string;
}

const LATIN = 'abcdefghijklmnopqrstuvwxyz';
const CYRILLIC = 'абцдефгхийклмнопкрстуввкыз';

/** English, and the same in Cyrillic letters: a second language that no one has to translate. */
export const LANGUAGES: readonly Language[] = [
  { code: 'en', folder: 'en', translate: (text) => text },
  { code: 'en-Cyrl', folder: 'en-cyrl', translate: inCyrillic },
];

function inCyrillic(text: string): string {
  return text.replaceAll(/[a-z]/gi, (letter) => {
    const other = CYRILLIC[LATIN.indexOf(letter.toLowerCase())] ?? letter;
    return letter === letter.toLowerCase() ? other : other.toUpperCase();
  });
}
