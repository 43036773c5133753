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

/** Which of the rows: the first, those behind so many, or those behind a page of the list. */
export interface PageSpan {
  readonly limit: number;
  readonly offset?: number;
  /** Its URL. To read on costs as much as to read the first rows. */
  readonly after?: string;
}

/**
 * The pages that a filter lets through, in its order; without one, those with the most importance by links first.
 *
 * @param span the most rows, and where they begin
 * @throws CrawlhouseError `usage` for a name or condition that is none, and for a page that is not in the list
 */
export async function readPages(
  warehouse: CatalogReader,
  filter: PageFilter,
  span: number | PageSpan,
  signal: AbortSignal,
): Promise<FoundPages> {
  const statement = await pageStatement(warehouse, filter, signal);
  const { limit, offset = 0, after } = typeof span === 'number' ? { limit: span } : span;
  if (after === undefined) return await readFirst(warehouse, statement, limit, signal, offset);
  const parameters = new Map([...statement.parameters, ['after', after]]);
  const [place] = (await warehouse.rows(statement.place, signal, parameters)) as { value: string | null }[];
  if (place === undefined)
    throw new CrawlhouseError('usage', `the cursor leads behind ${after}, which is no longer in the list`, {
      hint: 'begin again without a cursor',
    });
  if (place.value !== null) parameters.set('after_value', place.value);
  const sql = statement.behind(place.value === null);
  const counted = { ...statement, sql, parameters, countParameters: statement.parameters };
  return await readFirst(warehouse, counted, limit, signal);
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

type AskedPages = Omit<PageStatement, 'inlinks' | 'place' | 'behind'> & {
  /** Those of the count, where it has others. */
  readonly countParameters?: PageStatement['parameters'];
};

async function readFirst(
  warehouse: CatalogReader,
  { filter, crawl, since, issue, sql, count, parameters, types, countParameters = parameters }: AskedPages,
  limit: number,
  signal: AbortSignal,
  offset = 0,
): Promise<FoundPages> {
  // The models are there: what fails now is a condition, in the words of DuckDB.
  const [counted] = await warehouse.rows(count, signal, countParameters);
  const rows = (await warehouse.rows(
    `${sql}\nLIMIT ${limit}${offset === 0 ? '' : ` OFFSET ${offset}`}`,
    signal,
    parameters,
  )) as FoundPages['rows'];
  const names = Object.keys(rows[0] ?? {});
  return {
    ...{ crawl, filter, issue, rows, before: 0 },
    since: since === null ? null : { crawl_id: since, crawl_number: null, ended_at: null },
    columns: names.map((name) => ({ name, type: types.get(name) ?? 'VARCHAR' })),
    total: (counted as { readonly total: number }).total,
  };
}
