import type { Fetched } from '../records.ts';

type Headers = Fetched['headers'];

/** All values of a header, in the order in which they were sent. */
export function headerValues(headers: Headers, name: string): string[] {
  return headers.filter(([key]) => key === name).map(([, value]) => value);
}

/** One link of a `Link` header. */
export interface HeaderLink {
  readonly href: string;
  /** Relation types in lower case. */
  readonly rel: readonly string[];
  readonly hreflang: string | null;
}

/** A target in angle brackets, then parameters, each with a token or a quoted text. */
const LINK = /<([^>]*)>((?:\s*;\s*[^\s=;,]+(?:\s*=\s*(?:"(?:[^"\\]|\\.)*"|[^\s;,"]*))?)*)/g;
const PARAMETER = /;\s*([^\s=;,]+)(?:\s*=\s*(?:"((?:[^"\\]|\\.)*)"|([^\s;,"]*)))?/g;

/** The links of all `Link` headers (RFC 8288 §3). Of a parameter that is given twice the first counts (§3.3). */
export function headerLinks(headers: Headers): HeaderLink[] {
  return headerValues(headers, 'link').flatMap((value) =>
    [...value.matchAll(LINK)].map(([, href = '', parameters = '']) => {
      const given = new Map<string, string>();
      for (const [, name = '', quoted, token] of parameters.matchAll(PARAMETER)) {
        const key = name.toLowerCase();
        if (!given.has(key)) given.set(key, quoted?.replaceAll(/\\(.)/g, '$1') ?? token ?? '');
      }
      return {
        href: href.trim(),
        rel: (given.get('rel') ?? '').toLowerCase().split(/\s+/).filter(Boolean),
        hreflang: given.get('hreflang') ?? null,
      };
    }),
  );
}
