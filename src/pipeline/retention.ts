import type { Inventory } from '../project/model/inventory.ts';
import type { Pipeline } from '../project/model/pipeline.ts';
import type { PlannedUnit, Selection } from '../project/model/planned-unit.ts';
import type { Unit } from '../project/model/unit.ts';
import { asDropped, type WarehouseUnit, warehouseUnits } from '../state/catalogue/drop-targets.ts';
import { markPinned } from '../state/catalogue/ops/ops-loads.ts';
import { takeOut } from './drop.ts';
import type { SessionOutcome } from './session.ts';
import type { Session } from './unit/run-context.ts';

interface RetentionRequest {
  readonly pipelines: readonly Pipeline[];
  readonly selection: Selection;
  readonly reload: boolean;
}

/** Whether a person named crawls or asked for a reload. Such a request loads dropped units again. */
export function isExplicit({ reload, selection }: Pick<RetentionRequest, 'reload' | 'selection'>): boolean {
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
  request: RetentionRequest,
): Promise<readonly PlannedUnit[]> {
  const dropped = new Set(
    (await ledger.units('unpublished')).filter((one) => one.status === 'dropped').map((one) => one.unit),
  );
  if (isExplicit(request)) {
    for (const { unit, name } of planned)
      if (dropped.has(name)) await ledger.setUnit(unit, 'discovered', 0, null);
    return planned;
  }
  const wanted = planned.filter(({ name }) => !dropped.has(name));
  if (request.pipelines.every((one) => keepOf(one) === null)) return wanted;
  const present = await warehouseUnits(working.connection);
  const crawls = inventory.workspaces.flatMap((workspace) => workspace.crawls.items);
  const endOf = new Map(crawls.map((crawl) => [crawl.id, crawl.ended_at ?? 0]));
  const out = new Set(
    request.pipelines.flatMap((pipeline) => {
      const candidates = wanted.filter(
        (one) => one.pipeline === pipeline && one.skip === null && !one.failure,
      );
      return crawlsBeyond(pipeline, [
        ...present.values(),
        ...candidates
          .filter(({ name }) => !present.has(name))
          .map(({ unit, name }) => ({
            unit: name,
            ...unit,
            rows: 0,
            endedAt: endOf.get(unit.source.id) ?? 0,
            pinned: false,
          })),
      ]).map((one) => one.unit);
    }),
  );
  return wanted.filter(({ name }) => present.has(name) || !out.has(name));
}

/** After the loads of a run: crawls that `keep` has no more place for leave the warehouse. */
export async function applyRetention(
  session: Session,
  request: RetentionRequest,
  work: SessionOutcome,
): Promise<void> {
  const limited = request.pipelines.filter((one) => keepOf(one) !== null);
  if (limited.length === 0) return;
  const { connection } = session.working;
  if (isExplicit(request)) {
    const loaded = new Set(work.units.filter((one) => one.status === 'loaded').map((one) => one.unit));
    const present = await warehouseUnits(connection);
    const beyond = limited
      .flatMap((pipeline) => crawlsBeyond(pipeline, present.values()))
      .map((one) => one.unit);
    await markPinned(
      connection,
      beyond.filter((unit) => loaded.has(unit)),
    );
  }
  const present = await warehouseUnits(connection);
  for (const pipeline of limited) {
    const units = crawlsBeyond(pipeline, present.values()).map(asDropped);
    await takeOut(session, units, `beyond the last ${keepOf(pipeline)} crawls (keep)`);
  }
}

function keepOf({ source, keep }: Pipeline): number | null {
  return source.kind === 'crawl' && keep.crawls !== 'all' ? keep.crawls : null;
}

/** Of these units, those of the pipeline's dataset that it has no place for. */
function crawlsBeyond(pipeline: Pipeline, units: Iterable<WarehouseUnit>): WarehouseUnit[] {
  const keep = keepOf(pipeline);
  if (keep === null) return [];
  const own = Array.from(units).filter((one) => one.dataset === pipeline.dataset && !one.pinned);
  return findExpired(own, keep);
}

/**
 * The crawls that are beyond the last `keep` of their project, by when they ended.
 *
 * @param units of one dataset, one a crawl; `endedAt` in UTC milliseconds
 */
export function findExpired<T extends { readonly source: Unit['source']; readonly endedAt: number }>(
  units: readonly T[],
  keep: number,
): T[] {
  const byProject = Map.groupBy(units, ({ source }) => source.project_id);
  return [...byProject.values()].flatMap((own) =>
    own
      .toSorted((a, b) => b.endedAt - a.endedAt || b.source.id.localeCompare(a.source.id))
      .slice(keep)
      .reverse(),
  );
}
