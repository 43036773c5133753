import { z } from 'zod';
import { FETCH_STATUSES, NO_COUNTS } from '../../../client/resources/crawl-progress.ts';
import type { Connection } from '../../../core/duckdb/duckdb.ts';
import { type Typed, typedRows } from '../../../core/text/typed-rows.ts';
import { type CrawlPlan, FETCH_STEPS, type FetchStep } from '../../crawls/crawl-plan.ts';
import { crawlDepth, pageFacts, slotsWithin } from './page-facts.ts';
import { pageValues } from './page-values.ts';
import { type GeneratedSite, kindOf, slotsForFetched, statusOf } from './site.ts';

/** Pages of one step, depth and status, with the first and the last of their slots. */
const PlannedPage = z.strictObject({
  step: z.number(),
  depth: z.number(),
  fetch_status: z.enum(FETCH_STATUSES),
  urls: z.number(),
  first: z.number(),
  last: z.number(),
});
type PlannedPage = Typed<typeof PlannedPage>;

const SampleRow = z.strictObject({
  step: z.number(),
  url: z.string(),
  fetch_status: z.enum(FETCH_STATUSES),
  status_code: z.number().nullable(),
  fetch_duration: z.number().nullable(),
});

export interface GeneratedLimits {
  /** Pages of the whole site. */
  readonly pages: number;
  readonly maxDepth: number;
  /** URLs that may be fetched, by the configuration and the remaining quota. */
  readonly maxUrl: number;
  readonly quota: number;
}

/** Returns the number of slots that a crawl reaches, and why it ends there. */
export function reachOf(site: GeneratedSite, limits: GeneratedLimits): { slots: number; endReason: string } {
  const { pages, maxDepth, maxUrl, quota } = limits;
  const ends = [
    { slots: pages, endReason: 'ok' },
    { slots: slotsForFetched(quota), endReason: 'quota_reached' },
    { slots: slotsForFetched(maxUrl), endReason: 'max_url_reached' },
    { slots: slotsWithin(site, maxDepth), endReason: 'max_depth_reached' },
  ];
  return ends.reduce((first, end) => (end.slots < first.slots ? end : first));
}

/** Returns the plan of a crawl of the site, step by step, with the same statuses and depths as its pages. */
export async function planFetch(
  connection: Connection,
  site: GeneratedSite,
  limits: GeneratedLimits,
): Promise<CrawlPlan> {
  const { slots, endReason } = reachOf(site, limits);
  const facts = `SELECT range AS slot, range * ${FETCH_STEPS} // ${slots} AS step, ${crawlDepth(site, 'range')} AS depth,
    ${kindOf('range')} AS kind, ${statusOf(site, 'range')} AS status FROM range(${slots})`;
  const found = typedRows(
    PlannedPage,
    await connection.rows(
      `SELECT CAST(step AS INTEGER) AS step, CAST(depth AS INTEGER) AS depth, ${pageValues(site).fetch_status} AS fetch_status,
        CAST(count(*) AS INTEGER) AS urls, CAST(min(slot) AS DOUBLE) AS first, CAST(max(slot) AS DOUBLE) AS last
      FROM (${facts}) GROUP BY ALL ORDER BY ALL`,
    ),
  );
  return {
    end_reason: endReason,
    steps: stepsOf(found),
    samples: await samplesOf(connection, site, slots, sampleSlots(found)),
  };
}

function stepsOf(found: readonly PlannedPage[]): FetchStep[] {
  const steps = new Map<string, FetchStep>();
  for (const { step, depth, fetch_status, urls } of found) {
    const key = `${step} ${depth}`;
    const known = steps.get(key) ?? { step, depth, ...NO_COUNTS };
    steps.set(key, { ...known, [fetch_status]: urls });
  }
  return [...steps.values()];
}

/** Returns the first and the last slot of each fetch status. */
function sampleSlots(found: readonly PlannedPage[]): number[] {
  const slots = FETCH_STATUSES.flatMap((status) => {
    const own = found.filter((row) => row.fetch_status === status);
    return own.length === 0
      ? []
      : [Math.min(...own.map((row) => row.first)), Math.max(...own.map((row) => row.last))];
  });
  return [...new Set(slots)].sort((a, b) => a - b);
}

async function samplesOf(
  connection: Connection,
  site: GeneratedSite,
  slots: number,
  samples: readonly number[],
) {
  const values = pageValues(site);
  return typedRows(
    SampleRow,
    await connection.rows(
      `SELECT CAST(slot * ${FETCH_STEPS} // ${slots} AS INTEGER) AS step, url, ${values.fetch_status} AS fetch_status,
        CAST(status AS INTEGER) AS status_code, CAST(${values.load_time} AS INTEGER) AS fetch_duration
      FROM (${pageFacts(site)}) WHERE slot IN (${samples.join(', ')}) ORDER BY slot`,
    ),
  );
}
