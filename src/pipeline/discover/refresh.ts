import type { Inventory, ListReading } from '../../project/model/inventory.ts';
import type { ServiceClient } from '../../service/api/client.ts';
import type { DiscoveryScope } from './discover.ts';
import { readByIds, reading } from './list-incrementally.ts';
import { CRAWL_OVER_CRAWLS, CRAWLS, type ListKind } from './list-kinds.ts';
import { listPipeline } from './list-pipeline.ts';
import { skippableError } from './skippable-error.ts';

/**
 * The inventory with the present state of these crawls and comparisons. One whose load failed may have been archived or
 * deleted since.
 */
export async function refreshRecords(
  client: ServiceClient,
  inventory: Inventory,
  scope: Pick<DiscoveryScope, 'known' | 'pipelines'>,
  ids: ReadonlySet<string>,
  signal: AbortSignal,
): Promise<Inventory> {
  if (ids.size === 0) return inventory;
  const again = async <T extends { readonly id: string }, R extends ListReading<T> | null>(
    kind: ListKind<T>,
    workspaceId: string,
    found: R,
  ): Promise<R | ListReading<T>> => {
    const asked = found?.items.filter(({ id }) => ids.has(id) && !found.records.has(id)) ?? [];
    if (found === null || asked.length === 0) return found;
    const now = { records: new Map(found.records), gone: [...found.gone], broken: [...found.broken] };
    try {
      await readByIds({ client, kind, workspaceId }, asked, now, signal);
    } catch (thrown) {
      // Their state is unknown, so none of them is loaded; the others are.
      const error = skippableError(thrown, signal);
      for (const { id, project_id } of asked)
        if (!now.records.has(id)) now.broken.push({ id, projectId: project_id, error });
    }
    const known = scope.known.of(kind.name, workspaceId);
    // A record that is gone now was counted in the total.
    const total = found.total - (now.gone.length - found.gone.length);
    const pipeline = listPipeline(scope.pipelines, kind.name);
    return reading(kind, known, { ...now, total, isSwept: found.isSwept }, pipeline);
  };
  const workspaces = [];
  for (const workspace of inventory.workspaces) {
    workspaces.push({
      ...workspace,
      crawls: await again(CRAWLS, workspace.id, workspace.crawls),
      crawlOverCrawls: await again(CRAWL_OVER_CRAWLS, workspace.id, workspace.crawlOverCrawls),
    });
  }
  return { ...inventory, workspaces };
}
