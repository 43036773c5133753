import { ServiceRows } from '../../rows/row-store.ts';
import { clustersOf } from './cluster-values.ts';
import { linkValues } from './link-values.ts';
import { PAGE_TEXTS, type PageCounts, type PageText } from './page-counts.ts';
import { pageFacts } from './page-facts.ts';
import { type GeneratedSite, statusOf } from './site.ts';

export interface Counted {
  readonly site: GeneratedSite;
  /** How many slots are pages of the crawl. */
  readonly pages: number;
  /** SQL for its links and for its items of structured data; absent where it has no such table. */
  readonly links: string | undefined;
  readonly items: string | undefined;
  /** Clusters that its pages are to make. */
  readonly clusters: number | undefined;
}

/** Columns from a join to the slots, under the names that `pageValues` reads. */
interface Join {
  readonly columns: readonly string[];
  readonly sql: string;
}

/** Counts links, items and clusters of each page into a table, in the order of the slots. */
export async function countPages(rows: ServiceRows, name: string, counted: Counted): Promise<PageCounts> {
  const table = ServiceRows.table(name);
  const joins = joinsOf(counted);
  const columns = ['slots.range AS slot', ...joins.flatMap((join) => join.columns)];
  return rows.use(async (connection) => {
    await connection.run(`CREATE OR REPLACE TABLE ${table} AS SELECT ${columns.join(', ')} FROM range(${counted.pages}) AS slots
      ${joins.map((join) => join.sql).join(' ')} ORDER BY slots.range`);
    const repeated = PAGE_TEXTS.map(
      (field) => `SELECT '${field}' AS field, ${field} AS value FROM facts
        WHERE ${field} IS NOT NULL GROUP BY ALL HAVING count(*) > 1`,
    );
    const found = await connection.rows<{ field: PageText; value: string }>(
      `WITH facts AS MATERIALIZED (
        SELECT ${PAGE_TEXTS.join(', ')} FROM (${pageFacts(counted.site)}) WHERE shares_title AND slot < ${counted.pages})
      ${repeated.join(' UNION ALL ')} ORDER BY ALL`,
    );
    const valuesOf = (field: PageText): string[] =>
      found.filter((one) => one.field === field).map(({ value }) => value);
    const { links, items, clusters } = counted;
    return {
      table,
      has: { links: links !== undefined, items: items !== undefined, clusters: clusters !== undefined },
      repeated: { title: valuesOf('title'), h1: valuesOf('h1'), description: valuesOf('description') },
    };
  });
}

/** Takes the table of counts away, once the tables that are made from it are there. */
export async function dropCounts(rows: ServiceRows, { table }: PageCounts): Promise<void> {
  await rows.use((connection) => connection.run(`DROP TABLE IF EXISTS ${table}`));
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

/** A join of counts: nothing found is 0. */
function joinOf(alias: string, sql: string, names: readonly string[]): Join {
  return { columns: names.map((name) => `coalesce(${name}, 0) AS ${name}`), sql: leftJoin(alias, sql) };
}

function leftJoin(alias: string, sql: string): string {
  return `LEFT JOIN (${sql}) AS ${alias} ON ${alias}.slot = slots.range`;
}
