import type { CatalogReader } from '../../../state/catalogue/catalog.ts';
import { type AskedCrawls, CHOSEN, chosenBy, onlyCrawl, rowsOf } from '../chosen-crawls.ts';
import { readUrlHistory } from './url-history.ts';
import { readInlinks, readOutlinks } from './url-links.ts';
import {
  readCanonical,
  readHreflangs,
  readItems,
  readPage,
  readPageIssues,
  readRedirects,
  readSimilar,
} from './url-page.ts';
import { type FoundOrWhy, type UrlCrawl, type UrlPlace, urlPlace } from './url-place.ts';
import { readDemand, readHits } from './url-traffic.ts';

/** A URL, in a crawl of a project; without these, in the main crawl of the one project that has it. */
export interface AskedUrl extends AskedCrawls {
  readonly url: string;
  /** The most links of each kind, and similar pages. */
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

/** Each part of the answer by what reads it, once the page is read: null where the crawl does not have it. */
const READERS = {
  redirects: readRedirects,
  canonical: readCanonical,
  hreflangs: readHreflangs,
  structured_data: readItems,
  similar: readSimilar,
  issues: readPageIssues,
  history: readUrlHistory,
  inlinks: readInlinks,
  outlinks: readOutlinks,
  hits: readHits,
  demand: readDemand,
};
type Readers = typeof READERS & { readonly page: typeof readPage };
type ReadParts = { readonly [Name in keyof Readers]: Awaited<ReturnType<Readers[Name]>> };
type UrlParts = { readonly [Name in keyof ReadParts]: ReadParts[Name]['found'] };

export interface UrlStory extends UrlParts {
  readonly url: string;
  /** Where it was looked for. */
  readonly crawl: UrlCrawl;
  /** Why a part has nothing, by its name. */
  readonly empty: Readonly<Partial<Record<keyof UrlParts, string>>>;
  /** Whether any crawl, link, log file or search result of the project names it. */
  readonly is_known: boolean;
  /** Pages that may be meant, where nothing is known of the URL; null: looking for them took too long. */
  readonly near: readonly string[] | null;
}

/**
 * All that is known of a URL. Each statement is limited to one crawl or one project, and to the URL.
 *
 * @throws CrawlhouseError `usage` for a project or crawl that is not there, or where it can't be told which is meant
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
  const named = Object.entries(parts) as [keyof UrlParts, FoundOrWhy<unknown>][];
  return {
    ...{ url, crawl },
    ...(Object.fromEntries(named.map(([name, { found }]) => [name, found])) as unknown as UrlParts),
    empty: Object.fromEntries(named.flatMap(([name, { why }]) => (why === null ? [] : [[name, why]]))),
    is_known,
    near: is_known ? [] : await nearUrls(place, signal),
  };
}

async function readParts(place: UrlPlace): Promise<ReadParts> {
  const page = await readPage(place);
  const parts: [string, FoundOrWhy<unknown>][] = [['page', page]];
  for (const [name, read] of Object.entries(READERS)) parts.push([name, await read(place, page.found)]);
  return Object.fromEntries(parts) as unknown as ReadParts;
}

/** Of the main crawls of several projects, the one that has the page. */
async function crawlOfUrl(warehouse: CatalogReader, asked: AskedUrl, signal: AbortSignal): Promise<UrlCrawl> {
  const given = await chosenBy(asked, warehouse, signal);
  const crawls = await rowsOf<UrlCrawl>(warehouse, CRAWLS, given, signal);
  if (crawls.length < 2) return onlyCrawl(crawls);
  const having = await rowsOf<{ crawl_id: string }>(
    warehouse,
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

const MOST = 5;
/** A person who mistyped a URL waits no longer. */
const PATIENCE_MS = 5_000;

/** URLs of one path under any host or scheme, with or without the slash at its end, in any case. */
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

/** The shortest URLs that hold the text. */
const HOLDING = `
  SELECT pages.url
  FROM mart.pages AS pages
  WHERE pages.crawl_id = $crawl AND strpos(lower(pages.url), lower($url)) > 0
  ORDER BY length(pages.url), pages.url
  LIMIT ${MOST}`;

/**
 * Pages of the crawl that may be meant by a URL that it does not have. A text without a scheme may be a part of a URL.
 * Else they are those that differ in host, scheme, case or the slash at the end, then those that begin alike, which are
 * its neighbours in the order of the alphabet; without such, those that hold the text. Null where looking takes too long.
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
  const holding = async (): Promise<string[]> => urls(await rows(HOLDING));
  const part = url.includes('://') ? [] : await holding();
  if (part.length > 0) return part;
  const { host, path } = partsOf(url);
  const same = urls(await rows(SAME_PATH, { path: path.toLowerCase().replace(/\/$/, '') }));
  const whole = `${host}${path}`;
  const around = [
    ...urls(await rows(neighbours('>', 'ASC'), { whole })),
    ...urls(await rows(neighbours('<', 'DESC'), { whole })),
  ]
    .map((one) => ({ one, alike: commonLength(one, whole) }))
    // Another page of the same host is not near by that alone.
    .filter(({ alike }) => alike > host.length + 1)
    .sort((a, b) => b.alike - a.alike);
  const near = [...new Set([...same, ...around.map(({ one }) => one)])].slice(0, MOST);
  return near.length > 0 ? near : await holding();
}

/** The scheme with the host, and what follows; a text without a scheme is a path, else it begins with a host. */
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
