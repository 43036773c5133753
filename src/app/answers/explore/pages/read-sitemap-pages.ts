import { z } from 'zod';
import type { Typed } from '../../../../core/text/typed-rows.ts';
import type { CatalogReader } from '../../../../etl/state/catalog/catalog.ts';
import {
  type AskCrawls,
  type AskedCrawls,
  asking,
  CHOSEN,
  ChosenCrawl,
  chosenBy,
  onlyCrawl,
  rowsOf,
} from '../chosen-crawls.ts';

export const SitemapPage = z.strictObject({
  url: z.string(),
  /** When a crawl last found the page new or changed, ISO 8601, UTC; null if none did. */
  changed_at: z.string().nullable(),
});
export type SitemapPage = Typed<typeof SitemapPage>;

/** Rows that are read at a time. */
const PIECE = 50_000;

/** Counts changes up to the crawl, between crawls of its configuration. */
const PAGES = `
  WITH
    changed AS (
      SELECT changes.url, max(crawls.ended_at) AS changed_at
      FROM mart.page_changes AS changes
      JOIN mart.crawls AS crawls ON crawls.crawl_id = changes.crawl_id
      JOIN mart.crawls AS chosen
        ON chosen.project_id = crawls.project_id AND chosen.crawl_config_id = crawls.crawl_config_id
      WHERE chosen.crawl_id = $crawl AND crawls.ended_at <= chosen.ended_at AND changes.change <> 'removed'
      GROUP BY changes.url
    )
  SELECT pages.url, changed.changed_at
  FROM mart.pages AS pages
  LEFT JOIN changed ON changed.url = pages.url
  WHERE pages.crawl_id = $crawl AND pages.is_indexable AND ($after IS NULL OR pages.url > $after)
  ORDER BY pages.url
  LIMIT ${PIECE}`;

/**
 * Reads the pages of a crawl that a sitemap should list: indexable pages whose canonical is not another page. Yields
 * them in pieces, ordered by URL.
 *
 * @throws CrawlhouseError `usage` for an unknown project or crawl, or if there are several projects
 */
export async function readSitemapPages(
  warehouse: CatalogReader,
  asked: AskedCrawls,
  signal: AbortSignal,
): Promise<{ readonly crawl: ChosenCrawl; readonly pieces: AsyncGenerator<readonly SitemapPage[]> }> {
  const parameters = await chosenBy(asked, warehouse, signal);
  const crawl = onlyCrawl(await rowsOf(warehouse, ChosenCrawl, CHOSEN, parameters, signal));
  return { crawl, pieces: pieces(asking(warehouse, signal), crawl.crawl_id) };
}

async function* pieces(ask: AskCrawls, crawl: string): AsyncGenerator<readonly SitemapPage[]> {
  for (let after: string | null = null; ; ) {
    const rows: readonly SitemapPage[] = await ask(SitemapPage, PAGES, { crawl, after });
    if (rows.length > 0) yield rows;
    if (rows.length < PIECE) return;
    after = rows.at(-1)?.url ?? null;
  }
}
