import { z } from 'zod';
import type { CrawlDataType, FieldRecord } from '../../../client/resources/fields.ts';
import { text } from '../../../core/duckdb/duckdb.ts';
import { typedRows } from '../../../core/text/typed-rows.ts';
import { FIELD_RECORDS } from '../../fields/field-records-of.ts';
import { MORE_PAGE_FIELDS, PAGE_FIELD_RECORDS } from '../../fields/specified-page-fields.ts';
import type { StoredDataset } from '../../resources/resources.ts';
import { ServiceRows } from '../../rows/service-rows.ts';
import { clusterFacts, clustersOf, clusterValues } from './cluster-values.ts';
import { createTable, type TableContent } from './create-table.ts';
import { pageFacts } from './page-facts.ts';
import { fieldsOfRepeated, PAGE_TEXTS, type PageCounts, type PageText, pageValues } from './page-values.ts';
import {
  ADJECTIVES,
  EXTERNAL_HOSTS,
  type GeneratedSite,
  hashOf,
  hubs,
  isBroken,
  kindOf,
  NOUNS,
  numberBelow,
  pageIn,
  pathOf,
  pick,
  plainSlot,
  type SiteShape,
  statusOf,
  urlOf,
} from './site.ts';

const RepeatedText = z.strictObject({ field: z.enum(PAGE_TEXTS), value: z.string() });

export interface Wanted {
  readonly site: GeneratedSite;
  readonly rows: Pick<SiteShape, 'pages' | 'links' | 'clusters' | 'structured_data'>;
  /** Fields of its pages; without them there is no table of pages. */
  readonly pageFields: readonly FieldRecord[] | undefined;
  /** Slots that the crawl reached, if it ended early. */
  readonly reach?: number;
}

/** Makes the tables of a crawl, by data type; a crawl that ended early has only its fetched part. */
export async function createCrawlTables(
  store: ServiceRows,
  crawlId: string,
  wanted: Wanted,
): Promise<Map<CrawlDataType, StoredDataset>> {
  const { site, rows, pageFields, reach = site.slots } = wanted;
  const part = (count: number): number =>
    reach >= site.slots ? count : Math.floor((count * reach) / site.slots);
  const pages = pageFields === undefined ? 0 : Math.min(rows.pages, reach);
  const links = rows.links > 0 ? linksWithin(site, reach) : undefined;
  const items =
    rows.structured_data > 0 ? itemFacts(site, part(rows.structured_data), pages || reach) : undefined;
  const clusters = rows.clusters > 0 ? part(rows.clusters) : undefined;
  const texts = PAGE_TEXTS.filter((name) =>
    fieldsOfRepeated(name).some((field) => pageFields?.some((one) => one.name === field)),
  );
  const counted = { site, pages, links, items, clusters, texts };
  const counts = pages > 0 ? await countPages(store, `page_counts_${crawlId}`, counted) : undefined;
  const made: [CrawlDataType, Pick<TableContent, 'facts' | 'values'>][] = [];
  if (links !== undefined) made.push(['links', { facts: links, values: linkValues(site) }]);
  if (clusters !== undefined) {
    const facts = clusterFacts(site, clusters, counts?.table);
    made.push(['clusters', { facts, values: clusterValues(site) }]);
  }
  if (items !== undefined) made.push(['structured_data', { facts: items, values: itemValues(site) }]);

  const datasets = new Map<CrawlDataType, StoredDataset>();
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
      const fields = FIELD_RECORDS[dataType];
      const table = `${dataType}_${crawlId}`;
      datasets.set(
        dataType,
        await createTable(store, site, table, { fields, known: fields, key: 'n', ...content }),
      );
    }
  } finally {
    const table = counts?.table;
    if (table !== undefined) await store.use((connection) => connection.run(`DROP TABLE IF EXISTS ${table}`));
  }
  return datasets;
}

/** Returns links of the fetched pages; their targets may not have been fetched. */
function linksWithin(site: GeneratedSite, reach: number): string {
  const facts = linkFacts(site);
  if (reach >= site.slots) return facts;
  const status = `CASE WHEN target_slot < ${reach} THEN status END AS status`;
  return `SELECT * REPLACE (${status}) FROM (${facts}) WHERE n < ${Math.floor((site.links * reach) / site.slots)}`;
}

/** Returns SQL for one row per item of structured data, each on a page that was fetched, of the first `pages` slots. */
function itemFacts(site: GeneratedSite, rows: number, pages: number): string {
  const slots = `SELECT range AS n, ${plainSlot(`(${numberBelow(site, 'item page', 'range', pages)})`)} AS plain,
    ['Product', 'Article', 'Organization', 'BreadcrumbList'][1 + ${numberBelow(site, 'item type', 'range', 4)}] AS item_type FROM range(${rows})`;
  // The home page and the section pages always exist.
  const fetched = `SELECT *, CASE WHEN ${isBroken(site, 'plain')} THEN plain % ${hubs(site) + 1} ELSE plain END AS slot FROM (${slots})`;
  return `SELECT *, ${pageIn(site, 'slot')} AS page FROM (${fetched})`;
}

/** Returns SQL for the fields of structured data, by name, over the columns of `itemFacts`. */
function itemValues(site: GeneratedSite): Readonly<Record<string, string>> {
  return {
    url: urlOf(site, 'slot', 'page'),
    type: 'item_type',
    position: numberBelow(site, 'item position', 'n', 5),
    valid: `${numberBelow(site, 'item valid', 'n', 10)} > 0`,
  };
}

interface Counted {
  readonly site: GeneratedSite;
  /** The number of slots that are pages of the crawl. */
  readonly pages: number;
  /** SQL for its links and for its items of structured data; absent if it has no such table. */
  readonly links: string | undefined;
  readonly items: string | undefined;
  /** Number of clusters that its pages form. */
  readonly clusters: number | undefined;
  /** The texts of which a field says whether other pages have them. */
  readonly texts: readonly PageText[];
}

/** Columns from a join to the slots, under the names that `pageValues` reads. */
interface Join {
  readonly columns: readonly string[];
  readonly sql: string;
}

/** Counts links, items and clusters of each page into a table, in the order of the slots. */
async function countPages(rows: ServiceRows, name: string, counted: Counted): Promise<PageCounts> {
  const joins = joinsOf(counted);
  const table = joins.length > 0 ? ServiceRows.table(name) : undefined;
  const columns = ['slots.range AS slot', ...joins.flatMap((join) => join.columns)];
  const { site, pages, links, items, clusters, texts } = counted;
  return rows.use(async (connection) => {
    if (table !== undefined)
      await connection.run(`CREATE OR REPLACE TABLE ${table} AS SELECT ${columns.join(', ')} FROM range(${pages}) AS slots
      ${joins.map((join) => join.sql).join(' ')} ORDER BY slots.range`);
    const repeated = texts.map(
      (field) => `SELECT '${field}' AS field, ${field} AS value FROM facts
        WHERE ${field} IS NOT NULL GROUP BY ALL HAVING count(*) > 1`,
    );
    const found =
      repeated.length === 0
        ? []
        : typedRows(
            RepeatedText,
            await connection.rows(
              `WITH facts AS MATERIALIZED (
          SELECT ${texts.join(', ')} FROM (${pageFacts(site)}) WHERE shares_title AND slot < ${pages})
        ${repeated.join(' UNION ALL ')} ORDER BY ALL`,
            ),
          );
    const valuesOf = (field: PageText): string[] =>
      found.filter((one) => one.field === field).map(({ value }) => value);
    return {
      table,
      has: { links: links !== undefined, items: items !== undefined, clusters: clusters !== undefined },
      repeated: { title: valuesOf('title'), h1: valuesOf('h1'), description: valuesOf('description') },
    };
  });
}

function joinsOf({ site, pages, links, items, clusters }: Counted): Join[] {
  const joins: Join[] = [];
  if (links !== undefined) {
    const { follow = 'NULL' } = linkValues(site);
    joins.push(
      joinOf(
        'target',
        `SELECT target_slot AS slot, ${counts('inlinks', 'true', follow)} FROM (${links}) WHERE NOT external GROUP BY ALL`,
        ['inlinks_all', 'inlinks_followed'],
      ),
      joinOf(
        'origin',
        `SELECT origin_slot AS slot, ${counts('internal', 'NOT external', follow)}, ${counts('external', 'external', follow)}
        FROM (${links}) GROUP BY ALL`,
        ['internal_all', 'internal_followed', 'external_all', 'external_followed'],
      ),
    );
  }
  if (items !== undefined) {
    const sql = `SELECT slot, count(*) AS items_all, list(DISTINCT item_type ORDER BY item_type) AS items_types FROM (${items}) GROUP BY ALL`;
    joins.push({
      columns: ['coalesce(items_all, 0) AS items_all', 'items_types'],
      sql: leftJoin('items', sql),
    });
  }
  if (clusters !== undefined) {
    const sql = `SELECT range AS slot, ${clustersOf(site, pages, clusters, 'range')} AS cluster_numbers
      FROM range(${pages}) WHERE ${statusOf(site, 'range')} = 200`;
    joins.push({ columns: ['cluster_numbers'], sql: leftJoin('similar_pages', sql) });
  }
  return joins;
}

function counts(name: string, condition: string, follow: string): string {
  return `count(*) FILTER (${condition}) AS ${name}_all, count(*) FILTER (${condition} AND ${follow}) AS ${name}_followed`;
}

/** Returns a join of counts: a missing one is 0. */
function joinOf(alias: string, sql: string, names: readonly string[]): Join {
  return { columns: names.map((name) => `coalesce(${name}, 0) AS ${name}`), sql: leftJoin(alias, sql) };
}

function leftJoin(alias: string, sql: string): string {
  return `LEFT JOIN (${sql}) AS ${alias} ON ${alias}.slot = slots.range`;
}

/** Returns SQL for one row per link, in the order of its origins; some targets are popular, a few are elsewhere. */
function linkFacts(site: GeneratedSite): string {
  const { slots, links } = site;
  const chance = `CAST(${hashOf(site, 'target', 'n')} % 1000000 AS DOUBLE) / 1000000`;
  const plain = plainSlot(`range * ${slots} // ${links}`);
  const ends = `SELECT range AS n, ${plain} AS origin_any FROM range(${links})`;
  // A page that answers an error has no links: they move to the page before it, or to one that always exists.
  const before = `SELECT n, CASE WHEN origin_any > 0 AND ${isBroken(site, 'origin_any')} THEN ${plainSlot('(origin_any - 1)')} ELSE origin_any END AS origin_near FROM (${ends})`;
  const origins = `SELECT n, CASE WHEN ${isBroken(site, 'origin_near')} THEN origin_near % ${hubs(site) + 1} ELSE origin_near END AS origin_slot,
    CAST(floor(${slots} * pow(${chance}, 3)) AS BIGINT) AS target_any, ${numberBelow(site, 'external', 'n', 100)} >= 92 AS external FROM (${before})`;
  const targets = `SELECT *, CASE WHEN ${kindOf('target_any')} = 'o' THEN target_any - 1 ELSE target_any END AS target_slot FROM (${origins})`;
  const pages = `SELECT *, ${pageIn(site, 'origin_slot')} AS origin_page, ${pageIn(site, 'target_slot')} AS target_page,
    CASE WHEN NOT external THEN ${statusOf(site, 'target_slot')} END AS status FROM (${targets})`;
  return `SELECT *, ${pathOf(site, 'origin_slot', 'origin_page')} AS origin_path,
    CASE WHEN external THEN concat('/', ${pick(NOUNS, hashOf(site, 'external path', 'n'))}) ELSE ${pathOf(site, 'target_slot', 'target_page')} END AS target_path,
    CASE WHEN external THEN ${pick(EXTERNAL_HOSTS, hashOf(site, 'external host', 'n'))} ELSE ${text(site.host)} END AS target_host FROM (${pages})`;
}

/** Returns SQL for the fields of links, by name, over the columns of `linkFacts`. */
function linkValues(site: GeneratedSite): Readonly<Record<string, string>> {
  const h = (label: string, bound: number): string => numberBelow(site, label, 'n', bound);
  return {
    origin: `concat('https://${site.host}', origin_path)`,
    target: `concat('https://', target_host, target_path)`,
    anchor: `CASE ${h('anchor', 50)} WHEN 0 THEN NULL WHEN 1 THEN NULL WHEN 2 THEN '' WHEN 3 THEN 'Read more' WHEN 4 THEN 'Home'
      ELSE concat(${pick(ADJECTIVES, hashOf(site, 'anchor adjective', 'target_slot'))}, ' ', ${pick(NOUNS, hashOf(site, 'anchor noun', 'target_slot'))}) END`,
    follow: `${h('follow', 100)} < 92`,
    intern: 'NOT external',
    target_status: 'status',
    target_status_range: `CASE WHEN status < 300 THEN 'ok' WHEN status < 400 THEN 'redirect' WHEN status < 500 THEN 'client_error' WHEN status >= 500 THEN 'server_error' END`,
    target_fetched: 'status IS NOT NULL',
    juice: `CAST(${hashOf(site, 'juice', 'n')} % 10000 AS DOUBLE) / 10000`,
    ...parts('origin', text(site.host)),
    ...parts('target', 'target_host'),
  };
}

function parts(end: 'origin' | 'target', host: string): Record<string, string> {
  const path = `${end}_path`;
  return {
    [`${end}_host`]: host,
    [`${end}_path`]: `split_part(${path}, '?', 1)`,
    [`${end}_first_path`]: `CASE WHEN length(${path}) - length(replace(${path}, '/', '')) < 2 THEN '/' ELSE concat('/', split_part(${path}, '/', 2), '/') END`,
    [`${end}_ext`]: `CASE WHEN ends_with(${path}, '.html') THEN 'html' WHEN ends_with(${path}, '.pdf') THEN 'pdf' END`,
    [`${end}_has_params`]: `contains(${path}, '?')`,
    [`${end}_querystring_key`]: `CASE WHEN contains(${path}, '&') THEN 'sort&page' WHEN contains(${path}, '?') THEN split_part(split_part(${path}, '?', 2), '=', 1) END`,
    [`${end}_querystring_keyvalue`]: `CASE WHEN contains(${path}, '?') THEN split_part(${path}, '?', 2) END`,
  };
}
