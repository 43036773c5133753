import type { FetchStatus } from '../../api/resources/crawl-progress.ts';

/** A crawl fetches in this many steps, each of the same number of URLs. */
export const FETCH_STEPS = 40;

export type FetchCounts = Readonly<Record<FetchStatus, number>>;

/** The totals of one step of fetching at one depth. */
export interface FetchStep extends FetchCounts {
  /** From 0. */
  readonly step: number;
  readonly depth: number;
}

interface PlannedSample {
  readonly step: number;
  readonly url: string;
  readonly fetch_status: FetchStatus;
  readonly status_code: number | null;
  /** Milliseconds; null for what was not fetched. */
  readonly fetch_duration: number | null;
}

/**
 * The outcome of a crawl that is not ended early. It is stored with the crawl, so that its state at any time follows.
 */
export interface CrawlPlan {
  readonly end_reason: string;
  readonly steps: readonly FetchStep[];
  readonly samples: readonly PlannedSample[];
}

const FETCHED = ['fetched_2xx', 'fetched_3xx', 'fetched_4xx', 'fetched_5xx'] as const;
export const NO_COUNTS: FetchCounts = {
  fetched_2xx: 0,
  fetched_3xx: 0,
  fetched_4xx: 0,
  fetched_5xx: 0,
  unfetched_exception: 0,
  unfetched_robots_denied: 0,
};

function addCounts(a: FetchCounts, b: FetchCounts): FetchCounts {
  const names = Object.keys(NO_COUNTS) as FetchStatus[];
  return Object.fromEntries(names.map((name) => [name, a[name] + b[name]])) as Record<FetchStatus, number>;
}

export function fetchedOf(counts: FetchCounts): number {
  return FETCHED.reduce((sum, name) => sum + counts[name], 0);
}

export function urlsOf(counts: FetchCounts): number {
  return fetchedOf(counts) + counts.unfetched_exception + counts.unfetched_robots_denied;
}

export function firstSteps(plan: CrawlPlan, steps: number): readonly FetchStep[] {
  return plan.steps.filter(({ step }) => step < steps);
}

/** The totals of the first steps of a plan. */
export function countsOf(steps: readonly FetchStep[]): FetchCounts {
  return steps.reduce(addCounts, NO_COUNTS);
}
