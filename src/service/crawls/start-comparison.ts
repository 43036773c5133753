import type { CrawlOverCrawlInput } from '../../client/resources/crawl-over-crawls.ts';
import { type Resources, resourceId, type StoredResource } from '../resources/resources.ts';
import { refreshProject, USER_ID, workspaceOf } from '../resources/seed.ts';

/** Milliseconds that a comparison takes, on the service's clock. */
export const COMPARING = 10_000;

export interface NewComparison {
  readonly project: StoredResource;
  /** The base of the comparison. */
  readonly crawl1: StoredResource;
  readonly crawl2: StoredResource;
  readonly configuration?: CrawlOverCrawlInput['configuration'];
  /** UTC milliseconds. */
  readonly at: number;
  /** Whether the end of a crawl started it. */
  readonly isAttached: boolean;
}

/** Starts a comparison (api-spec.md §2.6), and adds it to its project. */
export function startComparison(resources: Resources, options: NewComparison): StoredResource {
  const { crawl1, crawl2, at } = options;
  const project = resources.get('projects', options.project.id) ?? options.project;
  const count = Number(project._comparisons ?? 0);
  const id = resourceId('comparison', project.id, count, at);
  const { name = 'default', url_transformations } = options.configuration ?? {};
  const comparison: StoredResource = {
    id,
    project_id: project.id,
    user_id: USER_ID,
    crawl1_id: crawl1.id,
    crawl2_id: crawl2.id,
    status: 'running',
    creation_date: at,
    end_date: null,
    end_reason: null,
    // Deprecated, but still served (api-spec.md §9).
    attached_to_a_crawl: options.isAttached,
    configuration: {
      id: resourceId('comparison configuration', id),
      name,
      url_transformations: url_transformations === undefined ? [] : [url_transformations],
    },
    last_data_accessed_at: null,
    network_name: 'sandbox',
    version: '1',
    _end: at + COMPARING,
  };
  resources.put('projects', '', { ...project, _comparisons: count + 1 });
  resources.put('crawl_over_crawls', workspaceOf(resources, project.id), comparison);
  refreshProject(resources, project.id);
  return comparison;
}
