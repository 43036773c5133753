import { decodeSample, isWhole, type SampledPairs } from '../parse/text/text-sample.ts';
import { judgedGroups } from './duplicates.ts';
import { hashOf, type JobTables } from './job-tables.ts';
import { averageSimilarity, type SampledText, similarTexts } from './similar-texts.ts';

/** URLs in the sample of a cluster. */
const SAMPLES = 3;
/** Pages of a host that are compared to find what most of its pages share. */
const PAGES_A_HOST = 1_000;
/** A block on fewer pages is not part of a template. */
const FEWEST_PAGES = 5;
/** The minimum number of word pairs that only this page has. A page with fewer pairs is compared as a whole. */
const FEWEST_OWN = 10;
/** Pairs of all pages in memory; with very many pages, each has a smaller sample. */
const MOST_PAIRS = 2 ** 23;

/** HTML pages with status 200 and a text; the number of a page is its row. */
const TEXTS = `fetched_pages AS page JOIN job_facts ON id = page.rowid WHERE is_html AND text_sample IS NOT NULL`;

/**
 * Near duplicates: HTML pages with status 200 whose main texts share 85 % of their pairs of words (`similarTexts`),
 * without the blocks that more than half of the pages of a host share, such as menus, footers and other parts of a
 * template. A page with hardly any other text is compared as a whole. Because URLs are ordered, the result is the same
 * in each crawl.
 */
export async function nearDuplicates(tables: JobTables): Promise<void> {
  const common = await commonPairs(tables);
  const count = await tables.count(`SELECT count(*) FROM ${TEXTS}`);
  const most = Math.floor(MOST_PAIRS / Math.max(1, count));
  const ids: number[] = [];
  const texts: SampledText[] = [];
  for await (const [id, host, sample] of tables.rows(
    `SELECT id, url_host, text_sample FROM ${TEXTS} ORDER BY url`,
  )) {
    ids.push(Number(id));
    texts.push(ownText(decodeSample(String(sample)), common.get(String(host)) ?? NO_PAIRS, most));
  }
  const { cluster, similarity } = similarTexts(texts);
  const alike = cluster.keys().filter((text) => cluster[text] !== text);
  const members = [...Map.groupBy(alike, (text) => cluster[text] ?? text)].map(
    ([first, others]) => [first, [first, ...others]] as const,
  );
  await tables.write(
    'near_duplicates',
    { id: 'INTEGER', '"group"': 'INTEGER', similarity: 'DOUBLE' },
    members.flatMap(([first, all]) =>
      all.map((text) => [ids[text] ?? 0, ids[first] ?? 0, similarity[text] ?? 0]),
    ),
  );
  await tables.write(
    'near_duplicate_clusters',
    { '"group"': 'INTEGER', size: 'INTEGER', similarity: 'DOUBLE' },
    members.map(([first, all]) => [
      ids[first] ?? 0,
      all.length,
      averageSimilarity(all.flatMap((text) => texts[text] ?? [])),
    ]),
  );
}

/** Returns a pair and its block as one number. */
function placed(pair: number, block: number): number {
  return block * 2 ** 32 + pair;
}

/** Returns the pairs, with their blocks, on more than half of the pages of each host whose samples reach that far. */
async function commonPairs(tables: JobTables): Promise<Map<string, CommonPairs>> {
  const rows = tables.rows(`SELECT url_host, text_sample FROM (
      SELECT url_host, text_sample, row_number() OVER (PARTITION BY url_host ORDER BY md5(url)) AS number FROM ${TEXTS}
    ) WHERE number <= ${PAGES_A_HOST} ORDER BY url_host`);
  const common = new Map<string, CommonPairs>();
  let [present, pairs, lasts]: [string, number[], number[]] = ['', [], []];
  for await (const [host, text] of rows) {
    if (host !== present) {
      common.set(present, commonOf(pairs, lasts));
      [present, pairs, lasts] = [String(host), [], []];
    }
    const sample = decodeSample(String(text));
    lasts.push(lastOf(sample));
    for (const [at, pair] of sample.pairs.entries()) pairs.push(placed(pair, sample.blocks[at] ?? 0));
  }
  return common.set(present, commonOf(pairs, lasts));
}

/** Pairs with their blocks; a page has few of these. */
class CommonPairs {
  readonly #places = new Set<number>();
  /** For the last bits of a pair, whether any such pair may exist. This is faster than searching for each pair. */
  readonly #mayHave = new Uint8Array(2 ** 16);

  get size(): number {
    return this.#places.size;
  }

  add(place: number): void {
    this.#places.add(place);
    this.#mayHave[place % 2 ** 16] = 1;
  }

  has(pair: number, block: number): boolean {
    return this.#mayHave[pair & 0xffff] === 1 && this.#places.has(placed(pair, block));
  }
}

const NO_PAIRS = new CommonPairs();

/** @param all the pairs of all pages of a host, with their blocks */
function commonOf(all: readonly number[], lasts: readonly number[]): CommonPairs {
  const common = new CommonPairs();
  const sorted = Float64Array.from(all).sort();
  const reached = Float64Array.from(lasts).sort();
  let first = 0;
  for (let at = 1; at <= sorted.length; at++) {
    const place = sorted[first] ?? 0;
    if (sorted[at] === place) continue;
    const pages = at - first;
    if (pages >= FEWEST_PAGES && 2 * pages > reaching(reached, place % 2 ** 32)) common.add(place);
    first = at;
  }
  return common;
}

function lastOf(sample: SampledPairs): number {
  return isWhole(sample) ? 2 ** 32 : (sample.pairs.at(-1) ?? 0);
}

/** Returns the number of samples that reach a pair. */
function reaching(lasts: Float64Array, pair: number): number {
  let [low, high] = [0, lasts.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((lasts[middle] ?? 0) < pair) low = middle + 1;
    else high = middle;
  }
  return lasts.length - low;
}

/** Returns the compared part of a page's text: its own pairs, or all pairs if it has too few of its own. */
function ownText(sample: SampledPairs, common: CommonPairs, most: number): SampledText {
  const { pairs, blocks } = sample;
  const own = common.size > 0 ? pairs.filter((pair, at) => !common.has(pair, blocks[at] ?? 0)) : pairs;
  const share = isWhole(sample) ? 1 : (lastOf(sample) + 1) / 2 ** 32;
  const compared = own.length / share < FEWEST_OWN ? pairs : own;
  // A copy, because the sample's memory is reused.
  return compared.length <= most
    ? { pairs: compared.slice(), last: lastOf(sample) }
    : { pairs: compared.slice(0, most), last: compared[most - 1] ?? 0 };
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
