import { hashOf, numberBelow, pageIn, type Site, urlOf } from './site.ts';

/** SQL for one row a cluster of similar pages, and for its fields. */
export function clusterFacts(rows: number): string {
  return `SELECT range AS n FROM range(${rows})`;
}

export function clusterValues(site: Site): Readonly<Record<string, string>> {
  return {
    cluster_id: `lower(hex(${hashOf(site, 'cluster', 'n')}))`,
    size: `2 + ${numberBelow(site, 'cluster size', 'n', 40)}`,
    average_similarity: `CAST(80 + ${numberBelow(site, 'cluster similarity', 'n', 20)} AS DOUBLE) / 100`,
  };
}

/** SQL for one row an item of structured data, and for its fields. */
export function itemFacts(site: Site, rows: number): string {
  const slot = numberBelow(site, 'item page', 'n', site.slots);
  return `SELECT *, ${pageIn(site, 'slot')} AS page FROM (SELECT range AS n, ${slot.replace('hash(n ', 'hash(range ')} AS slot FROM range(${rows}))`;
}

export function itemValues(site: Site): Readonly<Record<string, string>> {
  return {
    url: urlOf(site, 'slot', 'page'),
    type: `['Product', 'Article', 'Organization', 'BreadcrumbList'][1 + ${numberBelow(site, 'item type', 'n', 4)}]`,
    position: numberBelow(site, 'item position', 'n', 5),
    valid: `${numberBelow(site, 'item valid', 'n', 10)} > 0`,
  };
}
