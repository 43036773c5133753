import { hash } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { CrawlhouseError, toCrawlhouseError } from '../../../core/errors/errors.ts';
import type { Logger } from '../../../core/logs/logger.ts';
import { loadQuestions } from '../../../pipeline/transform/questions/questions.ts';
import type { RunResult } from '../../../project/model/runs/run-result.ts';
import { nameFullDisk } from '../../../project/settings/name-full-disk.ts';
import { loadNotes } from '../../../project/settings/notes.ts';
import { projectSchedules } from '../../../project/settings/schedules.ts';
import { loadSegmentations } from '../../../project/settings/segments.ts';
import { localServiceFolder, type Settings } from '../../../project/settings/settings.ts';
import { loadModels } from '../../../project/sql/models/load-models.ts';
import { sqlFolders } from '../../../project/sql/models/sql-folders.ts';
import { checkSegments } from '../../../project/sql/plan/check-output.ts';
import { ServiceClient } from '../../../service/api/client/client.ts';
import type { ChangedDay } from '../../../service/api/resources/changed-day.ts';
import type { CrawlConfigInput } from '../../../service/api/resources/crawl-configs.ts';
import type { Crawl } from '../../../service/api/resources/crawls.ts';
import { fileForm } from '../../../service/api/resources/ingest-files.ts';
import type { Project } from '../../../service/api/resources/projects.ts';
import {
  type LocalServiceOptions,
  type ServiceHandle,
  startLocalService,
} from '../../../service/local/start-local-service.ts';
import type { FetchProgress } from '../../../service/site/crawler/crawl-progress.ts';
import { tryStart } from '../../../service/site/crawler/try-start.ts';
import type { PagesPerTemplate } from '../../../service/site/crawler/vitals/vitals.ts';
import { tableColumns } from '../../../state/catalogue/catalog.ts';
import { readPublished } from '../../../state/catalogue/published/read-published.ts';
import { type FirstFigures, readFirstFigures } from './first-figures.ts';

/** Keys of our own that a configuration has besides those of the service; null: the default. */
interface OwnConfig {
  /** Pages of each template whose web vitals are measured. */
  readonly vitals: PagesPerTemplate | null;
  /** The most URLs that the crawl did not meet and requests at its end. */
  readonly recheck: number | null;
  /** Further start URLs. */
  readonly sites: readonly string[];
}

export interface ChosenConfig {
  readonly config: CrawlConfigInput;
  readonly own: OwnConfig;
}

const INTERVAL_MS = 500;
/** Its analysis ends soon, and then the crawl is loaded. */
const ANALYSIS_INTERVAL_MS = 50;
const LIST_INTERVAL_MS = 50;
/** The configuration of lists of URLs, so that they are not compared with crawls of the whole site. */
export const LIST_CONFIG_NAME = 'crawlhouse crawl --list';
/** Codes of what a person has to mend before a crawl can go on. */
const MENDABLE: readonly string[] = ['disk', 'missing_feature', 'bad_project'];
/** States of a crawl that has not ended. */
const UNFINISHED = ['running', 'pausing', 'paused', 'terminating'];

/**
 * Starts the local service of a project folder.
 *
 * @throws CrawlhouseError for a file of the project that does not hold; `locked` while another process has the folder
 */
export async function startProjectService(
  settings: Settings,
  options: LocalServiceOptions,
): Promise<ServiceHandle> {
  if (settings.base_url !== undefined) {
    throw new CrawlhouseError('bad_settings', `this project folder loads from ${settings.base_url}`, {
      hint: 'crawl in a folder of its own: crawlhouse init DIR, and no CRAWLHOUSE_BASE_URL',
    });
  }
  await checkProjectFiles(settings);
  const { rendering, vitals, crawl_proxy: proxy } = settings;
  const stateDir = localServiceFolder(settings);
  return startLocalService({ stateDir, rendering, proxy, vitals, ...options }).catch((thrown: unknown) => {
    throw nameFullDisk(toCrawlhouseError(thrown), settings);
  });
}

/** The local service of a project folder, which keeps its data below the state directory. */
export class LocalService implements AsyncDisposable {
  readonly handle: ServiceHandle;
  readonly #client: ServiceClient;
  readonly #allowPrivate: boolean;
  readonly #settings: Settings;

  private constructor(service: ServiceHandle, settings: Settings, allowPrivate: boolean) {
    this.handle = service;
    this.#settings = settings;
    this.#allowPrivate = allowPrivate;
    this.#client = new ServiceClient({ baseUrl: service.baseUrl, accessToken: service.accessToken });
  }

  /** @throws CrawlhouseError for a file of the project that does not hold; `locked` while another process has the folder */
  static async start(
    settings: Settings,
    options: { readonly allowPrivate: boolean; readonly logger: Logger },
  ): Promise<LocalService> {
    const service = await startProjectService(settings, { ...options, pausesCrawls: true });
    return new LocalService(service, settings, options.allowPrivate);
  }

  /** Runs pipelines over this service; `changed` are the days of dated data that they load again. */
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

  /** The projects of this folder, the oldest first. */
  async projects(): Promise<Project[]> {
    return Array.fromAsync(this.#client.list('projects', await this.#workspace()));
  }

  async #workspace(): Promise<{ readonly workspace_id: string }> {
    const [workspace] = await Array.fromAsync(this.#client.list('workspaces', {}));
    return { workspace_id: String(workspace?.id) };
  }

  /** The project of a website; a new one is verified, because who crawls answers for the site. */
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

  /** Deletes a project that was made for a look only. */
  async forget(project_id: string): Promise<void> {
    await this.#client.call('deleteProject', { project_id });
  }

  /** Crawls that have not ended, the newest first. */
  async unfinished(): Promise<Crawl[]> {
    const { items } = await this.#client.all('crawls', await this.#workspace());
    return items.filter(({ status }) => UNFINISHED.includes(status));
  }

  /** The last crawl of each website that has ended with a report, the newest first. */
  async lastEnded(): Promise<Crawl[]> {
    const { items } = await this.#client.all('crawls', await this.#workspace());
    const ended = items.filter(({ status }) => status === 'done');
    const newest = ended.toSorted((a, b) => Number(b.ended_at) - Number(a.ended_at));
    return newest.filter(
      (one, place) => newest.findIndex(({ project_id }) => project_id === one.project_id) === place,
    );
  }

  /**
   * Gives a project a configuration, in the place of one of the same name.
   *
   * @param own what the configuration says besides the service's keys
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

  /** Makes a configuration crawl these URLs and nothing else. */
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
        (one) => one.name === name && one.status !== 'ERROR',
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
    if (file === undefined) throw new Error('the local service can not read the list of URLs');
    const id = await this.configure(projectId, { config: { ...config, user_input_files: [file.id] }, own });
    await this.handle.change('crawl_configs', id, { list_only: true });
    return id;
  }

  launch(projectId: string, configId: string): Promise<Crawl> {
    return this.#client.call('launchCrawl', { project_id: projectId, query: { configId } });
  }

  /**
   * Crawls a website as it was crawled last, or goes on with a crawl of it that was interrupted.
   *
   * @throws CrawlhouseError `bad_schedule` if the folder has no configuration for it; `start_unreachable` and
   *   `start_refused` for a website that can't be crawled now
   */
  async crawlAgain(startUrl: string, signal: AbortSignal): Promise<void> {
    const projectId = await this.project(startUrl);
    const unfinished = (await this.unfinished()).find(({ project_id }) => project_id === projectId);
    const known = await this.#client.call('crawlConfigs', { project_id: projectId });
    const config = known.findLast((one) => one.start_url === startUrl && one.name !== LIST_CONFIG_NAME);
    if (config === undefined) {
      throw new CrawlhouseError('bad_schedule', `${startUrl} has no crawl configuration in this folder`, {
        hint: `crawlhouse crawl ${startUrl}`,
      });
    }
    // Before anything is launched: the answers of the former crawl stay. The service shows no passwords to try with.
    const { id: _, ...given } = config;
    if (unfinished === undefined && !config.http_auth)
      await tryStart(given, {
        ...{ iOwnThisSite: true, allowPrivate: this.#allowPrivate, others: null },
        ...{ rendering: this.#settings.rendering, proxy: this.#settings.crawl_proxy },
      });
    const { id } = unfinished ?? (await this.launch(projectId, config.id));
    await this.finish(id, () => {}, signal);
  }

  /**
   * Waits until a crawl is done; one that is paused goes on. An interruption pauses it.
   *
   * @param show is told how far it is; undefined before it has begun
   * @throws CrawlhouseError `internal` for a crawl that ended without a report
   */
  async finish(
    crawl_id: string,
    show: (progress: FetchProgress | undefined) => void,
    signal: AbortSignal,
  ): Promise<Crawl> {
    const pilot = (command: 'pause' | 'resume') =>
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
        if (crawl.status === 'paused') await pilot('resume');
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

  /** What the service counts of a crawl's pages, before anything is loaded. */
  firstFigures({ id, crawl_config }: Crawl): Promise<FirstFigures> {
    const isList = crawl_config?.name === LIST_CONFIG_NAME;
    return readFirstFigures(this.#client, id, { isList, changes: this.#settings.issues });
  }

  /** Takes a crawl without one page out of what is loaded: the site fell silent right after it had answered. */
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

/** The error that a crawl stopped with, and how it goes on. */
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
    { hint: `the log has more; a new one: crawlhouse crawl ${url}` },
  );
}

/**
 * Reads the files that a project is loaded with before hours of work, which a mistake in them would waste.
 *
 * @throws CrawlhouseError naming file, line, key and what would work
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
