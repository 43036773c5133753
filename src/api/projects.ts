import { z } from 'zod';
import { CrawlConfig } from './crawl-configs.ts';
import { Crawl } from './crawls.ts';
import { pageOf } from './pagination.ts';

/** A project (api-spec.md §2.3); timestamps are UTC milliseconds. */
export const Project = z.looseObject({
  id: z.string(),
  name: z.string(),
  start_url: z.string(),
  user_id: z.string().nullish(),
  is_verified_by: z.string().nullish(),
  domain: z.string().nullish(),
  features: z.array(z.string()).nullish(),
  last_crawl_id: z.string().nullish(),
  last_crawl_created_at: z.int().nullish(),
  limits: z.record(z.string(), z.unknown()).nullish(),
  log_monitoring_data_ready: z.boolean().nullish(),
  log_monitoring_processing_enabled: z.boolean().nullish(),
  log_monitoring_ready: z.boolean().nullish(),
  crawl_ids: z.array(z.string()).nullish(),
  crawl_config_ids: z.array(z.string()).nullish(),
  crawl_over_crawl_ids: z.array(z.string()).nullish(),
});
export type Project = z.infer<typeof Project>;

/** What a list of projects can be sorted and filtered by (api-spec.md §2.3). */
export const PROJECT_LIST_FIELDS = ['id', 'name', 'start_url', 'features'] as const;

export const ProjectPage = pageOf('projects', Project);

/** One project; its configurations and crawls come unpaged (spec-notes.md 2). */
export const ProjectResponse = z.looseObject({
  project: Project,
  crawl_configs: z.array(CrawlConfig),
  crawls: z.array(Crawl),
});
