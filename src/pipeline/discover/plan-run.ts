import type { Inventory } from '../../project/model/inventory.ts';
import type { Pipeline } from '../../project/model/pipeline.ts';
import type { Plan, PlannedUnit, Selection } from '../../project/model/planned-unit.ts';
import type { ChangedDay } from '../../service/api/changed-day.ts';
import type { ServiceClient } from '../../service/api/client.ts';
import { isLoaded, isNameLoaded } from '../../state/catalogue/is-loaded.ts';
import type { Knowledge } from '../../state/catalogue/knowledge.ts';
import { type DiscoveryScope, discover } from './discover.ts';
import { planUnits } from './plan-units.ts';
import { refreshRecords } from './refresh.ts';

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
    const plan = planUnits(inventory, { pipelines, selection, changed, now: scope.now, isDone });
    return { ...plan, units: await choose(plan.units, inventory) };
  };
  const found = await discover(client, scope, signal);
  const plan = await planOf(found);
  const due = plan.units.filter(
    // Crawls to restore are looked at later, right before each is restored.
    (one) => one.skip === null && one.restore === null && (request.reload || !isLoaded(scope.loaded, one)),
  );
  const inventory = await refreshRecords(
    client,
    found,
    scope,
    new Set(due.map(({ unit }) => unit.source.id)),
    signal,
  );
  return { inventory, plan: inventory === found ? plan : await planOf(inventory) };
}
