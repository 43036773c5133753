import { expect, test, vi } from 'vitest';
import { CrawlSession } from '../../../../src/site/crawler/crawl-session.ts';
import { readCrawlSettings } from '../../../../src/site/crawler/crawl-settings.ts';
import { DEFAULT_FETCH_LIMITS, Fetcher } from '../../../../src/site/crawler/fetch/fetcher.ts';
import { HostResolver } from '../../../../src/site/crawler/fetch/resolve-host.ts';
import { Frontier } from '../../../../src/site/crawler/frontier/frontier.ts';
import { Scope } from '../../../../src/site/crawler/frontier/scope.ts';
import { SideWork } from '../../../../src/site/crawler/progress-reporter.ts';
import { RobotsCache } from '../../../../src/site/crawler/robots/robots-cache.ts';
import { type SiteReply, serveSite } from '../../../support/crawl-site.ts';
import { temporaryFolder } from '../../../support/temporary.ts';

const HOUR_MS = 3_600_000;

test('robots.txt is read again after 24 hours, and its rules stay while it is unavailable', async () => {
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() });
  const routes: Record<string, SiteReply> = { '/robots.txt': { body: 'User-agent: *\nDisallow: /a' } };
  const site = await serveSite(routes);
  const settings = readCrawlSettings({
    name: 'c',
    start_url: site.origin,
    user_agent: 'testbot',
    max_speed: 5,
  });
  const resolver = await HostResolver.forStart(settings.scope.startUrl, settings.hosts);
  await using fetcher = new Fetcher(
    new CrawlSession(settings, new Scope(settings.scope), undefined),
    resolver,
    { limits: DEFAULT_FETCH_LIMITS, connections: 1 },
  );
  using frontier = new Frontier(await temporaryFolder());
  const tools = { frontier, fetcher, sideWork: new SideWork(), isOwn: () => true, waits: [] };
  const open = () => new RobotsCache(settings, tools, new AbortController().signal);
  const cache = open();
  const url = new URL(`${site.origin}/a`);
  const isAllowed = async (of: RobotsCache) => (await of.rulesOf(url)).isAllowed(url.href);
  expect(await isAllowed(cache)).toBe(false);

  routes['/robots.txt'] = { body: 'User-agent: *\nDisallow: /b' };
  vi.advanceTimersByTime(23 * HOUR_MS);
  expect([await isAllowed(cache), await isAllowed(open())]).toEqual([false, false]);
  vi.advanceTimersByTime(2 * HOUR_MS);
  expect(await isAllowed(cache)).toBe(true);

  routes['/robots.txt'] = { status: 503 };
  vi.advanceTimersByTime(25 * HOUR_MS);
  expect(await isAllowed(cache)).toBe(true);
  routes['/robots.txt'] = { body: 'User-agent: *\nDisallow: /' };
  vi.advanceTimersByTime(HOUR_MS);
  expect(await isAllowed(cache)).toBe(false);
  vi.useRealTimers();
});
