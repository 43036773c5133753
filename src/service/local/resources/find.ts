import { notFound } from './refusal.ts';
import type { Document, ResourceKind, Resources } from './resources.ts';

const NAMES: Readonly<Partial<Record<ResourceKind, string>>> = {
  workspaces: 'workspace',
  projects: 'project',
  crawls: 'crawl',
  crawl_configs: 'crawl configuration',
  scheduled_crawls: 'scheduled crawl',
  crawl_over_crawls: 'crawl over crawl',
  ingest_files: 'ingest file',
  secrets: 'secret',
  data_exports: 'data export',
};

/**
 * The document of this id; with `owner` only where it is that one's.
 *
 * @throws Refusal `resource_not_found`
 */
export function find(resources: Resources, kind: ResourceKind, id: string, owner?: string): Document {
  const found =
    owner === undefined ? resources.get(kind, id) : resources.list(kind, owner).find((one) => one.id === id);
  if (found === undefined) throw notFound(`the ${NAMES[kind] ?? kind} ${id}`);
  return found;
}
