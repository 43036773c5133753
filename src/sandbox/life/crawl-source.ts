import type { CrawlDataType } from '../../api/fields.ts';
import type { Dataset, Document } from '../resources/resources.ts';
import type { CrawlPlan } from './crawl-plan.ts';

/** A crawl that is to be made. */
export interface CrawlJob {
  readonly crawlId: string;
  readonly project: Document;
  readonly config: Document;
  /** The crawl's number on its site, from 0. */
  readonly number: number;
  /** UTC milliseconds. */
  readonly startedAt: number;
}

/** The source of the pages and links of launched crawls. */
export interface CrawlSource {
  /** The outcome of the crawl if it fetches at most `quota` URLs; the same for the same job. */
  plan(job: CrawlJob, quota: number): Promise<CrawlPlan>;
  /** Makes the tables of what the first steps of a plan found. */
  write(job: CrawlJob, plan: CrawlPlan, steps: number): Promise<ReadonlyMap<CrawlDataType, Dataset>>;
}
