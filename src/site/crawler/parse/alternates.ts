import type { PageRecord } from '../records/records.ts';
import type { HeaderLink } from './headers.ts';
import { distinct } from './text/text.ts';

/** Where a link is. */
export type LinkSource = 'html' | 'header';

/**
 * The other URLs that a page names: canonical, next and previous of a series, language versions. They are in `link`
 * elements of the head, or in `Link` headers. `link` elements in the body do not count. Search engines ignore them,
 * because the content of a page may come from anyone. A canonical is also ignored if it has `hreflang`, `lang`, `media`
 * or `type` (`read-document.ts`).
 *
 * - `canonicals`: all different canonicals. `rel_canonical`: the only one; different ones are void, as for Google.
 *   `declared_canonical`: the first one as written that is a URL, else the first one.
 * - `hreflang_*`: one entry per declaration, at the same position in each list. A language keeps its spelling, in lower
 *   case. `relative_hreflangs`: addresses of elements that lack their scheme or host, as written.
 *
 * Sources: https://developers.google.com/search/docs/crawling-indexing/consolidate-duplicate-urls (head and headers);
 * https://developers.google.com/search/docs/specialty/international/localized-versions (hreflang).
 *
 * @param resolve the absolute URL of an address, or null if it is invalid. Addresses of headers ignore the `base`
 *   element.
 */
export function alternates(
  tags: readonly HeaderLink[],
  headers: readonly HeaderLink[],
  resolve: (href: string, source: LinkSource) => string | null,
) {
  const canonicals: string[] = [];
  let declared: string | null = null;
  let wrong: string | null = null;
  const series: { next: string | null; prev: string | null } = { next: null, prev: null };
  const langs: string[] = [];
  const hrefs: string[] = [];
  const sources: string[] = [];
  const relative: string[] = [];
  for (const [links, source] of [
    [tags, 'html'],
    [headers, 'header'],
  ] as const)
    for (const { href, rel, hreflang } of links) {
      const isVersion = hreflang !== null && rel.includes('alternate');
      const isCanonical = rel.includes('canonical');
      const isNext = rel.includes('next');
      const isPrev = rel.includes('prev') || rel.includes('previous');
      if (href === '' || !(isVersion || isCanonical || isNext || isPrev)) continue;
      const url = resolve(href, source);
      if (url === null) {
        if (isCanonical) wrong ??= href;
        continue;
      }
      if (isCanonical) {
        canonicals.push(url);
        declared ??= href;
      }
      if (isNext) series.next ??= url;
      if (isPrev) series.prev ??= url;
      if (!isVersion) continue;
      langs.push(hreflang.trim().toLowerCase());
      hrefs.push(url);
      sources.push(source);
      if (source === 'html' && !/^https?:/i.test(href)) relative.push(href);
    }
  return {
    rel_canonical: new Set(canonicals).size === 1 ? (canonicals[0] ?? null) : null,
    declared_canonical: declared ?? wrong,
    canonicals: distinct(canonicals),
    rel_next: series.next,
    rel_prev: series.prev,
    hreflang_langs: langs.length === 0 ? null : langs,
    hreflang_hrefs: langs.length === 0 ? null : hrefs,
    hreflang_sources: langs.length === 0 ? null : sources,
    relative_hreflangs: relative.length === 0 ? null : relative,
  } satisfies Partial<PageRecord>;
}
