import { onTestFinished } from 'vitest';
import { CrawlSession } from '../../../src/site/crawler/crawl-session.ts';
import { readCrawlSettings } from '../../../src/site/crawler/crawl-settings.ts';
import { type CrawlProxy, ProxyRoute } from '../../../src/site/crawler/fetch/crawl-proxy.ts';
import { DEFAULT_FETCH_LIMITS, Fetcher } from '../../../src/site/crawler/fetch/fetcher.ts';
import { HostResolver } from '../../../src/site/crawler/fetch/resolve-host.ts';
import { Scope } from '../../../src/site/crawler/frontier/scope.ts';

/** A fetcher for a crawl of a host with a public address, where other hosts are on this machine. */
export async function fetcherOf(
  start: string,
  config: object = {},
  allowPrivate = false,
  given?: CrawlProxy,
): Promise<Fetcher> {
  const dns = [
    { host: 'public.example', ips: ['93.184.215.14'] },
    { host: 'inside.example', ips: ['127.0.0.1'] },
  ];
  const whole = { name: 'x', start_url: start, user_agent: 'testbot', max_speed: 1, dns, ...config };
  const settings = readCrawlSettings(whole, { allowPrivate });
  const resolver = await HostResolver.forStart(settings.scope.startUrl, settings.hosts);
  const session = new CrawlSession(settings, new Scope(settings.scope));
  const limits = DEFAULT_FETCH_LIMITS;
  const proxy = ProxyRoute.forCrawl(settings, given, { resolver, timeout: limits.connectTimeout });
  const fetcher = new Fetcher(session, resolver, { limits, connections: 2, proxy });
  onTestFinished(async () => {
    proxy?.[Symbol.dispose]();
    await fetcher[Symbol.asyncDispose]();
  });
  return fetcher;
}
