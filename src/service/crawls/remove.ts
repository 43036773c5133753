import { wrongState } from '../resources/refusal.ts';
import type { StoredResource } from '../resources/resources.ts';
import { ofProject, refreshProject } from '../resources/seed.ts';
import { ServiceRows } from '../rows/service-rows.ts';
import type { ServiceData } from '../rows/service-state.ts';
import { isMoving } from './launched-crawl.ts';

/**
 * Deletes a crawl and its rows. Its comparisons remain, because they have their own rows.
 *
 * @throws Refusal `invalid_state_for_request` while the crawl is running or being compared
 */
export async function deleteCrawl(stores: ServiceData, crawl: StoredResource): Promise<void> {
  const { resources } = stores;
  refuseMoving(crawl);
  const comparison = resources
    .listHolding('crawl_over_crawls', '_end')
    .find((resource) => resource.crawl1_id === crawl.id || resource.crawl2_id === crawl.id);
  if (comparison !== undefined)
    throw wrongState(`the crawl over crawl ${comparison.id} is comparing ${crawl.id}: wait until it is done`);
  await withoutRows(stores, [crawl.id], () => {
    resources.delete('crawls', crawl.id);
    refreshProject(resources, String(crawl.project_id));
  });
}

/** Deletes a comparison and its rows, whether it is done or not. */
export async function deleteComparison(stores: ServiceData, comparison: StoredResource): Promise<void> {
  const { resources } = stores;
  await withoutRows(stores, [comparison.id], () => {
    resources.delete('crawl_over_crawls', comparison.id);
    refreshProject(resources, String(comparison.project_id));
  });
}

/**
 * Deletes a project and everything in it.
 *
 * @throws Refusal `invalid_state_for_request` while one of its crawls is running
 */
export async function deleteProject(
  stores: ServiceData & { readonly ingestFiles: { remove(id: string): Promise<void> } },
  project: StoredResource,
): Promise<void> {
  const { resources } = stores;
  const crawls = ofProject(resources.list('crawls'), project.id);
  for (const crawl of crawls) refuseMoving(crawl);
  const comparisons = ofProject(resources.list('crawl_over_crawls'), project.id);
  const owners = [project, ...crawls, ...comparisons].map(({ id }) => id);
  await withoutRows(stores, owners, () => {
    for (const { id } of crawls) resources.delete('crawls', id);
    for (const { id } of comparisons) resources.delete('crawl_over_crawls', id);
    for (const kind of ['crawl_configs', 'scheduled_crawls'] as const)
      for (const { id } of resources.list(kind, project.id)) resources.delete(kind, id);
    resources.delete('projects', project.id);
  });
  for (const { id } of resources.list('ingest_files', project.id)) await stores.ingestFiles.remove(id);
}

function refuseMoving(crawl: StoredResource): void {
  if (!isMoving(crawl)) return;
  const { id, status } = crawl;
  // Only these two can be canceled (api-spec.md §3.1).
  const remedy = status === 'running' || status === 'paused' ? 'cancel it first' : 'wait until it has passed';
  throw wrongState(`the crawl ${id} is ${status}: ${remedy}`);
}

/** Removes resources together with the datasets of their owners, then the tables that nothing refers to anymore. */
async function withoutRows(
  { resources, rows }: ServiceData,
  owners: readonly string[],
  take: () => void,
): Promise<void> {
  resources.transaction(() => {
    take();
    for (const owner of owners) resources.dropDatasets(owner);
  });
  await rows.use(async (connection) => {
    for (const owner of owners) await ServiceRows.dropAll(connection, owner);
  });
}
