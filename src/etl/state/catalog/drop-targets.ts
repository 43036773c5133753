import type { Connection } from '../../../core/duckdb/duckdb.ts';
import { CrawlhouseError } from '../../../core/errors/errors.ts';
import type { LedgerUnit } from '../../project/model/runs/ledger-records.ts';
import { unitName } from '../../project/model/unit.ts';
import { type NamedUnit, unitOf } from './ops/ops-rows.ts';
import { projectNamed } from './raw/raw-projects.ts';

export interface WarehouseUnit extends NamedUnit {
  readonly rows: number;
  /** When the crawl ended, or else when it was loaded; UTC milliseconds. */
  readonly endedAt: number;
  /** Whether the crawl was requested by id although it is beyond `keep`. */
  readonly pinned: boolean;
}

export async function warehouseUnits(connection: Connection): Promise<Map<string, WarehouseUnit>> {
  const rows = await connection.rows(
    `SELECT l.unit, l.dataset, l.source_kind, l.source_id, l.project_id, l.window_from, l.window_to, l.loaded,
       epoch_ms(coalesce(l.source_ended_at, c.ended_at, l.loaded_at)) AS ended_at, coalesce(l.pinned, false) AS pinned
     FROM ops.loads AS l
     LEFT JOIN (SELECT id, max(ended_at) AS ended_at FROM ops.listed WHERE list = 'crawls' GROUP BY id) AS c
       ON c.id = l.source_id`,
  );
  return new Map(
    rows.map((row) => [
      String(row.unit),
      {
        ...unitOf(row),
        rows: Number(row.loaded),
        endedAt: Number(row.ended_at),
        pinned: row.pinned === true,
      },
    ]),
  );
}

export interface DropRequest {
  /** Ids of crawls or crawl over crawls. */
  readonly crawls: readonly string[];
  /** Ids or names of projects. */
  readonly projects: readonly string[];
  /** Only these datasets. Empty means all. */
  readonly datasets: readonly string[];
}

export interface DroppedUnit extends NamedUnit {
  /**
   * Rows of its last load. Null for a unit that was never loaded or is quarantined, and in a plan for an unpublished
   * unit.
   */
  readonly rows: number | null;
}

/** @param published units of the published warehouse, which a killed drop may have removed from the working copy */
export async function dropTargets(
  connection: Connection,
  known: readonly LedgerUnit[],
  request: DropRequest,
  published: readonly DroppedUnit[] = [],
): Promise<readonly DroppedUnit[]> {
  const former = new Map(published.map((unit) => [unit.unit, unit]));
  const present = new Map<string, DroppedUnit>([...former, ...(await warehouseUnits(connection))]);
  const projectIds = await Promise.all(request.projects.map((name) => projectNamed(connection, name)));
  return chooseTargets([...present.values()], known, projectIds, request);
}

/** @throws CrawlhouseError `usage` for a crawl or project without any units */
export function chooseTargets(
  present: readonly DroppedUnit[],
  known: readonly LedgerUnit[],
  projectIds: readonly string[],
  { crawls, projects, datasets }: DropRequest,
): readonly DroppedUnit[] {
  const loaded = new Set(present.map(({ unit }) => unit));
  const rest = known.filter((unit) => !loaded.has(unitName(unit)) && unit.status !== 'dropped');
  const all = [...present.map(asDropped), ...rest.map((unit) => asDropped({ ...unit, rows: null }))];
  const isOf = (unit: DroppedUnit, crawl: string): boolean =>
    unit.source.kind !== 'resource' && unit.source.project_id !== unit.source.id && unit.source.id === crawl;
  for (const crawl of crawls) if (!all.some((unit) => isOf(unit, crawl))) throw nothingOf(`crawl ${crawl}`);
  for (const [index, id] of projectIds.entries())
    if (!all.some((unit) => unit.source.project_id === id)) throw nothingOf(`project ${projects[index]}`);
  return all
    .filter(
      (unit) =>
        crawls.some((crawl) => isOf(unit, crawl)) ||
        (unit.source.project_id !== null && projectIds.includes(unit.source.project_id)),
    )
    .filter((unit) => datasets.length === 0 || datasets.includes(unit.dataset))
    .sort((a, b) => a.unit.localeCompare(b.unit));
}

export function asDropped({ unit, dataset, source, window, rows }: DroppedUnit): DroppedUnit {
  return { unit, dataset, source, window, rows };
}

function nothingOf(what: string): CrawlhouseError {
  return new CrawlhouseError('usage', `the warehouse has no data of ${what}`, {
    hint: 'crawlhouse status --json lists the known units with their crawls and projects',
  });
}
