import { type Connection, ident } from '../../../../core/duckdb/duckdb.ts';
import { inLowerMemory } from '../../../../core/duckdb/lower-memory.ts';
import { reopenCrawlFile } from '../records/crawl-counts.ts';
import {
  CLUSTER_FIELDS,
  type CrawlField,
  type CrawlFieldRules,
  fieldColumn,
  ITEM_FIELDS,
  LINK_FIELDS,
  PLAIN_FIELDS,
  pageFields,
} from './fields.ts';

/** Rows that are written at a time: whole row groups. The tables joined to them must be in memory. */
const PAGES_AT_ONCE = 16_384;
const LINKS_AT_ONCE = 262_144;

/** The jobs' tables about pages, by the name that the fields use. */
const PAGE_JOINS = {
  facts: 'job_facts',
  declared: 'job_declared',
  inlink: 'job_inlinks',
  outlink: 'job_outlinks',
  sitemap: 'job_sitemaps',
  redirect: 'job_redirects',
  score: 'job_scoring',
  ngram: 'job_ngrams',
  version: 'job_hreflang',
  same_title: 'job_same_title',
  same_h1: 'job_same_h1',
  same_description: 'job_same_description',
  near: 'job_near_duplicates',
  missing: 'job_missing',
  vital: 'job_vitals',
} as const;

/** Makes the four final tables of what the jobs found: `pages`, `links`, `clusters`, `structured_data`. */
export async function writeTables(
  connection: Connection,
  options: {
    readonly path?: string;
    readonly signal?: AbortSignal;
    readonly fields?: CrawlFieldRules;
  },
): Promise<void> {
  const { path, signal, fields: rules = PLAIN_FIELDS } = options;
  const write = (name: string, fields: readonly CrawlField[], froms: AsyncIterable<string>, share: number) =>
    inLowerMemory(connection, share, async (attempt) => {
      let into = `CREATE OR REPLACE TABLE ${ident(name)} AS`;
      for await (const from of froms) {
        const sql = `${into} SELECT ${fields.map(fieldColumn).join(', ')} FROM ${from}`;
        await attempt(() => connection.run(sql, [], signal));
        if (path !== undefined) await reopenCrawlFile(connection, path);
        into = `INSERT INTO ${ident(name)}`;
      }
    });
  const links = slices(connection, 'crawl_links', LINKS_AT_ONCE, linkSlice);
  const clusters = slices(
    connection,
    'job_clusters',
    LINKS_AT_ONCE,
    (within) => `job_clusters AS cluster WHERE ${within('cluster.rowid')}`,
  );
  const items = slices(
    connection,
    'fetched_items',
    LINKS_AT_ONCE,
    (within) => `fetched_items AS item WHERE ${within('item.rowid')}`,
  );
  // Pages have twelve joins.
  await write(
    'pages',
    pageFields(rules),
    slices(connection, 'fetched_pages', PAGES_AT_ONCE, pageSlice),
    2 / 3,
  );
  await write('links', LINK_FIELDS, links, 1 / 2);
  await write('clusters', CLUSTER_FIELDS, clusters, 1 / 2);
  await write('structured_data', ITEM_FIELDS, items, 1 / 2);
}

/** SQL for the rows of a table, some at a time; at least once, so that an empty table is made. */
async function* slices(
  connection: Connection,
  table: string,
  size: number,
  slice: (within: (id: string) => string) => string,
): AsyncGenerator<string> {
  const end = Number(await connection.scalar(`SELECT coalesce(max(rowid) + 1, 0) FROM ${table}`));
  for (let start = 0; start < end || start === 0; start += size)
    yield slice((id) => `${id} >= ${start} AND ${id} < ${start + size}`);
}

function pageSlice(within: (id: string) => string): string {
  const joins = Object.entries(PAGE_JOINS).map(
    ([name, table]) =>
      `LEFT JOIN (FROM ${table} WHERE ${within('id')}) AS ${name} ON ${name}.id = page.rowid`,
  );
  return `fetched_pages AS page ${joins.join(' ')} WHERE ${within('page.rowid')}`;
}

function linkSlice(within: (id: string) => string): string {
  return `crawl_links AS link
    JOIN crawl_urls AS origin ON origin.id = link.origin
    JOIN crawl_urls AS target ON target.id = link.target
    LEFT JOIN job_shares AS share ON share.id = link.origin
    WHERE ${within('link.rowid')}`;
}
