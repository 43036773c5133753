import { type Connection, ident, STORAGE_OPTION, text } from '../../../../core/duckdb/duckdb.ts';

/** The catalog that the crawl's database file is attached as. */
const CATALOG = 'crawl';
/** With DuckDB's defaults, a writer keeps more rows in memory (docs/decisions/warehouse.md). */
const OPTIONS = `BLOCK_SIZE 32768, ROW_GROUP_SIZE 16384, ${STORAGE_OPTION}`;

/** Attaches the crawl's database; the connection then uses it. */
export async function openCrawlFile(connection: Connection, path: string): Promise<void> {
  await connection.run(`ATTACH ${text(path)} AS ${ident(CATALOG)} (${OPTIONS})`);
  await connection.run(`USE ${ident(CATALOG)}`);
}

/**
 * Detaches the crawl's database and attaches it again: DuckDB frees what it keeps about each row group that was written,
 * outside its limit. Temporary tables stay.
 */
export async function reopenCrawlFile(connection: Connection, path: string): Promise<void> {
  await connection.run('USE memory');
  await connection.run(`DETACH ${ident(CATALOG)}`);
  await openCrawlFile(connection, path);
}
