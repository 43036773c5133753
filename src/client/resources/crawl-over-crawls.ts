import { z } from 'zod';
import { openEnum, resultOf, STATE_ERRORS, section } from '../endpoint.ts';
import { listQuery, pageOf } from '../http/pagination.ts';

const CRAWL_OVER_CRAWL_STATUSES = ['running', 'done', 'cancelled'] as const;
const CRAWL_OVER_CRAWL_END_REASONS = ['ok', 'requested', 'conflicting_urls'] as const;

/** A rewriting of the URLs of one of the two crawls (api-spec.md §2.6). */
const urlTransformation = {
  type: openEnum(['replace_prefix']),
  crawl_to_transform: z.union([z.literal(1), z.literal(2)]),
  config: z.looseObject({ find: z.string(), replace: z.string() }),
};

/** A crawl over crawl (api-spec.md §2.6): `crawl1_id` is the base; times are UTC milliseconds. */
export const CrawlOverCrawl = z
  .looseObject({
    id: z.string(),
    project_id: z.string(),
    user_id: z.string().nullish(),
    crawl1_id: z.string(),
    crawl2_id: z.string(),
    status: openEnum(CRAWL_OVER_CRAWL_STATUSES),
    creation_date: z.int().nullish(),
    end_date: z.int().nullish(),
    end_reason: openEnum(CRAWL_OVER_CRAWL_END_REASONS).nullish(),
    configuration: z
      .looseObject({
        id: z.string().nullish(),
        name: z.string().nullish(),
        url_transformations: z.array(z.looseObject(urlTransformation)).nullish(),
      })
      .nullish(),
    last_data_accessed_at: z.int().nullish(),
    network_name: z.string().nullish(),
    version: z.string().nullish(),
  })
  .meta({ id: 'CrawlOverCrawl' });
export type CrawlOverCrawl = z.infer<typeof CrawlOverCrawl>;

/** The fields to sort and filter crawl over crawls by; the record calls `created_at` `creation_date`. */
export const CRAWL_OVER_CRAWL_LIST_FIELDS = ['id', 'user_id', 'project_id', 'status', 'created_at'] as const;

/** The optional body of a launch: one transformation, an object here and an array in the record (spec-notes.md 7). */
export const CrawlOverCrawlInput = z
  .strictObject({
    configuration: z
      .strictObject({
        name: z.string().min(1).optional(),
        url_transformations: z
          .strictObject({
            type: z.enum(['replace_prefix', 'replace_domain']),
            crawl_to_transform: z.union([z.literal(1), z.literal(2)]),
            config: z.strictObject({ find: z.string().min(1), replace: z.string() }),
          })
          .optional(),
      })
      .optional(),
  })
  .meta({ id: 'CrawlOverCrawlInput' });
export type CrawlOverCrawlInput = z.input<typeof CrawlOverCrawlInput>;

const { get, post, remove } = section('§4.6', 'projects');

export const LIST_CRAWL_OVER_CRAWLS = get(
  '/workspaces/{workspace_id}/crawl_over_crawls',
  'Crawl over crawls of a workspace',
  { query: listQuery(CRAWL_OVER_CRAWL_LIST_FIELDS), ...pageOf('crawl_over_crawls', CrawlOverCrawl) },
);

export const GET_CRAWL_OVER_CRAWL = get(
  '/crawl_over_crawls/{crawl_over_crawl_id}',
  'One crawl over crawl',
  resultOf('crawl_over_crawl', CrawlOverCrawl),
);

export const LAUNCH_CRAWL_OVER_CRAWL = post(
  '/projects/{project_id}/launch-coc',
  'Compare two crawls of one project and one configuration',
  {
    query: z.strictObject({
      crawl1: z.string('must be given once').min(1),
      crawl2: z.string('must be given once').min(1),
    }),
    body: CrawlOverCrawlInput.optional(),
    errors: STATE_ERRORS,
    ...resultOf('crawl_over_crawl', CrawlOverCrawl),
  },
);

export const DELETE_CRAWL_OVER_CRAWL = remove(
  '/crawl_over_crawls/{crawl_over_crawl_id}',
  'Delete a crawl over crawl and its data',
);
