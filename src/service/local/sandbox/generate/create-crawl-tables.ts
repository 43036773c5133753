import type { CrawlDataType, FieldRecord } from '../../../api/resources/fields.ts';
import { fieldRecordsOf } from '../../fields/field-records-of.ts';
import { MORE_PAGE_FIELDS, PAGE_FIELD_RECORDS } from '../../fields/page-fields.ts';
import type { Dataset } from '../../resources/resources.ts';
import type { ServiceRows } from '../../rows/row-store.ts';
import { clusterFacts, clusterValues } from './cluster-values.ts';
import { countPages, dropCounts } from './count-pages.ts';
import { createTable, type TableContent } from './create-table.ts';
import { linkFacts, linkValues } from './link-values.ts';
import { pageFacts } from './page-facts.ts';
import { pageValues } from './page-values.ts';
import { type GeneratedSite, hubs, isBroken, numberBelow, pageIn, plainSlot, urlOf } from './site.ts';
import type { SiteShape } from './site-shape.ts';

export interface Wanted {
  readonly site: GeneratedSite;
  readonly rows: Pick<SiteShape, 'pages' | 'links' | 'clusters' | 'structured_data'>;
  /** Fields of its pages; without them there is no table of pages. */
  readonly pageFields: readonly FieldRecord[] | undefined;
  /** Slots that the crawl got to, where it ended before the last. */
  readonly reach?: number;
}

/** Makes the tables of a crawl, by data type; a crawl that ended early has only its fetched part. */
export async function createCrawlTables(
  store: ServiceRows,
  crawlId: string,
  wanted: Wanted,
): Promise<Map<CrawlDataType, Dataset>> {
  const { site, rows, pageFields, reach = site.slots } = wanted;
  const part = (count: number): number =>
    reach >= site.slots ? count : Math.floor((count * reach) / site.slots);
  const pages = pageFields === undefined ? 0 : Math.min(rows.pages, reach);
  const links = rows.links > 0 ? linksWithin(site, reach) : undefined;
  const items =
    rows.structured_data > 0 ? itemFacts(site, part(rows.structured_data), pages || reach) : undefined;
  const clusters = rows.clusters > 0 ? part(rows.clusters) : undefined;
  const counted = { site, pages, links, items, clusters };
  const counts = pages > 0 ? await countPages(store, `page_counts_${crawlId}`, counted) : undefined;
  const made: [CrawlDataType, Pick<TableContent, 'facts' | 'values'>][] = [];
  if (links !== undefined) made.push(['links', { facts: links, values: linkValues(site) }]);
  if (clusters !== undefined) {
    const facts = clusterFacts(site, clusters, counts?.table);
    made.push(['clusters', { facts, values: clusterValues(site) }]);
  }
  if (items !== undefined) made.push(['structured_data', { facts: items, values: itemValues(site) }]);

  const datasets = new Map<CrawlDataType, Dataset>();
  try {
    if (pageFields !== undefined)
      datasets.set(
        'pages',
        await createTable(store, site, `pages_${crawlId}`, {
          fields: pageFields,
          facts: `SELECT * FROM (${pageFacts(site, counts)}) WHERE slot < ${pages}`,
          values: pageValues(site, counts),
          known: [...PAGE_FIELD_RECORDS, ...MORE_PAGE_FIELDS],
          key: 'page',
          isBare: 'status IS DISTINCT FROM 200',
        }),
      );
    for (const [dataType, content] of made) {
      const fields = fieldRecordsOf(dataType);
      const table = `${dataType}_${crawlId}`;
      datasets.set(
        dataType,
        await createTable(store, site, table, { fields, known: fields, key: 'n', ...content }),
      );
    }
  } finally {
    if (counts !== undefined) await dropCounts(store, counts);
  }
  return datasets;
}

/** Links of the pages that were fetched; what they lead to may not have been. */
function linksWithin(site: GeneratedSite, reach: number): string {
  const facts = linkFacts(site);
  if (reach >= site.slots) return facts;
  const status = `CASE WHEN target_slot < ${reach} THEN status END AS status`;
  return `SELECT * REPLACE (${status}) FROM (${facts}) WHERE n < ${Math.floor((site.links * reach) / site.slots)}`;
}

/** SQL for one row an item of structured data, each on a page that was fetched, of the first `pages` slots. */
function itemFacts(site: GeneratedSite, rows: number, pages: number): string {
  const slots = `SELECT range AS n, ${plainSlot(`(${numberBelow(site, 'item page', 'range', pages)})`)} AS plain,
    ['Product', 'Article', 'Organization', 'BreadcrumbList'][1 + ${numberBelow(site, 'item type', 'range', 4)}] AS item_type FROM range(${rows})`;
  // The home page and those of sections are always there.
  const fetched = `SELECT *, CASE WHEN ${isBroken(site, 'plain')} THEN plain % ${hubs(site) + 1} ELSE plain END AS slot FROM (${slots})`;
  return `SELECT *, ${pageIn(site, 'slot')} AS page FROM (${fetched})`;
}

/** SQL for the fields of structured data, by name, over the columns of `itemFacts`. */
function itemValues(site: GeneratedSite): Readonly<Record<string, string>> {
  return {
    url: urlOf(site, 'slot', 'page'),
    type: 'item_type',
    position: numberBelow(site, 'item position', 'n', 5),
    valid: `${numberBelow(site, 'item valid', 'n', 10)} > 0`,
  };
}
