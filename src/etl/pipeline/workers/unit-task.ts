import { parseJson, stringifyJson } from '../../../core/text/json.ts';
import type { Inventory, Listed, WorkspaceView } from '../../project/model/inventory.ts';
import type { Task } from '../../project/model/task.ts';
import type { OfferedUnit } from '../../state/ledger/unit-queue.ts';
import type { RouteOption } from '../routes/route.ts';
import type { SharedContext } from '../unit/contexts.ts';

/** All that a process of the same version needs to stage a unit, as JSON. */
interface OfferedTask {
  readonly task: Task;
  readonly options: readonly RouteOption[];
  /** The crawl and its workspace, which a data export names; null for other sources. */
  readonly crawl: (Pick<WorkspaceView, 'id' | 'name' | 'record'> & { readonly listed: Listed }) | null;
  readonly reload: boolean;
}

/** Sources that any process can stage from a task alone. */
const SHARED: readonly string[] = ['crawl', 'crawl_over_crawl', 'log_monitoring'];

/**
 * Returns the units of a run that any process may stage. Lists need the inventory of the run. Days of ranking
 * performance share requests, which saves quota. The run itself waits for a crawl that is restored from the archive.
 */
export function offerableUnits(tasks: readonly Task[]): ReadonlySet<Task> {
  const restored = new Set(tasks.filter(({ restore }) => restore !== null).map(({ unit }) => unit.source.id));
  return new Set(
    tasks.filter(({ unit: { source } }) => SHARED.includes(source.kind) && !restored.has(source.id)),
  );
}

export function offeredUnit(
  task: Task,
  options: readonly RouteOption[],
  { inventory, reload }: Pick<SharedContext, 'inventory' | 'reload'>,
): OfferedUnit {
  const { source } = task.unit;
  const stores = new Set(options.map(({ store }) => store));
  const [store = null] = stores;
  const offered: OfferedTask = { task, options, crawl: crawlOf(inventory, source.id), reload };
  return {
    unit: task.name,
    project: source.project_id ?? source.id,
    store: stores.size === 1 ? store : null,
    work: stringifyJson(offered),
    refresh: task.refresh || reload,
  };
}

/** Reverses `offeredUnit`. */
export function readTask(work: string) {
  const { crawl, ...offered } = parseJson(work) as OfferedTask;
  return { ...offered, inventory: inventoryOf(crawl) };
}

function crawlOf({ workspaces }: Inventory, id: string): OfferedTask['crawl'] {
  for (const { id: workspace, name, record, crawls } of workspaces) {
    const listed = crawls.items.find((crawl) => crawl.id === id);
    if (listed) return { id: workspace, name, record, listed };
  }
  return null;
}

/** Returns an inventory that contains one crawl. */
function inventoryOf(crawl: OfferedTask['crawl']): Inventory {
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
