import { findExpired } from '../project/model/find-expired.ts';
import type { Inventory } from '../project/model/inventory.ts';
import type { Pipeline } from '../project/model/pipeline.ts';
import type { PlannedUnit, Selection } from '../project/model/planned-unit.ts';
import { unitName } from '../project/model/unit.ts';
import { asDropped } from '../state/catalogue/drop-targets.ts';
import { markPinned } from '../state/catalogue/ops-loads.ts';
import { type WarehouseUnit, warehouseUnits } from '../state/catalogue/warehouse-units.ts';
import { takeOut } from './drop.ts';
import type { Session, Work } from './session.ts';

/** What of a run's request housekeeping looks at. */
interface Wish {
  readonly pipelines: readonly Pipeline[];
  readonly selection: Selection;
  readonly reload: boolean;
}

/** Did a person name what is wanted? Then what was dropped comes back. */
export function isExplicit({ reload, selection }: Pick<Wish, 'reload' | 'selection'>): boolean {
  return reload || selection.crawls !== null;
}

/**
 * The planned units less those that stay out of the warehouse: dropped on purpose, or crawls that `keep` has no place
 * for. A person's explicit request loads them again.
 */
export async function withoutDropped(
  { ledger, working }: Session,
  planned: readonly PlannedUnit[],
  inventory: Inventory,
  request: Wish,
): Promise<readonly PlannedUnit[]> {
  const dropped = new Set(
    (await ledger.units('unpublished')).filter((one) => one.status === 'dropped').map((one) => one.unit),
  );
  if (isExplicit(request)) {
    for (const { unit } of planned)
      if (dropped.has(unitName(unit))) await ledger.setUnit(unit, 'discovered', 0, null);
    return planned;
  }
  const wanted = planned.filter(({ unit }) => !dropped.has(unitName(unit)));
  if (request.pipelines.every((one) => keepOf(one) === null)) return wanted;
  const present = await warehouseUnits(working.connection);
  const endOf = endsOf(inventory);
  const out = new Set(
    request.pipelines.flatMap((pipeline) => {
      const candidates = wanted.filter(
        (one) => one.pipeline === pipeline && one.skip === null && !one.failure,
      );
      return crawlsBeyond(pipeline, [
        ...[...present.values()].filter((one) => one.dataset === pipeline.dataset),
        ...candidates
          .filter(({ unit }) => !present.has(unitName(unit)))
          .map(({ unit }) => ({
            unit: unitName(unit),
            ...unit,
            rows: 0,
            endedAt: endOf.get(unit.source.id) ?? 0,
            pinned: false,
          })),
      ]).map((one) => one.unit);
    }),
  );
  return wanted.filter(({ unit }) => present.has(unitName(unit)) || !out.has(unitName(unit)));
}

/** After the loads of a run: crawls that `keep` has no more place for leave the warehouse. */
export async function applyRetention(session: Session, request: Wish, work: Work): Promise<void> {
  const limited = request.pipelines.filter((one) => keepOf(one) !== null);
  if (limited.length === 0) return;
  const { connection } = session.working;
  const of = (present: ReadonlyMap<string, WarehouseUnit>, pipeline: Pipeline): WarehouseUnit[] =>
    crawlsBeyond(
      pipeline,
      [...present.values()].filter((one) => one.dataset === pipeline.dataset),
    );
  if (isExplicit(request)) {
    const loaded = new Set(work.units.filter((one) => one.status === 'loaded').map((one) => one.unit));
    const present = await warehouseUnits(connection);
    const beyond = limited.flatMap((pipeline) => of(present, pipeline)).map((one) => one.unit);
    await markPinned(
      connection,
      beyond.filter((unit) => loaded.has(unit)),
    );
  }
  const present = await warehouseUnits(connection);
  for (const pipeline of limited) {
    const units = of(present, pipeline).map(asDropped);
    await takeOut(session, units, `beyond the last ${keepOf(pipeline)} crawls (keep)`);
  }
}

function keepOf({ source, keep }: Pipeline): number | null {
  return source.kind === 'crawl' && keep.crawls !== 'all' ? keep.crawls : null;
}

function crawlsBeyond(pipeline: Pipeline, units: readonly WarehouseUnit[]): WarehouseUnit[] {
  const keep = keepOf(pipeline);
  if (keep === null) return [];
  return findExpired(
    units.filter((one) => !one.pinned),
    keep,
  );
}

function endsOf({ workspaces }: Inventory): ReadonlyMap<string, number> {
  const crawls = workspaces.flatMap((workspace) => workspace.crawls.items);
  return new Map(crawls.map((crawl) => [crawl.id, crawl.ended_at ?? 0]));
}
