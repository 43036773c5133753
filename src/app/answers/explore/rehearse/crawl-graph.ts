import { z } from 'zod';
import { spellUrl, webUrl } from '../../../../core/net/web-url.ts';
import type { Typed } from '../../../../core/text/typed-rows.ts';
import { leadsOn } from '../../../../site/crawler/fetch/redirect-status.ts';
import type { AskedRows } from './asked-rows.ts';

const Page = z.strictObject({
  url: z.string(),
  status_code: z.number().nullable(),
  /** Clicks from the start URL; null: no link leads there. */
  depth: z.number().nullable(),
  /** `indexable`, or the reason why it is not; null: unknown. */
  state: z.string().nullable(),
  is_robots_denied: z.boolean().nullable(),
  /** Null if the status code does not lead there. */
  redirect_location: z.string().nullable(),
  script_redirect: z.string().nullable(),
  meta_refresh_location: z.string().nullable(),
  canonical_url: z.string().nullable(),
  /** Sitemaps that list it, separated by spaces; null: none. */
  sitemaps: z.string().nullable(),
});
export type CrawledPage = Typed<typeof Page>;
const Link = z.strictObject({ origin: z.string(), target: z.string() });

const PAGES = `SELECT
  pages.url, pages.status_code, pages.depth,
  coalesce(pages.non_indexable_reason, CASE WHEN pages.is_indexable THEN 'indexable' END) AS state,
  pages.is_robots_denied,
  pages.redirect_location, pages.script_redirect, pages.meta_refresh_location, pages.canonical_url,
  array_to_string(pages.sitemaps_file_origin, ' ') AS sitemaps
FROM mart.pages AS pages
WHERE pages.crawl_id = $crawl
ORDER BY pages.url`;

/** The links that a crawl follows; a link to the page itself changes nothing. */
const LINKS = `SELECT DISTINCT links.origin, links.target
FROM mart.links AS links
WHERE links.crawl_id = $crawl AND links.is_internal AND coalesce(links.follow, true) AND links.origin <> links.target`;
const EXTERNAL_LINKS = LINKS.replace('links.is_internal', 'links.is_internal IS NOT TRUE');

/** The pages of a crawl, numbered. */
export interface CrawledPages {
  readonly pages: readonly CrawledPage[];
  readonly numberOf: ReadonlyMap<string, number>;
}

/** The pages of a crawl with the followed links between them. */
export interface CrawlGraph extends CrawledPages {
  /** Redirecting URLs outside the crawl, normalized. Their numbers follow those of the pages. */
  readonly outside: readonly string[];
  /** The pages to which a page leads: by a redirect, or by links. */
  readonly nextOf: (page: number) => Iterable<number>;
  /** The pages with links to URLs that the crawl did not read. */
  readonly leadingOut: ReadonlySet<number>;
}

export async function readCrawledPages({ each }: AskedRows, crawl: string): Promise<CrawledPages> {
  const pages: CrawledPage[] = [];
  await each('pages', Page, { sql: PAGES, parameters: { crawl } }, (page) => {
    pages.push(leadsOn(page.status_code) ? page : { ...page, redirect_location: null });
  });
  return { pages, numberOf: new Map(pages.map(({ url }, page) => [url, page])) };
}

/** @param sources normalized URLs that redirect after the change */
export async function readCrawlGraph(
  { each }: AskedRows,
  crawl: string,
  { pages, numberOf }: CrawledPages,
  sources: Iterable<string>,
): Promise<CrawlGraph> {
  const outside = [...new Set(sources).difference(new Set(pages.map(({ url }) => spelled(url))))];
  const outsideNumbers = new Map(outside.map((url, place) => [url, pages.length + place]));
  const numberAt = (url: string): number | undefined =>
    numberOf.get(url) ?? (outside.length === 0 ? undefined : outsideNumbers.get(spelled(url)));
  const heads = new Int32Array(pages.length).fill(-1);
  const targets: number[] = [];
  /** The place of the next link of the same page. */
  const others: number[] = [];
  const add = (from: number | undefined, to: number | undefined): void => {
    if (from === undefined || to === undefined) return;
    others.push(heads[from] ?? -1);
    heads[from] = targets.push(to) - 1;
  };
  const leadingOut = new Set<number>();
  await each('links', Link, { sql: LINKS, parameters: { crawl } }, ({ origin, target }) => {
    const [from, to] = [numberOf.get(origin), numberAt(target)];
    if (from !== undefined && to === undefined) leadingOut.add(from);
    add(from, to);
  });
  if (outside.length > 0)
    await each(
      'links to other hosts',
      Link,
      { sql: EXTERNAL_LINKS, parameters: { crawl } },
      ({ origin, target }) => add(numberOf.get(origin), numberAt(target)),
    );
  for (const [page, { redirect_location, script_redirect, meta_refresh_location }] of pages.entries())
    for (const url of [redirect_location, script_redirect, meta_refresh_location])
      if (url !== null) add(page, numberAt(url));
  function* nextOf(page: number): Generator<number> {
    for (let at = heads[page] ?? -1; at >= 0; at = others[at] ?? -1) yield targets[at] ?? page;
  }
  return { pages, numberOf, outside, nextOf, leadingOut };
}

/** Normalizes a URL of a crawl. */
export function spelled(text: string): string {
  const url = webUrl(text);
  return url === null ? text : spellUrl(url);
}

/**
 * Returns the origin that the start URL leads to, and the number of pages of other origins; null if the crawl has no page
 * of it. If the crawl did not meet the start URL, its first page of depth 0 may be the start.
 */
export function originOf({ pages, numberOf }: CrawledPages, startUrl: string | null) {
  const counts = new Map<string, number>();
  for (const { url } of pages) {
    const origin = webUrl(url)?.origin ?? '';
    counts.set(origin, (counts.get(origin) ?? 0) + 1);
  }
  for (const start of [startUrl, pages.find(({ depth }) => depth === 0)?.url]) {
    const met = new Set<string>();
    let origin: string | null = null;
    for (let url = webUrl(start ?? ''); url !== null && counts.has(url.origin) && !met.has(url.href); ) {
      origin = url.origin;
      met.add(url.href);
      url = webUrl(pages[numberOf.get(spellUrl(url)) ?? -1]?.redirect_location ?? '');
    }
    if (origin !== null) return { origin, others: pages.length - (counts.get(origin) ?? 0) };
  }
  return null;
}
