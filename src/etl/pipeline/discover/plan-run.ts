import type { ServiceClient } from '../../../client/http/service-client.ts';
import type { ChangedDay } from '../../../client/resources/changed-day.ts';
import type { Inventory, ListReading } from '../../project/model/inventory.ts';
import type { Pipeline } from '../../project/model/pipeline.ts';
import type { Plan, Selection, Task } from '../../project/model/task.ts';
import type { Knowledge } from '../../state/catalog/knowledge.ts';
import { isLoaded, isNameLoaded } from '../../state/catalog/ops/ops-loads.ts';
import { type DiscoveryScope, discover } from './discover.ts';
import { readByIds, reading } from './list-incrementally.ts';
import { CRAWL_OVER_CRAWLS, CRAWLS, type ListKind } from './list-kinds.ts';
import { planUnits } from './plan-units.ts';
import { listPipeline } from './record-listing.ts';
import { skippableError } from './skippable-error.ts';

interface StockRequest {
  readonly pipelines: readonly Pipeline[];
  readonly selection: Selection;
  readonly reload?: boolean;
  readonly changed?: readonly ChangedDay[];
  /** Whether to include loaded units of finished crawls. */
  readonly withHeld?: boolean;
}

/**
 * Returns the inventory and the due units. Requests each due crawl again by its id.
 *
 * @param choose removes the units that stay out of the warehouse
 */
export async function planRun(
  client: ServiceClient,
  request: StockRequest,
  scope: DiscoveryScope & Knowledge,
  choose: (tasks: readonly Task[], inventory: Inventory) => readonly Task[] | Promise<readonly Task[]>,
  signal: AbortSignal,
): Promise<{ readonly inventory: Inventory; readonly plan: Plan }> {
  const { pipelines, selection, changed = [] } = request;
  const planOf = async (inventory: Inventory): Promise<Plan> => {
    const isDone =
      request.reload || request.withHeld
        ? () => false
        : (unit: string, endedAt: number | null) => isNameLoaded(scope.loaded, unit, endedAt);
    // A window has ended once it has by both clocks.
    const now = scope.now - client.clockAhead;
    const plan = planUnits(inventory, { pipelines, selection, changed, now, loaded: scope.loaded, isDone });
    return { ...plan, tasks: await choose(plan.tasks, inventory) };
  };
  const listed = await discover(client, scope, signal);
  const plan = await planOf(listed);
  const due = plan.tasks.filter(
    // Crawls to restore are requested later, right before each is restored.
    (task) =>
      task.skip === null && task.restore === null && (request.reload || !isLoaded(scope.loaded, task)),
  );
  const ids = new Set(due.map(({ unit }) => unit.source.id));
  const inventory = await refreshRecords(client, listed, scope, ids, signal);
  return { inventory, plan: inventory === listed ? plan : await planOf(inventory) };
}

/**
 * Returns the inventory with the current state of these crawls and comparisons. A crawl whose load failed may have been
 * archived or deleted since.
 */
async function refreshRecords(
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
    former: R,
  ): Promise<R | ListReading<T>> => {
    const asked = former?.items.filter(({ id }) => ids.has(id) && !former.records.has(id)) ?? [];
    if (former === null || asked.length === 0) return former;
    const now = { records: new Map(former.records), gone: [...former.gone], broken: [...former.broken] };
    try {
      await readByIds({ client, kind, workspaceId }, asked, now, signal);
    } catch (thrown) {
      // Their state is unknown, so they are not loaded. The others are.
      const error = skippableError(thrown, signal);
      for (const { id, project_id } of asked)
        if (!now.records.has(id)) now.broken.push({ id, projectId: project_id, error });
    }
    const known = scope.known.of(kind.name, workspaceId);
    // The total includes records that are gone now.
    const total = former.total - (now.gone.length - former.gone.length);
    const pipeline = listPipeline(scope.pipelines, kind.name);
    return reading(kind, known, { ...now, total, isSwept: former.isSwept }, pipeline);
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
