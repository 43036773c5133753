import { readCrawlSettings, type SettingsOptions } from './crawl-settings.ts';
import { DEFAULT_FETCH_LIMITS, Fetcher } from './fetcher.ts';
import { HostResolver } from './resolve-host.ts';
import { Scope } from './scope.ts';
import { Session } from './session.ts';

const MOST_HOPS = 5;
/** Only the headers are of interest. */
const BYTES = 1024;

export interface ResolvedStart {
  readonly startUrl: string;
  /** Whether it is on this machine. */
  readonly isLoopback: boolean;
}

/**
 * The URL to start at: the one that the start URL of a configuration redirects to, if that is on another host, else the
 * start URL itself. Its redirects are followed under the rules for addresses that hold for the crawl.
 *
 * @throws CrawlhouseError `bad_settings`, `missing_feature`
 */
export async function resolveStart(config: unknown, options: SettingsOptions = {}): Promise<ResolvedStart> {
  const settings = readCrawlSettings(config, options);
  const { startUrl } = settings.scope;
  const scope = new Scope(settings.scope);
  const resolver = await HostResolver.forStart(startUrl, settings.hosts);
  await using fetcher = new Fetcher(new Session(settings, scope), resolver, {
    limits: DEFAULT_FETCH_LIMITS,
    connections: 1,
  });
  let url = startUrl;
  for (let hop = 0; hop < MOST_HOPS; hop++) {
    const { statusCode, headers } = await fetcher.fetch(url, BYTES);
    const location = headers.find(([name]) => name === 'location')?.[1];
    const next = location === undefined ? null : URL.parse(location, url);
    if (statusCode === null || statusCode < 300 || statusCode > 399) break;
    if (next === null || !/^https?:$/.test(next.protocol)) break;
    url = next.href;
  }
  if (scope.isInternal(new URL(url))) return { startUrl, isLoopback: resolver.isLoopback };
  return { startUrl: url, isLoopback: (await HostResolver.forStart(url, settings.hosts)).isLoopback };
}
