import type { JobTables } from './job-tables.ts';

/** The chance that a reader follows a link; else they go to any page. */
const DAMPING = 0.85;
/** The iteration ends once the ranks of all pages together change by less than this. */
const TOLERANCE = 1e-8;
const MOST_ITERATIONS = 100;

/**
 * Inrank: how popular a page is by the links of its own site. PageRank over the pages of the crawl:
 *
 * - Every internal link to another page of the crawl takes an equal share of its page's rank, as often as it occurs.
 *   Links to other sites receive no share.
 * - A nofollow link also takes its share, but that share goes equally to all pages, so its target does not receive it
 *   (https://www.mattcutts.com/blog/pagerank-sculpting/).
 * - A page that redirects, or declares another page of the crawl as its canonical, passes all its rank to that page, as
 *   with a single link. Links to it thus count for the page that search engines show.
 * - A page without links gives its rank equally to all pages.
 *
 * `inrank_decimal` is 10 for the page with the highest rank and 0 for a page without inlinks, on a logarithmic scale
 * with two decimals. `inrank` is `inrank_decimal` rounded down.
 */
export async function scoring(tables: JobTables): Promise<void> {
  const nodes = await tables.count('SELECT coalesce(max(id) + 1, 0) FROM crawl_pages');
  await tables.make(
    'job_passing',
    `SELECT pages.id, targets.id AS target FROM fetched_pages JOIN crawl_pages AS pages USING (url)
      JOIN crawl_pages AS targets ON targets.url = CASE
        WHEN fetched_pages.status_code BETWEEN 300 AND 399 THEN redirect_location
        WHEN fetched_pages.status_code BETWEEN 200 AND 299 THEN rel_canonical END
      WHERE targets.id <> pages.id`,
  );
  await tables.make(
    'job_shares',
    `SELECT origin AS id, count(*) AS links FROM crawl_links ANTI JOIN job_passing ON job_passing.id = origin
      WHERE intern AND is_page AND origin <> target GROUP BY origin`,
  );
  const parts = new Int32Array(nodes);
  const [pages = parts, links = parts] = await tables.integers(
    'FROM job_shares UNION ALL SELECT id, 1 FROM job_passing',
  );
  pages.forEach((page, index) => {
    parts[page] = links[index] ?? 0;
  });
  const [from = parts, to = parts] =
    await tables.integers(`SELECT origin, target FROM crawl_links ANTI JOIN job_passing ON job_passing.id = origin
      WHERE intern AND is_page AND follow AND origin <> target
      UNION ALL FROM job_passing`);
  const { rank, lowest } = pageRank({ nodes, from, to, parts });
  const scores = inranks(rank, lowest)
    .entries()
    .map(([page, value]): [number, number] => [page, Math.round(value * 100) / 100]);
  await tables.write('job_scoring', { id: 'INTEGER', inrank: 'DOUBLE' }, scores);
}

/** Links of a graph: link `n` leads from `from[n]` to `to[n]`. */
interface RankedGraph {
  readonly nodes: number;
  readonly from: Int32Array;
  readonly to: Int32Array;
  /** The number of parts of a node's rank: its links carry one each, and the rest goes equally to all nodes. */
  readonly parts: Int32Array;
}

/**
 * PageRank by power iteration. The ranks add up to 1. Rank that no link carries goes equally to all nodes. `lowest` is
 * the rank of a node that no link leads to.
 *
 * Source: L. Page et al., "The PageRank citation ranking" (1999).
 */
export function pageRank({ nodes, from, to, parts }: RankedGraph) {
  const links = new Int32Array(nodes);
  for (const node of from) links[node] = (links[node] ?? 0) + 1;
  const share = new Float64Array(nodes);
  let rank = new Float64Array(nodes).fill(1 / nodes);
  let next = new Float64Array(nodes);
  let lowest = 1 / nodes;
  for (let iteration = 0; iteration < MOST_ITERATIONS; iteration++) {
    let carried = 0;
    for (let node = 0; node < nodes; node++) {
      const part = (rank[node] ?? 0) / Math.max(1, parts[node] ?? 0);
      share[node] = part;
      carried += part * (links[node] ?? 0);
    }
    next.fill(0);
    for (let link = 0; link < to.length; link++) {
      const target = to[link] ?? 0;
      next[target] = (next[target] ?? 0) + (share[from[link] ?? 0] ?? 0);
    }
    lowest = (1 - DAMPING * carried) / nodes;
    let change = 0;
    for (let node = 0; node < nodes; node++) {
      const value = DAMPING * (next[node] ?? 0) + lowest;
      change += Math.abs(value - (rank[node] ?? 0));
      next[node] = value;
    }
    [rank, next] = [next, rank];
    if (change < TOLERANCE) break;
  }
  return { rank, lowest };
}

/**
 * Ranks as numbers from 0 to 10: the position of the rank's logarithm between those of `lowest` and of the highest
 * rank. A page without links to it has 0, the page with the most rank 10. The scale is logarithmic, because ranks of a
 * site differ by powers of ten.
 */
export function inranks(rank: Float64Array, lowest: number): Float64Array {
  const highest = rank.reduce((most, value) => Math.max(most, value), lowest);
  const width = Math.log(highest / lowest);
  return rank.map((value) =>
    width <= 0 ? 0 : Math.min(10, Math.max(0, (10 * Math.log(value / lowest)) / width)),
  );
}
