import { z } from 'zod';
import { endpoint } from './endpoint.ts';
import { openEnum } from './open-enum.ts';
import { NoQuery, OffsetQuery, pageOf } from './pagination.ts';

/** How often a scheduled crawl fires; without one it fires once (api-spec.md §2.7, spec-notes.md 28). */
export const RECURRENCES = ['day', 'week', '2weeks', 'month'] as const;
export type Recurrence = (typeof RECURRENCES)[number];

/** A scheduled crawl (api-spec.md §2.7); `start_date` is UTC milliseconds. */
export const ScheduledCrawl = z
  .looseObject({
    id: z.string(),
    project_id: z.string().nullish(),
    config_id: z.string(),
    recurrence: openEnum(RECURRENCES).nullish(),
    start_date: z.int(),
  })
  .meta({ id: 'ScheduledCrawl' });
export type ScheduledCrawl = z.infer<typeof ScheduledCrawl>;

export const ScheduledCrawlInput = z
  .strictObject({
    config_id: z.string().min(1),
    recurrence: z.enum(RECURRENCES).nullish(),
    start_date: z.int().nonnegative(),
  })
  .meta({ id: 'ScheduledCrawlInput' });
export type ScheduledCrawlInput = z.input<typeof ScheduledCrawlInput>;

export const LIST_SCHEDULED_CRAWLS = endpoint({
  method: 'GET',
  path: '/projects/{project_id}/scheduled_crawls',
  scope: 'projects:read',
  summary: 'Scheduled crawls of a project; no sort, no filters',
  source: '§4.4',
  query: OffsetQuery,
  answers: 'json',
  response: pageOf('scheduled_crawls', ScheduledCrawl),
  result: 'scheduled_crawls',
  errors: ['invalid_request_parameters', 'resource_not_found'],
  repeatable: true,
});

export const CREATE_SCHEDULED_CRAWL = endpoint({
  method: 'POST',
  path: '/projects/{project_id}/scheduled_crawls',
  scope: 'projects:write',
  summary: 'Schedule a crawl',
  source: '§4.4',
  query: NoQuery,
  body: z.strictObject({ scheduled_crawl: ScheduledCrawlInput }),
  answers: 'json',
  response: z.looseObject({ scheduled_crawl: ScheduledCrawl }),
  result: 'scheduled_crawl',
  errors: ['invalid_request', 'invalid_request_parameters', 'resource_not_found'],
  repeatable: false,
});

export const DELETE_SCHEDULED_CRAWL = endpoint({
  method: 'DELETE',
  path: '/projects/{project_id}/scheduled_crawls/{scheduled_crawl_id}',
  scope: 'projects:write',
  summary: 'Delete a scheduled crawl',
  source: '§4.4',
  query: NoQuery,
  answers: 'none',
  errors: ['invalid_request_parameters', 'resource_not_found'],
  repeatable: true,
});
