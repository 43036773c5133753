import { z } from 'zod';
import {
  FETCH_STATUSES,
  type FetchCounts,
  type FetchStatus,
  NO_COUNTS,
  urlsOf,
} from '../../client/resources/crawl-progress.ts';
import { END_REASONS_WITHOUT_REPORT } from '../../client/resources/end-reasons.ts';
import { typedRows } from '../../core/text/typed-rows.ts';
import type { Resources, StoredDataset, StoredResource } from '../resources/resources.ts';
import { WORKSPACE_ID } from '../resources/seed.ts';
import { ServiceRows } from '../rows/service-rows.ts';

const DepthCount = z.strictObject({ depth: z.number(), fetch_status: z.string(), urls: z.number() });

/** A crawl fetches in this many steps, each of the same number of URLs. */
export const FETCH_STEPS = 40;

/** The totals of one step of fetching at one depth. */
export interface FetchStep extends FetchCounts {
  /** Starts at 0. */
  readonly step: number;
  readonly depth: number;
}

interface PlannedSample {
  readonly step: number;
  readonly url: string;
  readonly fetch_status: FetchStatus;
  readonly status_code: number | null;
  /** Milliseconds; null for URLs that were not fetched. */
  readonly fetch_duration: number | null;
}

/**
 * The outcome of a crawl that is not ended early. It is stored with the crawl, and determines the crawl's state at any
 * time.
 */
export interface CrawlPlan {
  readonly end_reason: string;
  readonly steps: readonly FetchStep[];
  readonly samples: readonly PlannedSample[];
}

function addCounts(a: FetchCounts, b: FetchCounts): FetchCounts {
  return Object.fromEntries(FETCH_STATUSES.map((name) => [name, a[name] + b[name]])) as FetchCounts;
}

export function fetchedOf(counts: FetchCounts): number {
  return urlsOf(counts) - counts.unfetched_exception - counts.unfetched_robots_denied;
}

export function firstSteps(plan: CrawlPlan, steps: number): readonly FetchStep[] {
  return plan.steps.filter(({ step }) => step < steps);
}

export function countsOf(steps: readonly FetchStep[]): FetchCounts {
  return steps.reduce(addCounts, NO_COUNTS);
}

/**
 * Returns the plan of an imported or generated crawl, from its rows; undefined for a crawl without a report. Pages that
 * no link leads to count at depth 1, where a sitemap would add them.
 */
export async function reportedPlan(
  rows: ServiceRows,
  crawl: StoredResource,
  pages: StoredDataset | undefined,
): Promise<CrawlPlan | undefined> {
  const reason = String(crawl.end_reason ?? 'ok');
  if (END_REASONS_WITHOUT_REPORT.includes(reason)) return undefined;
  if (pages?.table === undefined) return { end_reason: reason, steps: [], samples: [] };
  const cell = (name: string, type: string): string => {
    const column = pages.columns.find(({ field }) => field.name === name);
    return column === undefined
      ? `CAST(NULL AS ${type})`
      : `TRY_CAST(CAST(${column.id} AS VARCHAR) AS ${type})`;
  };
  const status = cell('status_code', 'INTEGER');
  const sql = `SELECT coalesce(${cell('depth', 'INTEGER')}, 1) AS depth,
      CASE WHEN ${status} BETWEEN 200 AND 599 THEN concat('fetched_', ${status} // 100, 'xx')
        WHEN ${cell('robots_txt_denied', 'BOOLEAN')} THEN 'unfetched_robots_denied' ELSE 'unfetched_exception' END AS fetch_status,
      CAST(count(*) AS INTEGER) AS urls
    FROM ${ServiceRows.table(pages.table)} GROUP BY ALL ORDER BY ALL`;
  const found = await rows.use(async (connection) => typedRows(DepthCount, await connection.rows(sql)));
  const steps = found.map(
    ({ depth, fetch_status, urls }): FetchStep => ({ step: 0, depth, ...NO_COUNTS, [fetch_status]: urls }),
  );
  return { end_reason: reason, steps, samples: [] };
}

/** Returns URLs that the workspace's crawls may still fetch: unlimited unless `crawl_url_quota` is set. */
export function quotaLeft(resources: Resources): number {
  const quota = resources.get('workspaces', WORKSPACE_ID)?._crawl_url_quota;
  return typeof quota === 'number' ? quota : Number.POSITIVE_INFINITY;
}

/** Takes URLs out of the quota, if there is one; a negative number returns them. */
export function takeQuota(resources: Resources, urls: number): boolean {
  const workspace = resources.get('workspaces', WORKSPACE_ID);
  if (workspace === undefined || typeof workspace._crawl_url_quota !== 'number') return false;
  resources.put('workspaces', '', { ...workspace, _crawl_url_quota: workspace._crawl_url_quota - urls });
  return true;
}

/** Releases the quota that an ended crawl had reserved but not used. */
export function returnQuota(resources: Resources, crawl: StoredResource): void {
  if (typeof crawl._reserved === 'number')
    takeQuota(resources, Number(crawl.fetched_urls ?? 0) - crawl._reserved);
}
