import { randomBytes } from 'node:crypto';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import type { ChangedDay, LoadedDays } from '../client/resources/changed-day.ts';
import { SCOPES } from '../client/scopes.ts';
import type { CrawlhouseError } from '../core/errors/errors.ts';
import { checkFolder } from '../core/files/make-folder.ts';
import { lockState } from '../core/locks/state-lock.ts';
import { type Logger, silentLogger } from '../core/logs/logger.ts';
import { listenError } from '../core/net/listen-http.ts';
import type { BotReport } from '../site/access-logs/log-report.ts';
import type { CrawlProxy } from '../site/crawler/fetch/crawl-proxy.ts';
import type { FetchProgress } from '../site/crawler/progress-reporter.ts';
import type { RenderOptions } from '../site/crawler/render/renderer.ts';
import type { VitalsSettings } from '../site/crawler/vitals/vitals.ts';
import { changeRecord } from './crawls/change-record.ts';
import { CrawlClock } from './crawls/crawl-clock.ts';
import type { CrawlSource } from './crawls/crawl-source.ts';
import type { LaunchedCrawl } from './crawls/launched-crawl.ts';
import { createServer, type MoreRoutes } from './http/create-server.ts';
import type { Context } from './http/serve.ts';
import { IngestedFiles } from './ingest/ingested-files.ts';
import { AddedLogs, type LogsToAdd, type LogsToRemove } from './logs/added-logs.ts';
import type { RemovedLog } from './logs/remove-logs.ts';
import { Notifier } from './notify/notifier.ts';
import {
  addDemand,
  addedDemand,
  type DemandDay,
  type DemandToAdd,
  demandDays,
  removeAddedDemand,
} from './ranking/add-demand.ts';
import { DownloadCenter } from './ranking/download-center.ts';
import type { NamedFile, RemovedDemand } from './ranking/remove-demand.ts';
import type { AddedDemand } from './ranking/store-demand.ts';
import { Clock } from './resources/clock.ts';
import { type ResourceKind, Resources, type StoredResource } from './resources/resources.ts';
import { ensureWorkspace } from './resources/seed.ts';
import { changedDays, noteLoadedDays } from './rows/changed-days.ts';
import { ServiceRows } from './rows/service-rows.ts';
import type { ServiceState } from './rows/service-state.ts';
import { WebsiteSource } from './website/website-source.ts';

export interface LocalServiceOptions {
  /** 0, the default, uses a free one. */
  readonly port?: number;
  readonly host?: string;
  /** The folder for all data; default: a temporary folder that is removed when the service closes. */
  readonly stateDir?: string;
  /** The token with all scopes; default: the one of the state directory, or a new one. */
  readonly accessToken?: string;
  /**
   * Crawls of websites and webhooks may reach private, loopback and link-local addresses, regardless of the start URL.
   */
  readonly allowPrivate?: boolean;
  /** Crawls of websites refuse these addresses, even for the start URL. */
  readonly publicOnly?: boolean;
  /** How crawls of websites render pages. */
  readonly rendering?: RenderOptions;
  /** The proxy of crawls whose configurations set `use_proxy`. */
  readonly proxy?: CrawlProxy | undefined;
  /** How crawls of websites measure web vitals, unless their configurations set it. */
  readonly vitals?: VitalsSettings;
  /** Whether crawls of websites that the last process left unfinished are paused; otherwise they continue. */
  readonly pausesCrawls?: boolean;
  readonly logger?: Logger;
  /** Closes the service when it aborts. */
  readonly signal?: AbortSignal;
}

/** The running service, with further functions for its project folder. */
export interface ServiceHandle extends AsyncDisposable {
  /** Without `/api/v2`. */
  readonly baseUrl: string;
  readonly accessToken: string;
  /** Why a crawl of a website does not continue although it has not ended, such as a full disk. */
  stuckCrawl(id: string): CrawlhouseError | undefined;
  /** Why a crawl ended without a report, if it failed. */
  failedCrawl(id: string): string | undefined;
  /** The progress of the crawl of a website; undefined before its crawler reports any. */
  crawlerProgress(id: string): FetchProgress | undefined;
  /** Changes any field of an existing record. */
  change(kind: ResourceKind, id: string, changes: Readonly<Record<string, unknown>>): Promise<void>;
  /** Adds access logs to a project, and returns their bots. */
  addLogs(logs: LogsToAdd, signal: AbortSignal): Promise<readonly BotReport[]>;
  /** Removes access logs from a project. Throws as `AddedLogs.remove`. */
  removeLogs(logs: LogsToRemove, signal: AbortSignal): Promise<readonly RemovedLog[]>;
  /** Days of dated data that were added or changed, with the datasets that were loaded since. */
  changedDays(signal?: AbortSignal): Promise<readonly ChangedDay[]>;
  /** Notes loaded spans, for `changedDays`. */
  noteLoadedDays(spans: readonly LoadedDays[]): Promise<void>;
  /** Adds an export of search results to a project's ranking performance. Throws as `addDemand`. */
  addDemand(projectId: string, work: DemandToAdd, signal: AbortSignal): Promise<AddedDemand>;
  /** Removes the exports of the given files. Throws as `removeAddedDemand`. */
  removeDemand(
    projectId: string,
    files: readonly NamedFile[],
    isDryRun?: boolean,
  ): Promise<readonly RemovedDemand[]>;
  /** The hashes of the exports that were added to a project and begin with a mark. */
  addedDemand(projectId: string, mark: string): Promise<readonly string[]>;
  /** The days of a project that have Google's search results by URL, in order. */
  demandDays(projectId: string): Promise<readonly DemandDay[]>;
  close(): Promise<void>;
}

/** The parts of the service that a sandbox uses. */
export interface ServiceParts extends ServiceState, Pick<Context, 'host'> {
  readonly stateDir: string;
  readonly closers: AsyncDisposableStack;
}

export interface ServiceExtension {
  /** The command that uses the state directory. */
  readonly command: string;
  readonly workspace: string;
  open(parts: ServiceParts): Promise<{
    readonly routes: MoreRoutes;
    /** The source of a project's crawls, if they are not of a website. */
    sourceOf(project: StoredResource): CrawlSource | undefined;
    /** Creates the requested content that does not exist yet. */
    fill(): Promise<void>;
  }>;
}

/**
 * Starts the local service for crawls, logs and search data. The service listens once the promise resolves.
 *
 * @throws CrawlhouseError `usage` if the options are wrong; `locked` while another process uses the state directory
 */
export async function startLocalService(
  options: LocalServiceOptions = {},
  extension?: ServiceExtension,
): Promise<ServiceHandle> {
  const { signal, host = '127.0.0.1', logger = silentLogger } = options;
  signal?.throwIfAborted();
  const closers = new AsyncDisposableStack();
  const close = once(() => closers.disposeAsync());
  try {
    const stateDir = openStateDir(options.stateDir, extension?.command ?? 'the local service', closers);
    const resources = closers.use(new Resources(recordsFile(stateDir)));
    const rows = closers.use(await ServiceRows.open(stateDir));
    const parts = { resources, rows, clock: new Clock(), logger, host, stateDir, closers };
    const more = await extension?.open(parts);
    const { websites, context } = openContext(parts, options, more?.sourceOf);
    const logs = new AddedLogs({ ...parts, stateDir });
    ensureWorkspace(resources, extension?.workspace ?? 'Local service');
    const accessToken = ensureToken(resources, options.accessToken);
    await more?.fill();
    signal?.throwIfAborted();

    await context.crawlClock.begin({ pausesCrawls: options.pausesCrawls === true });
    const server = createServer(context, more?.routes);
    closers.defer(() => server.close());
    const crawlOf = (id: string): LaunchedCrawl | undefined => resources.get('crawls', id);
    const baseUrl = await listen(server, host, options.port ?? 0, extension?.command ?? 'service start');
    signal?.addEventListener('abort', () => void close(), { once: true });
    return {
      baseUrl,
      accessToken,
      close,
      [Symbol.asyncDispose]: close,
      stuckCrawl: websites.stuck.bind(websites),
      crawlerProgress: (id) => crawlOf(id)?._crawler?.progress,
      failedCrawl: (id) => crawlOf(id)?._failure,
      change: async (kind, id, changes) => {
        await changeRecord(context, kind, id, changes);
      },
      addLogs: logs.add.bind(logs),
      removeLogs: logs.remove.bind(logs),
      changedDays: async (until) => {
        await logs.settle(until);
        return changedDays(rows);
      },
      noteLoadedDays: (spans) => noteLoadedDays(rows, spans),
      addDemand: (projectId, work, until) => addDemand(context, projectId, work, until),
      removeDemand: (projectId, files, isDryRun) => removeAddedDemand(context, projectId, files, isDryRun),
      addedDemand: (projectId, mark) => addedDemand(context, projectId, mark),
      demandDays: (projectId) => demandDays(context, projectId),
    };
  } catch (error) {
    await close();
    throw error;
  }
}

/** Opens the resources of the routes, and adds the ones that must be closed to `closers`. */
function openContext(
  { closers, ...parts }: ServiceParts,
  { allowPrivate = false, publicOnly = false, rendering = {}, proxy, vitals }: LocalServiceOptions,
  otherSource: (project: StoredResource) => CrawlSource | undefined = () => undefined,
): { readonly websites: WebsiteSource; readonly context: Context } {
  const ingestFiles = closers.use(new IngestedFiles(parts));
  const downloads = closers.use(new DownloadCenter(parts));
  const notifier = closers.use(new Notifier(parts.resources, { allowPrivate }));
  const websites = new WebsiteSource({
    ...parts,
    ingestFiles,
    allowPrivate,
    publicOnly,
    rendering,
    proxy,
    vitals: vitals ?? { pages_per_template: 0, loads: 1 },
  });
  const sourceOf = (project: StoredResource): CrawlSource => otherSource(project) ?? websites;
  const crawlClock = closers.use(
    new CrawlClock({ ...parts, sourceOf, notify: notifier.crawlEnded.bind(notifier) }),
  );
  closers.use(websites);
  return { websites, context: { ...parts, crawlClock, notifier, ingestFiles, downloads } };
}

function openStateDir(given: string | undefined, command: string, closers: AsyncDisposableStack): string {
  if (given === undefined) checkFolder(tmpdir(), 'TMPDIR', false);
  const stateDir = given === undefined ? mkdtempSync(join(tmpdir(), 'crawlhouse-sandbox-')) : resolve(given);
  if (given === undefined) closers.defer(() => rmSync(stateDir, { recursive: true, force: true }));
  closers.use(lockState(stateDir, command));
  return stateDir;
}

/** Returns the SQLite file of a state directory; one of an earlier version keeps its name. */
function recordsFile(stateDir: string): string {
  const former = join(stateDir, 'sandbox.sqlite');
  return existsSync(former) ? former : join(stateDir, 'service.sqlite');
}

function ensureToken(resources: Resources, given: string | undefined): string {
  const kept = resources.list('tokens', 'default').at(0)?.id;
  const token = given ?? kept ?? `sandbox-${randomBytes(16).toString('hex')}`;
  resources.put('tokens', 'default', { id: token, scopes: SCOPES });
  return token;
}

async function listen(
  server: ReturnType<typeof createServer>,
  host: string,
  port: number,
  command: string,
): Promise<string> {
  try {
    return await server.listen({ host, port });
  } catch (cause) {
    throw await listenError(
      'usage',
      `${host}:${port}`,
      (_, free) => `crawlhouse ${command} --port ${free}`,
      cause,
    );
  }
}

function once(work: () => Promise<void>): () => Promise<void> {
  let running: Promise<void> | undefined;
  return () => {
    running ??= work();
    return running;
  };
}
