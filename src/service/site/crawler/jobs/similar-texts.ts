import { judgedGroups } from './duplicates.ts';
import { hashOf, type JobTables } from './job-tables.ts';
import { UnionFind } from './union-find.ts';

/** URLs that a cluster shows. */
const SAMPLES = 3;
/** Bits of a fingerprint. */
const BITS = 60;
const HALF_BITS = 30;
/**
 * Fingerprints with at most so many different bits are similar: 87 of 100 are the same. Of texts of 300 words, this finds
 * 99 of 100 with three words changed and 93 with five (docs/decisions/crawler.md).
 */
export const FARTHEST = 8;
/** Each half has five blocks of six bits. */
const BLOCK_BITS = 6;
const BLOCKS_A_HALF = HALF_BITS / BLOCK_BITS;
/** Two blocks side by side. */
const KEYS = 2 ** (2 * BLOCK_BITS);
/** Fingerprints that share two blocks are compared with so many that follow. */
const WINDOW = 64;

/**
 * Finds texts whose fingerprints differ in at most eight of sixty bits, and joins them to clusters. Of ten blocks at
 * least two must be equal then, so only texts that share two blocks are compared. Within a cluster two texts may differ
 * more than that, if others lie between them.
 *
 * Where more than 64 different fingerprints share two blocks, each is compared with the 64 that follow it. Similar pages
 * of a large family are then found by way of others.
 *
 * Source: G. Manku et al., "Detecting near-duplicates for web crawling" (2007), §3.
 */
export function similarTexts(high: Int32Array, low: Int32Array) {
  const groups = new UnionFind(high.length);
  const distance = new Int32Array(high.length).fill(BITS);
  const different = joinEqual(high, low, groups, distance);
  for (let a = 0; a < 2 * BLOCKS_A_HALF; a++)
    for (let b = 0; b < a; b++) {
      const keys = different.map(
        (text) => (block(high, low, text, a) << BLOCK_BITS) | block(high, low, text, b),
      );
      compareNeighbours(sortedByKey(different, keys), high, low, { groups, distance });
    }
  return {
    /** For each text the lowest one of its cluster; itself, when it is alone. */
    cluster: Int32Array.from(high, (_, text) => groups.find(text)),
    /** For each text of a cluster the share of equal bits with the text that is most like it. */
    similarity: Float64Array.from(distance, (bits) => 1 - bits / BITS),
  };
}

/** The average share of equal bits over all pairs of a cluster: pairs differ in a bit as ones times zeros. */
export function averageSimilarity(high: Int32Array, low: Int32Array, members: readonly number[]): number {
  const pairs = (members.length * (members.length - 1)) / 2;
  if (pairs === 0) return 1;
  let differences = 0;
  for (const half of [high, low])
    for (let bit = 0; bit < HALF_BITS; bit++) {
      let ones = 0;
      for (const text of members) ones += ((half[text] ?? 0) >>> bit) & 1;
      differences += ones * (members.length - ones);
    }
  return 1 - differences / pairs / BITS;
}

/** Joins texts with equal fingerprints; returns one of each. */
function joinEqual(high: Int32Array, low: Int32Array, groups: UnionFind, distance: Int32Array): Int32Array {
  const order = Int32Array.from(high, (_, text) => text).sort(
    (a, b) => (high[a] ?? 0) - (high[b] ?? 0) || (low[a] ?? 0) - (low[b] ?? 0) || a - b,
  );
  return order.filter((text, index) => {
    const former = order[index - 1];
    if (former === undefined || high[former] !== high[text] || low[former] !== low[text]) return true;
    groups.join(former, text);
    distance[former] = 0;
    distance[text] = 0;
    return false;
  });
}

function block(high: Int32Array, low: Int32Array, text: number, number: number): number {
  const half = number < BLOCKS_A_HALF ? high : low;
  return ((half[text] ?? 0) >>> ((number % BLOCKS_A_HALF) * BLOCK_BITS)) & (2 ** BLOCK_BITS - 1);
}

/** Texts and their keys, in the order of the keys: a counting sort, which keeps the order of equal ones. */
function sortedByKey(texts: Int32Array, keys: Int32Array) {
  const starts = new Int32Array(KEYS + 1);
  for (const key of keys) starts[key + 1] = (starts[key + 1] ?? 0) + 1;
  for (let key = 0; key < KEYS; key++) starts[key + 1] = (starts[key + 1] ?? 0) + (starts[key] ?? 0);
  const sorted = { texts: new Int32Array(texts.length), keys: new Int32Array(texts.length) };
  for (let index = 0; index < texts.length; index++) {
    const key = keys[index] ?? 0;
    const place = starts[key] ?? 0;
    starts[key] = place + 1;
    sorted.texts[place] = texts[index] ?? 0;
    sorted.keys[place] = key;
  }
  return sorted;
}

function compareNeighbours(
  { texts, keys }: ReturnType<typeof sortedByKey>,
  high: Int32Array,
  low: Int32Array,
  { groups, distance }: { readonly groups: UnionFind; readonly distance: Int32Array },
): void {
  for (let at = 0; at < texts.length; at++) {
    const text = texts[at] ?? 0;
    for (let next = at + 1; next <= at + WINDOW && keys[next] === keys[at]; next++) {
      const other = texts[next] ?? 0;
      const bits = ones((high[text] ?? 0) ^ (high[other] ?? 0)) + ones((low[text] ?? 0) ^ (low[other] ?? 0));
      if (bits > FARTHEST) continue;
      groups.join(text, other);
      if (bits < (distance[text] ?? BITS)) distance[text] = bits;
      if (bits < (distance[other] ?? BITS)) distance[other] = bits;
    }
  }
}

/** Number of set bits (Hacker's Delight, figure 5-2). */
function ones(value: number): number {
  let bits = value - ((value >>> 1) & 0x55555555);
  bits = (bits & 0x33333333) + ((bits >>> 2) & 0x33333333);
  return Math.imul((bits + (bits >>> 4)) & 0x0f0f0f0f, 0x01010101) >>> 24;
}

/**
 * Near duplicates: HTML pages with status 200 whose main texts have similar fingerprints (`simhash`,
 * `similarTexts`). A page's similarity is the share of equal bits with the page that is most like it.
 */
export async function nearDuplicates(tables: JobTables): Promise<void> {
  const [ids = new Int32Array(), high = new Int32Array(), low = new Int32Array()] =
    await tables.integers(`SELECT id, simhash >> 30, simhash & 1073741823 FROM fetched_pages JOIN crawl_pages USING (url)
      JOIN job_facts USING (id) WHERE is_html AND simhash IS NOT NULL ORDER BY id`);
  const { cluster, similarity } = similarTexts(high, low);
  const alike = cluster.keys().filter((text) => cluster[text] !== text);
  const members = [...Map.groupBy(alike, (text) => cluster[text] ?? text)].map(
    ([first, texts]) => [first, [first, ...texts]] as const,
  );
  await tables.write(
    'near_duplicates',
    { id: 'INTEGER', '"group"': 'INTEGER', similarity: 'DOUBLE' },
    members.flatMap(([first, texts]) =>
      texts.map((text) => [ids[text] ?? 0, ids[first] ?? 0, similarity[text] ?? 0]),
    ),
  );
  await tables.write(
    'near_duplicate_clusters',
    { '"group"': 'INTEGER', size: 'INTEGER', similarity: 'DOUBLE' },
    members.map(([first, texts]) => [ids[first] ?? 0, texts.length, averageSimilarity(high, low, texts)]),
  );
}

/**
 * The clusters of near duplicates: `size`, `average_similarity` over all pairs of its pages, how canonicals handle it,
 * and the first URLs. `canonical_status` is `canonical_ok` if nothing is left to handle, else `canonical_not_set` if a
 * page lacks a canonical, else `canonical_not_matching`.
 */
export async function clusterSimilarities(tables: JobTables): Promise<void> {
  await tables.make(
    'job_near_duplicates',
    `SELECT id, similarity, status, ${hashOf('min(url) OVER (PARTITION BY near_duplicates."group")')} AS cluster
      FROM near_duplicates JOIN (${judgedGroups('near_duplicates')}) AS judged USING (id) JOIN crawl_pages USING (id)`,
  );
  await tables.make(
    'job_clusters',
    `SELECT any_value(judged.cluster) AS cluster_id, size, round(clusters.similarity, 4) AS average_similarity,
        CASE WHEN bool_or(judged.status IN ('canonical_not_set', 'hreflang_error')) THEN 'canonical_not_set'
          WHEN bool_or(judged.status = 'canonical_not_matching') THEN 'canonical_not_matching' ELSE 'canonical_ok' END AS canonical_status,
        min(pages.url, ${SAMPLES}) AS sample_urls
      FROM near_duplicate_clusters AS clusters JOIN near_duplicates USING ("group")
      JOIN crawl_pages AS pages ON pages.id = near_duplicates.id
      JOIN job_near_duplicates AS judged ON judged.id = pages.id
      GROUP BY clusters."group", size, clusters.similarity ORDER BY cluster_id`,
  );
}
