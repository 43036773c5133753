import type { Connection } from '../../../core/duckdb/duckdb.ts';

/**
 * What became of the pages that pages declare besides canonical and language versions: the ones before and after them in a
 * series, and their AMP versions. Pages with a status of 200 to 299 count. Of a page that the crawl did not fetch, nothing
 * is known, but that robots.txt denies it.
 */
export async function declaredPages(connection: Connection, signal?: AbortSignal): Promise<void> {
  await connection.run(
    `CREATE OR REPLACE TEMP TABLE job_declared AS
      WITH declared AS (
        SELECT pages.id, unnest(['amp', 'next', 'prev']) AS kind, unnest([amp_url, rel_next, rel_prev]) AS href
        FROM fetched_pages JOIN crawl_pages AS pages USING (url) WHERE pages.status_code BETWEEN 200 AND 299
      ), judged AS (
        SELECT declared.id, kind, targets.status_code,
          CASE WHEN targets.status_code >= 400 THEN 'target_missing' WHEN targets.status_code BETWEEN 300 AND 399 THEN 'target_redirects'
            WHEN NOT facts.is_indexable THEN 'target_not_indexable' END AS error
        FROM declared JOIN crawl_pages AS targets ON targets.url = href JOIN job_facts AS facts ON facts.id = targets.id
      )
      SELECT id, any_value(status_code) FILTER (kind = 'amp') AS amp_status,
        list_sort(list(DISTINCT error) FILTER (kind <> 'amp' AND error IS NOT NULL)) AS errors
      FROM judged GROUP BY id`,
    [],
    signal,
  );
}
