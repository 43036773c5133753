import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type Connection, file, ident, type Row, text } from '../../src/core/duckdb/duckdb.ts';
import { runJobs } from '../../src/site/crawler/jobs/run-jobs.ts';
import { isIndexable } from '../../src/site/crawler/parse/indexability.ts';
import { unfetchedPage } from '../../src/site/crawler/parse/parse-page.ts';
import type { TableColumns } from '../../src/site/crawler/records/columns.ts';
import {
  CRAWL_TABLES,
  type CrawlFacts,
  type LinkRecord,
  type MissingPageRecord,
  type PageRecord,
  type SitemapRecord,
  type StructuredDataRecord,
  type VitalsRecord,
} from '../../src/site/crawler/records/records.ts';
import type { RequestRecord } from '../../src/site/crawler/records/request-record.ts';
import { temporaryConnection, temporaryFolder } from './temporary.ts';

export const SITE = 'https://site.example';

export type CrawledPage = PageRecord & CrawlFacts;

/** A page of HTML with status 200 that the crawler found by a link. */
export function page(path: string, more: Partial<CrawledPage> = {}): CrawledPage {
  return {
    ...unfetchedPage(SITE + path, 'fetched_2xx'),
    fetched: true,
    status_code: 200,
    parsed_html: true,
    meta_robots_index: true,
    meta_robots_follow: true,
    depth: 1,
    sources: ['crawler'],
    robots_txt_denied: false,
    ...more,
  };
}

/** A page that redirects. */
export function redirect(path: string, location: string, more: Partial<CrawledPage> = {}): CrawledPage {
  const target = location.startsWith('/') ? SITE + location : location;
  return page(path, { status_code: 301, parsed_html: false, redirect_location: target, ...more });
}

/** A followed link between two pages of the site, or to elsewhere. */
export function link(from: string, to: string, more: Partial<LinkRecord> = {}): LinkRecord {
  return {
    origin: SITE + from,
    target: to.startsWith('/') ? SITE + to : to,
    anchor: 'A link',
    follow: true,
    intern: to.startsWith('/'),
    rel: null,
    is_image: false,
    link_position: 'Content',
    ...more,
  };
}

export function sitemapUrl(path: string, more: Partial<SitemapRecord> = {}): SitemapRecord {
  return {
    url: SITE + path,
    sitemap: `${SITE}/sitemap.xml`,
    alternate_langs: [],
    alternate_hrefs: [],
    num_images: 0,
    num_news: 0,
    num_videos: 0,
    ...more,
  };
}

export interface CrawlRecords {
  readonly pages: readonly CrawledPage[];
  readonly links?: readonly LinkRecord[];
  readonly items?: readonly StructuredDataRecord[];
  readonly sitemap?: readonly SitemapRecord[];
  readonly missing?: readonly MissingPageRecord[];
  readonly vitals?: readonly VitalsRecord[];
  readonly requests?: readonly RequestRecord[];
}

/** A connection whose database has the tables that the jobs read. */
export async function crawlDatabase(given: CrawlRecords): Promise<Connection> {
  const folder = await temporaryFolder();
  const connection = await temporaryConnection(folder);
  const records = {
    fetched_pages: given.pages.map((one) => ({ ...one, indexable: isIndexable(one) })),
    fetched_links: given.links,
    fetched_items: given.items,
    sitemap_urls: given.sitemap,
    missing_pages: given.missing,
    vitals: given.vitals,
    other_requests: given.requests,
  };
  for (const [name, columns] of Object.entries(CRAWL_TABLES)) {
    const path = join(folder, `${name}.ndjson`);
    const rows = records[name as keyof typeof CRAWL_TABLES] ?? [];
    await writeFile(path, rows.map((row) => `${JSON.stringify(row)}\n`).join(''));
    await connection.run(`CREATE TABLE ${ident(name)} AS FROM ${jsonLines(path, columns)}`);
  }
  return connection;
}

/** SQL for the records of a file of JSON lines. */
function jsonLines(path: string, columns: TableColumns): string {
  const types = Object.entries(columns).map(([name, type]) => `${ident(name)}: ${text(type)}`);
  return `read_json(${file(path)}, format = 'newline_delimited', columns = {${types.join(', ')}})`;
}

/** Runs the jobs; the pages by path, with the fields asked for. */
export async function pagesAfterJobs(
  records: CrawlRecords,
  fields: readonly string[],
): Promise<Record<string, Row>> {
  const connection = await crawlDatabase(records);
  await runJobs(connection);
  return pagesByPath(connection, fields);
}

export async function pagesByPath(
  connection: Connection,
  fields: readonly string[],
): Promise<Record<string, Row>> {
  const rows = await connection.jsonRows(
    `SELECT concat(urlpath, '?' || querystring_keyvalue) AS path, ${fields.map(ident).join(', ')} FROM pages ORDER BY url`,
  );
  return Object.fromEntries(rows.map(({ path, ...row }) => [String(path), numbers(row)]));
}

/** JSON rows give whole numbers as text. */
function numbers(row: Record<string, unknown>): Row {
  return Object.fromEntries(
    Object.entries(row).map(([name, value]) => [
      name,
      typeof value === 'string' && /^\d{1,15}$/.test(value) ? Number(value) : value,
    ]),
  ) as Row;
}
