import { type GeneratedSite, hashOf, kindOf, numberBelow, pageIn, urlOf } from './site.ts';

/**
 * The smallest and largest number of slots for a cluster's pages. At least five of six consecutive slots are plain
 * pages.
 */
const LEAST = 6;
const MOST = 40;
const SAMPLES = 3;

/** Returns SQL for the numbers of the clusters that contain the page of a slot; NULL if there are none. */
export function clustersOf(site: GeneratedSite, pages: number, wanted: number, slot: string): string {
  const count = Math.min(wanted, Math.max(0, pages - LEAST));
  if (count === 0) return 'CAST(NULL AS BIGINT[])';
  // Each begins at a fixed distance from the previous one; the home page is similar to no other page.
  const stride = Math.max(1, Math.floor((pages - 1) / count));
  const from = `greatest(0, (${slot} - ${MOST}) // ${stride})`;
  const to = `least(${count}, (${slot} - 1) // ${stride} + 1)`;
  const size = `(${LEAST} + ${numberBelow(site, 'cluster size', 'k', MOST - LEAST)})`;
  const found = `list_filter(range(${from}, ${to}), lambda k: ${slot} - 1 < k * ${stride} + ${size})`;
  return `CASE WHEN ${slot} > 0 AND ${kindOf(slot)} = '.' AND len(${found}) > 0 THEN ${found} END`;
}

export function clusterId(site: GeneratedSite, number: string): string {
  return `lower(hex(${hashOf(site, 'cluster', number)}))`;
}

/** Returns SQL for the similarity of a page to others, in hundredths. */
export function similarity(site: GeneratedSite, page: string): string {
  return `(85 + ${numberBelow(site, 'similar', page, 15)})`;
}

/** Returns SQL for one row per cluster of similar pages: from `counts`, or generated if a crawl has no pages. */
export function clusterFacts(site: GeneratedSite, rows: number, counts: string | undefined): string {
  if (counts === undefined)
    return `SELECT range AS n, 2 + ${numberBelow(site, 'cluster size', 'range', 40)} AS size,
      CAST(80 + ${numberBelow(site, 'cluster similarity', 'range', 20)} AS DOUBLE) / 100 AS alike, CAST(NULL AS VARCHAR[]) AS samples FROM range(${rows})`;
  const pages = `SELECT unnest(cluster_numbers) AS n, slot, ${pageIn(site, 'slot')} AS page FROM ${counts}`;
  return `SELECT n, count(*) AS size, round(avg(${similarity(site, 'page')}) / 100, 4) AS alike,
    list(${urlOf(site, 'slot', 'page')} ORDER BY slot)[:${SAMPLES}] AS samples FROM (${pages}) GROUP BY n ORDER BY n`;
}

export function clusterValues(site: GeneratedSite): Readonly<Record<string, string>> {
  return {
    cluster_id: clusterId(site, 'n'),
    size: 'size',
    average_similarity: 'alike',
    sample_urls: 'samples',
  };
}
