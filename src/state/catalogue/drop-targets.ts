import type { Connection } from '../../core/duckdb/duckdb.ts';
import { CrawlhouseError } from '../../core/errors/errors.ts';
import type { LedgerUnit } from '../../project/model/runs/ledger-records.ts';
import { type Unit, unitName } from '../../project/model/unit.ts';
import { projectNamed } from './raw/raw-projects.ts';
import { type WarehouseUnit, warehouseUnits } from './warehouse-units.ts';

export interface DropRequest {
  /** Ids of crawls or crawl over crawls. */
  readonly crawls: readonly string[];
  /** Ids or names of projects. */
  readonly projects: readonly string[];
  /** Only these datasets; empty: all. */
  readonly datasets: readonly string[];
}

/** A unit that a drop takes out, or keeps out. */
export interface DroppedUnit {
  readonly unit: string;
  readonly dataset: string;
  readonly source: Unit['source'];
  readonly window: Unit['window'];
  /** Rows of its last load; null for a unit that was never loaded or was held, and in a plan for one not published. */
  readonly rows: number | null;
}

/** The units of a request, by what the warehouse and the ledger know. */
export async function dropTargets(
  connection: Connection,
  known: readonly LedgerUnit[],
  request: DropRequest,
): Promise<readonly DroppedUnit[]> {
  const present = await warehouseUnits(connection);
  const projectIds = await Promise.all(request.projects.map((name) => projectNamed(connection, name)));
  return chooseTargets([...present.values()], known, projectIds, request);
}

/** @throws CrawlhouseError `usage` for a crawl or project of which there is nothing */
export function chooseTargets(
  present: readonly WarehouseUnit[],
  known: readonly LedgerUnit[],
  projectIds: readonly string[],
  { crawls, projects, datasets }: DropRequest,
): readonly DroppedUnit[] {
  const loaded = new Set(present.map(({ unit }) => unit));
  const rest = known.filter((one) => !loaded.has(unitName(one)) && one.status !== 'dropped');
  const all = [
    ...present.map(asDropped),
    ...rest.map(({ unit, dataset, source, window }) => ({ unit, dataset, source, window, rows: null })),
  ];
  const isOf = (one: DroppedUnit, crawl: string): boolean =>
    one.source.kind !== 'resource' && one.source.project_id !== one.source.id && one.source.id === crawl;
  for (const crawl of crawls) if (!all.some((one) => isOf(one, crawl))) throw nothingOf(`crawl ${crawl}`);
  for (const [index, id] of projectIds.entries())
    if (!all.some((one) => one.source.project_id === id)) throw nothingOf(`project ${projects[index]}`);
  return all
    .filter(
      (one) =>
        crawls.some((crawl) => isOf(one, crawl)) ||
        (one.source.project_id !== null && projectIds.includes(one.source.project_id)),
    )
    .filter((one) => datasets.length === 0 || datasets.includes(one.dataset))
    .sort((a, b) => a.unit.localeCompare(b.unit));
}

export function asDropped({ unit, dataset, source, window, rows }: WarehouseUnit): DroppedUnit {
  return { unit, dataset, source, window, rows };
}

function nothingOf(what: string): CrawlhouseError {
  return new CrawlhouseError('usage', `the warehouse has nothing of ${what}`, {
    hint: 'crawlhouse status --json lists the units that are known, with their crawls and projects',
  });
}
