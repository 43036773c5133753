import type { CrawlDataType } from '../../client/resources/fields.ts';
import type { StoredDataset, StoredResource } from '../resources/resources.ts';
import type { ServiceState } from '../rows/service-state.ts';
import type { LaunchedCrawl } from './launched-crawl.ts';

export interface CrawlJob {
  readonly crawlId: string;
  readonly project: StoredResource;
  readonly config: StoredResource;
  /** The crawl's number on its site, from 0. */
  readonly number: number;
  /** UTC milliseconds. */
  readonly startedAt: number;
}

/** The stored work of a new crawl, and the most URLs that it fetches. */
export interface PlannedWork {
  readonly work: Pick<LaunchedCrawl, '_plan' | '_crawler'>;
  readonly urls: number;
}

/** The result of a crawl whose work is done. */
export interface SourceReport {
  readonly endReason: string;
  readonly fetchedUrls: number;
  readonly lastDepth: number;
  readonly datasets: ReadonlyMap<CrawlDataType, StoredDataset>;
}

/** The source of the pages and links of launched crawls. The progress of a crawl is in its stored resource. */
export interface CrawlSource {
  /** Whether a schedule starts a crawl for each firing that the clock skipped, or one crawl for all skipped firings. */
  readonly isSynthetic: boolean;
  /**
   * Plans a crawl that fetches at most `quota` URLs.
   *
   * @throws Refusal for a configuration that it cannot apply
   */
  plan(job: CrawlJob, quota: number): Promise<PlannedWork>;
  /** Makes the work follow the status of the stored crawl. Idempotent. */
  follow(crawl: LaunchedCrawl): Promise<void>;
  /** Creates the tables of a crawl whose work was done at a time. */
  report(crawl: LaunchedCrawl, project: StoredResource, at: number): Promise<SourceReport>;
}

export interface CrawlContext extends ServiceState {
  readonly sourceOf: (project: StoredResource) => CrawlSource;
  /** Notifies the recipients in a crawl's configuration that it ended or did not start. */
  readonly notify: (crawl: StoredResource) => void;
}

/** Makes the work follow a stored crawl, and returns the crawl as it is afterwards. */
export async function followCrawl(
  { resources, sourceOf }: CrawlContext,
  crawl: StoredResource,
): Promise<StoredResource> {
  const project = resources.get('projects', String(crawl.project_id));
  if (project !== undefined) await sourceOf(project).follow(crawl);
  return resources.get('crawls', crawl.id) ?? crawl;
}
