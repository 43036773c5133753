import { CrawlhouseError } from '../../../core/errors/errors.ts';
import type { CatalogReader } from '../../../state/catalogue/catalog.ts';
import type { PageFilter } from './page-filter.ts';
import { type FilteredCrawl, type PageStatement, pageStatement } from './page-statement.ts';

/** The first pages that a filter lets through, or the first links to them. */
export interface FoundPages extends FilteredCrawl {
  /** All of them. */
  readonly total: number;
  readonly rows: readonly Readonly<Record<string, unknown>>[];
}

/**
 * The pages that a filter lets through, in its order; without one, those with the most importance by links first.
 *
 * @param limit the most rows
 * @throws CrawlhouseError `usage` for a name or condition that is none
 */
export async function readPages(
  warehouse: CatalogReader,
  filter: PageFilter,
  limit: number,
  signal: AbortSignal,
): Promise<FoundPages> {
  return await readFirst(warehouse, await pageStatement(warehouse, filter, signal), limit, signal);
}

/**
 * All links to the pages that a filter lets through: source, target, anchor, position, follow, status_code of the target.
 *
 * @param limit the most rows
 * @throws CrawlhouseError `usage` as `readPages`, and where the links of the crawl are not loaded
 */
export async function readInlinksOfPages(
  warehouse: CatalogReader,
  filter: PageFilter,
  limit: number,
  signal: AbortSignal,
): Promise<FoundPages> {
  const { inlinks, ...statement } = await pageStatement(warehouse, filter, signal);
  if (inlinks === null)
    throw new CrawlhouseError('usage', `the links of crawl ${statement.crawl.crawl_id} are not loaded`, {
      hint: 'crawlhouse run loads them where pipelines/ has crawl_links and the service has them',
    });
  const count = `SELECT count(*) AS total FROM (${inlinks}\n) AS links`;
  return await readFirst(warehouse, { ...statement, sql: inlinks, count }, limit, signal);
}

async function readFirst(
  warehouse: CatalogReader,
  { crawl, sql, count, parameters }: Pick<PageStatement, 'crawl' | 'sql' | 'count' | 'parameters'>,
  limit: number,
  signal: AbortSignal,
): Promise<FoundPages> {
  // The models are there: what fails now is a condition, in the words of DuckDB.
  const [counted] = await warehouse.rows(count, signal, parameters);
  return {
    ...crawl,
    total: (counted as { readonly total: number }).total,
    rows: (await warehouse.rows(`${sql}\nLIMIT ${limit}`, signal, parameters)) as FoundPages['rows'],
  };
}
