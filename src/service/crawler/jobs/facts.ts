import type { Connection } from '../../../core/duckdb/duckdb.ts';

/**
 * Facts about pages that several jobs need. `is_html`: HTML with status 200, the pages whose texts are compared.
 * `canonical_id`: the page of the crawl that it declares as its canonical, itself included. `is_indexable`: status 200,
 * not denied by robots.txt, not noindex, and without another canonical; null if it was not fetched and is not denied, or if
 * its content is not known and nothing else speaks against it.
 */
export async function facts(connection: Connection, signal?: AbortSignal): Promise<void> {
  await connection.run(
    `CREATE OR REPLACE TEMP TABLE job_facts AS
      SELECT pages.id, coalesce(fetched_pages.status_code = 200 AND parsed_html, false) AS is_html,
        fetched_pages.rel_canonical IS NOT NULL AS has_canonical, targets.id AS canonical_id,
        coalesce(rel_canonical <> fetched_pages.url, false) AS is_canonicalised,
        coalesce(NOT meta_robots_index, false) AS is_noindex,
        CASE WHEN robots_txt_denied THEN false WHEN fetched_pages.status_code IS NOT NULL
          THEN fetched_pages.status_code = 200 AND coalesce(meta_robots_index, true) AND NOT is_canonicalised
            AND coalesce(meta_refresh_delay <> 0, true) AND nullif(content_problem IS NULL, false) END AS is_indexable
      FROM fetched_pages JOIN crawl_pages AS pages USING (url)
      LEFT JOIN crawl_pages AS targets ON targets.url = rel_canonical`,
    [],
    signal,
  );
}
