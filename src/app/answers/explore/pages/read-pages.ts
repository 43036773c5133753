import { z } from 'zod';
import { CrawlhouseError } from '../../../../core/errors/errors.ts';
import { typedRows } from '../../../../core/text/typed-rows.ts';
import type { CatalogReader } from '../../../../etl/state/catalog/catalog.ts';
import type { PageFilter } from './page-filter.ts';
import { type FilteredCrawl, type PageStatement, pageStatement } from './page-statement.ts';
import type { ListedPages } from './pages-blocks.ts';

/** The first filtered pages, or the first links to them. */
export interface FoundPages extends ListedPages {
  readonly crawl: FilteredCrawl;
  readonly total: number;
}

const Place = z.strictObject({ value: z.string().nullable() });
const Total = z.strictObject({ total: z.number() });

/** The rows to read: the first, those after an offset, or those after a page of the list. */
export interface PageSpan {
  readonly limit: number;
  readonly offset?: number;
  /** The URL of the page. Reading later rows costs as much as reading the first ones. */
  readonly after?: string;
}

/**
 * Reads the filtered pages in the order that the filter sets. By default, pages with the highest link score come first.
 *
 * @param span the maximum number of rows, and where they begin
 * @throws CrawlhouseError `usage` for an unknown name, an invalid condition, or a page that is not in the list
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
  const [place] = typedRows(Place, await warehouse.rows(statement.place, signal, parameters));
  if (place === undefined)
    throw new CrawlhouseError('usage', `the cursor is after ${after}, which is no longer in the list`, {
      hint: 'begin again without a cursor',
    });
  if (place.value !== null) parameters.set('after_value', place.value);
  const sql = statement.behind(place.value === null);
  const { part: _, ...whole } = statement;
  const counted = { ...whole, sql, parameters, countParameters: statement.parameters };
  return await readFirst(warehouse, counted, limit, signal);
}

/**
 * Reads all links to the filtered pages: source, target, anchor, position, follow, and the status code of the target.
 *
 * @param limit the maximum number of rows
 * @throws CrawlhouseError `usage` as `readPages`, and if the links of the crawl are not loaded
 */
export async function readInlinksOfPages(
  warehouse: CatalogReader,
  filter: PageFilter,
  limit: number,
  signal: AbortSignal,
): Promise<FoundPages> {
  const { inlinks, part: _, ...statement } = await pageStatement(warehouse, filter, signal);
  if (inlinks === null)
    throw new CrawlhouseError('usage', `the links of crawl ${statement.crawl.crawl_id} are not loaded`, {
      hint: 'crawlhouse run loads them if pipelines/ contains crawl_links and the service provides links',
    });
  const count = `SELECT count(*) AS total FROM (${inlinks}\n) AS links`;
  const asked = { ...statement, sql: inlinks, count };
  return { ...(await readFirst(warehouse, asked, limit, signal)), isLinks: true };
}

type AskedPages = Omit<PageStatement, 'inlinks' | 'place' | 'behind' | 'part'> & {
  /** A statement for the rows of a limit and an offset, if it is quicker than `sql`. */
  readonly part?: PageStatement['part'];
  /** Parameters of the count, if they differ. */
  readonly countParameters?: PageStatement['parameters'];
};

async function readFirst(
  warehouse: CatalogReader,
  {
    filter,
    crawl,
    since,
    issue,
    sql,
    part,
    count,
    parameters,
    types,
    countParameters = parameters,
  }: AskedPages,
  limit: number,
  signal: AbortSignal,
  offset = 0,
): Promise<FoundPages> {
  // The models exist, so a failure here is in a condition; DuckDB's message explains it.
  const [counted] = typedRows(Total, await warehouse.rows(count, signal, countParameters));
  const rows = (await warehouse.rows(
    part?.(limit, offset) ?? `${sql}\nLIMIT ${limit}${offset === 0 ? '' : ` OFFSET ${offset}`}`,
    signal,
    parameters,
  )) as FoundPages['rows'];
  const names = Object.keys(rows[0] ?? {});
  return {
    crawl,
    filter,
    issue,
    rows,
    before: 0,
    since: since === null ? null : { crawl_id: since, crawl_number: null, ended_at: null },
    columns: names.map((name) => ({ name, type: types.get(name) ?? 'VARCHAR' })),
    total: counted?.total ?? 0,
  };
}
