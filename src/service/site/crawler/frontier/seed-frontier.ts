import { setTimeout as sleep } from 'node:timers/promises';
import { ownUrl, webUrl } from '../../../../core/net/web-url.ts';
import type { SideWork } from '../crawl-progress.ts';
import type { CrawlSettings } from '../crawl-settings.ts';
import { fetchStatus } from '../fetch/fetch-status.ts';
import { fetchDate, UNANSWERED_REQUEST } from '../records/request-record.ts';
import { readSitemaps, sitemapBudget } from '../robots/read-sitemaps.ts';
import type { VisitTools } from '../visit-page.ts';
import type { Frontier } from './frontier.ts';

interface SeedTools extends Omit<VisitTools, 'doors'> {
  readonly frontier: Frontier;
  readonly sideWork: SideWork;
  /** The seeds alone are crawled. */
  readonly isList: boolean;
  /** Further start URLs. Those of other sites are left out, unless they alone are crawled. */
  readonly seeds: Iterable<string> | AsyncIterable<string>;
  /** The pages that the crawl before fetched, some at a time. */
  readonly former: AsyncIterable<readonly string[]> | undefined;
}

/** Keeps the start URLs, once in a crawl. */
export async function seedFrontier(
  settings: CrawlSettings,
  tools: Pick<SeedTools, 'frontier' | 'scope' | 'signal' | 'isList' | 'seeds' | 'former'>,
): Promise<void> {
  const { frontier, scope, signal, isList, former } = tools;
  if (frontier.fact('seeded') !== undefined) return;
  const seeds: string[] = [];
  for await (const text of tools.seeds) {
    const url = isList ? scope.admitListed(text) : scope.admit(text);
    if (url !== null) seeds.push(url);
  }
  for await (const urls of former ?? []) {
    signal.throwIfAborted();
    frontier.addFormer(urls);
  }
  signal.throwIfAborted();
  frontier.transaction(() => {
    if (former !== undefined) frontier.setFact('former', 'known');
    if (!isList) {
      frontier.seed(scope.spell(ownUrl(settings.scope.startUrl)), 0, 'crawler');
      for (const url of settings.scope.alternateStartUrls)
        frontier.seed(scope.spell(ownUrl(url)), 1, 'crawler');
    }
    for (const url of seeds) frontier.seed(url, 1, 'ingested_data');
    frontier.setFact('seeded', 1);
  });
}

/** Keeps what the sitemaps list, once in a crawl, within its budget; pages are fetched meanwhile. */
export async function keepSitemaps(
  settings: CrawlSettings,
  { frontier, scope, isList, fetcher, robots, pace, signal, sideWork }: Omit<SeedTools, 'seeds' | 'former'>,
): Promise<void> {
  if (isList || frontier.fact('sitemaps') !== undefined) return;
  /** Sitemaps, and the robots.txt that announces each. */
  const announced = new Map<string, string>();
  for (const start of [settings.scope.startUrl, ...(settings.sites ?? [])].map(ownUrl)) {
    const file = `${start.origin}/robots.txt`;
    for (const line of (await robots.rulesOf(start)).sitemaps) {
      // They are whole URLs; others are resolved against the robots.txt, and what is no URL is passed over.
      const url = webUrl(line, file)?.href;
      if (url !== undefined && !announced.has(url)) announced.set(url, file);
    }
  }
  // Those of a process that was killed meanwhile.
  frontier.removeSitemaps();
  const urls = settings.sitemaps.length > 0 ? settings.sitemaps : [...announced.keys()];
  if (urls.length > 0) sideWork.say('sitemaps', 'reading sitemaps');
  const { isCut, passedOver } = await readSitemaps(urls, {
    scope,
    signal,
    isStrict: settings.strictSitemaps,
    announced: new Set(announced.keys()),
    budget: sitemapBudget(settings.maxUrl, settings.maxSpeed),
    fetch: async (url, bytes) => {
      const { host } = ownUrl(url);
      const now = performance.now();
      await sleep(Math.max(pace.readyAt(host) - now, 0) + pace.take(host, null, now), undefined, { signal });
      return fetcher.fetch(url, bytes);
    },
    onFile: ({ url, index, statusCode, error, flaw, urls: listed }) =>
      frontier.requests.putFile({
        ...UNANSWERED_REQUEST,
        url,
        kind: 'sitemap',
        status_code: statusCode,
        fetch_status: fetchStatus(statusCode),
        error: error ?? flaw,
        source_url: index ?? announced.get(url) ?? null,
        num_urls: error === null ? listed : null,
        fetch_date: fetchDate(new Date()),
      }),
    onRecords: (records) => frontier.addSitemapUrls(records, (url) => scope.follows(url)),
  }).finally(() => sideWork.end('sitemaps'));
  signal.throwIfAborted();
  if (passedOver > 0)
    sideWork.say(
      'sitemaps',
      `${passedOver} URLs of sitemaps are passed over: they lie outside of the sitemap’s folder, or behind its 50,000th (strict_sitemaps)`,
    );
  frontier.setFact('sitemaps', isCut ? 'cut' : 'read');
}
