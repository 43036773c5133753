import { createHash } from 'node:crypto';
import { rmSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { END_REASONS_WITHOUT_REPORT } from '../../client/resources/end-reasons.ts';
import { Database } from '../../core/duckdb/duckdb.ts';
import { CrawlhouseError } from '../../core/errors/errors.ts';
import { makePrivateFolder } from '../../core/files/private-files.ts';
import { lockState } from '../../core/locks/state-lock.ts';
import { isLoopbackHost } from '../../core/net/address-kind.ts';
import { ownUrl } from '../../core/net/web-url.ts';
import { CrawlSession } from './crawl-session.ts';
import {
  type CrawlSettings,
  checkSpeed,
  DEFAULT_RECHECK,
  readCrawlSettings,
  type SettingsOptions,
} from './crawl-settings.ts';
import { ProxyRoute } from './fetch/crawl-proxy.ts';
import { DEFAULT_FETCH_LIMITS, Fetcher, type FetchLimits } from './fetch/fetcher.ts';
import { Doors } from './fetch/pass-door.ts';
import { HostResolver } from './fetch/resolve-host.ts';
import { type CrawlEndReason, FetchPhase } from './fetch-phase.ts';
import type { FetchTools } from './fetch-round.ts';
import { Frontier } from './frontier/frontier.ts';
import { Pace } from './frontier/pace.ts';
import { RecordFiles } from './frontier/record-files.ts';
import { Scope } from './frontier/scope.ts';
import { keepSitemaps, seedFrontier } from './frontier/seed-frontier.ts';
import { refuseUnmetHosts } from './host-overrides.ts';
import type { CrawlFieldRules } from './jobs/page-sql.ts';
import { runJobs } from './jobs/run-jobs.ts';
import { loadCrawl } from './load-crawl.ts';
import { askForMissingPages, type MissingTools } from './missing-pages.ts';
import { ParsePool } from './parse/threads/parse-pool.ts';
import { CrawlControl, type FetchProgress, ProgressReporter, SideWork } from './progress-reporter.ts';
import { CrawlCounts } from './records/crawl-counts.ts';
import { OutcomeBatch } from './records/outcome-batch.ts';
import { Renderer, type RenderOptions } from './render/renderer.ts';
import { type AgainTools, askAgain } from './requests/ask-again.ts';
import { RobotsCache } from './robots/robots-cache.ts';
import { findLighthouse } from './vitals/find-lighthouse.ts';
import { measureVitals, type VitalsTools } from './vitals/measure-vitals.ts';
import type { VitalsOptions } from './vitals/vitals.ts';

/** The database in the folder of a finished crawl. */
export const CRAWL_DATABASE = 'crawl.duckdb';

export interface CrawlOptions extends SettingsOptions {
  /** Refuses private addresses, even for the start URL. */
  readonly publicOnly?: boolean;
  /** The crawl's own folder. An interrupted crawl continues in its folder. */
  readonly folder: string;
  /** Additional start URLs, such as those of ingest files of kind seed. */
  readonly seeds?: Iterable<string> | AsyncIterable<string>;
  /** The pages that the previous crawl fetched, in batches. The crawl counts its pages that are not among these. */
  readonly former?: AsyncIterable<readonly string[]> | undefined;
  /** The maximum number of URLs outside the crawl that it requests at its end; 0: none. */
  readonly recheck?: number;
  /** URLs with clicks, then URLs with hits of bots, in batches, for the requests at the end. */
  readonly demanded?: AsyncIterable<readonly string[]> | undefined;
  /** Only the seeds, on any host, and the targets of their redirects are fetched: no start URL, links or sitemaps. */
  readonly isList?: boolean;
  /** URLs that the subscription allows. */
  readonly quota?: number;
  readonly control?: CrawlControl;
  readonly onProgress?: (progress: FetchProgress) => void;
  /** Interrupts the crawl; the same call continues it later. */
  readonly signal?: AbortSignal;
  readonly limits?: Partial<FetchLimits>;
  readonly rendering?: RenderOptions;
  /** Absent: web vitals are not measured. */
  readonly vitals?: VitalsOptions | undefined;
  /** Concurrent requests. */
  readonly concurrency?: number;
  readonly threads?: number;
  /** DuckDB's limit for the jobs. */
  readonly memoryLimit?: string;
  /** Milliseconds before failed URLs are tried again, the first time. */
  readonly retryDelayMs?: number;
  /** Waits in milliseconds before an unavailable robots.txt is requested again. */
  readonly robotsWaits?: readonly number[];
}

export type CrawlResult = Awaited<ReturnType<typeof crawlWebsite>>;

/** End reasons that mean that the site, or its owner, does not want further requests. */
const REASONS_TO_STOP: ReadonlySet<CrawlEndReason> = new Set([
  'stopped_progressing',
  'user_cancelled',
  'user_requested',
]);
const DEFAULT_CONCURRENCY = 16;
const DEFAULT_RETRY_DELAY_MS = 1_000;
const DEFAULT_MEMORY_LIMIT = '300MB';

/**
 * Crawls a website according to a crawl configuration (api-spec.md §2.8), and computes its report.
 *
 * @throws CrawlhouseError `bad_settings`, `missing_feature`; `locked` if another process crawls in the folder
 */
export async function crawlWebsite(config: unknown, options: CrawlOptions) {
  const settings = readCrawlSettings(config, options);
  const { folder, signal = new AbortController().signal } = options;
  refuseUnmetHosts(settings, { meetsAnyHost: options.isList === true || options.vitals !== undefined });
  signal.throwIfAborted();
  makePrivateFolder(folder);
  using _lock = lockState(folder, 'crawl');
  using frontier = new Frontier(folder);
  requireSameConfig(frontier, settings, folder);
  const counts = new CrawlCounts(frontier.counts());
  const sideWork = new SideWork();
  using progress = new ProgressReporter({ counts, frontier, sideWork, ...options });
  const known = frontier.fact('end reason') as CrawlEndReason | undefined;
  const endReason = known ?? (await fetchSite(settings, { ...options, signal, frontier, counts, sideWork }));
  frontier.setFact('end reason', endReason);
  const hasReport = !END_REASONS_WITHOUT_REPORT.includes(endReason);
  const database = join(folder, CRAWL_DATABASE);
  if (hasReport && frontier.fact('report') === undefined) {
    progress.enter('analysis');
    const { customFields } = settings;
    const fields = { customFields, hasVitals: frontier.hasMeasured(), isList: options.isList === true };
    await makeReport(database, { ...options, signal, frontier, progress, fields });
    frontier.setFact('report', 'done');
  }
  progress.enter('done');
  return {
    endReason,
    /** With the tables `pages`, `links`, `clusters` and `structured_data`; null if there is no report. */
    database: hasReport ? database : null,
    fetchedUrls: counts.fetched,
    lastDepth: counts.depth,
  };
}

type Opened = Pick<FetchTools, 'frontier' | 'signal'>;

async function fetchSite(
  settings: CrawlSettings,
  options: CrawlOptions & Opened & { readonly counts: CrawlCounts; readonly sideWork: SideWork },
): Promise<CrawlEndReason> {
  const { frontier, counts, signal, sideWork, quota = Number.POSITIVE_INFINITY, isList = false } = options;
  const limits = { ...DEFAULT_FETCH_LIMITS, ...options.limits };
  const { seeds = [], former, concurrency = DEFAULT_CONCURRENCY } = options;
  const own = new Scope(settings.scope);
  await seedFrontier(settings, { frontier, scope: own, signal, isList, seeds, former });
  const listed = isList ? frontier.origins().map(ownUrl) : [];
  const rules = { ...settings.scope, listedHosts: listed.map(({ host }) => host) };
  const scope = new Scope(rules);
  const resolver = await HostResolver.forStart(settings.scope.startUrl, settings.hosts, options.publicOnly);
  using proxy = ProxyRoute.forCrawl(settings, options.proxy, { resolver, timeout: limits.connectTimeout });
  const others = [...listed, ...(settings.sites ?? []).map(ownUrl)];
  const isHere = resolver.isLoopback && others.every(({ hostname }) => isLoopbackHost(hostname));
  checkSpeed(settings.maxSpeed, isHere, options);
  const recordFiles = await RecordFiles.open(options.folder, frontier.recordFiles());
  // Other hosts of a list get no credentials.
  const session = new CrawlSession(settings, own, frontier.fact('cookies'));
  await using fetcher = new Fetcher(session, resolver, { limits, connections: concurrency, proxy });
  const { robotName, customFields, rendering: { watched } = { watched: null } } = settings;
  const parsing = { scope: rules, robotName, customFields, bytes: limits.bytes, watched };
  await using parser = new ParsePool(parsing, options.threads);
  // Requests in progress fail immediately, and are repeated when the crawl continues.
  const stop = (): Promise<void> => fetcher[Symbol.asyncDispose]();
  const ended = new AbortController();
  let sitemaps: Promise<void> = Promise.resolve();
  signal.throwIfAborted();
  signal.addEventListener('abort', stop, { once: true });
  try {
    const control = options.control ?? new CrawlControl();
    const rendering = { ...options.rendering, bytes: limits.bytes };
    const vitals = options.vitals && { ...options.vitals, ...(await findLighthouse(rendering.browser)) };
    const isOwn = (url: URL): boolean => scope.isInternal(url);
    const files = { frontier, fetcher, sideWork, isOwn, waits: options.robotsWaits };
    const robots = new RobotsCache(settings, files, signal);
    const work = { fetcher, robots, pace: new Pace(settings.maxSpeed), signal };
    await using renderer = await Renderer.forCrawl(settings, rendering, work);
    const seeding = { ...work, frontier, scope, isList, sideWork };
    sitemaps = keepSitemaps(settings, { ...seeding, signal: AbortSignal.any([signal, ended.signal]) });
    // The awaiting caller reports the error.
    sitemaps.catch(() => {});
    const tools = { ...work, frontier, parser, renderer, scope, doors: new Doors() };
    const phase = new FetchPhase({
      tools: {
        ...tools,
        counts,
        concurrency,
        batch: new OutcomeBatch(frontier, recordFiles, session),
        control,
        mostFetched: Math.min(settings.maxUrl, quota),
      },
      sitemaps,
      isList,
      maxDepth: settings.maxDepth,
      fullReason: quota < settings.maxUrl ? 'quota_reached' : 'max_url_reached',
      retryDelayMs: options.retryDelayMs ?? DEFAULT_RETRY_DELAY_MS,
    });
    const reason = await phase.run();
    const site = { ...tools, folder: options.folder, session, resolver, proxy, sideWork, control };
    return await endFetching(settings, reason, { ...site, isList, vitals, concurrency }, options);
  } finally {
    signal.removeEventListener('abort', stop);
    ended.abort();
    // The phase has its error; only wait for the sitemaps to end.
    await sitemaps.catch(() => {});
  }
}

type EndTools = VitalsTools &
  MissingTools &
  Omit<AgainTools, 'retryDelayMs'> & {
    readonly vitals: (VitalsOptions & { readonly browser: string }) | undefined;
  };

/** Sends the requests that follow those of the pages, and returns why the crawl ends. */
async function endFetching(
  settings: CrawlSettings,
  reason: CrawlEndReason,
  tools: EndTools,
  { recheck = DEFAULT_RECHECK, demanded, retryDelayMs = DEFAULT_RETRY_DELAY_MS }: CrawlOptions,
): Promise<CrawlEndReason> {
  if (REASONS_TO_STOP.has(reason)) return reason;
  if (!tools.isList) await askForMissingPages(tools);
  if (reason !== 'quota_reached') await askAgain({ recheck, demanded }, { ...tools, retryDelayMs });
  if (tools.vitals) await measureVitals(settings, tools.vitals, tools);
  return tools.control.state === 'cancelling' ? 'user_cancelled' : reason;
}

async function makeReport(
  path: string,
  options: CrawlOptions & Opened & { readonly progress: ProgressReporter; readonly fields: CrawlFieldRules },
): Promise<void> {
  const { folder, frontier, signal, progress, threads = availableParallelism() } = options;
  const tempDirectory = join(folder, 'spill');
  try {
    await using database = await Database.open({
      memoryLimit: options.memoryLimit ?? DEFAULT_MEMORY_LIMIT,
      threads,
      tempDirectory,
    });
    const connection = await database.connect();
    await loadCrawl(connection, { folder, path, frontier, signal });
    await runJobs(connection, { path, signal, onJob: progress.job, fields: options.fields });
  } finally {
    rmSync(tempDirectory, { recursive: true, force: true });
  }
}

/** Refuses to continue a crawl with a configuration other than its own. */
function requireSameConfig(frontier: Frontier, settings: CrawlSettings, folder: string): void {
  const plain = JSON.stringify(settings, (_key, value: unknown) =>
    value instanceof Map ? [...value] : value,
  );
  const hash = createHash('sha256').update(plain).digest('hex');
  const known = frontier.fact('configuration');
  if (known === undefined) frontier.setFact('configuration', hash);
  else if (known !== hash) {
    throw new CrawlhouseError('bad_settings', `${folder} contains a crawl with a different configuration`, {
      hint: 'continue the crawl with its original configuration, or crawl into another folder',
    });
  }
}
