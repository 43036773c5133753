import { parseJson, stringifyJson } from '../../core/text/json.ts';
import type { Inventory, Listed, WorkspaceView } from '../../project/model/inventory.ts';
import type { PlannedUnit } from '../../project/model/planned-unit.ts';
import type { OfferedUnit } from '../../state/ledger/unit-queue.ts';
import type { RouteOption } from '../routes/route.ts';
import type { UnitToStage } from '../unit/run-context.ts';

/** All that a process of the same version needs to stage a unit, as JSON. */
interface UnitTask {
  readonly planned: PlannedUnit;
  readonly options: readonly RouteOption[];
  /** The crawl and its workspace, which a data export names; null for other sources. */
  readonly crawl: (Pick<WorkspaceView, 'id' | 'name' | 'record'> & { readonly listed: Listed }) | null;
  readonly reload: boolean;
}

/** Sources that any process can stage by what a task says. */
const SHARED: readonly string[] = ['crawl', 'crawl_over_crawl', 'log_monitoring'];

/**
 * The units of a run that any process may stage. Lists need the inventory of the run. Days of ranking performance share
 * requests, which saves quota. A crawl that is restored from the archive is waited for by the run.
 */
export function offerableUnits(due: readonly PlannedUnit[]): ReadonlySet<PlannedUnit> {
  const restored = new Set(due.filter((one) => one.restore !== null).map(({ unit }) => unit.source.id));
  return new Set(
    due.filter(({ unit: { source } }) => SHARED.includes(source.kind) && !restored.has(source.id)),
  );
}

export function offeredUnit({ planned, options, inventory }: UnitToStage, reload: boolean): OfferedUnit {
  const { source } = planned.unit;
  const stores = new Set(options.map(({ store }) => store));
  const [store = null] = stores;
  const task: UnitTask = { planned, options, crawl: crawlOf(inventory, source.id), reload };
  return {
    unit: planned.name,
    project: source.project_id ?? source.id,
    store: stores.size === 1 ? store : null,
    work: stringifyJson(task),
    refresh: planned.refresh || reload,
  };
}

/** The reverse of `offeredUnit`. */
export function readTask(work: string): { readonly due: UnitToStage; readonly reload: boolean } {
  const { planned, options, crawl, reload } = parseJson(work) as UnitTask;
  return { due: { planned, options, inventory: inventoryOf(crawl) }, reload };
}

function crawlOf({ workspaces }: Inventory, id: string): UnitTask['crawl'] {
  for (const { id: workspace, name, record, crawls } of workspaces) {
    const listed = crawls.items.find((crawl) => crawl.id === id);
    if (listed) return { id: workspace, name, record, listed };
  }
  return null;
}

/** An inventory that knows of one crawl. */
function inventoryOf(crawl: UnitTask['crawl']): Inventory {
  const none = { items: [], total: 0, broken: [] };
  const workspaces = crawl === null ? [] : [crawl];
  return {
    workspaces: workspaces.map(({ id, name, record, listed }) => ({
      id,
      name,
      record,
      projects: none,
      crawlOverCrawls: null,
      dataExports: null,
      faulty: new Map(),
      crawls: {
        items: [listed],
        total: 1,
        records: new Map(),
        changed: [],
        gone: [],
        broken: [],
        isSwept: false,
      },
    })),
    dates: new Map(),
    unread: new Map(),
    failures: [],
  };
}
