import { z } from 'zod';
import { CrawlConfig } from './crawl-configs.ts';
import { pageOf } from './pagination.ts';

/** States of a crawl (api-spec.md §3.1). */
export const CRAWL_STATUSES = [
  'running',
  'done',
  'cancelled',
  'terminating',
  'pausing',
  'paused',
  'archiving',
  'unarchiving',
  'archived',
] as const;

/** Why a crawl ended (api-spec.md §2.4). */
export const CRAWL_END_REASONS = [
  'ok',
  'crawl_already_running',
  'quota_reached_before_start',
  'quota_reached',
  'max_url_reached',
  'max_depth_reached',
  'user_cancelled',
  'user_requested',
  'no_active_subscription',
  'stopped_progressing',
  'max_iteration_reached',
] as const;

/** End reasons that leave no report (spec-notes.md 24). */
export const END_REASONS_WITHOUT_REPORT: readonly string[] = [
  'crawl_already_running',
  'quota_reached_before_start',
  'user_cancelled',
  'no_active_subscription',
];

/** A crawl (api-spec.md §2.4); timestamps are UTC milliseconds. States are read as open strings. */
export const Crawl = z.looseObject({
  id: z.string(),
  project_id: z.string(),
  user_id: z.string().nullish(),
  link_status: z.string().nullish(),
  status: z.string(),
  created_at: z.int().nullish(),
  ended_at: z.int().nullish(),
  fetched_urls: z.int().nullish(),
  last_depth: z.int().nullish(),
  end_reason: z.string().nullish(),
  features: z.array(z.string()).nullish(),
  crawl_config: CrawlConfig.nullish(),
  cross_analysis_access_logs: z.unknown().optional(),
  cross_analysis_analytics_a: z.unknown().optional(),
  cross_analysis_analytics_b: z.unknown().optional(),
  cross_analysis_backlinks: z.unknown().optional(),
});
export type Crawl = z.infer<typeof Crawl>;

/** What a list of crawls can be sorted and filtered by; `ended_at` is not among it (spec-notes.md 4). */
export const CRAWL_LIST_FIELDS = ['id', 'user_id', 'project_id', 'status', 'created_at'] as const;

export const CrawlPage = pageOf('crawls', Crawl);
export const CrawlResponse = z.looseObject({ crawl: Crawl });
