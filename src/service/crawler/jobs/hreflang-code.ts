const languages = new Intl.DisplayNames('en', { type: 'language', fallback: 'none' });
const regions = new Intl.DisplayNames('en', { type: 'region', fallback: 'none' });

/**
 * Whether search engines understand a code of a language version: `x-default`, or a language of ISO 639-1, optionally
 * with a script of ISO 15924 and a region of ISO 3166-1 alpha 2. `en-uk` has no region of that name, `gb` alone no
 * language.
 *
 * Source: https://developers.google.com/search/docs/specialty/international/localized-versions#language-codes
 */
export function isHreflang(code: string): boolean {
  if (code === 'x-default') return true;
  const [, language, region] = /^([a-z]{2})(?:-[a-z]{4})?(?:-([a-z]{2}))?$/i.exec(code) ?? [];
  if (language === undefined || languages.of(language) === undefined) return false;
  return region === undefined || isRegion(region.toUpperCase());
}

/** Unicode also names regions that ISO does not, as aliases (`UK`) or exceptional reservations (`EU`, `UN`). */
function isRegion(region: string): boolean {
  if (['UK', 'EU', 'UN', 'EZ', 'XA', 'XB', 'ZZ'].includes(region)) return false;
  return regions.of(region) !== undefined;
}
