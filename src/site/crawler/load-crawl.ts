import { createWriteStream } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { type Connection, file, ident, text } from '../../core/duckdb/duckdb.ts';
import type { Frontier, RecordFile, RecordKind } from './frontier/frontier.ts';
import type { TableColumns } from './records/columns.ts';
import { openCrawlFile } from './records/crawl-counts.ts';
import { CRAWL_TABLES } from './records/records.ts';

export interface LoadCrawlOptions {
  /** Of the crawl's files. */
  readonly folder: string;
  /** The database file, created again. */
  readonly path: string;
  readonly frontier: Frontier;
  readonly signal?: AbortSignal | undefined;
}

/** Creates the crawl's database, with the tables of `CRAWL_TABLES`. The connection then uses it. */
export async function loadCrawl(connection: Connection, options: LoadCrawlOptions): Promise<void> {
  const { folder, path, frontier, signal } = options;
  for (const leftover of [path, `${path}.wal`]) await rm(leftover, { force: true });
  await openCrawlFile(connection, path);
  const recorded = frontier.recordFiles();
  const create = (
    name: keyof typeof CRAWL_TABLES,
    paths: readonly string[],
    columns = '*',
  ): Promise<bigint> =>
    connection.run(
      `CREATE TABLE ${ident(name)} AS SELECT ${columns} FROM ${records(paths, CRAWL_TABLES[name])}`,
      [],
      signal,
    );
  const kept = {
    sitemap_urls: frontier.records('sitemap_urls'),
    missing_pages: [frontier.fact('missing pages') ?? ''],
    vitals: frontier.records('vitals'),
    other_requests: frontier.requests.records(),
  };
  for (const [name, lines] of Object.entries(kept) as [keyof typeof kept, Iterable<string>][]) {
    const path = join(folder, `${name}.ndjson`);
    await pipeline(Readable.from(lines), createWriteStream(path));
    await create(name, [path]);
    await rm(path);
  }
  await create('fetched_links', filesOf(folder, recorded, 'links'));
  await create('fetched_items', filesOf(folder, recorded, 'items'));
  await create('fetched_pages', filesOf(folder, recorded, 'pages'), `* REPLACE (${SOURCES} AS sources)`);
}

/**
 * A page's sources, including those that only the whole crawl reveals. DISTINCT: DuckDB would keep all links in memory
 * to look up their targets.
 */
const SOURCES = `list_concat(
  CASE WHEN NOT list_contains(sources, 'crawler') AND url IN (SELECT DISTINCT target FROM fetched_links WHERE target <> origin)
    AND depth IS NOT NULL THEN ['crawler'] ELSE [] END,
  sources,
  CASE WHEN url IN (SELECT url FROM sitemap_urls) THEN ['sitemaps'] ELSE [] END)`;

/** Returns a table expression over files of records. DuckDB detects their compression by name. */
export function fetchedPages(folder: string, frontier: Frontier): string {
  return records(filesOf(folder, frontier.recordFiles(), 'pages'), CRAWL_TABLES.fetched_pages);
}

function filesOf(folder: string, recorded: readonly RecordFile[], kind: RecordKind): string[] {
  return recorded.filter((one) => one.kind === kind).map(({ name }) => join(folder, name));
}

/** Returns a table expression over files of records. DuckDB detects their compression by name. */
function records(paths: readonly string[], columns: TableColumns): string {
  if (paths.length === 0) {
    const empty = Object.entries(columns).map(([name, type]) => `CAST(NULL AS ${type}) AS ${ident(name)}`);
    return `(SELECT ${empty.join(', ')} LIMIT 0)`;
  }
  const types = Object.entries(columns).map(([name, type]) => `${text(name)}: ${text(type)}`);
  return `read_json([${paths.map(file).join(', ')}], format = 'newline_delimited', columns = {${types.join(', ')}})`;
}
