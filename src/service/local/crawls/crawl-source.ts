import type { CrawlDataType } from '../../api/resources/fields.ts';
import type { Dataset, StoredResource } from '../resources/resources.ts';
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

/** What a new crawl keeps of its work, and the most URLs that it fetches. */
export interface PlannedWork {
  readonly work: Pick<LaunchedCrawl, '_plan' | '_crawler'>;
  readonly urls: number;
}

/** What came of a crawl whose work is done. */
export interface SourceReport {
  readonly endReason: string;
  readonly fetchedUrls: number;
  readonly lastDepth: number;
  readonly datasets: ReadonlyMap<CrawlDataType, Dataset>;
}

/** The source of the pages and links of launched crawls. How far a crawl is stands in its stored resource. */
export interface CrawlSource {
  /** Whether a schedule makes up for each firing that the clock passed over, or starts one crawl for all of them. */
  readonly isSynthetic: boolean;
  /**
   * Plans a crawl that fetches at most `quota` URLs.
   *
   * @throws Refusal for a configuration that it can't follow
   */
  plan(job: CrawlJob, quota: number): Promise<PlannedWork>;
  /** Makes the work follow the status of the stored crawl. Done again, it changes nothing. */
  follow(crawl: LaunchedCrawl): Promise<void>;
  /** Makes the tables of a crawl whose work was done at a time. */
  report(crawl: LaunchedCrawl, project: StoredResource, at: number): Promise<SourceReport>;
}

export interface CrawlContext extends ServiceState {
  readonly sourceOf: (project: StoredResource) => CrawlSource;
  /** Tells whom a crawl's configuration names that it ended, or did not start. */
  readonly notify: (crawl: StoredResource) => void;
}

/** Makes the work follow a stored crawl, which it returns as it is then. */
export async function followCrawl(
  { resources, sourceOf }: CrawlContext,
  crawl: StoredResource,
): Promise<StoredResource> {
  const project = resources.get('projects', String(crawl.project_id));
  if (project !== undefined) await sourceOf(project).follow(crawl);
  return resources.get('crawls', crawl.id) ?? crawl;
}
