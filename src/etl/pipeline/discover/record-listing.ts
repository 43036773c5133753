import type { Connection } from '../../../core/duckdb/duckdb.ts';
import { type Inventory, type ListName, listReadings } from '../../project/model/inventory.ts';
import type { Pipeline } from '../../project/model/pipeline.ts';
import type { UnitReport } from '../../project/model/runs/unit-report.ts';
import { type KnownLists, recordListLoaded, recordLists } from '../../state/catalog/ops/ops-lists.ts';

/**
 * Records the result of a discovery before anything is loaded. If the process is killed afterwards, nothing is lost,
 * because records that are missing in `raw` stay marked.
 *
 * @param now UTC milliseconds
 */
export async function recordListing(
  connection: Connection,
  inventory: Inventory,
  now: number,
): Promise<void> {
  const readings = inventory.workspaces.flatMap((workspace) =>
    listReadings(workspace).map(([list, { changed, gone, total, isSwept }]) => ({
      list,
      workspaceId: workspace.id,
      changed,
      gone,
      total,
      sweptAt: isSwept ? now : null,
    })),
  );
  await recordLists(connection, readings);
}

/** Marks each list that was loaded into `raw` as done. */
export async function recordLoadedLists(
  connection: Connection,
  inventory: Inventory,
  pipelines: readonly Pipeline[],
  reports: readonly UnitReport[],
): Promise<void> {
  const whole = new Set(
    reports.filter(({ status }) => status === 'loaded' || status === 'unchanged').map(({ unit }) => unit),
  );
  for (const workspace of inventory.workspaces) {
    for (const [list, { changed, gone }] of listReadings(workspace)) {
      const pipeline = listPipeline(pipelines, list);
      if (!pipeline || !whole.has(`${pipeline.dataset}/${workspace.id}`)) continue;
      if (changed.length > 0 || gone.length > 0) await recordListLoaded(connection, list, workspace.id);
    }
  }
}

/**
 * Returns the earliest time of the last full resync over all lists, in UTC milliseconds; null if a list had none so
 * far.
 */
export function lastSweep(inventory: Inventory, known: KnownLists, now: number): number | null {
  const times = inventory.workspaces.flatMap((workspace) =>
    listReadings(workspace).map(([list, { isSwept }]) =>
      isSwept ? now : known.of(list, workspace.id).swept_at,
    ),
  );
  return times.length === 0 || times.includes(null) ? null : Math.min(...times.map(Number));
}

/** Returns the pipeline that loads a list itself, if any. */
export function listPipeline(pipelines: readonly Pipeline[], list: ListName): Pipeline | undefined {
  return pipelines.find(({ source }) => source.kind === 'resource' && source.data_type === list);
}
