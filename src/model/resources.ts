import { CrawlhouseError } from '../core/errors.ts';
import type { Pipeline } from './pipeline.ts';

/** Lists that are loaded as they are, by what they hang below (design.md, "The warehouse as people see it"). */
const RESOURCES = {
  workspaces: 'workspace',
  projects: 'workspace',
  crawls: 'workspace',
  crawl_over_crawls: 'workspace',
  data_exports: 'workspace',
  crawl_configs: 'project',
  scheduled_crawls: 'project',
  ingest_files: 'project',
} as const;
export type ResourceName = keyof typeof RESOURCES;

export const RESOURCE_NAMES = Object.keys(RESOURCES) as readonly ResourceName[];

export function isProjectResource(name: string): boolean {
  return (RESOURCES as Readonly<Record<string, string>>)[name] === 'project';
}

/** @throws CrawlhouseError `impossible_route` or `bad_pipeline` for a list that is not there, or without columns */
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
