import { type Connection, ident } from '../../../core/duckdb/duckdb.ts';
import { inLowerMemory } from '../../../core/duckdb/lower-memory.ts';
import { reopenCrawlFile } from '../records/crawl-counts.ts';
import {
  CLUSTER_FIELDS,
  type CrawlField,
  fieldColumn,
  ITEM_FIELDS,
  LINK_FIELDS,
  REQUEST_FIELDS,
} from './crawl-fields.ts';
import { type CrawlFieldRules, PLAIN_FIELDS, pageFields } from './page-sql.ts';

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

export interface TableOptions {
  /** The crawl's file, if the tables are in one. */
  readonly path?: string;
  readonly signal?: AbortSignal;
  readonly fields?: CrawlFieldRules;
}

/**
 * Creates the five final tables from the results of the jobs: `pages`, `links`, `clusters`, `structured_data`,
 * `requests`.
 */
export async function writeTables(connection: Connection, options: TableOptions): Promise<void> {
  const { path, signal, fields: rules = PLAIN_FIELDS } = options;
  const write = (name: string, fields: readonly CrawlField[], froms: AsyncIterable<string>, share = 1 / 2) =>
    inLowerMemory(connection, share, async (attempt) => {
      let into = `CREATE OR REPLACE TABLE ${ident(name)} AS`;
      for await (const from of froms) {
        const sql = `${into} SELECT ${fields.map(fieldColumn).join(', ')} FROM ${from}`;
        await attempt(() => connection.run(sql, [], signal));
        if (path !== undefined) await reopenCrawlFile(connection, path);
        into = `INSERT INTO ${ident(name)}`;
      }
    });
  const sliced = (table: string, slice: Slice, size = LINKS_AT_ONCE) =>
    slices(connection, table, size, slice);
  const plain = (table: string, name: string) =>
    sliced(table, (within) => `${table} AS ${name} WHERE ${within(`${name}.rowid`)}`);
  // With less, the fifteen joins of pages run out of memory and are repeated.
  await write('pages', pageFields(rules), sliced('fetched_pages', pageSlice, PAGES_AT_ONCE), 1);
  await write('links', LINK_FIELDS, sliced('crawl_links', linkSlice));
  await write('clusters', CLUSTER_FIELDS, plain('job_clusters', 'cluster'));
  await write('structured_data', ITEM_FIELDS, plain('fetched_items', 'item'));
  await write('requests', REQUEST_FIELDS, sliced('other_requests', requestSlice));
}

/** SQL for the rows within a range of numbers. */
type Slice = (within: (id: string) => string) => string;

/** Returns SQL for the rows of a table, in slices; at least once, so that an empty table is created. */
async function* slices(
  connection: Connection,
  table: string,
  size: number,
  slice: Slice,
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

function requestSlice(within: (id: string) => string): string {
  return `other_requests AS request LEFT JOIN crawl_urls AS asked ON asked.url = request.url
    LEFT JOIN job_redirects AS redirect ON redirect.id = asked.id WHERE ${within('request.rowid')}`;
}

function linkSlice(within: (id: string) => string): string {
  return `crawl_links AS link
    JOIN crawl_urls AS origin ON origin.id = link.origin
    JOIN crawl_urls AS target ON target.id = link.target
    LEFT JOIN job_shares AS share ON share.id = link.origin
    WHERE ${within('link.rowid')}`;
}
