import { absoluteUrl, webUrl } from '../../../core/net/web-url.ts';
import type { Fetched } from '../records/records.ts';

type Headers = Fetched['headers'];

/** Returns all values of a header, in the order in which they were sent. */
export function headerValues(headers: Headers, name: string): string[] {
  return headers.filter(([key]) => key === name).map(([, value]) => value);
}

/**
 * Returns the location in the headers of a response; null if there is none. An empty `Location` is ignored, as in
 * browsers.
 */
export function locationOf(headers: Headers, base: string): URL | null {
  const location = headerValues(headers, 'location').find((value) => value.trim() !== '');
  return location === undefined ? null : webUrl(location, base);
}

export interface HeaderLink {
  readonly href: string;
  /** Relation types in lowercase. */
  readonly rel: readonly string[];
  readonly hreflang: string | null;
}

/** Sticky patterns of a `Link` header (RFC 8288, appendix B.2 and B.3); each reads once from left to right. */
const GAP = /[\s,]*/y;
const TARGET = /<([^>]*)>/y;
const NAME = /\s*;\s*([^\s=;,]*)\s*/y;
const QUOTED = /=\s*"((?:[^"\\]|\\.)*)"?/sy;
const TOKEN = /=\s*([^;,]*)/y;
const REST = /[^,]*/y;

/**
 * Returns the links of all `Link` headers that belong to a page itself: links with an `anchor` may belong to another
 * page, or to a part of it. Invalid text is skipped up to the next comma.
 */
export function headerLinks(headers: Headers, url: string): HeaderLink[] {
  const page = absoluteUrl(url, url);
  return headerValues(headers, 'link')
    .flatMap(linksOf)
    .filter(({ anchor }) => anchor === null || absoluteUrl(anchor, url) === page)
    .map(({ anchor: _, ...link }) => link);
}

function linksOf(value: string) {
  let at = 0;
  const take = (pattern: RegExp): string | null => {
    pattern.lastIndex = at;
    const found = pattern.exec(value);
    if (found !== null) at = pattern.lastIndex;
    return found === null ? null : (found[1] ?? '');
  };
  const links: (HeaderLink & { readonly anchor: string | null })[] = [];
  for (take(GAP); at < value.length; take(GAP)) {
    const target = take(TARGET);
    const given = new Map<string, string>();
    if (target !== null)
      for (let name = take(NAME); name !== null; name = take(NAME)) {
        const key = name.toLowerCase();
        const said = take(QUOTED)?.replaceAll(/\\(.)/gs, '$1') ?? take(TOKEN)?.trim() ?? '';
        // If a parameter is repeated, the first counts (§3.3, §3.4.1).
        if (!given.has(key)) given.set(key, said);
      }
    // Nothing ends a target after this position.
    if (target === null && value[at] === '<') break;
    take(REST);
    if (target === null) continue;
    links.push({
      href: target.trim(),
      rel: (given.get('rel') ?? '').toLowerCase().split(/\s+/).filter(Boolean),
      hreflang: given.get('hreflang') ?? null,
      anchor: given.get('anchor') ?? null,
    });
  }
  return links;
}
