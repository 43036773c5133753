import type { Connection } from '../../../core/duckdb/duckdb.ts';
import { readIntegers, writeTable } from './columns.ts';
import { type Chain, followRedirects } from './follow-redirects.ts';
import { hashOf } from './ranges.ts';

/**
 * Redirect chains. A page with a status of 300 to 399 and a location redirects; what it leads to may redirect in turn.
 *
 * - `redirect_count`: redirects of the chain that begins with the page; 0 for a page that does not redirect.
 * - `final_redirect_location` and `final_redirect_status`: URL and status of the end of the chain; the status is null if
 *   the crawl has not fetched it. Both are null in a loop, which has no end.
 * - `is_redirect_loop`: the chain comes back to a URL of its own. `is_too_many_redirects`: more than 16 redirects.
 * - `redirect_cluster_id`: the same for all pages whose chains have one end, the end included; for a loop, for all whose
 *   chains run into it.
 *
 * Source: RFC 9110 §15.4; the limit of 16 is the service's.
 */
export async function redirects(connection: Connection, signal?: AbortSignal): Promise<void> {
  const urls = Number(await connection.scalar('SELECT coalesce(max(id) + 1, 0) FROM crawl_urls'));
  const [from, to] = await readIntegers(
    connection,
    `SELECT pages.id, targets.id FROM fetched_pages JOIN crawl_pages AS pages USING (url)
      JOIN (SELECT id, url FROM crawl_urls) AS targets ON targets.url = redirect_location
      WHERE fetched_pages.status_code BETWEEN 300 AND 399`,
    signal,
  );
  const next = new Int32Array(urls).fill(-1);
  from?.forEach((page, index) => {
    next[page] = to?.[index] ?? -1;
  });
  const chainOf = followRedirects(next);
  await writeTable(
    connection,
    'redirect_chains',
    { id: 'INTEGER', final: 'INTEGER', redirects: 'INTEGER', is_loop: 'BOOLEAN', is_too_many: 'BOOLEAN' },
    chainRows(from ?? new Int32Array(), chainOf),
  );
  await connection.run(
    `CREATE OR REPLACE TEMP TABLE job_redirects AS
      WITH members AS (
        SELECT id, final, redirects, is_loop, is_too_many FROM redirect_chains
        UNION ALL
        SELECT DISTINCT final, final, 0, false, false FROM redirect_chains
        WHERE NOT is_loop AND final NOT IN (SELECT id FROM redirect_chains)
      )
      SELECT members.id, redirects, is_loop, is_too_many, final AS final_id, redirects > 0 AS is_redirect,
        CASE WHEN redirects > 0 AND NOT is_loop THEN ends.url END AS final_url,
        CASE WHEN redirects > 0 AND NOT is_loop THEN ends.status_code END AS final_status,
        ${hashOf('CASE WHEN is_loop THEN min(pages.url) OVER (PARTITION BY final) ELSE ends.url END')} AS cluster
      FROM members JOIN crawl_urls AS ends ON ends.id = final JOIN crawl_urls AS pages ON pages.id = members.id`,
    [],
    signal,
  );
}

function* chainRows(pages: Int32Array, chainOf: (url: number) => Chain): Generator<(number | boolean)[]> {
  for (const page of pages) {
    const { end, count, isLoop, isTooMany } = chainOf(page);
    yield [page, end, count, isLoop, isTooMany];
  }
}
