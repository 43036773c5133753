import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { ident, table, text } from '../../../core/duckdb/duckdb.ts';
import { StreamedRows } from '../../../core/duckdb/streamed-rows.ts';
import { CrawlhouseError, toCrawlhouseError } from '../../../core/errors/errors.ts';
import { HttpUrl } from '../../api/endpoint.ts';
import type { CrawlDataType, FieldRecord } from '../../api/resources/fields.ts';
import { CRAWL_DATABASE, crawl } from '../../site/crawler/crawl.ts';
import { CrawlControl } from '../../site/crawler/crawl-progress.ts';
import { readCrawlSettings } from '../../site/crawler/crawl-settings.ts';
import { type CrawlProxy, requireProxy } from '../../site/crawler/fetch/crawl-proxy.ts';
import { refuseUnmetHosts } from '../../site/crawler/host-overrides.ts';
import {
  CLUSTER_FIELDS,
  type CrawlField,
  type CrawlFieldRules,
  ITEM_FIELDS,
  LINK_FIELDS,
  pageFields,
  REQUEST_FIELDS,
} from '../../site/crawler/jobs/fields.ts';
import { findBrowser } from '../../site/crawler/render/find-browser.ts';
import type { RenderOptions } from '../../site/crawler/render/renderer.ts';
import { findLighthouse } from '../../site/crawler/vitals/find-lighthouse.ts';
import {
  PagesPerTemplate,
  type VitalsOptions,
  type VitalsSettings,
} from '../../site/crawler/vitals/vitals.ts';
import { fetchedOf } from '../crawls/crawl-plan.ts';
import type { CrawlJob, CrawlSource, PlannedWork, SourceReport } from '../crawls/crawl-source.ts';
import {
  type CrawlerWork,
  formerCrawl,
  isMoving,
  isWorking,
  type LaunchedCrawl,
} from '../crawls/launched-crawl.ts';
import { columnsOf, SQL_TYPES } from '../fields/column.ts';
import { fieldRecord } from '../fields/field-record.ts';
import { FIELD_RECORDS } from '../fields/field-records-of.ts';
import type { IngestFiles } from '../ingest/ingest-files.ts';
import { checkRequest } from '../resources/check-request.ts';
import { Refusal } from '../resources/refusal.ts';
import { type Dataset, publicView, type StoredResource } from '../resources/resources.ts';
import { WORKSPACE_ID } from '../resources/seed.ts';
import { ServiceRows } from '../rows/row-store.ts';
import type { ServiceState } from '../rows/service-state.ts';
import { demandedUrls } from './demanded-urls.ts';

interface WebsiteWork extends ServiceState {
  readonly ingestFiles: IngestFiles;
  readonly stateDir: string;
  /** Private, loopback and link-local addresses are fetched, whatever the start URL. */
  readonly allowPrivate: boolean;
  readonly rendering: RenderOptions;
  readonly proxy: CrawlProxy | undefined;
  readonly vitals: VitalsSettings;
}

/** A full disk, a browser that is not there, a folder that can't be made. */
const MENDABLE: readonly string[] = ['disk', 'missing_feature', 'bad_project'];

/** Keys of our own that a configuration has besides those of web vitals and lists. */
const OwnKeys = z.object({
  recheck: z.int().nonnegative().optional(),
  sites: z.array(HttpUrl).optional(),
});

/** A crawler at work. */
interface Run {
  readonly control: CrawlControl;
  readonly interruption: AbortController;
  /** Resolves when the crawler has stopped, and told its stored crawl what came of it. */
  readonly stopped: Promise<void>;
}

/**
 * Launched crawls that fetch a website. The crawler follows the status of a stored crawl, which holds what the crawler
 * told last. A crawl that pauses, or whose service closes, is interrupted and goes on in its folder.
 */
export class WebsiteSource implements CrawlSource, AsyncDisposable {
  readonly isSynthetic = false;
  readonly #work: WebsiteWork;
  readonly #runs = new Map<string, Run>();
  readonly #stuck = new Map<string, CrawlhouseError>();
  #isClosed = false;

  constructor(work: WebsiteWork) {
    this.#work = work;
  }

  async plan({ project, config }: CrawlJob, quota: number): Promise<PlannedWork> {
    const settings = crawlerConfig(config);
    try {
      const own = checkRequest(OwnKeys, {
        recheck: config._recheck ?? undefined,
        sites: config._sites ?? undefined,
      });
      const read = readCrawlSettings(settings, own);
      const { maxUrl, rendering } = read;
      requireProxy(read, this.#work.proxy);
      if (rendering !== undefined) await findBrowser(this.#work.rendering.browser);
      const vitals = this.#vitalsOf(config);
      refuseUnmetHosts(read, { meetsAnyHost: config._list_only === true || vitals !== undefined });
      if (vitals !== undefined) await findLighthouse(this.#work.rendering.browser);
      return {
        work: { _crawler: { config: settings, isList: config._list_only === true, vitals, ...own } },
        urls: Math.min(maxUrl, quota),
      };
    } catch (error) {
      if (!(error instanceof CrawlhouseError)) throw error;
      const hint = error.hint === null ? '' : ` (${error.hint})`;
      throw new Refusal('invalid_request', `${project.name}: ${error.message}${hint}`);
    }
  }

  /** What a configuration says by a key of our own of web vitals, else the settings. */
  #vitalsOf({ _vitals }: StoredResource): VitalsOptions | undefined {
    const { pages_per_template, loads } = this.#work.vitals;
    const pagesPerTemplate = checkRequest(PagesPerTemplate.nullish(), _vitals) ?? pages_per_template;
    return pagesPerTemplate === 0 ? undefined : { pagesPerTemplate, loads };
  }

  async follow(crawl: LaunchedCrawl): Promise<void> {
    const { id, _crawler: work } = crawl;
    if (work !== undefined && isWorking(crawl)) {
      if (work.ended === undefined) this.#start(crawl, work);
      if (crawl.status === 'terminating') this.#runs.get(id)?.control.terminate();
      return;
    }
    await this.#stop(id);
    if (!isMoving(crawl)) await rm(this.#folder(id), { recursive: true, force: true });
  }

  async report(crawl: LaunchedCrawl): Promise<SourceReport> {
    const { reason, error } = crawl._crawler?.ended ?? {};
    if (reason === undefined) throw new Error(error ?? `${crawl.id} has no crawler`);
    return {
      endReason: reason,
      fetchedUrls: Number(crawl.fetched_urls),
      lastDepth: Number(crawl.last_depth),
      datasets: await importReport(this.#work.rows, crawl.id, {
        database: join(this.#folder(crawl.id), CRAWL_DATABASE),
        customFields: readCrawlSettings(crawl._crawler?.config).customFields,
        isList: crawl._crawler?.isList === true,
      }),
    };
  }

  #start(crawl: LaunchedCrawl, work: CrawlerWork): void {
    const { id } = crawl;
    if (this.#isClosed || this.#runs.has(id) || this.#stuck.has(id)) return;
    const control = new CrawlControl();
    const interruption = new AbortController();
    const stopped = this.#crawl(crawl, work, { control, signal: interruption.signal })
      .then((reason) => this.#tell(id, { ended: { at: this.#work.clock.now(), reason } }))
      .catch((thrown: unknown) => {
        if (!interruption.signal.aborted) this.#failed(id, toCrawlhouseError(thrown));
      })
      .finally(() => this.#runs.delete(id));
    this.#runs.set(id, { control, interruption, stopped });
  }

  /** What a person can mend ends no crawl: it goes on in its folder when this service starts again. */
  #failed(id: string, error: CrawlhouseError): void {
    this.#work.logger.error('crawl stopped', { crawl: id, error: error.message });
    if (MENDABLE.includes(error.code)) this.#stuck.set(id, error);
    else this.#tell(id, { ended: { at: this.#work.clock.now(), error: error.message } });
  }

  /** Why a crawl does not go on although it has not ended; undefined for one that does. */
  stuck(id: string): CrawlhouseError | undefined {
    return this.#stuck.get(id);
  }

  async #crawl(
    { id, project_id, _reserved }: LaunchedCrawl,
    { config, isList = false, vitals, recheck, sites }: CrawlerWork,
    steering: { readonly control: CrawlControl; readonly signal: AbortSignal },
  ): Promise<string> {
    const { resources, ingestFiles, allowPrivate, rendering, proxy } = this.#work;
    const project = resources.get('projects', String(project_id));
    // A crawl that can't be stored ends by that error, as one whose pages can't be.
    const unwritable = new AbortController();
    const { endReason } = await crawl(config, {
      ...steering,
      signal: AbortSignal.any([steering.signal, unwritable.signal]),
      folder: this.#folder(id),
      isList,
      former: this.#formerPages(id),
      demanded: demandedUrls(this.#work, String(project_id)),
      ...(recheck === undefined ? {} : { recheck }),
      ...(sites === undefined ? {} : { sites }),
      seeds: ingestFiles.seeds((config.user_input_files ?? []) as string[]),
      ...(typeof _reserved === 'number' ? { quota: _reserved } : {}),
      allowPrivate,
      rendering,
      proxy,
      vitals,
      iOwnThisSite: (project?.is_verified_by ?? null) !== null,
      onProgress: (progress) => {
        try {
          this.#tell(id, { progress });
        } catch (error) {
          unwritable.abort(error);
        }
      },
    });
    return endReason;
  }

  /** The pages that the crawl before fetched, some at a time; undefined where none has a report. */
  #formerPages(id: string): AsyncIterable<string[]> | undefined {
    const { resources, rows, clock } = this.#work;
    const crawl = resources.get('crawls', id);
    const former = crawl && formerCrawl(resources, crawl, clock.now());
    const pages = former && resources.dataset(former.id, 'pages');
    const idOf = (name: string) => pages?.columns.find(({ field }) => field.name === name)?.id;
    const [url, status] = [idOf('url'), idOf('status_code')];
    if (pages?.table === undefined || url === undefined || status === undefined) return undefined;
    // In order: what is kept of them takes a tenth of the time.
    const sql = `SELECT ${url} FROM ${ServiceRows.table(pages.table)} WHERE ${status} IS NOT NULL ORDER BY 1`;
    return rows.stream(async function* (connection) {
      for await (const chunk of (await StreamedRows.open(connection.inner, sql)).chunks())
        yield chunk.getRows().map(([value]) => String(value));
    });
  }

  /** Puts what the crawler told into its stored crawl; one that was deleted, or set by hand, has no place for it. */
  #tell(id: string, told: Pick<CrawlerWork, 'progress' | 'ended'>): void {
    const { resources } = this.#work;
    const known: LaunchedCrawl | undefined = resources.get('crawls', id);
    if (known?._crawler === undefined) return;
    const { progress } = told;
    const reached =
      progress === undefined ? {} : { fetched_urls: fetchedOf(progress.counts), last_depth: progress.depth };
    const changed: StoredResource = { ...known, ...reached, _crawler: { ...known._crawler, ...told } };
    resources.put('crawls', WORKSPACE_ID, changed);
  }

  async #stop(id: string): Promise<void> {
    const run = this.#runs.get(id);
    run?.interruption.abort();
    await run?.stopped;
  }

  #folder(id: string): string {
    return join(this.#work.stateDir, 'crawls', id);
  }

  /** Interrupts all crawls; the next process goes on with them. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#isClosed = true;
    await Promise.all([...this.#runs.keys()].map((id) => this.#stop(id)));
  }
}

/** A stored configuration as the crawler takes it: with its password, and without our own keys. */
function crawlerConfig(config: StoredResource): Record<string, unknown> {
  const { id, ...settings } = publicView(config);
  const auth = settings.http_auth as object | null | undefined;
  return auth ? { ...settings, http_auth: { ...auth, password: config._http_password } } : settings;
}

/** Copies the tables of a crawler's database into the sandbox's rows. */
async function importReport(
  rows: ServiceRows,
  crawlId: string,
  { database, ...rules }: Omit<CrawlFieldRules, 'hasVitals'> & { readonly database: string },
): Promise<Map<CrawlDataType, Dataset>> {
  const catalog = `report_${crawlId}`;
  return rows.useForImport(async (connection) => {
    await connection.run(`ATTACH ${text(database)} AS ${ident(catalog)} (READ_ONLY)`);
    try {
      const datasets = new Map<CrawlDataType, Dataset>();
      const measured = `SELECT count(cwv_measurement) > 0 FROM ${table(catalog, 'main', 'vitals')}`;
      const hasVitals = (await connection.scalar(measured)) === true;
      const tables: Readonly<Record<CrawlDataType, readonly CrawlField[]>> = {
        pages: pageFields({ ...rules, hasVitals }),
        links: LINK_FIELDS,
        clusters: CLUSTER_FIELDS,
        structured_data: ITEM_FIELDS,
        requests: REQUEST_FIELDS,
      };
      for (const [dataType, fields] of Object.entries(tables) as [CrawlDataType, readonly CrawlField[]][]) {
        const columns = columnsOf(recordsOf(dataType, fields));
        const cells = columns.map(
          ({ id, kind, field }) => `CAST(${ident(field.name)} AS ${SQL_TYPES[kind]}) AS ${id}`,
        );
        const name = `${dataType}_${crawlId}`;
        await connection.run(
          `CREATE OR REPLACE TABLE ${ServiceRows.table(name)} AS SELECT ${cells.join(', ')} FROM ${table(catalog, 'main', dataType)}`,
        );
        datasets.set(dataType, { table: name, columns });
      }
      return datasets;
    } finally {
      await connection.run(`DETACH ${ident(catalog)}`);
    }
  });
}

function recordsOf(dataType: CrawlDataType, fields: readonly CrawlField[]): FieldRecord[] {
  const records = FIELD_RECORDS[dataType];
  return fields.map(
    ({ name, type, arity }) => records.find((known) => known.name === name) ?? fieldRecord(name, type, arity),
  );
}
