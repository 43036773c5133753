import { z } from 'zod';
import { openEnum, resultOf, STATE_ERRORS, section } from '../endpoint.ts';
import { listQuery, pageOf } from '../http/pagination.ts';
import { CrawlConfig } from './crawl-configs.ts';

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

/** A crawl (api-spec.md §2.4); timestamps are UTC milliseconds. States are open strings. */
export const Crawl = z
  .looseObject({
    id: z.string(),
    project_id: z.string(),
    user_id: z.string().nullish(),
    link_status: openEnum(['live', 'archived']).nullish(),
    status: openEnum(CRAWL_STATUSES),
    created_at: z.int().nullish(),
    ended_at: z.int().nullish(),
    fetched_urls: z.int().nullish(),
    last_depth: z.int().nullish(),
    end_reason: openEnum(CRAWL_END_REASONS).nullish(),
    features: z.array(z.string()).nullish(),
    crawl_config: CrawlConfig.nullish(),
    cross_analysis_access_logs: z.unknown().optional(),
    cross_analysis_analytics_a: z.unknown().optional(),
    cross_analysis_analytics_b: z.unknown().optional(),
    cross_analysis_backlinks: z.unknown().optional(),
  })
  .meta({ id: 'Crawl' });
export type Crawl = z.infer<typeof Crawl>;

/** The fields to sort and filter crawls by; `ended_at` is not one of them (spec-notes.md 4). */
export const CRAWL_LIST_FIELDS = ['id', 'user_id', 'project_id', 'status', 'created_at'] as const;

/** Commands to the pilot of a crawl (api-spec.md §3.1). */
export const PILOT_COMMANDS = [
  'cancel',
  'resume',
  'pause',
  'terminate',
  'unarchive',
  'unarchive-fast',
] as const;
export type PilotCommand = (typeof PILOT_COMMANDS)[number];

const { get, post, remove } = section('§4.5', 'projects');

export const LIST_CRAWLS = get('/workspaces/{workspace_id}/crawls', 'Crawls of a workspace', {
  query: listQuery(CRAWL_LIST_FIELDS),
  ...pageOf('crawls', Crawl),
});

export const GET_CRAWL = get('/crawls/{crawl_id}', 'One crawl', resultOf('crawl', Crawl));

export const LAUNCH_CRAWL = post(
  '/projects/{project_id}/launch-crawl',
  'Launch a crawl with a configuration',
  {
    query: z.strictObject({ configId: z.string('must be given once').min(1) }),
    errors: ['invalid_request_parameters', 'resource_not_found', 'invalid_state_for_request', 'quota_error'],
    ...resultOf('crawl', Crawl),
  },
);

export const PILOT_CRAWL = post(
  '/crawls/{crawl_id}/pilot',
  'Pause, resume, cancel, terminate or unarchive a crawl',
  {
    body: z.strictObject({ command: z.enum(PILOT_COMMANDS) }),
    errors: STATE_ERRORS,
    ...resultOf('crawl', Crawl),
  },
);

export const DELETE_CRAWL = remove('/crawls/{crawl_id}', 'Delete a crawl and its data', {
  errors: ['invalid_request_parameters', 'resource_not_found', 'invalid_state_for_request'],
});
