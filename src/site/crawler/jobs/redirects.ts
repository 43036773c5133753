import { hashOf, type JobTables } from './job-tables.ts';

/** More redirects than this are too many, as in the service. */
const MOST_REDIRECTS = 16;

/**
 * Computes redirect chains. A page with a status of 300 to 399 and a location redirects; its target may redirect in
 * turn.
 *
 * - `redirect_count`: redirects of the chain that begins with the page; 0 for a page that does not redirect.
 * - `final_redirect_location` and `final_redirect_status`: URL and status of the end of the chain; the status is null
 *   if the crawl has not requested it, or was refused. Both are null in a loop, which has no end.
 * - `is_redirect_loop`: the chain returns to one of its own URLs. `is_too_many_redirects`: more than 16 redirects.
 * - `redirect_cluster_id`: the same for all pages whose chains have one end, the end included; for a loop, for all
 *   whose chains run into it.
 *
 * Source: RFC 9110 §15.4. The limit of 16 comes from the service.
 */
export async function redirects(tables: JobTables): Promise<void> {
  const urls = await tables.count('SELECT coalesce(max(id) + 1, 0) FROM crawl_urls');
  const [from, to] =
    await tables.integers(`SELECT pages.id, targets.id FROM fetched_pages JOIN crawl_pages AS pages USING (url)
      JOIN (SELECT id, url FROM crawl_urls) AS targets ON targets.url = redirect_location
      WHERE fetched_pages.status_code BETWEEN 300 AND 399
      UNION ALL SELECT asked.id, targets.id FROM job_asked AS asked JOIN crawl_urls AS targets ON targets.url = redirect_location
      WHERE asked.status_code BETWEEN 300 AND 399`);
  const next = new Int32Array(urls).fill(-1);
  from?.forEach((page, index) => {
    next[page] = to?.[index] ?? -1;
  });
  const chainOf = followRedirects(next);
  await tables.write(
    'redirect_chains',
    { id: 'INTEGER', final: 'INTEGER', redirects: 'INTEGER', is_loop: 'BOOLEAN', is_too_many: 'BOOLEAN' },
    Iterator.from(from ?? []).map((page) => {
      const { end, count, isLoop, isTooMany } = chainOf(page);
      return [page, end, count, isLoop, isTooMany];
    }),
  );
  await tables.make(
    'job_redirects',
    `WITH members AS (
        SELECT id, final, redirects, is_loop, is_too_many FROM redirect_chains
        UNION ALL
        SELECT DISTINCT final, final, 0, false, false FROM redirect_chains
        WHERE NOT is_loop AND final NOT IN (SELECT id FROM redirect_chains)
      )
      SELECT members.id, redirects, is_loop, is_too_many, final AS final_id, redirects > 0 AS is_redirect,
        CASE WHEN redirects > 0 AND NOT is_loop THEN ends.url END AS final_url,
        CASE WHEN redirects > 0 AND NOT is_loop THEN coalesce(ends.status_code, CASE WHEN asked.is_read THEN asked.status_code END) END AS final_status,
        ${hashOf('CASE WHEN is_loop THEN min(pages.url) OVER (PARTITION BY final) ELSE ends.url END')} AS cluster
      FROM members JOIN crawl_urls AS ends ON ends.id = final JOIN crawl_urls AS pages ON pages.id = members.id
      LEFT JOIN job_asked AS asked ON asked.id = final`,
  );
}

/**
 * Follows the redirects of every URL. Visits each step only once, even in long chains.
 *
 * @param next for each URL the one that it redirects to, or -1
 */
export function followRedirects(next: Int32Array) {
  const end = new Int32Array(next.length).fill(-1);
  const count = new Int32Array(next.length);
  const isLoop = new Uint8Array(next.length);
  const placeOnPath = new Int32Array(next.length).fill(-1);

  for (let start = 0; start < next.length; start++) {
    if (end[start] !== -1) continue;
    const path: number[] = [];
    let url = start;
    while (end[url] === -1 && placeOnPath[url] === -1) {
      placeOnPath[url] = path.length;
      path.push(url);
      const to = next[url] ?? -1;
      if (to < 0) break;
      url = to;
    }
    const loopStart = end[url] === -1 && (next[url] ?? -1) >= 0 ? (placeOnPath[url] ?? -1) : -1;
    if (loopStart >= 0) {
      const loop = path.splice(loopStart);
      const first = loop.reduce((least, member) => Math.min(least, member));
      for (const member of loop) {
        end[member] = first;
        count[member] = loop.length;
        isLoop[member] = 1;
      }
    }
    for (const member of path.reverse()) {
      const to = next[member] ?? -1;
      end[member] = to < 0 ? member : (end[to] ?? member);
      count[member] = to < 0 ? 0 : (count[to] ?? 0) + 1;
      isLoop[member] = to < 0 ? 0 : (isLoop[to] ?? 0);
    }
  }
  return (url: number) => ({
    /** Number of the URL at its end, or of the lowest-numbered one of the loop that it runs into. */
    end: end[url] ?? url,
    /** Redirects of the chain; if it runs into a loop, up to the repetition. */
    count: count[url] ?? 0,
    isLoop: isLoop[url] === 1,
    isTooMany: (count[url] ?? 0) > MOST_REDIRECTS,
  });
}
