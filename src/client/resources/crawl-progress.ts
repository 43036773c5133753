import { z } from 'zod';
import { openEnum, section } from '../endpoint.ts';

/** The result for a URL that a crawl reached (api-spec.md §2.5). */
export const FETCH_STATUSES = [
  'fetched_2xx',
  'fetched_3xx',
  'fetched_4xx',
  'fetched_5xx',
  'unfetched_exception',
  'unfetched_robots_denied',
] as const;
export type FetchStatus = (typeof FETCH_STATUSES)[number];

/** URLs by their result. */
export type FetchCounts = Readonly<Record<FetchStatus, number>>;
export const NO_COUNTS = Object.fromEntries(FETCH_STATUSES.map((status) => [status, 0])) as FetchCounts;

export function urlsOf(counts: FetchCounts): number {
  return FETCH_STATUSES.reduce((sum, status) => sum + counts[status], 0);
}

/** Steps of a crawl in order, and the jobs of the analysis (api-spec.md §2.5). */
const PROGRESS_STEPS = ['fetch', 'connectors', 'analysis', 'cross_analysis', 'export'] as const;
export const ANALYSIS_JOBS = [
  'parse',
  'inlinks',
  'sitemaps',
  'outlinks',
  'redirect',
  'scoring',
  'top_ngrams',
  'hreflang',
  'duplicate_description',
  'duplicate_title',
  'duplicate_h1',
  'duplicate_simhash',
  'cluster_similarities',
] as const;

const counters = Object.fromEntries(FETCH_STATUSES.map((name) => [name, z.int().nonnegative()])) as Record<
  FetchStatus,
  z.ZodInt
>;
const status = openEnum(['done', 'running', 'waiting']);

/** A sample URL of a fetch status; `fetch_date` is ISO 8601 in UTC (api-spec.md §2.5). */
const UrlSample = z.looseObject({
  url: z.string(),
  fetch_date: z.string(),
  fetch_status: openEnum(FETCH_STATUSES),
  status_code: z.int().nullish(),
  fetch_duration: z.number().nullish(),
  error_code: z.string().nullish(),
});

/** The progress of a crawl (api-spec.md §2.5); `timestamp` is UTC milliseconds. */
export const CrawlProgress = z
  .looseObject({
    progress: z.looseObject({
      status: z.string(),
      crawler: z
        .looseObject({
          status: status.nullish(),
          depth: z.int().nullish(),
          counts: z.looseObject({ ...counters, queued_urls: z.int().nonnegative() }).nullish(),
          by_depth: z.array(z.looseObject({ depth: z.int(), ...counters })).nullish(),
          samples: z.array(UrlSample).nullish(),
        })
        .nullish(),
      steps: z
        .array(
          z.looseObject({
            name: openEnum(PROGRESS_STEPS),
            status,
            jobs: z.array(z.looseObject({ name: openEnum(ANALYSIS_JOBS), status })).optional(),
          }),
        )
        .nullish(),
    }),
    timestamp: z.int(),
    version: z.int(),
  })
  .meta({ id: 'CrawlProgress' });
export type CrawlProgress = z.infer<typeof CrawlProgress>;

const { get } = section('§4.5', 'projects');

export const GET_CRAWL_PROGRESS = get('/crawls/{crawl_id}/progress', 'Progress of a crawl', {
  response: CrawlProgress,
});
