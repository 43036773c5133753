import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import type { CrawlhouseError } from '../../core/errors/errors.ts';
import { checkFolder } from '../../core/files/make-folder.ts';
import { lockState } from '../../core/locks/state-lock.ts';
import { type Logger, silentLogger } from '../../core/logs/logger.ts';
import { listenError } from '../../core/net/listen-http.ts';
import type { ChangedDay, LoadedDays } from '../api/resources/changed-day.ts';
import { SCOPES } from '../api/scopes.ts';
import type { FetchProgress } from '../site/crawler/crawl-progress.ts';
import type { CrawlProxy } from '../site/crawler/fetch/crawl-proxy.ts';
import type { RenderOptions } from '../site/crawler/render/renderer.ts';
import type { VitalsSettings } from '../site/crawler/vitals/vitals.ts';
import type { BotReport } from '../site/logs/log-report.ts';
import { CrawlClock } from './crawls/crawl-clock.ts';
import type { CrawlSource } from './crawls/crawl-source.ts';
import type { LaunchedCrawl } from './crawls/launched-crawl.ts';
import { createServer, type MoreRoutes } from './http/create-server.ts';
import type { Context } from './http/serve.ts';
import { IngestFiles } from './ingest/ingest-files.ts';
import { AddedLogs, type LogsToAdd, type LogsToRemove } from './logs/added-logs.ts';
import type { RemovedLog } from './logs/remove-logs.ts';
import { Notifier } from './notify/notifier.ts';
import { addDemand, addedDemand, type DemandToAdd, removeAddedDemand } from './ranking/add-demand.ts';
import { DownloadCenter } from './ranking/download-center.ts';
import type { NamedFile, RemovedDemand } from './ranking/remove-demand.ts';
import type { AddedDemand } from './ranking/store-demand.ts';
import { Clock } from './resources/clock.ts';
import { type ResourceKind, Resources, type StoredResource } from './resources/resources.ts';
import { ensureWorkspace } from './resources/seed.ts';
import { changedDays, noteLoadedDays } from './rows/changed-days.ts';
import { ServiceRows } from './rows/row-store.ts';
import type { ServiceState } from './rows/service-state.ts';
import { changeRecord } from './sandbox/http/control-routes.ts';
import { WebsiteSource } from './website/website-source.ts';

export interface LocalServiceOptions {
  /** 0, the default, takes a free one. */
  readonly port?: number;
  readonly host?: string;
  /** The folder for all data; default: a temporary folder that is removed when the service closes. */
  readonly stateDir?: string;
  /** The token with all scopes; without it the one of the state directory, or a new one. */
  readonly accessToken?: string;
  /** Crawls of websites and webhooks may reach private, loopback and link-local addresses, whatever the start URL. */
  readonly allowPrivate?: boolean;
  /** How crawls of websites render pages. */
  readonly rendering?: RenderOptions;
  /** The proxy of crawls whose configurations say `use_proxy`. */
  readonly proxy?: CrawlProxy | undefined;
  /** How crawls of websites measure web vitals, if their configurations do not say it. */
  readonly vitals?: VitalsSettings;
  /** Crawls of websites that the last process was cut off from are paused; else they go on. */
  readonly pausesCrawls?: boolean;
  readonly logger?: Logger;
  /** Closes the service when it aborts. */
  readonly signal?: AbortSignal;
}

/** The service while it answers, and what its project folder does with it besides the contract. */
export interface ServiceHandle extends AsyncDisposable {
  /** Without `/api/v2`. */
  readonly baseUrl: string;
  readonly accessToken: string;
  /** Why a crawl of a website does not go on although it has not ended, such as a full disk. */
  stuckCrawl(id: string): CrawlhouseError | undefined;
  /** Why a crawl ended without a report, where it failed. */
  failedCrawl(id: string): string | undefined;
  /** How far the crawl of a website is; undefined before its crawler has told. */
  crawlerProgress(id: string): FetchProgress | undefined;
  /** Changes any field of a record that is there. */
  change(kind: ResourceKind, id: string, changes: Readonly<Record<string, unknown>>): Promise<void>;
  /** Adds access logs to a project, and gives the bots that they have. */
  addLogs(logs: LogsToAdd, signal: AbortSignal): Promise<readonly BotReport[]>;
  /** Takes access logs out of a project again. Throws as `AddedLogs.remove`. */
  removeLogs(logs: LogsToRemove, signal: AbortSignal): Promise<readonly RemovedLog[]>;
  /** Days of dated data that were added or changed, with the datasets that were loaded since. */
  changedDays(signal?: AbortSignal): Promise<readonly ChangedDay[]>;
  /** Notes what was loaded, for `changedDays`. */
  noteLoadedDays(spans: readonly LoadedDays[]): Promise<void>;
  /** Adds an export of search results to a project's ranking performance. Throws as `addDemand`. */
  addDemand(projectId: string, work: DemandToAdd, signal: AbortSignal): Promise<AddedDemand>;
  /** Takes the exports of some files out again. Throws as `removeAddedDemand`. */
  removeDemand(
    projectId: string,
    files: readonly NamedFile[],
    isDryRun?: boolean,
  ): Promise<readonly RemovedDemand[]>;
  /** The hashes of the exports that were added to a project, of those that begin so. */
  addedDemand(projectId: string, mark: string): Promise<readonly string[]>;
  close(): Promise<void>;
}

/** What a sandbox builds on. */
export interface ServiceParts extends ServiceState, Pick<Context, 'host'> {
  readonly stateDir: string;
  readonly closers: AsyncDisposableStack;
}

export interface ServiceExtension {
  /** The command that holds the state directory. */
  readonly command: string;
  readonly workspace: string;
  open(parts: ServiceParts): Promise<{
    readonly routes: MoreRoutes;
    /** Makes the crawls of a project, if they are no website's. */
    sourceOf(project: StoredResource): CrawlSource | undefined;
    /** Puts in what is asked for and not there yet. */
    fill(): Promise<void>;
  }>;
}

/**
 * Starts the service of crawls, logs and search data of this machine: it listens when this resolves.
 *
 * @throws CrawlhouseError `usage` if the options are wrong; `locked` while another process has the state directory
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
    const resources = closers.use(new Resources(join(stateDir, 'sandbox.sqlite')));
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
      ...{ baseUrl, accessToken, close, [Symbol.asyncDispose]: close },
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
    };
  } catch (error) {
    await close();
    throw error;
  }
}

/** Opens what the routes need; each that has to be closed is put into `closers`. */
function openContext(
  { closers, ...parts }: ServiceParts,
  { allowPrivate = false, rendering = {}, proxy, vitals }: LocalServiceOptions,
  otherSource: (project: StoredResource) => CrawlSource | undefined = () => undefined,
): { readonly websites: WebsiteSource; readonly context: Context } {
  const ingestFiles = closers.use(new IngestFiles(parts));
  const downloads = closers.use(new DownloadCenter(parts));
  const notifier = closers.use(new Notifier(parts.resources, { allowPrivate }));
  const websites = new WebsiteSource({
    ...parts,
    ...{ ingestFiles, allowPrivate, rendering, proxy },
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
