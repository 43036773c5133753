import type { Inventory } from '../project/model/inventory.ts';
import type { Pipeline } from '../project/model/pipeline.ts';
import type { Selection, Task } from '../project/model/task.ts';
import type { Unit } from '../project/model/unit.ts';
import { asDropped, type WarehouseUnit, warehouseUnits } from '../state/catalog/drop-targets.ts';
import { markPinned } from '../state/catalog/ops/ops-loads.ts';
import { takeOut } from './drop.ts';
import type { SessionOutcome } from './session.ts';
import type { Session } from './unit/contexts.ts';

interface RetentionRequest {
  readonly pipelines: readonly Pipeline[];
  readonly selection: Selection;
  readonly reload: boolean;
}

/** Returns whether a person named crawls or requested a reload. Such a request loads dropped units again. */
export function isExplicit({ reload, selection }: Pick<RetentionRequest, 'reload' | 'selection'>): boolean {
  return reload || selection.crawls !== null;
}

/**
 * Returns the tasks without those that stay out of the warehouse: dropped on purpose, or crawls beyond `keep`. A
 * person's explicit request loads them again.
 */
export async function withoutDropped(
  { ledger, working }: Session,
  tasks: readonly Task[],
  inventory: Inventory,
  request: RetentionRequest,
): Promise<readonly Task[]> {
  const dropped = new Set(
    (await ledger.units('unpublished')).filter(({ status }) => status === 'dropped').map(({ unit }) => unit),
  );
  if (isExplicit(request)) {
    for (const { unit, name } of tasks)
      if (dropped.has(name)) await ledger.setUnit(unit, 'discovered', 0, null);
    return tasks;
  }
  const wanted = tasks.filter(({ name }) => !dropped.has(name));
  if (request.pipelines.every((pipeline) => keepOf(pipeline) === null)) return wanted;
  const present = await warehouseUnits(working.connection);
  const crawls = inventory.workspaces.flatMap((workspace) => workspace.crawls.items);
  const endOf = new Map(crawls.map((crawl) => [crawl.id, crawl.ended_at ?? 0]));
  const out = new Set(
    request.pipelines.flatMap((pipeline) => {
      const candidates = wanted.filter(
        (task) => task.pipeline === pipeline && task.skip === null && !task.failure,
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
      ]).map(({ unit }) => unit);
    }),
  );
  return wanted.filter(({ name }) => present.has(name) || !out.has(name));
}

/** Removes crawls beyond `keep` from the warehouse, after the loads of a run. */
export async function applyRetention(
  session: Session,
  request: RetentionRequest,
  work: SessionOutcome,
): Promise<void> {
  const limited = request.pipelines.filter((pipeline) => keepOf(pipeline) !== null);
  if (limited.length === 0) return;
  const { connection } = session.working;
  if (isExplicit(request)) {
    const loaded = new Set(work.units.filter(({ status }) => status === 'loaded').map(({ unit }) => unit));
    const present = await warehouseUnits(connection);
    const beyond = limited
      .flatMap((pipeline) => crawlsBeyond(pipeline, present.values()))
      .map(({ unit }) => unit);
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

/** Returns the units of the pipeline's dataset that are beyond its retention. */
function crawlsBeyond(pipeline: Pipeline, units: Iterable<WarehouseUnit>): WarehouseUnit[] {
  const keep = keepOf(pipeline);
  if (keep === null) return [];
  const own = Array.from(units).filter(({ dataset, pinned }) => dataset === pipeline.dataset && !pinned);
  return findExpired(own, keep);
}

/**
 * Returns the crawls that ended before the last `keep` crawls of their project.
 *
 * @param units of one dataset, one per crawl; `endedAt` in UTC milliseconds
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
