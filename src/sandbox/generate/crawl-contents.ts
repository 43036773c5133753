import type { CrawlDataType, FieldRecord } from '../../api/fields.ts';
import { catalogueOf } from '../catalogue/catalogue-of.ts';
import { MORE_PAGE_FIELDS } from '../catalogue/more-page-fields.ts';
import { PAGE_CATALOGUE } from '../catalogue/page-catalogue.ts';
import type { Content } from './create-table.ts';
import { linkFacts, linkValues } from './link-values.ts';
import { clusterFacts, clusterValues, itemFacts, itemValues } from './other-values.ts';
import { pageFacts } from './page-facts.ts';
import { pageValues } from './page-values.ts';
import type { Site } from './site.ts';
import type { SiteShape } from './site-shape.ts';

/** What is to be in a crawl's tables. */
export interface Wanted {
  readonly site: Site;
  readonly rows: Pick<SiteShape, 'pages' | 'links' | 'clusters' | 'structured_data'>;
  /** Fields of its pages; without them there is no table of pages. */
  readonly pageFields: readonly FieldRecord[] | undefined;
  /** Slots that the crawl got to, where it ended before the last. */
  readonly reach?: number;
}

/** What the tables of a crawl are made of, by data type; a crawl that ended early has only what it had come to. */
export function crawlContents(wanted: Wanted): [CrawlDataType, Content][] {
  const { site, rows, pageFields, reach = site.slots } = wanted;
  const made: [CrawlDataType, Content][] = [];
  if (pageFields !== undefined) {
    made.push([
      'pages',
      {
        fields: pageFields,
        facts: `SELECT * FROM (${pageFacts(site)}) WHERE slot < ${Math.min(rows.pages, reach)}`,
        values: pageValues(site),
        known: [...PAGE_CATALOGUE, ...MORE_PAGE_FIELDS],
        key: 'page',
        isBare: 'status IS DISTINCT FROM 200',
      },
    ]);
  }
  const part = (count: number): number =>
    reach >= site.slots ? count : Math.floor((count * reach) / site.slots);
  const others = {
    links: { facts: linksWithin(site, reach), values: linkValues(site) },
    clusters: { facts: clusterFacts(part(rows.clusters)), values: clusterValues(site) },
    structured_data: {
      facts: itemFacts({ ...site, slots: reach }, part(rows.structured_data)),
      values: itemValues(site),
    },
  };
  for (const dataType of ['links', 'clusters', 'structured_data'] as const) {
    if (rows[dataType] === 0) continue;
    const fields = catalogueOf(dataType);
    made.push([dataType, { fields, known: fields, key: 'n', ...others[dataType] }]);
  }
  return made;
}

/** Links of the pages that were fetched; what they lead to may not have been. */
function linksWithin(site: Site, reach: number): string {
  const facts = linkFacts(site);
  if (reach >= site.slots) return facts;
  const status = `CASE WHEN target_slot < ${reach} THEN status END AS status`;
  return `SELECT * REPLACE (${status}) FROM (${facts}) WHERE n < ${Math.floor((site.links * reach) / site.slots)}`;
}
