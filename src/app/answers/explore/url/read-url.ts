import { z } from 'zod';
import type { Typed } from '../../../../core/text/typed-rows.ts';
import type { CatalogReader } from '../../../../etl/state/catalog/catalog.ts';
import { type AskedCrawls, CHOSEN, chosenBy, onlyCrawl, rowsOf } from '../chosen-crawls.ts';
import {
  OtherUrl,
  readCanonical,
  readHreflangs,
  readItems,
  readPage,
  readPageIssues,
  readRedirects,
  readSimilar,
  readUnknownTexts,
  SimilarPages,
  UrlHreflang,
  UrlIssue,
  UrlItem,
  UrlPage,
  UrlRedirects,
} from './read-page.ts';
import { readUrlHistory, UrlHistoryEntry } from './url-history.ts';
import { FirstLinks, Inlink, Outlink, readInlinks, readOutlinks } from './url-links.ts';
import { type FoundOrWhy, UrlCrawl, type UrlPlace, urlPlace } from './url-place.ts';
import { readDemand, readHits, UrlDemand, UrlHits } from './url-traffic.ts';

/** A URL, with a crawl or a project; without these, in the main crawl of the one project that has it. */
export interface AskedUrl extends AskedCrawls {
  readonly url: string;
  /** The maximum number of links of each kind, and of similar pages. */
  readonly limit?: number | undefined;
}

const LIMIT = 100;

const CRAWLS = `
  WITH chosen AS (${CHOSEN})
  SELECT
    chosen.crawl_id, chosen.project_id, chosen.project, chosen.ended_at, crawls.crawl_number,
    coalesce(crawls.crawl_config_id, '') AS config, crawls.has_links, crawls.has_structured_data,
    crawls.scope_note
  FROM chosen
  JOIN mart.crawls AS crawls ON crawls.crawl_id = chosen.crawl_id
  ORDER BY chosen.project, chosen.crawl_id`;

export const UrlStory = z.strictObject({
  url: z.string(),
  /** The crawl that was searched. */
  crawl: UrlCrawl,
  page: UrlPage.nullable(),
  redirects: UrlRedirects.nullable(),
  canonical: OtherUrl.nullable(),
  hreflangs: z.array(UrlHreflang),
  structured_data: z.array(UrlItem),
  similar: SimilarPages,
  issues: z.array(UrlIssue),
  history: z.array(UrlHistoryEntry),
  inlinks: FirstLinks(Inlink),
  outlinks: FirstLinks(Outlink),
  hits: UrlHits.nullable(),
  demand: UrlDemand.nullable(),
  /** Why a part is empty or a text is unknown, by the name of the part or the text. */
  empty: z.record(z.string(), z.string()),
  /** Whether any crawl, link, log file or search result of the project contains it. */
  is_known: z.boolean(),
  /** Pages that the user may mean if the URL is unknown; null if the search took too long. */
  near: z.array(z.string()).nullable(),
});
export type UrlStory = Typed<typeof UrlStory>;

/**
 * Reads everything known about a URL. Each statement reads only that URL, in one crawl or one project.
 *
 * @throws CrawlhouseError `usage` for an unknown project or crawl, or if it is ambiguous
 */
export async function readUrl(
  warehouse: CatalogReader,
  asked: AskedUrl,
  signal: AbortSignal,
): Promise<UrlStory> {
  const { url, limit = LIMIT } = asked;
  const crawl = await crawlOfUrl(warehouse, asked, signal);
  const place = urlPlace(warehouse, { url, crawl, limit }, signal);
  const parts = await readParts(place);
  const { page, history, inlinks, outlinks, hits, demand } = parts;
  const is_known =
    [page.found, hits.found, demand.found].some((found) => found !== null) ||
    [history.found, inlinks.found.rows, outlinks.found.rows].some((found) => found.length > 0);
  const named = Object.entries<FoundOrWhy<unknown>>(parts);
  return {
    url,
    crawl,
    ...(Object.fromEntries(named.map(([name, { found }]) => [name, found])) as Found<typeof parts>),
    empty: Object.fromEntries([
      ...named.flatMap(([name, { why }]) => (why === null ? [] : [[name, why] as const])),
      ...(await readUnknownTexts(place, page.found)),
    ]),
    is_known,
    near: is_known ? [] : await nearUrls(place, signal),
  };
}

type Found<Parts> = { readonly [Name in keyof Parts]: Parts[Name] extends FoundOrWhy<infer T> ? T : never };

/** Reads the page, then each part of the answer. A part is null if the crawl lacks its data. */
async function readParts(place: UrlPlace) {
  const page = await readPage(place);
  return {
    page,
    redirects: await readRedirects(place),
    canonical: await readCanonical(place, page.found),
    hreflangs: await readHreflangs(place, page.found),
    structured_data: await readItems(place, page.found),
    similar: await readSimilar(place, page.found),
    issues: await readPageIssues(place, page.found),
    history: await readUrlHistory(place),
    inlinks: await readInlinks(place),
    outlinks: await readOutlinks(place, page.found),
    hits: await readHits(place),
    demand: await readDemand(place),
  };
}

/** Returns the one main crawl, among those of several projects, that contains the page. */
async function crawlOfUrl(warehouse: CatalogReader, asked: AskedUrl, signal: AbortSignal): Promise<UrlCrawl> {
  const given = await chosenBy(asked, warehouse, signal);
  const crawls = await rowsOf(warehouse, UrlCrawl, CRAWLS, given, signal);
  if (crawls.length < 2) return onlyCrawl(crawls);
  const having = await rowsOf(
    warehouse,
    z.strictObject({ crawl_id: z.string() }),
    `WITH chosen AS (${CHOSEN})
     SELECT DISTINCT pages.crawl_id
     FROM mart.pages AS pages
     JOIN chosen ON chosen.crawl_id = pages.crawl_id
     WHERE pages.url = $url`,
    new Map([...given, ['url', asked.url]]),
    signal,
  );
  const ids = new Set(having.map(({ crawl_id }) => crawl_id));
  const found = crawls.filter(({ crawl_id }) => ids.has(crawl_id));
  return onlyCrawl(found.length > 0 ? found : crawls);
}

const Url = z.strictObject({ url: z.string() });
const MOST = 5;
/** The maximum wait after a mistyped URL. */
const PATIENCE_MS = 5_000;

/** URLs with the same path under any host or scheme, with or without a trailing slash, in any case. */
const SAME_PATH = `
  WITH
    page AS (
      SELECT pages.url, substr(lower(pages.url), strpos(lower(pages.url), '://') + 3) AS rest
      FROM mart.pages AS pages
      WHERE pages.crawl_id = $crawl
    )
  SELECT page.url
  FROM page
  WHERE CASE WHEN strpos(page.rest, '/') > 0 THEN substr(page.rest, strpos(page.rest, '/')) ELSE '/' END
    IN ($path, $path || '/')
  ORDER BY page.url
  LIMIT ${MOST}`;

const neighbours = (side: '>' | '<', order: 'ASC' | 'DESC'): string => `
  SELECT pages.url
  FROM mart.pages AS pages
  WHERE pages.crawl_id = $crawl AND pages.url ${side} $whole
  ORDER BY pages.url ${order}
  LIMIT ${MOST}`;

/** The shortest URLs that contain the text. */
const HOLDING = `
  SELECT pages.url
  FROM mart.pages AS pages
  WHERE pages.crawl_id = $crawl AND strpos(lower(pages.url), lower($url)) > 0
  ORDER BY length(pages.url), pages.url
  LIMIT ${MOST}`;

/**
 * Returns the pages of the crawl that the user may mean by an unknown URL. Text without a scheme may be a part of a
 * URL. Otherwise: pages that differ in host, scheme, case or trailing slash; then those with the longest common
 * beginning, which are adjacent in alphabetical order; if there are none, those that contain the text. Null if the
 * search takes too long.
 */
async function nearUrls(place: UrlPlace, signal: AbortSignal): Promise<readonly string[] | null> {
  const patience = AbortSignal.timeout(PATIENCE_MS);
  try {
    return await lookNear(place.within(AbortSignal.any([signal, patience])));
  } catch (thrown) {
    signal.throwIfAborted();
    if (patience.aborted) return null;
    throw thrown;
  }
}

async function lookNear({ url, rows }: UrlPlace): Promise<readonly string[]> {
  const urls = (found: readonly { url: string }[]): string[] => found.map((one) => one.url);
  const holding = async (): Promise<string[]> => urls(await rows(Url, HOLDING));
  const part = url.includes('://') ? [] : await holding();
  if (part.length > 0) return part;
  const { host, path } = partsOf(url);
  const same = urls(await rows(Url, SAME_PATH, { path: path.toLowerCase().replace(/\/$/, '') }));
  const whole = `${host}${path}`;
  const around = [
    ...urls(await rows(Url, neighbours('>', 'ASC'), { whole })),
    ...urls(await rows(Url, neighbours('<', 'DESC'), { whole })),
  ]
    .map((one) => ({ one, alike: commonLength(one, whole) }))
    // A common host alone does not make a page similar.
    .filter(({ alike }) => alike > host.length + 1)
    .sort((a, b) => b.alike - a.alike);
  const near = [...new Set([...same, ...around.map(({ one }) => one)])].slice(0, MOST);
  return near.length > 0 ? near : await holding();
}

/** Splits a URL into scheme with host, and the rest. A text without a scheme is a path or begins with a host. */
function partsOf(url: string): { readonly host: string; readonly path: string } {
  const whole = url.startsWith('/') || url.includes('://') ? url : `https://${url}`;
  const [, host = '', path = ''] = /^([^/]*:\/\/[^/]*)?(.*)$/s.exec(whole) ?? [];
  return { host, path };
}

function commonLength(one: string, other: string): number {
  let length = 0;
  while (length < one.length && one[length] === other[length]) length++;
  return length;
}
