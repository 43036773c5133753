import { ANALYSIS_JOBS } from '../../api/resources/crawl-progress.ts';
import type { FetchProgress as CrawlerProgress } from '../../site/crawler/crawl-progress.ts';
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

/** How long a crawl stays in a state on the way to another. */
export const PAUSING = 2 * SECOND;
export const ARCHIVING = 10 * SECOND;
export const UNARCHIVING = 10 * SECOND;
export const UNARCHIVING_FAST = 5 * SECOND;

/** The crawl of a website: what the crawler crawls, and how far it was when it last told. */
export interface CrawlerWork {
  /** A crawl configuration, with the password that is not served. */
  readonly config: Readonly<Record<string, unknown>>;
  /** The URLs of its ingest files are fetched and nothing else. */
  readonly isList?: boolean;
  /** Absent: web vitals are not measured. */
  readonly vitals?: VitalsOptions | undefined;
  /** The most URLs that are requested again; absent: the default. */
  readonly recheck?: number | undefined;
  /** Further start URLs, of other domains too. */
  readonly sites?: readonly string[] | undefined;
  readonly progress?: CrawlerProgress;
  /** When the crawler ended, on the service's clock, and why; or the error that it ended with. */
  readonly ended?: { readonly at: number; readonly reason?: string; readonly error?: string };
}

/** What a launched crawl holds besides what is served. Times are milliseconds. */
export interface LaunchedCrawl extends StoredResource {
  readonly _plan?: CrawlPlan;
  readonly _crawler?: CrawlerWork;
  /** The crawl's number on its site, from 0. */
  readonly _number?: number;
  /** Gone when it ended: the work done before `since`, when the stretch that runs now began. */
  readonly _work?: { readonly elapsed: number; readonly since: number };
  readonly _worked?: number;
  /** Why it ended without a report, where it failed. */
  readonly _failure?: string;
  /** The steps it fetched, where it was ended early. */
  readonly _stop?: number;
  /** A state on the way to another: what changes, and when. */
  readonly _turn?: { readonly at: number; readonly to: Readonly<Record<string, unknown>> };
}

/** The configuration that a crawl was launched with; undefined of one that was imported without. */
export function configOf({ crawl_config }: StoredResource): string | undefined {
  return (crawl_config as StoredResource | null)?.id;
}

/** The last crawl with a report that the crawl's configuration had, ended by a time on the service's clock. */
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

/** States out of which a crawl moves by itself, or by command, before it rests. */
export function isMoving(crawl: StoredResource): boolean {
  return !['done', 'cancelled', 'archived'].includes(String(crawl.status));
}

/** Whether a crawl keeps others with its configuration from starting. */
export function isUnderWay(crawl: StoredResource): boolean {
  return ['running', 'terminating', 'pausing', 'paused'].includes(String(crawl.status));
}

/** Milliseconds of work done, at most `WORK_END`. */
export function workedAt(crawl: LaunchedCrawl, now: number): number {
  if (crawl._work === undefined) return crawl._worked ?? WORK_END;
  const { elapsed, since } = crawl._work;
  return Math.min(WORK_END, elapsed + (isWorking(crawl) ? Math.max(0, now - since) : 0));
}

export function stepsAt(crawl: LaunchedCrawl, now: number): number {
  const done = Math.min(FETCH_STEPS, Math.floor(workedAt(crawl, now) / STEP));
  return Math.min(done, crawl._stop ?? FETCH_STEPS);
}

/** When the work ends; nothing where it does not go on, or the crawler has to tell. */
export function workEndOf(crawl: LaunchedCrawl): number | undefined {
  if (crawl._work === undefined || !isWorking(crawl)) return undefined;
  if (crawl._crawler !== undefined) return crawl._crawler.ended?.at;
  return crawl._work.since + WORK_END - crawl._work.elapsed;
}

/** The crawl as it is now: while it fetches, its counts grow. */
export function crawlAt(crawl: LaunchedCrawl, now: number): StoredResource {
  if (crawl._work === undefined || crawl._plan === undefined) return crawl;
  return { ...crawl, ...reached(crawl._plan, stepsAt(crawl, now)) };
}

/** The fields of a crawl that follow from its first steps. */
export function reached(plan: CrawlPlan, steps: number): { fetched_urls: number; last_depth: number } {
  const done = firstSteps(plan, steps);
  return {
    fetched_urls: fetchedOf(countsOf(done)),
    last_depth: done.reduce((deepest, { depth }) => Math.max(deepest, depth), 0),
  };
}
