import { addAbortListener } from 'node:events';
import { CrawlhouseError } from '../../core/errors/errors.ts';
import { isLoopbackHost } from '../../core/net/address-kind.ts';
import { ownUrl } from '../../core/net/web-url.ts';
import { CrawlSession } from './crawl-session.ts';
import { type CrawlSettings, checkSpeed, readCrawlSettings, type SettingsOptions } from './crawl-settings.ts';
import { ProxyRoute } from './fetch/crawl-proxy.ts';
import type { FetchError } from './fetch/fetch-error.ts';
import { FETCH_ERROR_WORDS } from './fetch/fetch-error-words.ts';
import { DEFAULT_FETCH_LIMITS, type FetchedAnswer, Fetcher, type FetchLimits } from './fetch/fetcher.ts';
import { redirectTarget } from './fetch/pass-door.ts';
import { HostResolver } from './fetch/resolve-host.ts';
import { Scope } from './frontier/scope.ts';
import { refuseUnmetHosts } from './host-overrides.ts';
import { findBrowser } from './render/find-browser.ts';
import type { RenderOptions } from './render/renderer.ts';
import { fetchRobotsPatiently, type RobotsAnswer, robotsRules } from './robots/robots.ts';
import { findLighthouse } from './vitals/find-lighthouse.ts';

/** The checks of a try, in this order. The first check that is not reported is the one that fails. */
export type StartStep = 'dns' | 'connection' | 'robots' | 'redirects' | 'answer';

const MOST_HOPS = 5;
/** Maximum bytes to read, because only the headers are of interest. */
const BYTES = 1024;

export interface TryOptions extends SettingsOptions {
  readonly rendering?: RenderOptions;
  readonly hasVitals?: boolean;
  /** Called with a description of what the try waits for. */
  readonly onWait?: (words: string) => void;
  /** The only URLs that are crawled, on any host: the start URL only names the project, and is not fetched. */
  readonly list?: readonly string[] | null;
  /** Further start URLs of the crawl, which are tried separately; null if they are unknown. */
  readonly others?: readonly string[] | null;
  /** Called after each step that succeeds, with its result. */
  readonly onStep?: (step: StartStep, result: string) => void;
  /** Refuses private addresses, even for the start URL. */
  readonly publicOnly?: boolean;
  readonly limits?: Partial<FetchLimits>;
  /** Waits in milliseconds before an unavailable robots.txt is requested again. */
  readonly robotsWaits?: readonly number[] | undefined;
  readonly signal?: AbortSignal | undefined;
}

/**
 * Checks the redirects, status and robots.txt of a configuration's start URL before any data of the crawl is stored.
 * If the start URL redirects to another host, its target replaces it. The address rules of the crawl apply.
 * `speed` is in URLs per second and may be limited for a stranger's site. `isLoopback` means that the start URL is on
 * this machine.
 *
 * @throws CrawlhouseError `start_unreachable` for a problem that may be temporary, `start_refused` for a permanent one;
 *   `bad_settings`, `missing_feature`; the reason of `signal`
 */
export async function tryStart(config: unknown, options: TryOptions = {}) {
  const settings = readCrawlSettings(config, options);
  if (settings.rendering !== undefined) await findBrowser(options.rendering?.browser);
  if (options.hasVitals) await findLighthouse(options.rendering?.browser);
  const { startUrl } = settings.scope;
  const scope = new Scope(settings.scope);
  const { list = null, onStep = () => {}, publicOnly = false, signal } = options;
  const resolver = await HostResolver.forStart(startUrl, settings.hosts, publicOnly);
  const isLoopback = resolver.isLoopback && (list ?? []).every((url) => isLoopbackHost(ownUrl(url).hostname));
  checkSpeed(settings.maxSpeed, isLoopback, options);
  if (list !== null) return { startUrl, isLoopback };
  const limits = { ...DEFAULT_FETCH_LIMITS, ...options.limits };
  using proxy = ProxyRoute.forCrawl(settings, options.proxy, { resolver, timeout: limits.connectTimeout });
  await using fetcher = new Fetcher(new CrawlSession(settings, scope), resolver, {
    limits,
    connections: 1,
    proxy,
  });
  using _stop = signal && addAbortListener(signal, () => void fetcher[Symbol.asyncDispose]());
  const files = new Map<string, RobotsAnswer>();
  const refuseUnmet = (...reached: string[]): void =>
    refuseUnmetHosts(settings, {
      others: [...(options.others ?? []), ...reached],
      meetsAnyHost: options.hasVitals === true || options.others === null,
    });
  const { url, answer } = await follow(startUrl, fetcher, async (one) => {
    const { origin } = ownUrl(one);
    const isFirst = files.size === 0;
    const file = files.get(origin) ?? (await fetchRobotsOf(one, settings, fetcher, options));
    files.set(origin, file);
    if (isFirst) await reportHost(one, file, resolver, onStep);
    refuseRobots(one, file, settings);
    if (isFirst) onStep('robots', robotsResult(file, settings));
  }).catch((error: unknown) => {
    signal?.throwIfAborted();
    // An override that matches nothing may be the cause.
    refuseUnmet();
    throw error;
  });
  signal?.throwIfAborted();
  refuseUnmet(url);
  onStep('redirects', url === startUrl ? 'none' : `to ${url}`);
  refuseAnswer(url, answer, settings);
  onStep('answer', `status ${answer.statusCode}`);
  if (scope.isInternal(ownUrl(url))) return { startUrl, isLoopback };
  const reached = await HostResolver.forStart(url, settings.hosts, publicOnly);
  return { startUrl: url, isLoopback: reached.isLoopback };
}

/** Reports the name and the connection of the first host as far as its robots.txt was reached. */
async function reportHost(
  url: string,
  { error }: RobotsAnswer,
  resolver: HostResolver,
  onStep: NonNullable<TryOptions['onStep']>,
): Promise<void> {
  if (error === 'dns' || error === 'refused_address') return;
  const { hostname, protocol } = ownUrl(url);
  // With a proxy, this machine may know no address.
  onStep('dns', (await resolver.addresses(hostname).catch(() => [])).join(', ') || 'by the proxy');
  if (error == null) onStep('connection', protocol === 'https:' ? 'TLS, valid certificate' : 'not encrypted');
}

function robotsResult(file: RobotsAnswer, { robotName }: CrawlSettings): string {
  if (file.status === 'missing') return 'none: everything is allowed';
  const { delayMs } = robotsRules(file, robotName);
  return delayMs === null ? 'allows the start URL' : `allows the start URL, every ${delayMs / 1000} s`;
}

/** @param check refuses a URL that is blocked by robots.txt, which is requested before anything else of a host */
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
    // A new cookie may change the response.
    const isLoop = next === url && fetcher.cookiesFor(ownUrl(url)) === before;
    if (hop === MOST_HOPS || isLoop)
      throw refused(
        startUrl,
        `redirects ${isLoop ? 'to itself' : `more than ${MOST_HOPS} times, at last to ${next}`}`,
        'use the final address in a browser',
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
  const hint = 'set http_auth or extra_headers in a configuration (--config), or another --user-agent';
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
  { onWait: onProblem, robotsWaits: waits, signal }: TryOptions,
): Promise<RobotsAnswer> {
  const { origin, host, hostname } = ownUrl(url);
  const content = robots.get(host) ?? robots.get(hostname);
  return content === undefined
    ? fetchRobotsPatiently(origin, (one, bytes) => fetcher.fetch(one, bytes), {
        onProblem,
        waits,
        signal,
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
      'without it, nothing may be fetched (RFC 9309): try again later, or set robots_txt in a configuration',
    );
  if (robotsRules(file, robotName).isAllowed(url)) return;
  throw refused(
    url,
    `robots.txt blocks it for ${robotName}`,
    'if you own the site, set robots_txt in a configuration (--config), or another --user-agent',
  );
}

function unreachable(url: string, why: string, hint?: string): CrawlhouseError {
  return new CrawlhouseError('start_unreachable', `${url}: ${why}`, { hint });
}

function refused(url: string, why: string, hint?: string): CrawlhouseError {
  return new CrawlhouseError('start_refused', `${url}: ${why}`, { hint });
}
