import type { Connection } from '../../../core/duckdb/duckdb.ts';
import { statusRange } from './ranges.ts';

/**
 * Gives every URL of the crawl a number, so that the jobs join and compute with integers. The number of a page is its
 * row in `fetched_pages`; those of what else links and redirects lead to follow. `crawl_links` has the links with numbers.
 */
export async function numberUrls(connection: Connection, signal?: AbortSignal): Promise<void> {
  await connection.run(
    `CREATE OR REPLACE TEMP TABLE crawl_pages AS
      SELECT CAST(rowid AS INTEGER) AS id, url, status_code, fetched FROM fetched_pages`,
    [],
    signal,
  );
  await connection.run(
    `CREATE OR REPLACE TEMP TABLE crawl_urls AS
      WITH others AS (
        SELECT target AS url FROM fetched_links
        UNION SELECT redirect_location FROM fetched_pages WHERE redirect_location IS NOT NULL
      ), numbered AS (
        SELECT id, url, true AS is_page, status_code, fetched FROM crawl_pages
        UNION ALL
        SELECT CAST((SELECT coalesce(max(id), -1) FROM crawl_pages) + row_number() OVER () AS INTEGER), url, false, NULL, NULL
        FROM others ANTI JOIN crawl_pages USING (url)
      )
      SELECT id, url, is_page, status_code, ${statusRange('status_code')} AS status_code_range, fetched, ${urlPartsSql('url')}
      FROM numbered`,
    [],
    signal,
  );
  await connection.run(
    `CREATE OR REPLACE TEMP TABLE crawl_links AS
      SELECT origins.id AS origin, targets.id AS target, targets.is_page, anchor, follow, intern, rel, is_image, link_position
      FROM fetched_links AS links
      JOIN crawl_pages AS origins ON origins.url = links.origin
      JOIN (SELECT id, url, is_page FROM crawl_urls) AS targets ON targets.url = links.target`,
    [],
    signal,
  );
}

/** SQL for the parts of a normalised URL, the same as `urlParts` gives. */
export function urlPartsSql(url: string): string {
  const bare = `split_part(${url}, '#', 1)`;
  const rest = `substr(${bare}, strpos(${bare}, '://') + 3)`;
  const query = `nullif(CASE WHEN contains(${bare}, '?') THEN substr(${bare}, strpos(${bare}, '?') + 1) END, '')`;
  const path = `split_part(substr(${rest}, strpos(${rest}, '/')), '?', 1)`;
  return `regexp_replace(split_part(${rest}, '/', 1), '^.*@', '') AS host,
    ${path} AS path,
    regexp_extract(${path}, '^/(?:[^/]*/)?') AS first_path,
    lower(nullif(regexp_extract(${path}, '\\.([A-Za-z0-9]{1,8})$', 1), '')) AS ext,
    ${query} IS NOT NULL AS has_params,
    array_to_string(list_transform(string_split(${query}, '&'), lambda part: split_part(part, '=', 1)), '&') AS querystring_key,
    ${query} AS querystring_keyvalue`;
}
