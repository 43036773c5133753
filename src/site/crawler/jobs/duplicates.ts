import { ident } from '../../../core/duckdb/duckdb.ts';
import type { JobTables } from './job-tables.ts';

type Field = 'title' | 'h1' | 'meta_description';

/**
 * Matches the page number in the URLs of a series, such as `/page/2`, `/seite-2`, `/list_2.html`, `?page=2` or
 * `&start=20`.
 */
const IN_PATH =
  '(?i)/(?:page|pagina|p(?:á|%C3%A1)gina|seite|sida|side|strona|stranka|oldal|p)[/-]?([0-9]{1,6})/?($|[?])';
const IN_FILE =
  '(?i)/(?:index|list|page)(?:_[0-9]+)??(?:[_-]?([0-9]{1,4}))?[.](?:s?html?|php|aspx?|jsp)($|[?])';
const IN_QUERY =
  '(?i)([?&])(?:page|paged|page_?no|page_?num(?:ber)?|current_?page|pg|p|pagina|seite|start|offset)=([0-9]{1,6})($|&)';
const NUMBERS = [
  [IN_PATH, 1],
  [IN_FILE, 1],
  [IN_QUERY, 2],
].map(([form, group]) => `regexp_extract(url, '${form}', ${group})`);
const PAGE_NUMBER = `coalesce(TRY_CAST(nullif(concat(${NUMBERS.join(', ')}), '') AS BIGINT), 0)`;
const BARE_URL = `rtrim(${[IN_PATH, IN_FILE, IN_QUERY].reduce((url, form) => `regexp_replace(${url}, '${form}', '\\${form === IN_QUERY ? 1 : 2}')`, 'url')}, '/?&')`;

/** The number of each page in a series, or 0, and the series: its URL without the number. */
export const SERIES = `SELECT id, ${PAGE_NUMBER} AS number, hash(${BARE_URL}) AS series FROM crawl_pages`;

/**
 * Returns SQL for the pages that continue a series with the same text: a page names the previous one or is named by it,
 * or their URLs are equal except for the page number, which the first page lacks.
 */
function continuing(field: Field): string {
  const isSame = `former.url <> later.url AND former.${ident(field)} = later.${ident(field)}`;
  const declared = ['former.url = later.rel_prev', 'former.rel_next = later.url'].map(
    (isNext) =>
      `SELECT later.url FROM fetched_pages AS later JOIN fetched_pages AS former ON ${isNext} WHERE ${isSame}`,
  );
  const numbered = (isIn: string): string =>
    `SELECT url, ${ident(field)}, series FROM fetched_pages JOIN job_series ON id = fetched_pages.rowid WHERE ${isIn}`;
  const later = `SELECT url FROM (${numbered('number > 1')}) SEMI JOIN (${numbered('number = 0')}) USING (${ident(field)}, series)`;
  return [...declared, later].join(' UNION ALL ');
}

/**
 * Duplicate titles, H1s and descriptions: exactly the same text on two or more HTML pages with status 200. If all of
 * these pages declare their language, it must also be the same: "Blog" in two languages is not a duplicate
 * (https://developers.google.com/search/docs/specialty/international/localized-versions). In a series of pages,
 * declared (`rel=next` and `prev`) or recognized by the numbers in their URLs, only the first page counts, because
 * these pages share their texts on purpose
 * (https://developers.google.com/search/docs/specialty/ecommerce/pagination-and-incremental-page-loading). `evaluation`
 * is `not_set` without a text, `duplicated`, or `unique`; NULL for other pages.
 */
export async function duplicates(tables: JobTables, field: Field, table: string): Promise<void> {
  await tables.make(
    'duplicate_groups',
    `SELECT id, "group" FROM (
        SELECT *, count(*) OVER (PARTITION BY "group") AS pages FROM (
          SELECT id, hash(${ident(field)}, CASE WHEN bool_and(language IS NOT NULL) OVER (PARTITION BY ${ident(field)})
              THEN language ELSE '' END) AS "group"
          FROM fetched_pages JOIN job_facts ON id = fetched_pages.rowid
          WHERE is_html AND ${ident(field)} IS NOT NULL AND url NOT IN (${continuing(field)})
        )
      ) WHERE pages > 1`,
  );
  await tables.make(
    table,
    `WITH judged AS (${judgedGroups('duplicate_groups')})
      SELECT id, judged.status,
        CASE WHEN ${ident(field)} IS NULL THEN 'not_set' WHEN judged.id IS NULL THEN 'unique' ELSE 'duplicated' END AS evaluation
      FROM fetched_pages JOIN crawl_pages USING (url) JOIN job_facts USING (id) LEFT JOIN judged USING (id)
      WHERE is_html`,
  );
}

/** Statuses that leave search engines to choose among duplicates. */
export const UNHANDLED = `('canonical_not_matching', 'hreflang_error', 'canonical_not_set')`;

/**
 * SQL for how the members of groups of duplicates are handled: `id`, `group`, `status`. A member is settled if its
 * canonical is another member, or if it is noindex. The others are rivals. An `index.html` without a canonical stands
 * for its folder: search engines treat the two as one page.
 *
 * - `canonical_ok`: the canonical is another member; or the page is the one rival that the canonicals of others point
 *   to.
 * - `hreflang_ok`: all rivals are language versions of each other. `hreflang_error`: they are, but with errors.
 * - `canonical_not_set`: a rival without a canonical. `canonical_not_matching`: a rival whose canonical is the page
 *   itself or no member, or a member whose canonicals run in a circle.
 * - NULL: noindex, or the only rival among noindex pages.
 *
 * The service defines the names, and crawlhouse defines the rules.
 *
 * @param groups a table with `id` and `group`
 */
export function judgedGroups(groups: string): string {
  return `WITH members AS (
      SELECT groups.id, groups."group", has_canonical, is_noindex, cluster, coalesce(len(list_filter(errors, lambda one: one <> 'relative_url')) > 0, false) AS has_errors,
        others.id IS NOT NULL AND others.id <> groups.id AS is_settled
      FROM ${groups} AS groups JOIN job_facts AS facts USING (id) LEFT JOIN job_hreflang USING (id)
      LEFT JOIN ${groups} AS others ON others.id = facts.canonical_id AND others."group" = groups."group"
    ), rivals AS (
      SELECT "group", count(*) FILTER (is_settled AND NOT is_noindex) AS settled,
        count(*) FILTER (NOT is_settled AND NOT is_noindex) AS rivals,
        count(cluster) FILTER (NOT is_settled AND NOT is_noindex) AS versions,
        count(DISTINCT cluster) FILTER (NOT is_settled AND NOT is_noindex) AS clusters,
        bool_or(has_errors) FILTER (NOT is_settled AND NOT is_noindex) AS has_errors
      FROM members GROUP BY "group"
    )
    SELECT id, "group", CASE
        WHEN is_noindex THEN NULL
        WHEN is_settled THEN CASE WHEN rivals.rivals = 0 THEN 'canonical_not_matching' ELSE 'canonical_ok' END
        WHEN rivals.rivals = 1 THEN CASE WHEN rivals.settled > 0 THEN 'canonical_ok' END
        WHEN rivals.versions = rivals.rivals AND rivals.clusters = 1
          THEN CASE WHEN rivals.has_errors THEN 'hreflang_error' ELSE 'hreflang_ok' END
        WHEN NOT has_canonical THEN 'canonical_not_set'
        ELSE 'canonical_not_matching' END AS status
    FROM members JOIN rivals USING ("group")`;
}
