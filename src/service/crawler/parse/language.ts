const names = new Intl.DisplayNames('en', { type: 'language', fallback: 'none' });
/** Codes that are known to be a language, or known to be none. There are 26² of them. */
const known = new Map<string, boolean>();

/**
 * The language that a page declares, as an ISO 639 code of two letters: the primary subtag of the first declaration that
 * has one, of `html lang`, the meta tag and the header `Content-Language`, in this order. A code of three letters counts
 * if the language has one of two (`eng` is `en`). Null without a declaration: the text is not guessed at.
 *
 * Source: BCP 47; https://html.spec.whatwg.org/multipage/dom.html#the-lang-and-xml:lang-attributes
 */
export function declaredLanguage(declarations: Iterable<string | null | undefined>): string | null {
  for (const declaration of declarations) {
    const subtag = /^\s*([a-z]{2,3})(?![a-z0-9])/i.exec(declaration ?? '')?.[1];
    const code = subtag === undefined ? null : languageCode(subtag);
    if (code !== null) return code;
  }
  return null;
}

/** The code of two letters of a language's code, or null when there is no such language. */
function languageCode(subtag: string): string | null {
  const code = subtag.length === 2 ? subtag.toLowerCase() : Intl.getCanonicalLocales(subtag)[0];
  if (code?.length !== 2) return null;
  let isKnown = known.get(code);
  if (isKnown === undefined) {
    isKnown = names.of(code) !== undefined;
    known.set(code, isKnown);
  }
  return isKnown ? code : null;
}
