import { setTimeout as sleep } from 'node:timers/promises';
import { ownUrl, webUrl } from '../../../core/net/web-url.ts';
import type { CrawlSettings } from '../crawl-settings.ts';
import { fetchStatus } from '../fetch/fetch-status.ts';
import type { SideWork } from '../progress-reporter.ts';
import { fetchDate, UNANSWERED_REQUEST } from '../records/request-record.ts';
import { readSitemaps, sitemapBudget } from '../robots/read-sitemaps.ts';
import type { VisitTools } from '../visit-page.ts';
import type { Frontier } from './frontier.ts';

interface SeedTools extends Omit<VisitTools, 'doors'> {
  readonly frontier: Frontier;
  readonly sideWork: SideWork;
  /** Only the seeds are crawled. */
  readonly isList: boolean;
  /** Additional start URLs. URLs of other sites are left out, unless only seeds are crawled. */
  readonly seeds: Iterable<string> | AsyncIterable<string>;
  /** The pages that the previous crawl fetched, in batches. */
  readonly former: AsyncIterable<readonly string[]> | undefined;
}

/** Stores the start URLs, once per crawl. */
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

/** Stores the URLs of the sitemaps, once per crawl, within the budget; pages are fetched meanwhile. */
export async function keepSitemaps(
  settings: CrawlSettings,
  { frontier, scope, isList, fetcher, robots, pace, signal, sideWork }: Omit<SeedTools, 'seeds' | 'former'>,
): Promise<void> {
  if (isList || frontier.fact('sitemaps') !== undefined) return;
  /** Sitemaps, with the robots.txt that announces each. */
  const announced = new Map<string, string>();
  for (const start of [settings.scope.startUrl, ...(settings.sites ?? [])].map(ownUrl)) {
    const file = `${start.origin}/robots.txt`;
    for (const line of (await robots.rulesOf(start)).sitemaps) {
      // Sitemap URLs are absolute; relative ones are resolved against the robots.txt, and invalid ones are ignored.
      const url = webUrl(line, file)?.href;
      if (url !== undefined && !announced.has(url)) announced.set(url, file);
    }
  }
  // Sitemaps of a process that was killed meanwhile.
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
      `${passedOver} URLs of sitemaps are ignored: they are outside of the folder of the sitemap, or after its 50,000th URL (strict_sitemaps)`,
    );
  frontier.setFact('sitemaps', isCut ? 'cut' : 'read');
}
