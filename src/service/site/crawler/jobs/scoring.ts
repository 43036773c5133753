import type { Connection } from '../../../../core/duckdb/duckdb.ts';
import { readIntegers, writeTable } from './columns.ts';
import { inranks, pageRank } from './page-rank.ts';

/**
 * Inrank: how popular a page is by the links of its own site. PageRank over the pages of the crawl:
 *
 * - Every internal link to another page of the crawl takes an equal share of its page's rank, as often as it stands
 *   there. Links to other sites take none.
 * - A nofollow link takes its share, which goes to all pages alike: it is lost to its target
 *   (https://www.mattcutts.com/blog/pagerank-sculpting/).
 * - A page that redirects, or declares another page of the crawl as its canonical, gives all its rank to that one, as a
 *   single link. What links lead to it thus counts for the page that search engines show.
 * - A page without links gives its rank to all pages alike.
 *
 * `inrank_decimal` is 10 for the page with the most rank, 0 for one without any link to it, on a logarithmic scale
 * between, with two decimals; `inrank` is the whole number below it.
 */
export async function scoring(connection: Connection, signal?: AbortSignal): Promise<void> {
  const nodes = Number(await connection.scalar('SELECT coalesce(max(id) + 1, 0) FROM crawl_pages'));
  await connection.run(
    `CREATE OR REPLACE TEMP TABLE job_passing AS
      SELECT pages.id, targets.id AS target FROM fetched_pages JOIN crawl_pages AS pages USING (url)
      JOIN crawl_pages AS targets ON targets.url = CASE
        WHEN fetched_pages.status_code BETWEEN 300 AND 399 THEN redirect_location
        WHEN fetched_pages.status_code BETWEEN 200 AND 299 THEN rel_canonical END
      WHERE targets.id <> pages.id`,
    [],
    signal,
  );
  await connection.run(
    `CREATE OR REPLACE TEMP TABLE job_shares AS
      SELECT origin AS id, count(*) AS links FROM crawl_links ANTI JOIN job_passing ON job_passing.id = origin
      WHERE intern AND is_page AND origin <> target GROUP BY origin`,
    [],
    signal,
  );
  const parts = new Int32Array(nodes);
  const [pages = parts, links = parts] = await readIntegers(
    connection,
    'FROM job_shares UNION ALL SELECT id, 1 FROM job_passing',
    signal,
  );
  pages.forEach((page, index) => {
    parts[page] = links[index] ?? 0;
  });
  const [from = parts, to = parts] = await readIntegers(
    connection,
    `SELECT origin, target FROM crawl_links ANTI JOIN job_passing ON job_passing.id = origin
      WHERE intern AND is_page AND follow AND origin <> target
      UNION ALL FROM job_passing`,
    signal,
  );
  const { rank, lowest } = pageRank({ nodes, from, to, parts });
  await writeTable(
    connection,
    'job_scoring',
    { id: 'INTEGER', inrank: 'DOUBLE' },
    scored(inranks(rank, lowest)),
  );
}

function* scored(inrank: Float64Array): Generator<[number, number]> {
  for (const [page, value] of inrank.entries()) yield [page, Math.round(value * 100) / 100];
}
