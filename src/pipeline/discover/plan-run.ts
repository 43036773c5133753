import type { Inventory, ListReading } from '../../project/model/inventory.ts';
import type { Pipeline } from '../../project/model/pipeline.ts';
import type { Plan, PlannedUnit, Selection } from '../../project/model/planned-unit.ts';
import type { ServiceClient } from '../../service/api/client/client.ts';
import type { ChangedDay } from '../../service/api/resources/changed-day.ts';
import type { Knowledge } from '../../state/catalogue/knowledge.ts';
import { isLoaded, isNameLoaded } from '../../state/catalogue/ops/ops-loads.ts';
import { type DiscoveryScope, discover } from './discover.ts';
import { readByIds, reading } from './list-incrementally.ts';
import { CRAWL_OVER_CRAWLS, CRAWLS, type ListKind } from './list-kinds.ts';
import { planUnits } from './plan-units.ts';
import { listPipeline } from './record-listing.ts';
import { skippableError } from './skippable-error.ts';

type Units = readonly PlannedUnit[];

interface StockRequest {
  readonly pipelines: readonly Pipeline[];
  readonly selection: Selection;
  readonly reload?: boolean;
  readonly changed?: readonly ChangedDay[];
  /** Are the units of finished crawls that the warehouse holds of interest? */
  readonly withHeld?: boolean;
}

/**
 * The inventory, and the due units. Crawls that are due are requested again by their ids.
 *
 * @param choose leaves out the units that stay out of the warehouse
 */
export async function planRun(
  client: ServiceClient,
  request: StockRequest,
  scope: DiscoveryScope & Knowledge,
  choose: (units: Units, inventory: Inventory) => Units | Promise<Units>,
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
    return { ...plan, units: await choose(plan.units, inventory) };
  };
  const found = await discover(client, scope, signal);
  const plan = await planOf(found);
  const due = plan.units.filter(
    // Crawls to restore are looked at later, right before each is restored.
    (one) => one.skip === null && one.restore === null && (request.reload || !isLoaded(scope.loaded, one)),
  );
  const ids = new Set(due.map(({ unit }) => unit.source.id));
  const inventory = await refreshRecords(client, found, scope, ids, signal);
  return { inventory, plan: inventory === found ? plan : await planOf(inventory) };
}

/**
 * The inventory with the present state of these crawls and comparisons. One whose load failed may have been archived or
 * deleted since.
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
