import { z } from 'zod';
import { HttpUrl, resultOf, section } from '../endpoint.ts';
import { listQuery, pageOf } from '../http/pagination.ts';
import { CrawlConfig } from './crawl-configs.ts';
import { Crawl } from './crawls.ts';

/** A project (api-spec.md §2.3); timestamps are UTC milliseconds. */
export const Project = z
  .looseObject({
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
  })
  .meta({ id: 'Project' });
export type Project = z.infer<typeof Project>;

/** The fields to sort and filter projects by (api-spec.md §2.3). */
export const PROJECT_LIST_FIELDS = ['id', 'name', 'start_url', 'features'] as const;

/** A project to create; its name is unique (api-spec.md §4.3). */
export const ProjectInput = z
  .strictObject({ name: z.string().trim().min(1), start_url: HttpUrl })
  .meta({ id: 'ProjectInput' });
export type ProjectInput = z.input<typeof ProjectInput>;

/** One project; its configurations and crawls are not paginated (spec-notes.md 2). */
export const ProjectResponse = z.looseObject({
  project: Project,
  crawl_configs: z.array(CrawlConfig),
  crawls: z.array(Crawl),
});

const { get, post, remove } = section('§4.3', 'projects');

export const LIST_PROJECTS = get('/workspaces/{workspace_id}/projects', 'Projects of a workspace', {
  query: listQuery(PROJECT_LIST_FIELDS),
  ...pageOf('projects', Project),
});

export const GET_PROJECT = get('/projects/{project_id}', 'One project with its configurations and crawls', {
  response: ProjectResponse,
});

export const CREATE_PROJECT = post('/projects', 'Create a project', {
  body: z.strictObject({ project: ProjectInput }),
  errors: ['invalid_request', 'invalid_request_parameters', 'duplicate_entry', 'quota_error'],
  ...resultOf('project', Project),
});

export const DELETE_PROJECT = remove('/projects/{project_id}', 'Delete a project and everything in it', {
  errors: ['invalid_request_parameters', 'resource_not_found', 'invalid_state_for_request'],
});
