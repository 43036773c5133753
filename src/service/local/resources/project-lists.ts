import type { Document, Resources } from './resources.ts';

/** Updates the lists of ids in a project's document, and its fields about the last crawl. */
export function refreshProject(resources: Resources, projectId: string): void {
  const project = resources.get('projects', projectId);
  if (project === undefined) return;
  const crawls = ofProject(resources.list('crawls'), projectId).sort(
    (a, b) => Number(a.created_at ?? 0) - Number(b.created_at ?? 0),
  );
  const comparisons = ofProject(resources.list('crawl_over_crawls'), projectId);
  const last = crawls.at(-1);
  // It is there already, so its owner stays.
  resources.put('projects', '', {
    ...project,
    crawl_ids: crawls.map(idOf),
    last_crawl_id: last?.id ?? null,
    last_crawl_created_at: last?.created_at ?? null,
    crawl_config_ids: resources.list('crawl_configs', projectId).map(idOf).reverse(),
    crawl_over_crawl_ids: comparisons.map(idOf).reverse(),
  });
}

/** The documents that belong to a project, in their order. */
export function ofProject(documents: readonly Document[], projectId: string): Document[] {
  return documents.filter((doc) => doc.project_id === projectId);
}

function idOf(doc: Document): string {
  return doc.id;
}
