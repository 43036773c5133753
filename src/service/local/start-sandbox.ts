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
import type { CrawlProxy } from '../site/crawler/fetch/crawl-proxy.ts';
import type { RenderOptions } from '../site/crawler/render/renderer.ts';
import type { VitalsSettings } from '../site/crawler/vitals/vitals.ts';
import type { BotReport } from '../site/logs/log-report.ts';
import { CrawlClock } from './crawls/crawl-clock.ts';
import type { LaunchedCrawl } from './crawls/crawl-life.ts';
import type { CrawlSource } from './crawls/crawl-source.ts';
import type { Context } from './http/context.ts';
import { createServer } from './http/create-server.ts';
import { RequestLog } from './http/request-log.ts';
import { IngestFiles } from './ingest/ingest-files.ts';
import { AddedLogs, type LogsToAdd } from './logs/added-logs.ts';
import { Notifier } from './notify/notifier.ts';
import { addDemand, addedDemand, type DemandToAdd } from './ranking/add-demand.ts';
import { DownloadCenter } from './ranking/download-center.ts';
import type { AddedDemand } from './ranking/store-demand.ts';
import { Clock } from './resources/clock.ts';
import { type Document, Resources } from './resources/resources.ts';
import { ensureWorkspace } from './resources/seed.ts';
import { changedDays, noteLoadedDays } from './rows/changed-days.ts';
import { ServiceRows } from './rows/row-store.ts';
import { DataExports } from './sandbox/exports/data-exports.ts';
import { FaultBox } from './sandbox/faults/fault-box.ts';
import { readFaults } from './sandbox/faults/read-faults.ts';
import { generate, isGenerated } from './sandbox/generate/generate.ts';
import { GeneratedSource } from './sandbox/generate/generated-source.ts';
import { type GenerateSpec, parseSpec } from './sandbox/generate/parse-spec.ts';
import { planFolder } from './sandbox/import/folder-plan.ts';
import { importFolder, isImported } from './sandbox/import/import-folder.ts';
import { type ApplicationCredentials, ensureApplication } from './sandbox/oauth/application.ts';
import {
  type ExternalStoreA,
  type ExternalStoreB,
  openStores,
  type Stores,
} from './sandbox/stores/open-stores.ts';
import { putStoreSecrets, STORE_B_SECRET } from './sandbox/stores/store-secret.ts';
import { WebsiteSource } from './website/website-source.ts';

export interface SandboxOptions {
  /** 0, the default, takes a free one. */
  readonly port?: number;
  readonly host?: string;
  /** Folders to import, each a crawl (interface.md, "The sandbox"). */
  readonly importDirs?: readonly string[];
  /** Specs of synthetic data, such as `projects=1,crawls=3,pages=10000`. */
  readonly generate?: readonly string[];
  /** A JSON file with the faults in force from the start. */
  readonly faultsFile?: string;
  /** The folder for all data; default: a temporary folder that is removed when the sandbox closes. */
  readonly stateDir?: string;
  /** The token with all scopes; without it the one of the state directory, or a new one. */
  readonly accessToken?: string;
  /** Use these instead of the built-in object stores. */
  readonly storeA?: ExternalStoreA;
  readonly storeB?: ExternalStoreB;
  /** Objects a data export is written to; 1 by default. */
  readonly exportObjects?: number;
  /** Whether csv and json of data exports are compressed (`.gz`). */
  readonly exportGzip?: boolean;
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
  /** Closes the sandbox when it aborts. */
  readonly signal?: AbortSignal;
}

/** The contents of the ready file. */
export interface ReadyDocument {
  readonly base_url: string;
  readonly access_token: string;
  readonly pid: number;
  readonly store_a: Stores['store_a'];
  readonly store_b: Stores['store_b'] & { readonly credentials_secret: string };
  readonly oauth: ApplicationCredentials;
}

export interface Sandbox extends AsyncDisposable {
  /** Without `/api/v2`. */
  readonly baseUrl: string;
  readonly accessToken: string;
  readonly ready: ReadyDocument;
  /** Why a crawl of a website does not go on although it has not ended, such as a full disk. */
  stuckCrawl(id: string): CrawlhouseError | undefined;
  /** Why a crawl ended without a report, where it failed. */
  failedCrawl(id: string): string | undefined;
  /** What a crawl of a website does or waits for besides its pages, in words. */
  sideWork(id: string): readonly string[];
  /** Adds access logs to a project, and gives the bots that they have. */
  addLogs(logs: LogsToAdd, signal: AbortSignal): Promise<readonly BotReport[]>;
  /** Days of dated data that were added or changed, with the datasets that were loaded since. */
  changedDays(): Promise<readonly ChangedDay[]>;
  /** Notes what was loaded, for `changedDays`. */
  noteLoadedDays(spans: readonly LoadedDays[]): Promise<void>;
  /** Adds an export of search results to a project's ranking performance. Throws as `addDemand`. */
  addDemand(projectId: string, work: DemandToAdd, signal: AbortSignal): Promise<AddedDemand>;
  /** The hashes of the exports that were added to a project, of those that begin so. */
  addedDemand(projectId: string, mark: string): Promise<readonly string[]>;
  close(): Promise<void>;
}

/**
 * Starts the service, locally: its data imported and generated, listening when this resolves.
 *
 * @throws CrawlhouseError `usage` or `bad_project` if the options are wrong
 */
export async function startSandbox(options: SandboxOptions = {}): Promise<Sandbox> {
  const { signal, host = '127.0.0.1', logger = silentLogger } = options;
  signal?.throwIfAborted();
  const specs = (options.generate ?? []).map(parseSpec);
  for (const dir of options.importDirs ?? []) planFolder(dir);
  const faults = new FaultBox(logger);
  if (options.faultsFile !== undefined) faults.add(await readFaults(options.faultsFile));

  const closers: (() => Promise<void> | void)[] = [];
  const close = once(async () => {
    for (const closer of closers.reverse()) await closer();
  });
  try {
    const stateDir = openStateDir(options.stateDir, closers);
    const { work, stores, websites, context } = await openParts(
      { ...options, host, logger },
      { stateDir, faults },
      closers,
    );
    const { resources } = work;
    const logs = new AddedLogs({ ...work, stateDir });
    const accessToken = await fill(work, stores, options, specs);
    signal?.throwIfAborted();

    await context.life.begin({ pausesCrawls: options.pausesCrawls === true });
    const server = createServer(context);
    closers.push(() => server.close());
    const baseUrl = await listen(server, host, options.port ?? 0);
    signal?.addEventListener('abort', () => void close(), { once: true });
    const ready = {
      base_url: baseUrl,
      access_token: accessToken,
      pid: process.pid,
      oauth: ensureApplication(resources),
      store_a: stores.store_a,
      store_b: { ...stores.store_b, credentials_secret: STORE_B_SECRET },
    };
    const stuckCrawl = websites.stuck.bind(websites);
    const sideWork = websites.sideWork.bind(websites);
    return {
      ...{ baseUrl, accessToken, ready, stuckCrawl, sideWork },
      failedCrawl: (id) => (resources.get('crawls', id) as LaunchedCrawl | undefined)?._failure,
      addLogs: logs.add.bind(logs),
      changedDays: async () => {
        await logs.settle();
        return changedDays(work.rows);
      },
      noteLoadedDays: (spans) => noteLoadedDays(work.rows, spans),
      addDemand: (projectId, work, until) => addDemand(context, projectId, work, until),
      addedDemand: (projectId, mark) => addedDemand(context, projectId, mark),
      close,
      [Symbol.asyncDispose]: close,
    };
  } catch (error) {
    await close();
    throw error;
  }
}

/** Opens the parts of the service; each that has to be closed is pushed to `closers`. */
async function openParts(
  options: SandboxOptions & { readonly host: string; readonly logger: Logger },
  { stateDir, faults }: { readonly stateDir: string; readonly faults: FaultBox },
  closers: (() => Promise<void> | void)[],
) {
  const { host, logger, storeA, storeB, allowPrivate = false, rendering = {}, proxy } = options;
  const vitals = options.vitals ?? { pages_per_template: 0, loads: 1 };
  const closed = <T extends AsyncDisposable>(part: T): T => {
    closers.push(async () => await part[Symbol.asyncDispose]());
    return part;
  };
  const resources = new Resources(join(stateDir, 'sandbox.sqlite'));
  closers.push(() => resources[Symbol.dispose]());
  const rows = closed(await ServiceRows.open(stateDir));
  const work = { resources, rows, clock: new Clock(), logger };
  const stores = await openStores({ stateDir, host, faults, logger, storeA, storeB }, closers);
  const endpoints = { store_a: stores.store_a.endpoint, store_b: stores.store_b.endpoint };
  const settings = { objects: options.exportObjects ?? 1, gzip: options.exportGzip ?? false };
  const dataExports = closed(new DataExports({ resources, rows, endpoints, settings, stateDir }));
  const ingestFiles = closed(new IngestFiles({ ...work, stateDir }));
  const downloads = closed(new DownloadCenter({ ...work, stateDir }));
  const notifier = closed(new Notifier(resources, { allowPrivate }));
  const generated = new GeneratedSource(rows, resources);
  const websites = new WebsiteSource({
    ...work,
    ...{ ingestFiles, stateDir, allowPrivate, rendering, proxy, vitals },
  });
  const sourceOf = ({ _site }: Document): CrawlSource => (_site === undefined ? websites : generated);
  const life = closed(new CrawlClock({ ...work, sourceOf, notify: notifier.crawlEnded.bind(notifier) }));
  closed(websites);
  const context: Context = {
    ...work,
    host,
    storeABucket: stores.store_a.bucket,
    life,
    notifier,
    faults,
    requests: new RequestLog(),
    dataExports,
    ingestFiles,
    downloads,
    importFolder: (dir) => importFolder(work, dir),
  };
  return { work, stores, websites, context };
}

/** Puts in what is asked for and not there yet: workspaces, secrets of stores, data. Gives the access token. */
async function fill(
  work: Pick<Context, 'resources' | 'rows' | 'clock' | 'logger'>,
  stores: Stores,
  { accessToken: wanted, importDirs = [] }: SandboxOptions,
  specs: readonly GenerateSpec[],
): Promise<string> {
  const { resources, clock } = work;
  const workspaces = Math.max(1, ...specs.map((spec) => spec.workspaces ?? 1));
  for (let number = 0; number < workspaces; number++) ensureWorkspace(resources, number);
  putStoreSecrets(resources, stores, clock.now());
  const accessToken = ensureToken(resources, wanted);
  for (const dir of importDirs) if (!isImported(resources, dir)) await importFolder(work, dir);
  for (const spec of specs) if (!isGenerated(resources, spec)) await generate(work, spec);
  return accessToken;
}

function openStateDir(given: string | undefined, closers: (() => void)[]): string {
  if (given === undefined) checkFolder(tmpdir(), 'TMPDIR', false);
  const stateDir = given === undefined ? mkdtempSync(join(tmpdir(), 'crawlhouse-sandbox-')) : resolve(given);
  if (given === undefined) closers.push(() => rmSync(stateDir, { recursive: true, force: true }));
  const lock = lockState(stateDir, 'sandbox start');
  closers.push(() => lock[Symbol.dispose]());
  return stateDir;
}

function ensureToken(resources: Resources, given: string | undefined): string {
  const kept = resources.list('tokens', 'default').at(0)?.id;
  const token = given ?? kept ?? `sandbox-${randomBytes(16).toString('hex')}`;
  resources.put('tokens', 'default', { id: token, scopes: SCOPES });
  return token;
}

async function listen(server: ReturnType<typeof createServer>, host: string, port: number): Promise<string> {
  try {
    return await server.listen({ host, port });
  } catch (cause) {
    throw await listenError(
      'usage',
      `${host}:${port}`,
      (_, free) => `crawlhouse sandbox start --port ${free}`,
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
