import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { HttpUrl } from '../../client/endpoint.ts';
import type { CrawlDataType, FieldRecord } from '../../client/resources/fields.ts';
import { ident, table, text } from '../../core/duckdb/duckdb.ts';
import { StreamedRows } from '../../core/duckdb/streamed-rows.ts';
import { CrawlhouseError, toCrawlhouseError } from '../../core/errors/errors.ts';
import { readCrawlSettings } from '../../site/crawler/crawl-settings.ts';
import { CRAWL_DATABASE, crawlWebsite } from '../../site/crawler/crawl-website.ts';
import { type CrawlProxy, requireProxy } from '../../site/crawler/fetch/crawl-proxy.ts';
import { refuseUnmetHosts } from '../../site/crawler/host-overrides.ts';
import {
  CLUSTER_FIELDS,
  type CrawlField,
  ITEM_FIELDS,
  LINK_FIELDS,
  REQUEST_FIELDS,
} from '../../site/crawler/jobs/crawl-fields.ts';
import { type CrawlFieldRules, pageFields } from '../../site/crawler/jobs/page-sql.ts';
import { CrawlControl } from '../../site/crawler/progress-reporter.ts';
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
import type { IngestedFiles } from '../ingest/ingested-files.ts';
import { checkRequest } from '../resources/check-request.ts';
import { Refusal } from '../resources/refusal.ts';
import { publicView, type StoredDataset, type StoredResource } from '../resources/resources.ts';
import { WORKSPACE_ID } from '../resources/seed.ts';
import { ServiceRows } from '../rows/service-rows.ts';
import type { ServiceState } from '../rows/service-state.ts';
import { demandedUrls } from './demanded-urls.ts';

interface WebsiteWork extends ServiceState {
  readonly ingestFiles: IngestedFiles;
  readonly stateDir: string;
  /** Private, loopback and link-local addresses are fetched, regardless of the start URL. */
  readonly allowPrivate: boolean;
  /** Private addresses are refused, even for the start URL. */
  readonly publicOnly: boolean;
  readonly rendering: RenderOptions;
  readonly proxy: CrawlProxy | undefined;
  readonly vitals: VitalsSettings;
}

/**
 * Codes of errors that the user can fix, such as a full disk, a missing browser, or a folder that cannot be created.
 */
const MENDABLE: readonly string[] = ['disk', 'missing_feature', 'bad_project'];

/** Internal keys of a configuration, in addition to those of web vitals and lists. */
const OwnKeys = z.object({ recheck: z.int().nonnegative().optional(), sites: z.array(HttpUrl).optional() });

/** A running crawler. */
interface Run {
  readonly control: CrawlControl;
  readonly interruption: AbortController;
  /** Resolves when the crawler has stopped and its result is in the stored crawl. */
  readonly stopped: Promise<void>;
}

/**
 * Launched crawls that fetch a website. The crawler follows the status of a stored crawl, which contains the crawler's
 * last report. If a crawl is paused, or its service closes, the crawl is interrupted and later continues in its folder.
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

  /** Returns the web vitals options of a configuration's internal keys, or else of the settings. */
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

  /**
   * Handles the failure of a crawl. An error that the user can fix does not end the crawl, which continues in its
   * folder when this service starts again.
   */
  #failed(id: string, error: CrawlhouseError): void {
    this.#work.logger.error('crawl stopped', { crawl: id, error: error.message });
    if (MENDABLE.includes(error.code)) this.#stuck.set(id, error);
    else this.#tell(id, { ended: { at: this.#work.clock.now(), error: error.message } });
  }

  /** Returns why a crawl does not continue although it has not ended; undefined if it continues. */
  stuck(id: string): CrawlhouseError | undefined {
    return this.#stuck.get(id);
  }

  async #crawl(
    { id, project_id, _reserved }: LaunchedCrawl,
    { config, isList = false, vitals, recheck, sites }: CrawlerWork,
    steering: { readonly control: CrawlControl; readonly signal: AbortSignal },
  ): Promise<string> {
    const { resources, ingestFiles, allowPrivate, publicOnly, rendering, proxy } = this.#work;
    const project = resources.get('projects', String(project_id));
    // A crawl that cannot be stored ends with that error, like one whose pages cannot be stored.
    const unwritable = new AbortController();
    const { endReason } = await crawlWebsite(config, {
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
      publicOnly,
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

  /** Returns the pages that the previous crawl fetched, in batches; undefined if no crawl has a report. */
  #formerPages(id: string): AsyncIterable<string[]> | undefined {
    const { resources, rows, clock } = this.#work;
    const crawl = resources.get('crawls', id);
    const former = crawl && formerCrawl(resources, crawl, clock.now());
    const pages = former && resources.dataset(former.id, 'pages');
    const idOf = (name: string) => pages?.columns.find(({ field }) => field.name === name)?.id;
    const [url, status] = [idOf('url'), idOf('status_code')];
    if (pages?.table === undefined || url === undefined || status === undefined) return undefined;
    // Sorted, because storing them then takes a tenth of the time.
    const sql = `SELECT ${url} FROM ${ServiceRows.table(pages.table)} WHERE ${status} IS NOT NULL ORDER BY 1`;
    return rows.stream(async function* (connection) {
      for await (const chunk of (await StreamedRows.open(connection.inner, sql)).chunks())
        yield chunk.getRows().map(([value]) => String(value));
    });
  }

  /** Stores the crawler's report in its crawl, unless the crawl was deleted or its state was set by hand. */
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

  /** Interrupts all crawls; the next process continues them. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#isClosed = true;
    await Promise.all([...this.#runs.keys()].map((id) => this.#stop(id)));
  }
}

/** Returns a stored configuration for the crawler: with its password, and without internal keys. */
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
): Promise<Map<CrawlDataType, StoredDataset>> {
  const catalog = `report_${crawlId}`;
  return rows.useForImport(async (connection) => {
    await connection.run(`ATTACH ${text(database)} AS ${ident(catalog)} (READ_ONLY)`);
    try {
      const datasets = new Map<CrawlDataType, StoredDataset>();
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
