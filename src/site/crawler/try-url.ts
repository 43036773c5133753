import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { CrawlhouseError } from '../../core/errors/errors.ts';
import { ownUrl, webUrl, whyNoUrl } from '../../core/net/web-url.ts';
import { askedUrl } from './ajax-crawling.ts';
import { CrawlSession } from './crawl-session.ts';
import { type CrawlSettings, readCrawlSettings, type SettingsOptions } from './crawl-settings.ts';
import { ProxyRoute } from './fetch/crawl-proxy.ts';
import { FETCH_ERROR_WORDS } from './fetch/fetch-error-words.ts';
import { DEFAULT_FETCH_LIMITS, type FetchedAnswer, Fetcher } from './fetch/fetcher.ts';
import { Doors, redirectTarget } from './fetch/pass-door.ts';
import { HostResolver } from './fetch/resolve-host.ts';
import { Frontier } from './frontier/frontier.ts';
import { Pace } from './frontier/pace.ts';
import { Scope } from './frontier/scope.ts';
import { headerValues } from './parse/headers.ts';
import { nonIndexableReason } from './parse/indexability.ts';
import { textOf } from './parse/threads/parse-messages.ts';
import { ParsePool } from './parse/threads/parse-pool.ts';
import { SideWork } from './progress-reporter.ts';
import type { PageRecord } from './records/records.ts';
import { Renderer, type RenderOptions } from './render/renderer.ts';
import { RobotsCache } from './robots/robots-cache.ts';
import { type VisitTools, visitPage } from './visit-page.ts';

const LONGEST_MS = 20_000;
const MOST_HOPS = 10;

export interface TryUrlOptions extends SettingsOptions {
  readonly rendering?: RenderOptions;
  /** Refuses private addresses, even for the start URL. */
  readonly publicOnly?: boolean;
  readonly signal: AbortSignal;
}

/**
 * `fetched`: it has an answer. `failed`: no answer. `denied`: robots.txt blocks it. `no_robots`: robots.txt is
 * unavailable, so nothing is fetched. `outside`: not a URL of the site. `left_out`: the settings exclude it.
 */
type HopState = 'fetched' | 'failed' | 'denied' | 'no_robots' | 'outside' | 'left_out';

/** The URL, or a target of its redirects. */
interface TriedHop {
  readonly url: string;
  readonly state: HopState;
  /** The line of robots.txt that decides, and its number; null: no rule matches, or robots.txt was not read. */
  readonly rule: { readonly line: number; readonly text: string } | null;
  readonly status: number | null;
  /** Why there is no answer. */
  readonly error: string | null;
  readonly content_type: string | null;
  /** Received bytes of the body. */
  readonly bytes: number | null;
  readonly milliseconds: number | null;
}

/**
 * Fetches one URL as a crawl with this configuration would, with its redirects, and reads it. Stores nothing. The
 * crawl's rules for robots.txt, addresses and scope apply.
 *
 * @throws CrawlhouseError `usage` for text that is not a URL, `start_unreachable` after 20 s; errors of
 *   `readCrawlSettings`
 */
export async function tryUrl(config: unknown, text: string, options: TryUrlOptions) {
  const settings = readCrawlSettings(config, options);
  const url = webUrl(text);
  if (url === null)
    throw new CrawlhouseError('usage', `${text.trim() === '' ? 'the URL' : text} ${whyNoUrl(text)}`, {
      hint: `such as ${settings.scope.startUrl}`,
    });
  const late = AbortSignal.timeout(LONGEST_MS);
  const folder = await mkdtemp(join(tmpdir(), 'crawlhouse-try-'));
  try {
    return await visit(settings, url, folder, {
      ...options,
      signal: AbortSignal.any([options.signal, late]),
    });
  } catch (cause) {
    if (!late.aborted || options.signal.aborted) throw cause;
    throw new CrawlhouseError('start_unreachable', `${url.href}: no complete response within 20 s`, {
      cause,
    });
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function visit(
  settings: CrawlSettings,
  url: URL,
  folder: string,
  { signal, rendering, proxy: through, publicOnly }: TryUrlOptions,
) {
  const limits = DEFAULT_FETCH_LIMITS;
  const scope = new Scope(settings.scope);
  const resolver = await HostResolver.forStart(settings.scope.startUrl, settings.hosts, publicOnly);
  using proxy = ProxyRoute.forCrawl(settings, through, { resolver, timeout: limits.connectTimeout });
  using frontier = new Frontier(folder);
  await using fetcher = new Fetcher(new CrawlSession(settings, scope), resolver, {
    limits,
    connections: 2,
    proxy,
  });
  const { robotName, customFields, rendering: { watched } = { watched: null } } = settings;
  const parsing = { scope: settings.scope, robotName, customFields, bytes: limits.bytes, watched };
  await using parser = new ParsePool(parsing, 1);
  const files = { frontier, fetcher, sideWork: new SideWork(), isOwn: () => false, waits: [] };
  const robots = new RobotsCache(settings, files, signal);
  const work = { fetcher, robots, pace: new Pace(settings.maxSpeed), signal };
  await using renderer = await Renderer.forCrawl(
    settings,
    { ...rendering, tabs: 1, bytes: limits.bytes },
    work,
  );
  const stop = (): void => void fetcher[Symbol.asyncDispose]();
  signal.addEventListener('abort', stop, { once: true });
  try {
    const { hops, last } = await follow(scope.spell(url), { ...work, scope, doors: new Doors() });
    signal.throwIfAborted();
    const rendered =
      last === null || renderer === null
        ? null
        : await renderer.render({ ...last, url: last.url.replace(/#.*$/, '') });
    signal.throwIfAborted();
    const page =
      last === null ? null : await parsed({ answer: last, rendered, facts: FACTS }, parser, signal);
    return { hops, page: page === null ? null : factsOf(page, settings) };
  } finally {
    signal.removeEventListener('abort', stop);
  }
}

const FACTS = { depth: 0, sources: ['crawler'], robots_txt_denied: false, denied_robots: null };

/** Returns the answers of a URL and of its redirects; `last` is the answer at the end, unless it has none. */
async function follow(
  start: string,
  tools: VisitTools,
): Promise<{ readonly hops: readonly TriedHop[]; readonly last: FetchedAnswer | null }> {
  const hops: TriedHop[] = [];
  const asked = new Set<string>();
  for (let url: string | null = start; url !== null && hops.length <= MOST_HOPS; ) {
    const { hop, answer } = await ask(url, tools);
    hops.push(hop);
    asked.add(url);
    const target: string | null = answer === null ? null : redirectTarget(answer);
    if (target === null) return { hops, last: answer };
    url = tools.scope.spell(ownUrl(target));
    if (asked.has(url)) break;
  }
  return { hops, last: null };
}

async function ask(
  url: string,
  tools: VisitTools,
): Promise<{ readonly hop: TriedHop; readonly answer: FetchedAnswer | null }> {
  const to = ownUrl(url);
  const unasked = { url, rule: null, status: null, error: null, content_type: null, bytes: null };
  const none = (hop: Pick<TriedHop, 'state'> & Partial<TriedHop>) => ({
    hop: { ...unasked, milliseconds: null, ...hop },
    answer: null,
  });
  if (!tools.scope.isInternal(to)) return none({ state: 'outside' });
  if (!tools.scope.follows(url)) return none({ state: 'left_out' });
  const rules = await tools.robots.rulesOf(to);
  if (rules.isUnavailable) {
    const error = rules.hostError?.error ?? null;
    return none({ state: 'no_robots', error: error === null ? null : FETCH_ERROR_WORDS[error].reason });
  }
  const rule = rules.lineFor(askedUrl(url));
  if (!rules.isAllowed(askedUrl(url))) return none({ state: 'denied', rule });
  const item = { rank: 0, url, depth: 0, attempts: 0, source: 'crawler' } as const;
  const answer = await visitPage(item, tools, () => Promise.resolve());
  const { statusCode, error, refusal, body, headers, loadTimeMs } = answer;
  const milliseconds = Math.round(loadTimeMs);
  if (statusCode === null) {
    const why = refusal ?? FETCH_ERROR_WORDS[error ?? 'connection'].reason;
    return none({ state: 'failed', rule, error: why, milliseconds });
  }
  const [type = null] = headerValues(headers, 'content-type');
  const bytes = body?.length ?? 0;
  const hop = { url, state: 'fetched', rule, status: statusCode, error: null, bytes, milliseconds } as const;
  return { hop: { ...hop, content_type: type }, answer };
}

/** Returns the record of a page. A closed pool answers nothing, so an abort ends the wait. */
async function parsed(
  request: Parameters<ParsePool['parse']>[0],
  parser: ParsePool,
  signal: AbortSignal,
): Promise<PageRecord> {
  const page = Promise.withResolvers<PageRecord>();
  const stop = (): void => page.reject(signal.reason);
  signal.addEventListener('abort', stop, { once: true });
  try {
    parser
      .parse(request, async ({ pages }) => page.resolve(JSON.parse(textOf(pages)) as PageRecord))
      .catch(page.reject);
    return await page.promise;
  } finally {
    signal.removeEventListener('abort', stop);
  }
}

/** Returns the stored fields of a page that depend on settings. */
function factsOf(page: PageRecord, { customFields }: CrawlSettings) {
  return {
    title: page.title,
    canonical: page.rel_canonical,
    meta_robots: page.meta_robots ?? [],
    /** Null: a file, or unread content. */
    is_indexable: page.indexable,
    not_indexable: nonIndexableReason({ ...page, robots_txt_denied: false }),
    /** Why it is not rendered, or only partly. */
    warnings: [...(page.render_warnings ?? []), ...(page.custom_problems ?? [])],
    /** Values of scraped fields, as JSON; null: the page has none. */
    scraped: customFields.map(({ field }) => {
      const value = page.custom?.[field];
      return { field, value: value === undefined ? null : JSON.stringify(value) };
    }),
  };
}
