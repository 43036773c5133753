import { urlsOf } from '../../../client/resources/crawl-progress.ts';
import type { FieldRecord } from '../../../client/resources/fields.ts';
import { countsOf, FETCH_STEPS, fetchedOf } from '../../crawls/crawl-plan.ts';
import type { CrawlJob, CrawlSource, PlannedWork, SourceReport } from '../../crawls/crawl-source.ts';
import { type LaunchedCrawl, reached, stepsAt } from '../../crawls/launched-crawl.ts';
import { FIELD_RECORDS } from '../../fields/field-records-of.ts';
import { type Resources, resourceId, type StoredResource } from '../../resources/resources.ts';
import type { ServiceRows } from '../../rows/service-rows.ts';
import { createCrawlTables } from './create-crawl-tables.ts';
import { planFetch } from './plan-fetch.ts';
import { type GeneratedSite, type SiteShape, siteAt } from './site.ts';

/** Seconds in which the pages of a launched crawl are fetched. */
const FETCHING = 40;

/** Launched crawls from the generator: the next crawl of a generated project's site. */
export class GeneratedSource implements CrawlSource {
  readonly isSynthetic = true;
  readonly #rows: ServiceRows;
  readonly #resources: Resources;

  constructor(rows: ServiceRows, resources: Resources) {
    this.#rows = rows;
    this.#resources = resources;
  }

  /** Plans the work. Deterministic, so that a job always has the same outcome. */
  async plan({ project, config, number, startedAt }: CrawlJob, quota: number): Promise<PlannedWork> {
    const { site, shape } = siteOf(project, number, startedAt);
    const limits = {
      pages: shape.pages,
      maxDepth: Number(config.max_depth ?? Number.POSITIVE_INFINITY),
      maxUrl: Number(config.max_url ?? Number.POSITIVE_INFINITY),
      quota,
    };
    const plan = await this.#rows.use((connection) => planFetch(connection, site, limits));
    return { work: { _plan: plan }, urls: fetchedOf(countsOf(plan.steps)) };
  }

  /** The work follows from the stored crawl and the time. */
  async follow(): Promise<void> {}

  async report(crawl: LaunchedCrawl, project: StoredResource, at: number): Promise<SourceReport> {
    if (crawl._plan === undefined) throw new Error(`${crawl.id} was not planned`);
    const steps = stepsAt(crawl, at);
    const { site, shape } = siteOf(project, crawl._number ?? 0, Number(crawl.created_at));
    const reach = Math.ceil((urlsOf(countsOf(crawl._plan.steps)) * steps) / FETCH_STEPS);
    const wanted = { site, rows: shape, pageFields: this.#pageFields(project), reach };
    const { fetched_urls, last_depth } = reached(crawl._plan, steps);
    return {
      endReason: String(crawl.end_reason ?? crawl._plan.end_reason),
      fetchedUrls: fetched_urls,
      lastDepth: last_depth,
      datasets: await createCrawlTables(this.#rows, crawl.id, wanted),
    };
  }

  /** Returns the fields of the project's latest crawl, so that crawls of one project fit together. */
  #pageFields(project: StoredResource): readonly FieldRecord[] {
    const crawlIds = (project.crawl_ids as readonly string[] | null) ?? [];
    for (const id of crawlIds.toReversed()) {
      const dataset = this.#resources.dataset(id, 'pages');
      if (dataset !== undefined) return dataset.columns.map((column) => column.field);
    }
    return FIELD_RECORDS.pages;
  }
}

function siteOf(
  project: StoredResource,
  number: number,
  at: number,
): { readonly site: GeneratedSite; readonly shape: SiteShape } {
  const own = project._site as SiteShape;
  // A site that was generated without pages gets a number of pages derived from its project's id.
  const pages = own.pages || 200 + (Number.parseInt(resourceId('site', project.id).slice(0, 8), 16) % 200);
  const shape = { ...own, pages };
  const startedAt = Math.floor(at / 1000);
  return { shape, site: siteAt(shape, number, { startedAt, endedAt: startedAt + FETCHING }) };
}
