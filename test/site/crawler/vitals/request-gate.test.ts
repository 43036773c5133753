import { expect, onTestFinished, test } from 'vitest';
import { CrawlSession } from '../../../../src/site/crawler/crawl-session.ts';
import { readCrawlSettings } from '../../../../src/site/crawler/crawl-settings.ts';
import { DEFAULT_FETCH_LIMITS, Fetcher } from '../../../../src/site/crawler/fetch/fetcher.ts';
import { HostResolver } from '../../../../src/site/crawler/fetch/resolve-host.ts';
import { Frontier } from '../../../../src/site/crawler/frontier/frontier.ts';
import { Scope } from '../../../../src/site/crawler/frontier/scope.ts';
import { SideWork } from '../../../../src/site/crawler/progress-reporter.ts';
import { RobotsCache } from '../../../../src/site/crawler/robots/robots-cache.ts';
import { GuardProxy } from '../../../../src/site/crawler/vitals/guard-proxy.ts';
import { RequestGate } from '../../../../src/site/crawler/vitals/vitals-meter.ts';
import { serveSite } from '../../../support/crawl-site.ts';
import { temporaryFolder } from '../../../support/temporary.ts';

/** The gate of a page of a site, and how it judges a request. */
async function gateOf(config: object = {}) {
  const site = await serveSite({
    '/robots.txt': { headers: { 'content-type': 'text/plain' }, body: 'User-agent: *\nDisallow: /private/' },
  });
  const settings = readCrawlSettings({
    name: 'x',
    start_url: `${site.origin}/`,
    user_agent: 'testbot',
    max_speed: 1,
    ...config,
  });
  const resolver = await HostResolver.forStart(settings.scope.startUrl, settings.hosts);
  const session = new CrawlSession(settings, new Scope(settings.scope));
  const fetcher = new Fetcher(session, resolver, { limits: DEFAULT_FETCH_LIMITS, connections: 2 });
  const frontier = new Frontier(await temporaryFolder());
  const tools = { frontier, fetcher, sideWork: new SideWork(), isOwn: () => true, waits: [1, 1] };
  const robots = new RobotsCache(settings, tools, new AbortController().signal);
  const guard = await GuardProxy.open(resolver, null);
  onTestFinished(async () => {
    await guard[Symbol.asyncDispose]();
    await fetcher[Symbol.asyncDispose]();
    frontier[Symbol.dispose]();
  });
  const gate = new RequestGate({ robots, session, guard });
  gate.begin(`${site.origin}/`);
  const judge = (path: string, type = 'Script', method = 'GET') =>
    gate.judge({ url: new URL(path, site.origin).href, type, method });
  return { site, gate, judge };
}

test('an allowed request is sent, one denied by robots.txt is not', async () => {
  const { gate, judge, site } = await gateOf();
  expect(await judge('/app.js')).toEqual({ headers: {} });
  // The first one waited for robots.txt, which took the page's time.
  expect(gate).toMatchObject({ hasWaited: true, isIncomplete: false });
  gate.begin(`${site.origin}/`);
  expect(await judge('/private/app.js')).toBe(false);
  expect(gate).toMatchObject({ hasWaited: false, isIncomplete: true });
});

test.each([
  ['/post', 'Fetch', 'POST', true],
  ['/beacon', 'Ping', 'POST', false],
  ['/events', 'EventSource', 'GET', false],
  ['file:///etc/passwd', 'Document', 'GET', false],
  ['http://10.0.0.1/a.png', 'Image', 'GET', true],
])('%s is not sent', async (path, type, method, isMissed) => {
  const { gate, judge } = await gateOf();
  expect(await judge(path, type, method)).toBe(false);
  expect(gate.isIncomplete).toBe(isMissed);
});

test('hosts of the site get its headers and credentials, other hosts do not', async () => {
  const { judge } = await gateOf({
    extra_headers: { 'X-Preview': '1' },
    http_auth: { username: 'me', password: 'secret', scheme: 'Basic' },
    robots_txt: [{ host: 'cdn.example', content: '' }],
  });
  expect(await judge('/app.js')).toEqual({
    headers: { 'x-preview': '1', authorization: expect.stringMatching(/^Basic /) },
  });
  expect(await judge('https://cdn.example/lib.js')).toEqual({ headers: {} });
});

test('a page with endless requests is refused', async () => {
  const { gate, judge } = await gateOf();
  for (let n = 0; n < 500; n++) await judge(`/${n}`);
  expect(gate.hasTooMany).toBe(false);
  expect(await judge('/one-more')).toBe(false);
  expect(gate.hasTooMany).toBe(true);
});
