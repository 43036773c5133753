import type { ServiceClient } from '../api/client.ts';
import { type DiscoveryScope, discover, type Landscape } from '../discover/discover.ts';
import { freshen } from '../discover/freshen.ts';
import { type Plan, type PlannedUnit, planUnits, type Selection } from '../discover/plan-units.ts';
import type { Pipeline } from '../model/pipeline.ts';
import { holds, isHeld } from './is-held.ts';
import type { Knowledge } from './list-knowledge.ts';

type Units = readonly PlannedUnit[];

interface StockRequest {
  readonly pipelines: readonly Pipeline[];
  readonly selection: Selection;
  readonly reload?: boolean;
  /** Are the units of finished crawls that the warehouse holds of interest? */
  readonly withHeld?: boolean;
}

/**
 * What the service holds, and what of it is to be done; crawls that are due are looked at anew, by their ids.
 *
 * @param choose leaves out the units that stay out of the warehouse
 */
export async function takeStock(
  client: ServiceClient,
  request: StockRequest,
  scope: DiscoveryScope & Knowledge,
  choose: (units: Units, landscape: Landscape) => Units | Promise<Units>,
  signal: AbortSignal,
): Promise<{ readonly landscape: Landscape; readonly plan: Plan }> {
  const planOf = async (landscape: Landscape): Promise<Plan> => {
    const isDone =
      request.reload || request.withHeld
        ? () => false
        : (unit: string, endedAt: number | null) => holds(scope.held, unit, endedAt);
    const plan = planUnits(landscape, request.pipelines, request.selection, scope.now, isDone);
    return { ...plan, units: await choose(plan.units, landscape) };
  };
  const found = await discover(client, scope, signal);
  const plan = await planOf(found);
  const due = plan.units.filter(
    // One that is to be restored is looked at before it is, as far as a run may go with them.
    (one) => one.skip === null && one.restore === null && (request.reload || !isHeld(scope.held, one)),
  );
  const landscape = await freshen(
    client,
    found,
    scope,
    new Set(due.map(({ unit }) => unit.source.id)),
    signal,
  );
  return { landscape, plan: landscape === found ? plan : await planOf(landscape) };
}
