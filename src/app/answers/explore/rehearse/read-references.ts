import { z } from 'zod';
import type { Typed } from '../../../../core/text/typed-rows.ts';
import type { AskedRows } from './asked-rows.ts';

const KINDS = ['link', 'redirect', 'canonical', 'hreflang'] as const;
const Found = z.strictObject({ source: z.string(), target: z.string(), kind: z.enum(KINDS) });
export const Reference = Found.extend({ action: z.string() });
export type Reference = Typed<typeof Reference>;

const LINKS = `SELECT DISTINCT links.origin AS source, links.target, 'link' AS kind
FROM mart.links AS links
WHERE links.crawl_id = $crawl AND links.origin <> links.target`;
const REDIRECTS = `SELECT pages.url AS source, pages.redirect_location AS target, 'redirect' AS kind
FROM mart.pages AS pages
WHERE pages.crawl_id = $crawl AND pages.status_code IN (301, 302, 303, 307, 308)
  AND pages.redirect_location IS NOT NULL AND pages.redirect_location <> pages.url
UNION
SELECT pages.url, pages.script_redirect, 'redirect'
FROM mart.pages AS pages
WHERE pages.crawl_id = $crawl AND pages.script_redirect <> pages.url
UNION
SELECT pages.url, pages.meta_refresh_location, 'redirect'
FROM mart.pages AS pages
WHERE pages.crawl_id = $crawl AND pages.meta_refresh_location <> pages.url`;
const DECLARED = `SELECT pages.url AS source, pages.canonical_url AS target, 'canonical' AS kind
FROM mart.pages AS pages
WHERE pages.crawl_id = $crawl AND pages.canonical_url IS NOT NULL AND pages.canonical_url <> pages.url
UNION ALL
SELECT DISTINCT hreflangs.url AS source, hreflangs.href AS target, 'hreflang' AS kind
FROM mart.page_hreflangs AS hreflangs
WHERE hreflangs.crawl_id = $crawl AND hreflangs.href <> hreflangs.url`;

const Field = z.strictObject({ field: z.string() });
const DECLARING = { rel_canonical: 'canonicals', hreflang_hrefs: 'hreflang links' } as const;
const FIELDS = `SELECT fields.field
FROM mart.crawl_fields AS fields
WHERE fields.crawl_id = $crawl AND fields.dataset = 'crawl_pages'
  AND fields.field IN ('rel_canonical', 'hreflang_hrefs')`;

/** Returns why a crawl's canonicals or hreflang links are unknown; null if its export contains both. */
export async function whyUndeclared({ rows }: AskedRows, crawl: string): Promise<string | null> {
  const found = await rows('fields of canonicals and hreflang links', Field, {
    sql: FIELDS,
    parameters: { crawl },
  });
  const exported = new Set(found.map(({ field }) => field));
  const lacked = Object.entries(DECLARING).flatMap(([field, name]) => (exported.has(field) ? [] : [name]));
  return lacked.length === 0 ? null : `the export lacks ${lacked.join(' and ')}`;
}

interface Sought {
  /** What to do with references to a URL. */
  readonly actions: ReadonlyMap<string, string>;
  /** Returns a target as the actions spell it. */
  readonly spell: (target: string) => string;
  /** Whether links and redirects are sought too, not only canonicals and hreflang links. */
  readonly withLinks: boolean;
  /** Whether the references on a page matter after the change. */
  readonly isKept: (source: string) => boolean;
}

/** Returns the references to some URLs, by target. */
export async function readReferences(
  { each }: AskedRows,
  crawl: string,
  { actions, spell, withLinks, isKept }: Sought,
): Promise<readonly Reference[]> {
  const found: Reference[] = [];
  const statements = {
    ...(withLinks ? { 'all links': LINKS, redirects: REDIRECTS } : {}),
    'canonicals and hreflang links': DECLARED,
  };
  if (actions.size === 0) return found;
  for (const [name, sql] of Object.entries(statements))
    await each(name, Found, { sql, parameters: { crawl } }, (row) => {
      const action = actions.get(spell(row.target));
      if (action !== undefined && isKept(row.source)) found.push({ ...row, action });
    });
  return found.sort(byTarget);
}

const byTarget = (a: Reference, b: Reference): number =>
  compared(a.target, b.target) ||
  KINDS.indexOf(a.kind) - KINDS.indexOf(b.kind) ||
  compared(a.source, b.source);

const compared = (a: string, b: string): number => (a < b ? -1 : Number(a > b));
