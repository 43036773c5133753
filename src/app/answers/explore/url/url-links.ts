import { z } from 'zod';
import { type SeenPage, whyNone, whyNothingOn } from './unread-words.ts';
import type { UrlPlace } from './url-place.ts';

/** Returns the number of all rows, null if unknown, and the first rows. */
export const FirstRows = <Row extends z.ZodType>(row: Row) =>
  z.strictObject({ total: z.number().nullable(), rows: z.array(row) });

/** Equal links count as one row. */
export const FirstLinks = <Row extends z.ZodType>(row: Row) =>
  FirstRows(row).extend({
    /** The number of different rows; null if unknown. */
    different: z.number().nullable(),
  });

export const Inlink = z.strictObject({
  links: z.number(),
  origin: z.string(),
  anchor: z.string().nullable(),
  follow: z.boolean().nullable(),
  /** The part of the page that contains it. */
  link_position: z.string().nullable(),
  /** Of the source page. Also applies to the next two fields. */
  status_code: z.number().nullable(),
  is_indexable: z.boolean().nullable(),
  depth: z.number().nullable(),
});

export const Outlink = z.strictObject({
  links: z.number(),
  target: z.string(),
  anchor: z.string().nullable(),
  follow: z.boolean().nullable(),
  is_internal: z.boolean().nullable(),
  link_position: z.string().nullable(),
  /** Of the target. Also applies to the next field. */
  status_code: z.number().nullable(),
  is_indexable: z.boolean().nullable(),
});

/** In each row: the number of all links, of all rows, and of equal links. */
const COUNTS =
  'CAST(sum(count(*)) OVER () AS BIGINT) AS total, count(*) OVER () AS different, count(*) AS links';

/**
 * Links that people and search engines follow more often matter more: follow links first, then links from indexable
 * pages, then links from pages near the start.
 */
const inlinks = (limit: number): string => `
  SELECT
    ${COUNTS}, links.origin, links.anchor, links.follow, links.link_position, pages.status_code,
    pages.is_indexable, pages.depth
  FROM mart.links AS links
  LEFT JOIN mart.pages AS pages ON pages.crawl_id = $crawl AND pages.url = links.origin
  WHERE links.crawl_id = $crawl AND links.target = $url AND links.origin <> $url
  GROUP BY
    links.origin, links.anchor, links.follow, links.link_position, pages.status_code, pages.is_indexable, pages.depth
  ORDER BY
    CASE WHEN links.follow THEN 0 WHEN links.follow IS NULL THEN 1 ELSE 2 END,
    CASE WHEN pages.is_indexable THEN 0 WHEN pages.is_indexable IS NULL THEN 1 ELSE 2 END,
    pages.depth NULLS LAST, links.origin, links.anchor NULLS LAST, links.link_position NULLS LAST
  LIMIT ${limit}`;

/** Errors first, then redirects, other non-indexable pages, unknown pages, and indexable pages. */
const outlinks = (limit: number): string => `
  WITH found AS (
    SELECT
      links.target, links.anchor, links.follow, links.is_internal, links.link_position,
      coalesce(pages.status_code, links.target_status) AS status_code, pages.is_indexable
    FROM mart.links AS links
    LEFT JOIN mart.pages AS pages ON pages.crawl_id = $crawl AND pages.url = links.target
    WHERE links.crawl_id = $crawl AND links.origin = $url
  )
  SELECT ${COUNTS}, target, anchor, follow, is_internal, link_position, status_code, is_indexable
  FROM found
  GROUP BY target, anchor, follow, is_internal, link_position, status_code, is_indexable
  ORDER BY
    CASE
      WHEN status_code >= 400 THEN 0
      WHEN status_code BETWEEN 300 AND 399 THEN 1
      WHEN NOT is_indexable THEN 2
      WHEN status_code IS NULL THEN 3
      ELSE 4
    END,
    CASE WHEN is_internal THEN 0 ELSE 1 END,
    CASE WHEN follow THEN 0 WHEN follow IS NULL THEN 1 ELSE 2 END,
    target, anchor NULLS LAST, link_position NULLS LAST
  LIMIT ${limit}`;

/** Reads links to the URL, most important first. Links of the page to itself do not count (docs/crawler.md). */
export function readInlinks(place: UrlPlace) {
  const read = () => place.rows(Inlink.extend(Totals), inlinks(place.limit));
  return readLinks(place, read, () => whyNone(place, INLINKS), INLINKS.none);
}

/** Reads links on the page, worst targets first. */
export function readOutlinks(place: UrlPlace, page: SeenPage | null) {
  const read = () => place.rows(Outlink.extend(Totals), outlinks(place.limit));
  return readLinks(place, read, () => whyNothingOn(place, page, OUTLINKS), OUTLINKS.none);
}

const INLINKS = {
  none: 'no link of the crawl leads to this page',
  what: 'links',
  columns: ['nb_inlinks'],
  table: 'mart.links',
} as const;
const OUTLINKS = {
  none: 'the crawl found no link on this page',
  what: 'links',
  columns: ['internal_outlinks'],
  table: 'mart.links',
} as const;

/** Each row contains the counts, so the links are read once. */
const Totals = { total: z.number(), different: z.number() };

async function readLinks<Link extends { readonly total: number; readonly different: number }>(
  { crawl }: UrlPlace,
  read: () => Promise<readonly Link[]>,
  readWhy: () => Promise<string>,
  none: string,
) {
  const unknown = (why: string) => ({ found: { total: null, different: null, rows: [] }, why });
  if (!crawl.has_links) return unknown('the links of the crawl are not loaded');
  const found = await read();
  const [first] = found;
  if (first === undefined) {
    const why = await readWhy();
    return why === none ? { found: { total: 0, different: 0, rows: [] }, why } : unknown(why);
  }
  const rows = found.map(({ total: _, different: _rows, ...link }) => link);
  return { found: { total: first.total, different: first.different, rows }, why: null };
}
