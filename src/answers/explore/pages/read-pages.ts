import { CrawlhouseError } from '../../../core/errors/errors.ts';
import type { CatalogReader } from '../../../state/catalogue/catalog.ts';
import type { PageFilter } from './page-filter.ts';
import { type FilteredCrawl, type PageStatement, pageStatement } from './page-statement.ts';
import type { ListedPages } from './pages-blocks.ts';

/** The first pages that a filter lets through, or the first links to them. */
export interface FoundPages extends ListedPages {
  readonly crawl: FilteredCrawl;
  readonly total: number;
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
  const statement = await pageStatement(warehouse, filter, signal);
  return await readFirst(warehouse, statement, limit, signal);
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
  const asked = { ...statement, sql: inlinks, count };
  return { ...(await readFirst(warehouse, asked, limit, signal)), isLinks: true };
}

type AskedPages = Omit<PageStatement, 'inlinks'>;

async function readFirst(
  warehouse: CatalogReader,
  { filter, crawl, since, issue, sql, count, parameters, types }: AskedPages,
  limit: number,
  signal: AbortSignal,
): Promise<FoundPages> {
  // The models are there: what fails now is a condition, in the words of DuckDB.
  const [counted] = await warehouse.rows(count, signal, parameters);
  const rows = (await warehouse.rows(`${sql}\nLIMIT ${limit}`, signal, parameters)) as FoundPages['rows'];
  const names = Object.keys(rows[0] ?? {});
  return {
    ...{ crawl, filter, issue, rows, before: 0 },
    since: since === null ? null : { crawl_id: since, crawl_number: null, ended_at: null },
    columns: names.map((name) => ({ name, type: types.get(name) ?? 'VARCHAR' })),
    total: (counted as { readonly total: number }).total,
  };
}
