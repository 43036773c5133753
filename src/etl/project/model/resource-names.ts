import { CrawlhouseError } from '../../../core/errors/errors.ts';
import type { Pipeline } from './pipeline.ts';

/**
 * Lists that are loaded unchanged: their parents (design.md, "The warehouse as people see it"), and the list operations
 * that discovery does not call.
 */
const RESOURCES = {
  workspaces: { parent: 'workspace' },
  projects: { parent: 'workspace' },
  crawls: { parent: 'workspace' },
  crawl_over_crawls: { parent: 'workspace' },
  data_exports: { parent: 'workspace' },
  crawl_configs: { parent: 'project' },
  scheduled_crawls: { parent: 'project', operation: 'scheduledCrawls' },
  ingest_files: { parent: 'project', operation: 'ingestFiles' },
} as const;
export type ResourceName = keyof typeof RESOURCES;
type PagedName = {
  [Name in ResourceName]: (typeof RESOURCES)[Name] extends { operation: string } ? Name : never;
}[ResourceName];

export const RESOURCE_NAMES = Object.keys(RESOURCES) as readonly ResourceName[];

export function isProjectResource(name: string): boolean {
  return Object.hasOwn(RESOURCES, name) && RESOURCES[name as ResourceName].parent === 'project';
}

/** Returns the operation that lists a resource page by page, and the path parameter that names the parent. */
export function listRequest<Name extends PagedName>(name: Name, parentId: string) {
  const { parent, operation }: (typeof RESOURCES)[Name] = RESOURCES[name];
  type Parameter = `${(typeof RESOURCES)[Name]['parent']}_id`;
  return { operation, request: { [`${parent}_id`]: parentId } as Record<Parameter, string> };
}

/** @throws CrawlhouseError `impossible_route` or `bad_pipeline` for an unknown list, or one without columns */
export function checkResource({ dataset, source, columns }: Pipeline): void {
  if (!(RESOURCE_NAMES as readonly string[]).includes(source.data_type)) {
    throw new CrawlhouseError('impossible_route', `${dataset}: there is no list of ${source.data_type}`, {
      hint: `possible: ${RESOURCE_NAMES.join(', ')}`,
    });
  }
  if (Object.keys(columns).length === 0) {
    throw new CrawlhouseError('bad_pipeline', `pipelines/${dataset}.yaml: a resource declares its columns`);
  }
}
