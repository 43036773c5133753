import { z } from 'zod';
import type { CatalogReader } from '../../../etl/state/catalog/catalog.ts';
import { rowsOf } from './chosen-crawls.ts';

/** Maximum results of each kind. */
export const MOST_FOUND = 20;

export const SearchedPage = z.strictObject({
  project_id: z.string(),
  project: z.string(),
  url: z.string(),
  title: z.string().nullable(),
  status_code: z.number().nullable(),
});
export type SearchedPage = z.infer<typeof SearchedPage>;

/** A crawl, found by its identifier or the day of its end. */
export const SearchedCrawl = z.strictObject({
  crawl_id: z.string(),
  project_id: z.string(),
  project: z.string(),
  crawl_number: z.number().nullable(),
  /** ISO 8601, UTC. */
  ended_at: z.string().nullable(),
});
type SearchedCrawl = z.infer<typeof SearchedCrawl>;

/**
 * Pages of the main crawls. Those whose URL is the text or begins with it come first, because they need no search in
 * titles.
 */
const PAGES = `
  SELECT pages.project_id, coalesce(main.project_name, main.project_id) AS project, pages.url, pages.title, pages.status_code
  FROM mart.pages AS pages
  JOIN (SELECT crawl_id, project_id, project_name FROM mart.crawls WHERE is_main) AS main
    ON main.crawl_id = pages.crawl_id`;
const BEGINS = `${PAGES}
  WHERE starts_with(pages.url, $text) OR starts_with(pages.urlpath, $text)
  ORDER BY length(pages.url), pages.url, pages.project_id LIMIT ${MOST_FOUND}`;
/** Unordered, so that the search ends with the twentieth page. */
const HOLDS = `${PAGES}
  WHERE strpos(lower(pages.url), lower($text)) > 0 OR strpos(lower(pages.title), lower($text)) > 0
  LIMIT ${MOST_FOUND}`;

const CRAWLS = `
  SELECT crawl_id, project_id, coalesce(project_name, project_id) AS project, crawl_number, ended_at
  FROM mart.crawls
  WHERE starts_with(crawl_id, $text) OR starts_with(CAST(CAST(ended_at AT TIME ZONE 'UTC' AS DATE) AS VARCHAR), $text)
  ORDER BY ended_at DESC NULLS LAST, crawl_id LIMIT ${MOST_FOUND}`;

/**
 * Finds pages whose URL starts with the given text. If there are none, finds pages whose URL or title contains it.
 *
 * @throws the reason of `signal`
 */
export async function searchPages(
  warehouse: CatalogReader,
  text: string,
  signal: AbortSignal,
): Promise<readonly SearchedPage[]> {
  const given = new Map([['text', text]]);
  const begin = /^https?:\/\/|^\//.test(text)
    ? await rowsOf(warehouse, SearchedPage, BEGINS, given, signal)
    : [];
  return begin.length > 0 ? begin : await rowsOf(warehouse, SearchedPage, HOLDS, given, signal);
}

/** Finds crawls whose identifier or day begins with a text; none for fewer than four characters. */
export async function searchCrawls(
  warehouse: CatalogReader,
  text: string,
  signal: AbortSignal,
): Promise<readonly SearchedCrawl[]> {
  return text.length < 4 ? [] : rowsOf(warehouse, SearchedCrawl, CRAWLS, new Map([['text', text]]), signal);
}
