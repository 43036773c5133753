import { parsePage } from '../../src/site/crawler/parse/parse-page.ts';
import type { Fetched, ParsedPage, ParseRules } from '../../src/site/crawler/records/records.ts';

export const PAGE_URL = 'https://site.example/shop/shoes.html';

/** A crawl of one host that drops fragments. */
export const RULES: ParseRules = {
  isInternal: (url) => url.host === 'site.example',
  normalize: (url) => {
    url.hash = '';
    return url.href;
  },
  robotName: 'crawlhouse',
  extract: null,
};

/** An answer with HTML. */
export function fetched(body: string | Uint8Array, more: Partial<Fetched> = {}): Fetched {
  const bytes = typeof body === 'string' ? Buffer.from(body) : body;
  return {
    url: PAGE_URL,
    statusCode: 200,
    error: null,
    refusal: null,
    headers: [['content-type', 'text/html; charset=utf-8']],
    body: bytes,
    isTruncated: false,
    problem: null,
    bytes: bytes.length,
    loadTimeMs: 41.6,
    ttfbMs: 12,
    fetchedAt: new Date('2026-11-22T07:08:09.123Z'),
    httpVersion: '1.1',
    tlsVersion: 'TLSv1.3',
    offersHttp2: true,
    ...more,
  };
}

/** What a page of HTML says. */
export function parsed(html: string | Uint8Array, more: Partial<Fetched> = {}): ParsedPage {
  return parsePage(fetched(html, more), RULES);
}

/** The same with further headers. */
export function parsedWith(html: string, ...headers: readonly (readonly [string, string])[]): ParsedPage {
  return parsed(html, { headers: [['content-type', 'text/html; charset=utf-8'], ...headers] });
}
