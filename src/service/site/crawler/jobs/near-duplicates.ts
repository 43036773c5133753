import type { Connection } from '../../../../core/duckdb/duckdb.ts';
import { readIntegers, writeTable } from './columns.ts';
import { judgedGroups } from './duplicates.ts';
import { hashOf } from './ranges.ts';
import { averageSimilarity, similarTexts } from './similar-texts.ts';

/** URLs that a cluster shows. */
const SAMPLES = 3;

/**
 * Near duplicates: HTML pages with status 200 whose main texts have similar fingerprints (`simhash`,
 * `similarTexts`). A page's similarity is the share of equal bits with the page that is most like it.
 */
export async function nearDuplicates(connection: Connection, signal?: AbortSignal): Promise<void> {
  const [ids = new Int32Array(), high = new Int32Array(), low = new Int32Array()] = await readIntegers(
    connection,
    `SELECT id, simhash >> 30, simhash & 1073741823 FROM fetched_pages JOIN crawl_pages USING (url)
      JOIN job_facts USING (id) WHERE is_html AND simhash IS NOT NULL ORDER BY id`,
    signal,
  );
  const { cluster, similarity } = similarTexts(high, low);
  const members = new Map<number, number[]>();
  for (const [text, first] of cluster.entries()) {
    if (text === first) continue;
    const known = members.get(first);
    if (known === undefined) members.set(first, [first, text]);
    else known.push(text);
  }
  await writeTable(
    connection,
    'near_duplicates',
    { id: 'INTEGER', '"group"': 'INTEGER', similarity: 'DOUBLE' },
    [...members].flatMap(([first, texts]) =>
      texts.map((text) => [ids[text] ?? 0, ids[first] ?? 0, similarity[text] ?? 0]),
    ),
  );
  await writeTable(
    connection,
    'near_duplicate_clusters',
    { '"group"': 'INTEGER', size: 'INTEGER', similarity: 'DOUBLE' },
    [...members].map(([first, texts]) => [
      ids[first] ?? 0,
      texts.length,
      averageSimilarity(high, low, texts),
    ]),
  );
}

/**
 * The clusters of near duplicates: `size`, `average_similarity` over all pairs of its pages, how canonicals handle it,
 * and the first URLs. `canonical_status` is `canonical_ok` if nothing is left to handle, else `canonical_not_set` if a
 * page lacks a canonical, else `canonical_not_matching`.
 */
export async function clusterSimilarities(connection: Connection, signal?: AbortSignal): Promise<void> {
  await connection.run(
    `CREATE OR REPLACE TEMP TABLE job_near_duplicates AS
      SELECT id, similarity, status, ${hashOf('min(url) OVER (PARTITION BY near_duplicates."group")')} AS cluster
      FROM near_duplicates JOIN (${judgedGroups('near_duplicates')}) AS judged USING (id) JOIN crawl_pages USING (id)`,
    [],
    signal,
  );
  await connection.run(
    `CREATE OR REPLACE TEMP TABLE job_clusters AS
      SELECT any_value(judged.cluster) AS cluster_id, size, round(clusters.similarity, 4) AS average_similarity,
        CASE WHEN bool_or(judged.status IN ('canonical_not_set', 'hreflang_error')) THEN 'canonical_not_set'
          WHEN bool_or(judged.status = 'canonical_not_matching') THEN 'canonical_not_matching' ELSE 'canonical_ok' END AS canonical_status,
        min(pages.url, ${SAMPLES}) AS sample_urls
      FROM near_duplicate_clusters AS clusters JOIN near_duplicates USING ("group")
      JOIN crawl_pages AS pages ON pages.id = near_duplicates.id
      JOIN job_near_duplicates AS judged ON judged.id = pages.id
      GROUP BY clusters."group", size, clusters.similarity ORDER BY cluster_id`,
    [],
    signal,
  );
}
