import { hash } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { ServiceClient } from '../../../client/http/service-client.ts';
import type { ChangedDay } from '../../../client/resources/changed-day.ts';
import type { Crawl } from '../../../client/resources/crawls.ts';
import { fileForm } from '../../../client/resources/ingest-files.ts';
import type { Project } from '../../../client/resources/projects.ts';
import { tableColumns } from '../../../core/duckdb/table-columns.ts';
import { CrawlhouseError, toCrawlhouseError } from '../../../core/errors/errors.ts';
import type { Logger } from '../../../core/logs/logger.ts';
import type { RunResult } from '../../../etl/project/model/runs/run-result.ts';
import type { CrawlFileKeys } from '../../../etl/project/settings/crawls/crawl-file.ts';
import { nameFullDisk } from '../../../etl/project/settings/name-full-disk.ts';
import { loadNotes } from '../../../etl/project/settings/notes.ts';
import { projectSchedules } from '../../../etl/project/settings/schedules.ts';
import { loadSegmentations } from '../../../etl/project/settings/segments.ts';
import { localServiceFolder, type Settings } from '../../../etl/project/settings/settings.ts';
import { loadModels } from '../../../etl/project/sql/models/load-models.ts';
import { sqlFolders } from '../../../etl/project/sql/models/sql-folders.ts';
import { checkSegments } from '../../../etl/project/sql/plan/check-output.ts';
import { loadQuestions } from '../../../etl/project/sql/questions/questions.ts';
import { readPublished } from '../../../etl/state/catalog/published/read-published.ts';
import {
  type LocalServiceOptions,
  type ServiceHandle,
  startLocalService,
} from '../../../service/start-local-service.ts';
import type { FetchProgress } from '../../../site/crawler/progress-reporter.ts';
import { type TryOptions, tryStart } from '../../../site/crawler/try-start.ts';
import {
  type ChosenConfig,
  readSiteSettings,
  siteConfig,
  speedOf,
} from '../../operations/crawls/site-settings.ts';
import { type FirstFigures, readFirstFigures } from './first-figures.ts';

const INTERVAL_MS = 500;
/** Interval of checks for the end of the analysis, after which the crawl is loaded. */
const ANALYSIS_INTERVAL_MS = 50;
const LIST_INTERVAL_MS = 50;
/** The name of the configuration for lists of URLs. It separates these crawls from crawls of the whole site. */
export const LIST_CONFIG_NAME = 'crawlhouse crawl --list';
/** Codes of errors that a person must fix before a crawl can continue. */
const MENDABLE: readonly string[] = ['disk', 'missing_feature', 'bad_project'];
/** States of a crawl that has not ended. */
const UNFINISHED = ['running', 'pausing', 'paused', 'terminating'];

/**
 * Starts the local service of a project folder.
 *
 * @throws CrawlhouseError for an invalid file of the project; `locked` while another process uses the folder
 */
export async function startProjectService(
  settings: Settings,
  options: LocalServiceOptions,
): Promise<ServiceHandle> {
  if (settings.base_url !== undefined) {
    throw new CrawlhouseError('bad_settings', `this project folder loads from ${settings.base_url}`, {
      hint: 'crawl in a separate folder: crawlhouse init DIR, without CRAWLHOUSE_BASE_URL',
    });
  }
  await checkProjectFiles(settings);
  const { rendering, vitals, crawl_proxy: proxy } = settings;
  const stateDir = localServiceFolder(settings);
  return startLocalService({ stateDir, rendering, proxy, vitals, ...options }).catch((thrown: unknown) => {
    throw nameFullDisk(toCrawlhouseError(thrown), settings);
  });
}

/** Which addresses crawls may reach. */
interface AddressRules {
  readonly allowPrivate: boolean;
  readonly publicOnly?: boolean;
}

/** The local service of a project folder, which stores its data in the state directory. */
export class LocalService implements AsyncDisposable {
  readonly handle: ServiceHandle;
  readonly #client: ServiceClient;
  readonly #addresses: AddressRules;
  readonly #settings: Settings;

  private constructor(service: ServiceHandle, settings: Settings, addresses: AddressRules) {
    this.handle = service;
    this.#settings = settings;
    this.#addresses = addresses;
    this.#client = new ServiceClient({ baseUrl: service.baseUrl, accessToken: service.accessToken });
  }

  /** @throws CrawlhouseError for an invalid file of the project; `locked` while another process uses the folder */
  static async start(
    settings: Settings,
    { logger, ...addresses }: AddressRules & { readonly logger: Logger },
  ): Promise<LocalService> {
    const service = await startProjectService(settings, { ...addresses, logger, pausesCrawls: true });
    return new LocalService(service, settings, addresses);
  }

  /** Runs pipelines over this service; `changed` are the days of dated data to load again. */
  async load(
    settings: Settings,
    run: (local: Settings, changed: readonly ChangedDay[]) => Promise<RunResult>,
    signal?: AbortSignal,
  ): Promise<RunResult> {
    const { baseUrl, accessToken } = this.handle;
    const changed = await this.handle.changedDays(signal);
    const result = await run({ ...settings, base_url: baseUrl, access_token: accessToken }, changed);
    const current = result.report.units.filter(({ status }) => status === 'loaded' || status === 'unchanged');
    await this.handle.noteLoadedDays(
      current.flatMap(({ dataset, source: { project_id }, window }) =>
        window === null || project_id === null ? [] : [{ dataset, project_id, ...window }],
      ),
    );
    return result;
  }

  /** Returns the projects of this folder, oldest first. */
  async projects(): Promise<Project[]> {
    return Array.fromAsync(this.#client.list('projects', await this.#workspace()));
  }

  async #workspace(): Promise<{ readonly workspace_id: string }> {
    const [workspace] = await Array.fromAsync(this.#client.list('workspaces', {}));
    return { workspace_id: String(workspace?.id) };
  }

  /**
   * Returns the project of a website. A new project counts as verified, because users who crawl are responsible for the
   * site.
   */
  async project(startUrl: string): Promise<string> {
    const { origin, host } = new URL(startUrl);
    for (const { id, start_url } of await this.projects())
      if (URL.parse(String(start_url))?.origin === origin) return id;
    const { id } = await this.#client.call('createProject', {
      body: { project: { name: host, start_url: startUrl } },
    });
    await this.handle.change('projects', id, { is_verified_by: 'crawlhouse crawl' });
    return id;
  }

  /** Deletes a project that was made only for a preview. */
  async forget(project_id: string): Promise<void> {
    await this.#client.call('deleteProject', { project_id });
  }

  /** Crawls that have not ended, newest first. */
  async unfinished(): Promise<Crawl[]> {
    const { items } = await this.#client.all('crawls', await this.#workspace());
    return items.filter(({ status }) => UNFINISHED.includes(status));
  }

  /** Returns the last crawl of each website that has ended with a report, newest first. */
  async lastEnded(): Promise<Crawl[]> {
    const { items } = await this.#client.all('crawls', await this.#workspace());
    const ended = items.filter(({ status }) => status === 'done');
    const newest = ended.toSorted((a, b) => Number(b.ended_at) - Number(a.ended_at));
    return newest.filter(
      (one, place) => newest.findIndex(({ project_id }) => project_id === one.project_id) === place,
    );
  }

  /**
   * Adds a configuration to a project, replacing one with the same name.
   *
   * @param own the keys of the configuration that the service does not have
   */
  async configure(projectId: string, { config, own }: ChosenConfig): Promise<string> {
    const known = await this.#client.call('crawlConfigs', { project_id: projectId });
    const body = { crawl_config: config };
    const { id } = known.some(({ name }) => name === config.name)
      ? await this.#client.call('updateCrawlConfig', { project_id: projectId, body })
      : await this.#client.call('createCrawlConfig', { project_id: projectId, body });
    await this.handle.change('crawl_configs', id, { ...own });
    return id;
  }

  /** Makes a configuration crawl only these URLs. */
  async configureList(
    projectId: string,
    { config, own }: ChosenConfig,
    urls: readonly string[],
    signal: AbortSignal,
  ): Promise<string> {
    const content = `${urls.join('\n')}\n`;
    const name = `${hash('sha256', content).slice(0, 24)}.txt`;
    const path = { project_id: projectId };
    const find = async () =>
      (await this.#client.all('ingestFiles', path)).items.find(
        (item) => item.name === name && item.status !== 'ERROR',
      );
    if ((await find()) === undefined) {
      const body = fileForm({ name, content: new Blob([content]) });
      await this.#client.call('uploadIngestFile', { ...path, body });
    }
    let file = await find();
    for (; file !== undefined && file.status !== 'PROCESSED'; file = await find()) {
      await sleep(LIST_INTERVAL_MS);
      signal.throwIfAborted();
    }
    if (file === undefined) throw new Error('the local service cannot read the list of URLs');
    const id = await this.configure(projectId, { config: { ...config, user_input_files: [file.id] }, own });
    await this.handle.change('crawl_configs', id, { list_only: true });
    return id;
  }

  launch(projectId: string, configId: string): Promise<Crawl> {
    return this.#client.call('launchCrawl', { project_id: projectId, query: { configId } });
  }

  /**
   * Crawls a website with the settings in its file of `crawls/`, or else with its last configuration; continues an
   * interrupted crawl.
   *
   * @throws CrawlhouseError `bad_schedule` if the folder has no configuration for it; `bad_settings`;
   *   `start_unreachable` and `start_refused` for a website that cannot be crawled now
   */
  async crawlAgain(startUrl: string, signal: AbortSignal): Promise<void> {
    const { projectDir, rendering, crawl_proxy: proxy } = this.#settings;
    const site = await readSiteSettings(projectDir, startUrl);
    const projectId = await this.project(startUrl);
    const unfinished = (await this.unfinished()).find(({ project_id }) => project_id === projectId);
    const trial = { iOwnThisSite: true, ...this.#addresses, rendering, proxy };
    const begin =
      site === null
        ? await this.#lastConfig(projectId, startUrl, trial)
        : () => this.#fileConfig(projectId, startUrl, site.keys, trial);
    const { id } = unfinished ?? (await this.launch(projectId, await begin()));
    await this.finish(id, () => {}, signal);
  }

  /** Returns how to begin a crawl with the last configuration of a start URL. Tries the start URL first. */
  async #lastConfig(project_id: string, startUrl: string, trial: TryOptions): Promise<() => Promise<string>> {
    const known = await this.#client.call('crawlConfigs', { project_id });
    const config = known.findLast((one) => one.start_url === startUrl && one.name !== LIST_CONFIG_NAME);
    if (config === undefined) {
      throw new CrawlhouseError('bad_schedule', `${startUrl} has no crawl configuration in this folder`, {
        hint: `crawlhouse crawl ${startUrl}`,
      });
    }
    // Before the launch, so that the answers of the former crawl stay. The service does not return passwords for the
    // check.
    const { id, ...given } = config;
    return async () => {
      if (!config.http_auth) await tryStart(given, { ...trial, others: null });
      return id;
    };
  }

  /** Tries a website with the settings of its file, and makes them its configuration. */
  async #fileConfig(
    project_id: string,
    startUrl: string,
    keys: CrawlFileKeys,
    trial: TryOptions,
  ): Promise<string> {
    const { config, own } = siteConfig(startUrl, keys);
    const hasVitals = (own.vitals ?? this.#settings.vitals.pages_per_template) !== 0;
    const { isLoopback } = await tryStart(config, { ...trial, hasVitals, others: own.sites });
    return this.configure(project_id, { config: { ...config, max_speed: speedOf(keys, isLoopback) }, own });
  }

  /**
   * Waits for the end of a crawl, and resumes it if it is paused. An interruption pauses the crawl.
   *
   * @param show receives the progress; undefined before the crawl begins
   * @param endsNow ends a paused crawl with what it fetched, instead of resuming it
   * @throws CrawlhouseError `internal` for a crawl that ended without a report
   */
  async finish(
    crawl_id: string,
    show: (progress: FetchProgress | undefined) => void,
    signal: AbortSignal,
    endsNow = false,
  ): Promise<Crawl> {
    const pilot = (command: 'pause' | 'resume' | 'terminate') =>
      this.#client.call('pilotCrawl', { crawl_id, body: { command } });
    try {
      for (;;) {
        const crawl = await this.#client.call('crawl', { crawl_id });
        if (crawl.status === 'done') {
          if (Number(crawl.fetched_urls) === 0) throw await this.#discarded(crawl);
          return crawl;
        }
        if (!UNFINISHED.includes(crawl.status)) throw withoutReport(crawl, this.handle.failedCrawl(crawl_id));
        const stuck = this.handle.stuckCrawl(crawl_id);
        if (stuck !== undefined) throw paused(crawl, nameFullDisk(stuck, this.#settings));
        if (crawl.status === 'paused') await pilot(endsNow ? 'terminate' : 'resume');
        const progress = this.handle.crawlerProgress(crawl_id);
        show(progress);
        const isFetching = (progress?.phase ?? 'fetch') === 'fetch';
        await sleep(isFetching ? INTERVAL_MS : ANALYSIS_INTERVAL_MS, undefined, { signal });
      }
    } catch (error) {
      if (!signal.aborted) throw error;
      const crawl = await this.#client.call('crawl', { crawl_id });
      if (crawl.status === 'running') await pilot('pause');
      throw paused(crawl, toCrawlhouseError(signal.reason));
    }
  }

  /** Returns the service's counts of a crawl's pages before the crawl is loaded. */
  firstFigures({ id, crawl_config }: Crawl): Promise<FirstFigures> {
    const isList = crawl_config?.name === LIST_CONFIG_NAME;
    return readFirstFigures(this.#client, id, { isList, changes: this.#settings.issues });
  }

  /** Excludes a crawl without pages from loading: the site stopped answering after the first request. */
  async #discarded({ id, crawl_config, end_reason }: Crawl): Promise<CrawlhouseError> {
    await this.handle.change('crawls', id, { status: 'cancelled', end_reason: 'user_cancelled' });
    return new CrawlhouseError(
      'start_unreachable',
      `${crawl_config?.start_url}: no page was fetched: ${end_reason}`,
    );
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#client[Symbol.asyncDispose]();
    await this.handle.close();
  }
}

/** Returns the error that stopped a crawl, with the command to continue it. */
function paused({ crawl_config }: Crawl, { code, message, hint }: CrawlhouseError): CrawlhouseError {
  const first = MENDABLE.includes(code) ? hint?.replace(', then run again', '') : undefined;
  const why = first === undefined ? '' : `${first}, then: `;
  return new CrawlhouseError(code, `${message}; the crawl of ${crawl_config?.start_url} is paused`, {
    hint: `${why}crawlhouse crawl --resume`,
  });
}

function withoutReport({ status, end_reason, crawl_config }: Crawl, why?: string): CrawlhouseError {
  const url = crawl_config?.start_url;
  return new CrawlhouseError(
    'internal',
    `the crawl of ${url} ended without a report: ${why ?? `${status}, ${end_reason}`}`,
    { hint: `read the log, then start a new crawl: crawlhouse crawl ${url}` },
  );
}

/**
 * Checks the files that the load will need, because an error in them would waste hours of work.
 *
 * @throws CrawlhouseError naming file, line, key and valid values
 */
async function checkProjectFiles(settings: Settings): Promise<void> {
  const { projectDir } = settings;
  await projectSchedules(projectDir);
  await loadNotes(projectDir);
  await checkPublishedSegments(settings);
  const folders = sqlFolders(settings);
  await loadModels(folders);
  await loadQuestions(folders);
}

async function checkPublishedSegments(settings: Settings): Promise<void> {
  const segmentations = await loadSegmentations(settings.projectDir);
  if (segmentations.length === 0) return;
  await readPublished(settings, async (connection) => {
    const columns = (await tableColumns(connection, ['mart'])).get('mart.pages');
    if (columns !== undefined)
      await checkSegments(connection, segmentations, new Map(columns.map(({ name, type }) => [name, type])));
  });
}
