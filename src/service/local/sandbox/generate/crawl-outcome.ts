import { countsOf, FETCH_STEPS, urlsOf } from '../../crawls/crawl-plan.ts';
import { FETCH_END, reached, WORK_END } from '../../crawls/launched-crawl.ts';
import type { ServiceRows } from '../../rows/row-store.ts';
import type { GeneratedState } from './parse-spec.ts';
import { planFetch, reachOf } from './plan-fetch.ts';
import type { GeneratedSite } from './site.ts';

const STEP = FETCH_END / FETCH_STEPS;
/** Steps that an ended crawl had fetched, and steps that a running crawl has fetched. */
const TERMINATED_AT = 24;
const CANCELLED_AT = 8;
const RUNNING_AT = 20;
/** A time that the sandbox's clock never reaches: the crawl stays in its state until a command. */
const NEVER = Date.parse('9999-01-01T00:00:00Z');

export interface CrawlOutcome {
  /** Slots that are in its report; none where it has no report. */
  readonly reach: number | undefined;
  /** Fields of the crawl, besides those that follow from its rows. */
  readonly extra: Readonly<Record<string, unknown>>;
  /** The limit of its configuration, where it reached that. */
  readonly maxUrl?: number;
}

/** A crawl of `pages` in a state, with its progress and a sample of its URLs. */
export async function crawlOutcome(
  rows: ServiceRows,
  site: GeneratedSite,
  pages: number,
  state: GeneratedState,
): Promise<CrawlOutcome> {
  const maxUrl = state === 'max_url_reached' ? Math.floor(pages / 2) : Number.POSITIVE_INFINITY;
  const limits = { pages, maxDepth: Number.POSITIVE_INFINITY, maxUrl, quota: Number.POSITIVE_INFINITY };
  const _plan = await rows.use((connection) => planFetch(connection, site, limits));
  switch (state) {
    case 'archived':
      return {
        reach: site.slots,
        extra: { status: 'archived', link_status: 'archived', _plan, _worked: WORK_END },
      };
    case 'max_url_reached':
      return {
        reach: reachOf(site, limits).slots,
        extra: { end_reason: _plan.end_reason, _plan, _worked: WORK_END },
        maxUrl,
      };
    case 'user_requested':
      return {
        reach: Math.ceil((urlsOf(countsOf(_plan.steps)) * TERMINATED_AT) / FETCH_STEPS),
        extra: { end_reason: state, _plan, _stop: TERMINATED_AT, _worked: WORK_END },
      };
    case 'cancelled':
      return {
        reach: undefined,
        extra: {
          status: 'cancelled',
          end_reason: 'user_cancelled',
          _plan,
          _stop: CANCELLED_AT,
          _worked: CANCELLED_AT * STEP,
          ...reached(_plan, CANCELLED_AT),
        },
      };
    case 'running':
      return {
        reach: undefined,
        extra: {
          status: 'running',
          ended_at: null,
          end_reason: undefined,
          _plan,
          _number: site.crawl,
          _work: { elapsed: RUNNING_AT * STEP, since: NEVER },
          ...reached(_plan, RUNNING_AT),
        },
      };
  }
}
