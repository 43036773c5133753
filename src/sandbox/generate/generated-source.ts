import type { CrawlDataType, FieldRecord } from '../../api/fields.ts';
import { catalogueOf } from '../catalogue/catalogue-of.ts';
import type { CrawlPlan } from '../life/crawl-plan.ts';
import { countsOf, FETCH_STEPS, urlsOf } from '../life/crawl-plan.ts';
import type { CrawlJob, CrawlSource } from '../life/crawl-source.ts';
import { resourceId } from '../resources/ids.ts';
import type { Dataset, Document, Resources } from '../resources/resources.ts';
import type { RowStore } from '../rows/row-store.ts';
import { createCrawlTables } from './create-crawl-tables.ts';
import { planFetch } from './plan-fetch.ts';
import type { Site } from './site.ts';
import { brandOf, type SiteShape, siteAt } from './site-shape.ts';

/** Seconds that the pages of a launched crawl are fetched in. */
const FETCHING = 40;

/** Launched crawls from the generator: the next crawl of a generated project's site, or a made-up site of any other. */
export class GeneratedSource implements CrawlSource {
  readonly #rows: RowStore;
  readonly #resources: Resources;

  constructor(rows: RowStore, resources: Resources) {
    this.#rows = rows;
    this.#resources = resources;
  }

  plan(job: CrawlJob, quota: number): Promise<CrawlPlan> {
    const { site, shape } = siteOf(job);
    const limits = {
      pages: shape.pages,
      maxDepth: Number(job.config.max_depth ?? Number.POSITIVE_INFINITY),
      maxUrl: Number(job.config.max_url ?? Number.POSITIVE_INFINITY),
      quota,
    };
    return this.#rows.use((connection) => planFetch(connection, site, limits));
  }

  async write(job: CrawlJob, plan: CrawlPlan, steps: number): Promise<ReadonlyMap<CrawlDataType, Dataset>> {
    const { site, shape } = siteOf(job);
    const reach = Math.ceil((urlsOf(countsOf(plan.steps)) * steps) / FETCH_STEPS);
    const wanted = { site, rows: shape, pageFields: this.#pageFields(job.project), reach };
    return createCrawlTables(this.#rows, job.crawlId, wanted);
  }

  /** The fields of the project's latest crawl, so that crawls of one project fit together. */
  #pageFields(project: Document): readonly FieldRecord[] {
    const crawlIds = (project.crawl_ids as readonly string[] | null) ?? [];
    for (const id of crawlIds.toReversed()) {
      const dataset = this.#resources.dataset(id, 'pages');
      if (dataset !== undefined) return dataset.columns.map((column) => column.field);
    }
    return catalogueOf('pages');
  }
}

function siteOf(job: CrawlJob): { readonly site: Site; readonly shape: SiteShape } {
  const shape = shapeOfProject(job.project);
  const startedAt = Math.floor(job.startedAt / 1000);
  return { shape, site: siteAt(shape, job.number, { startedAt, endedAt: startedAt + FETCHING }) };
}

/** A generated project has its shape; any other gets one that depends on its id alone. */
function shapeOfProject(project: Document): SiteShape {
  const kept = project._site as SiteShape | undefined;
  const at = Number.parseInt(resourceId('site', project.id).slice(0, 8), 16);
  const pages = kept?.pages || 200 + (at % 200);
  if (kept !== undefined) return { ...kept, pages };
  return {
    seed: at,
    project: 0,
    host: hostForSql(String(project.start_url)),
    brand: brandOf(at),
    pages,
    links: pages * 10,
    clusters: 10,
    structured_data: pages,
    // Any fixed time: dates on the pages lie in the year before it.
    firstEnd: Date.parse('2025-01-06T21:00:00Z') / 1000,
  };
}

/** The host, quoted for the generator's SQL text: a host name may have an apostrophe. */
function hostForSql(url: string): string {
  const host = URL.canParse(url) ? new URL(url).host : 'www.sandbox.example';
  return host.replace(/[^a-z0-9.:[\]_-]/gi, '-');
}
