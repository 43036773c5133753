import { z } from 'zod';
import { openEnum, resultOf, section } from '../endpoint.ts';
import { OffsetQuery, pageOf } from '../http/pagination.ts';

/** The recurrence of a scheduled crawl; without one, it fires once (api-spec.md §2.7, spec-notes.md 28). */
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

const { get, post, remove } = section('§4.4', 'projects');

export const LIST_SCHEDULED_CRAWLS = get(
  '/projects/{project_id}/scheduled_crawls',
  'Scheduled crawls of a project; no sort, no filters',
  { query: OffsetQuery, ...pageOf('scheduled_crawls', ScheduledCrawl) },
);

export const CREATE_SCHEDULED_CRAWL = post('/projects/{project_id}/scheduled_crawls', 'Schedule a crawl', {
  body: z.strictObject({ scheduled_crawl: ScheduledCrawlInput }),
  ...resultOf('scheduled_crawl', ScheduledCrawl),
});

export const DELETE_SCHEDULED_CRAWL = remove(
  '/projects/{project_id}/scheduled_crawls/{scheduled_crawl_id}',
  'Delete a scheduled crawl',
);
