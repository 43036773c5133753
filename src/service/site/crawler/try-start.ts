import { CrawlhouseError } from '../../../core/errors/errors.ts';
import { isLoopbackHost } from '../../../core/net/address-kind.ts';
import { ownUrl } from '../../../core/net/web-url.ts';
import { type CrawlSettings, checkSpeed, readCrawlSettings, type SettingsOptions } from './crawl-settings.ts';
import { ProxyRoute } from './fetch/crawl-proxy.ts';
import type { FetchError } from './fetch/fetch-error.ts';
import { FETCH_ERROR_WORDS } from './fetch/fetch-error-words.ts';
import { DEFAULT_FETCH_LIMITS, type FetchedAnswer, Fetcher } from './fetch/fetcher.ts';
import { redirectTarget } from './fetch/pass-door.ts';
import { HostResolver } from './fetch/resolve-host.ts';
import { Scope } from './frontier/scope.ts';
import { refuseUnmetHosts } from './host-overrides.ts';
import { findBrowser } from './render/find-browser.ts';
import type { RenderOptions } from './render/renderer.ts';
import { fetchRobotsPatiently, type RobotsAnswer, robotsRules } from './robots/robots.ts';
import { CrawlSession } from './session.ts';
import { findLighthouse } from './vitals/find-lighthouse.ts';

const MOST_HOPS = 5;
/** Only the headers are of interest. */
const BYTES = 1024;

export interface TryOptions extends SettingsOptions {
  readonly rendering?: RenderOptions;
  readonly hasVitals?: boolean;
  /** Is told in words what the try waits for. */
  readonly onWait?: (words: string) => void;
  /** URLs that are crawled alone, on any host: the start URL only names the project, and is not fetched. */
  readonly list?: readonly string[] | null;
  /** Further start URLs of the crawl, which are tried by themselves; null where they are unknown. */
  readonly others?: readonly string[] | null;
}

/**
 * Tries the start URL of a configuration before anything is kept of its crawl: its redirects, its status, robots.txt. A
 * start URL that redirects to another host is replaced by what it leads to. The rules for addresses hold that hold for
 * the crawl. `speed`: URLs per second, which a stranger's site may limit. `isLoopback`: the start URL is on this machine.
 *
 * @throws CrawlhouseError `start_unreachable` for what may be better later, `start_refused` for what will not be;
 *   `bad_settings`, `missing_feature`
 */
export async function tryStart(config: unknown, options: TryOptions = {}) {
  const settings = readCrawlSettings(config, options);
  if (settings.rendering !== undefined) await findBrowser(options.rendering?.browser);
  if (options.hasVitals) await findLighthouse(options.rendering?.browser);
  const { startUrl } = settings.scope;
  const scope = new Scope(settings.scope);
  const resolver = await HostResolver.forStart(startUrl, settings.hosts);
  const { list = null } = options;
  const isLoopback = resolver.isLoopback && (list ?? []).every((url) => isLoopbackHost(ownUrl(url).hostname));
  checkSpeed(settings.maxSpeed, isLoopback, options);
  if (list !== null) return { startUrl, isLoopback };
  const limits = DEFAULT_FETCH_LIMITS;
  using proxy = ProxyRoute.forCrawl(settings, options.proxy, { resolver, timeout: limits.connectTimeout });
  await using fetcher = new Fetcher(new CrawlSession(settings, scope), resolver, {
    limits,
    connections: 1,
    proxy,
  });
  const files = new Map<string, RobotsAnswer>();
  const refuseUnmet = (...reached: string[]): void =>
    refuseUnmetHosts(settings, {
      others: [...(options.others ?? []), ...reached],
      meetsAnyHost: options.hasVitals === true || options.others === null,
    });
  const { url, answer } = await follow(startUrl, fetcher, async (one) => {
    const { origin } = ownUrl(one);
    const file = files.get(origin) ?? (await fetchRobotsOf(one, settings, fetcher, options.onWait));
    files.set(origin, file);
    refuseRobots(one, file, settings);
  }).catch((error: unknown) => {
    // An override that matches nothing may be why.
    refuseUnmet();
    throw error;
  });
  refuseUnmet(url);
  refuseAnswer(url, answer, settings);
  if (scope.isInternal(ownUrl(url))) return { startUrl, isLoopback };
  return { startUrl: url, isLoopback: (await HostResolver.forStart(url, settings.hosts)).isLoopback };
}

/** @param check refuses a URL that robots.txt denies: it is asked for before anything else of a host */
async function follow(
  startUrl: string,
  fetcher: Fetcher,
  check: (url: string) => Promise<void>,
): Promise<{ readonly url: string; readonly answer: FetchedAnswer }> {
  let url = startUrl;
  for (let hop = 0; ; hop++) {
    await check(url);
    const before = fetcher.cookiesFor(ownUrl(url));
    const answer = await fetcher.fetch(url, BYTES);
    const next = redirectTarget(answer);
    if (next === null) return { url, answer };
    // With a new cookie it may be answered otherwise.
    const isLoop = next === url && fetcher.cookiesFor(ownUrl(url)) === before;
    if (hop === MOST_HOPS || isLoop)
      throw refused(
        startUrl,
        `redirects ${isLoop ? 'to itself' : `more than ${MOST_HOPS} times, at last to ${next}`}`,
        'give the address that a browser ends at',
      );
    url = next;
  }
}

function refuseAnswer(
  url: string,
  { statusCode, error, refusal }: FetchedAnswer,
  settings: CrawlSettings,
): void {
  if (statusCode === null) throw silent(url, error ?? 'connection', error === 'proxy' ? refusal : null);
  if (statusCode < 400) return;
  // Other URLs may begin the crawl.
  if (settings.scope.alternateStartUrls.length > 0 || settings.sitemaps.length > 0) return;
  if (statusCode === 429 || statusCode >= 500) throw unreachable(url, `the site answers ${statusCode}`);
  const isLocked = statusCode === 401 || statusCode === 403;
  const hint = 'give http_auth or extra_headers in a configuration (--config), or another --user-agent';
  throw refused(url, `the site answers ${statusCode}`, isLocked ? hint : undefined);
}

function silent(url: string, error: FetchError, why: string | null): CrawlhouseError {
  const words = FETCH_ERROR_WORDS[error];
  return (error === 'refused_address' ? refused : unreachable)(url, why ?? words.reason, words.hint);
}

async function fetchRobotsOf(
  url: string,
  { robots }: CrawlSettings,
  fetcher: Fetcher,
  onProblem: ((words: string) => void) | undefined,
): Promise<RobotsAnswer> {
  const { origin, host, hostname } = ownUrl(url);
  const content = robots.get(host) ?? robots.get(hostname);
  return content === undefined
    ? fetchRobotsPatiently(origin, (one, bytes) => fetcher.fetch(one, bytes), {
        onProblem,
        asksSilent: false,
      })
    : { status: 'found', content, statusCode: null };
}

function refuseRobots(url: string, file: RobotsAnswer, { robotName }: CrawlSettings): void {
  if (file.error) throw silent(url, file.error, file.refusal ?? null);
  if (file.status === 'unavailable')
    throw unreachable(
      `${ownUrl(url).origin}/robots.txt`,
      file.problem ?? 'no answer',
      'nothing may be fetched without it (RFC 9309): try again later, or give robots_txt in a configuration',
    );
  if (robotsRules(file, robotName).isAllowed(url)) return;
  throw refused(
    url,
    `robots.txt forbids it to ${robotName}`,
    'the owner of the site may give robots_txt in a configuration (--config), or another --user-agent',
  );
}

function unreachable(url: string, why: string, hint?: string): CrawlhouseError {
  return new CrawlhouseError('start_unreachable', `${url}: ${why}`, { hint });
}

function refused(url: string, why: string, hint?: string): CrawlhouseError {
  return new CrawlhouseError('start_refused', `${url}: ${why}`, { hint });
}
