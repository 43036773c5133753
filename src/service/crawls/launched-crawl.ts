import { ANALYSIS_JOBS } from '../../client/resources/crawl-progress.ts';
import type { FetchProgress as CrawlerProgress } from '../../site/crawler/progress-reporter.ts';
import type { VitalsOptions } from '../../site/crawler/vitals/vitals.ts';
import type { Resources, StoredResource } from '../resources/resources.ts';
import { ofProject } from '../resources/seed.ts';
import { type CrawlPlan, countsOf, FETCH_STEPS, fetchedOf, firstSteps } from './crawl-plan.ts';

const SECOND = 1000;
const STEP = SECOND;
/** Milliseconds of work after which each part of a crawl is done, on the service's clock. */
export const FETCH_END = FETCH_STEPS * STEP;
export const CONNECTORS_END = FETCH_END + 2 * SECOND;
export const JOB = SECOND;
export const ANALYSIS_END = CONNECTORS_END + ANALYSIS_JOBS.length * JOB;
export const CROSS_ANALYSIS_END = ANALYSIS_END + 2 * SECOND;
export const WORK_END = CROSS_ANALYSIS_END + 3 * SECOND;

/** Time that a crawl spends in a transitional state. */
export const PAUSING = 2 * SECOND;
export const ARCHIVING = 10 * SECOND;
export const UNARCHIVING = 10 * SECOND;
export const UNARCHIVING_FAST = 5 * SECOND;

/** The crawl of a website: its target, and the last progress that the crawler reported. */
export interface CrawlerWork {
  /** A crawl configuration, with the password that is not served. */
  readonly config: Readonly<Record<string, unknown>>;
  /** Only the URLs of its ingest files are fetched. */
  readonly isList?: boolean;
  /** Absent: web vitals are not measured. */
  readonly vitals?: VitalsOptions | undefined;
  /** The maximum number of URLs that are requested again; absent: the default. */
  readonly recheck?: number | undefined;
  /** Additional start URLs, also of other domains. */
  readonly sites?: readonly string[] | undefined;
  readonly progress?: CrawlerProgress;
  /** When the crawler ended, on the service's clock, and why; or the error that it ended with. */
  readonly ended?: { readonly at: number; readonly reason?: string; readonly error?: string };
}

/** What a launched crawl stores in addition to the served fields. Times are in milliseconds. */
export interface LaunchedCrawl extends StoredResource {
  readonly _plan?: CrawlPlan;
  readonly _crawler?: CrawlerWork;
  /** The crawl's number on its site, from 0. */
  readonly _number?: number;
  /** Absent after its end: the work done before `since`, when the current stretch began. */
  readonly _work?: { readonly elapsed: number; readonly since: number };
  readonly _worked?: number;
  /** Why it ended without a report, if it failed. */
  readonly _failure?: string;
  /** The steps that it fetched, if it was ended early. */
  readonly _stop?: number;
  /** A transitional state: the next change, and its time. */
  readonly _turn?: { readonly at: number; readonly to: Readonly<Record<string, unknown>> };
}

/** Returns the configuration that a crawl was launched with; undefined if it was imported without one. */
export function configOf({ crawl_config }: StoredResource): string | undefined {
  return (crawl_config as StoredResource | null)?.id;
}

/** Returns the last crawl of a crawl's configuration with a report that ended before a time on the service's clock. */
export function formerCrawl(
  resources: Resources,
  crawl: StoredResource,
  at: number,
): StoredResource | undefined {
  return ofProject(resources.list('crawls'), String(crawl.project_id))
    .filter((other) => other.id !== crawl.id && configOf(other) === configOf(crawl))
    .filter((other) => other.status === 'done' && Number(other.ended_at) <= at)
    .sort((a, b) => Number(b.ended_at) - Number(a.ended_at))
    .at(0);
}

export function isWorking(crawl: StoredResource): boolean {
  return crawl.status === 'running' || crawl.status === 'terminating';
}

/** Returns whether a crawl is in a state that changes by itself or by command. */
export function isMoving(crawl: StoredResource): boolean {
  return !['done', 'cancelled', 'archived'].includes(String(crawl.status));
}

/** Returns whether a crawl keeps others with its configuration from starting. */
export function isUnderWay(crawl: StoredResource): boolean {
  return ['running', 'terminating', 'pausing', 'paused'].includes(String(crawl.status));
}

/** Returns the milliseconds of work done, at most `WORK_END`. */
export function workedAt(crawl: LaunchedCrawl, now: number): number {
  if (crawl._work === undefined) return crawl._worked ?? WORK_END;
  const { elapsed, since } = crawl._work;
  return Math.min(WORK_END, elapsed + (isWorking(crawl) ? Math.max(0, now - since) : 0));
}

export function stepsAt(crawl: LaunchedCrawl, now: number): number {
  const done = Math.min(FETCH_STEPS, Math.floor(workedAt(crawl, now) / STEP));
  return Math.min(done, crawl._stop ?? FETCH_STEPS);
}

/** When the work ends; undefined if it does not continue, or if the crawler has to report the end. */
export function workEndOf(crawl: LaunchedCrawl): number | undefined {
  if (crawl._work === undefined || !isWorking(crawl)) return undefined;
  if (crawl._crawler !== undefined) return crawl._crawler.ended?.at;
  return crawl._work.since + WORK_END - crawl._work.elapsed;
}

/** Returns the crawl at a time: its counts grow while it fetches. */
export function crawlAt(crawl: LaunchedCrawl, now: number): StoredResource {
  if (crawl._work === undefined || crawl._plan === undefined) return crawl;
  return { ...crawl, ...reached(crawl._plan, stepsAt(crawl, now)) };
}

/** Returns the fields of a crawl that follow from its first steps. */
export function reached(plan: CrawlPlan, steps: number): { fetched_urls: number; last_depth: number } {
  const done = firstSteps(plan, steps);
  return {
    fetched_urls: fetchedOf(countsOf(done)),
    last_depth: done.reduce((deepest, { depth }) => Math.max(deepest, depth), 0),
  };
}
