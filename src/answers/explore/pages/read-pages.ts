import type { CatalogReader } from '../../../state/catalogue/catalog.ts';
import type { PageFilter } from './page-filter.ts';
import { type FilteredCrawl, pageStatement } from './page-statement.ts';

/** The first pages that a filter lets through. */
export interface FoundPages extends FilteredCrawl {
  /** All that it lets through. */
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
  const { crawl, sql, count, parameters } = await pageStatement(warehouse, filter, signal);
  // The models are there: what fails now is a condition, in the words of DuckDB.
  const [counted] = await warehouse.rows(count, signal, parameters);
  return {
    ...crawl,
    total: (counted as { readonly total: number }).total,
    rows: (await warehouse.rows(`${sql}\nLIMIT ${limit}`, signal, parameters)) as FoundPages['rows'],
  };
}
