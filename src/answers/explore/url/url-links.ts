import type { FoundOrWhy, UrlPlace } from './url-place.ts';

/** All of them, null where that is not known, and the first. */
export interface FirstRows<T> {
  readonly total: number | null;
  readonly rows: readonly T[];
}

/** Links that are equal count as one row. */
export interface FirstLinks<T> extends FirstRows<T> {
  /** The rows that all of them are; null where that is not known. */
  readonly different: number | null;
}

interface EqualLinks {
  readonly links: number;
}

export interface Inlink extends EqualLinks {
  readonly origin: string;
  readonly anchor: string | null;
  readonly follow: boolean | null;
  /** Part of the page that it stands in. */
  readonly link_position: string | null;
  /** Of the page that holds it, as in the next two. */
  readonly status_code: number | null;
  readonly is_indexable: boolean | null;
  readonly depth: number | null;
}

export interface Outlink extends EqualLinks {
  readonly target: string;
  readonly anchor: string | null;
  readonly follow: boolean | null;
  readonly is_internal: boolean | null;
  readonly link_position: string | null;
  /** Of the target, as in the next. */
  readonly status_code: number | null;
  readonly is_indexable: boolean | null;
}

/** Of each row: all links, all rows, and the links that are equal. */
const COUNTS =
  'CAST(sum(count(*)) OVER () AS BIGINT) AS total, count(*) OVER () AS different, count(*) AS links';

/**
 * A link does more, good or bad, the more people and search engines follow it: one to be followed before another, then
 * from an indexable page, then from one near to the start.
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

/** Errors come first, then redirects, other pages that are not indexable, unknown ones, and last the good ones. */
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

/** Links to the URL, those that count most first; those of the page to itself are none (docs/crawler.md). */
export function readInlinks(place: UrlPlace): Promise<FoundOrWhy<FirstLinks<Inlink>>> {
  return readLinks(place, inlinks, 'no link of the crawl leads to it');
}

/** Links on the page, the worst targets first. */
export function readOutlinks(place: UrlPlace): Promise<FoundOrWhy<FirstLinks<Outlink>>> {
  return readLinks(place, outlinks, 'the crawl found no link on it');
}

async function readLinks<T>(
  { crawl, limit, rows }: UrlPlace,
  sql: (limit: number) => string,
  none: string,
): Promise<FoundOrWhy<FirstLinks<T>>> {
  if (!crawl.has_links)
    return {
      found: { total: null, different: null, rows: [] },
      why: 'the links of the crawl are not loaded',
    };
  // Each row has the numbers of all: the links are read once.
  const found = await rows<T & { readonly total: number; readonly different: number }>(sql(limit));
  const { total, different } = found[0] ?? { total: 0, different: 0 };
  const links = found.map(({ total: _, different: _rows, ...link }) => link as T);
  return { found: { total, different, rows: links }, why: total === 0 ? none : null };
}
