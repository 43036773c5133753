import type { ServiceClient } from '../api/client.ts';
import { searchSource } from '../api/data-source.ts';
import type { Settings } from '../config/settings.ts';
import { CrawlhouseError } from '../core/errors.ts';
import type { Logger } from '../core/logger.ts';
import { discover, type Landscape } from '../discover/discover.ts';
import { type Plan, type PlannedUnit, planUnits } from '../discover/plan-units.ts';
import { dataSourceOf } from '../discover/unit-source.ts';
import type { Unit } from '../model/unit.ts';
import { unitName } from '../model/unit.ts';
import { loadedUnits } from '../warehouse/loads.ts';
import { pickRoute } from './choose-route.ts';
import { connect } from './connect.ts';
import { readPublished } from './read-published.ts';
import { type RunRequest, routesOf, scopeOf } from './run.ts';

/** A unit as a plan shows it (interface.md, "JSON"). */
export interface PlanEntry {
  readonly unit: string;
  readonly dataset: string;
  readonly source: Unit['source'];
  readonly window: Unit['window'];
  readonly route: string | null;
  readonly format: string | null;
  /** The service's own count; null where nothing would be loaded or no count is given. */
  readonly rows: number | null;
  /** Bytes on the wire, estimated from past loads of the dataset; null without any. */
  readonly bytes: number | null;
  readonly reason: string;
}

export interface PlanReport {
  readonly units: readonly PlanEntry[];
  readonly totals: { readonly units: number; readonly rows: number; readonly bytes: number | null };
}

/** What a run or backfill would do, by the service's own counts. Changes nothing. */
export async function planRun(
  settings: Settings,
  request: RunRequest,
  logger: Logger,
  signal: AbortSignal,
): Promise<PlanReport> {
  const routes = routesOf(settings, request);
  await using client = connect(settings, logger);
  const landscape = await discover(client, scopeOf(settings, request), signal);
  const plan = planUnits(landscape, request.pipelines, request.selection);
  const known = await knownUnits(settings);
  const units: PlanEntry[] = [];
  for (const planned of plan.units) {
    const { unit, pipeline, refresh, failure } = planned;
    const skip = failure?.message ?? planned.skip;
    const name = unitName(unit);
    const options = routes.get(pipeline.dataset);
    if (!options) continue;
    const held = known.units.has(name);
    const idle = held && !request.reload && !refresh;
    const rows = skip || idle ? null : await countRows(client, planned, landscape, signal);
    const chosen = pickRoute(options, rows);
    const perRow = known.bytesPerRow.get(unit.dataset);
    units.push({
      unit: name,
      dataset: unit.dataset,
      source: unit.source,
      window: unit.window,
      route: skip || idle ? null : chosen.route,
      format: skip || idle ? null : chosen.format,
      rows,
      bytes: rows === null || perRow === undefined ? null : Math.round(rows * perRow),
      reason: idle
        ? 'in the warehouse already'
        : (skip ?? `${held ? 'loaded again' : 'not in the warehouse'}; ${chosen.reason}`),
    });
  }
  const due = units.filter((unit) => unit.route !== null);
  const bytes = due.map((unit) => unit.bytes);
  return {
    units,
    totals: {
      units: due.length,
      rows: due.reduce((sum, unit) => sum + (unit.rows ?? 0), 0),
      bytes: bytes.includes(null) ? null : bytes.reduce<number>((sum, one) => sum + (one ?? 0), 0),
    },
  };
}

/** What is finished and not in the warehouse, and what is still open. */
export async function discoverUnits(
  settings: Settings,
  request: Pick<RunRequest, 'pipelines' | 'selection'>,
  logger: Logger,
  signal: AbortSignal,
): Promise<{ plan: Plan; held: ReadonlySet<string> }> {
  await using client = connect(settings, logger);
  const landscape = await discover(client, scopeOf(settings, request), signal);
  const plan = planUnits(landscape, request.pipelines, request.selection);
  return { plan, held: (await knownUnits(settings)).units };
}

async function knownUnits(
  settings: Settings,
): Promise<{ units: ReadonlySet<string>; bytesPerRow: ReadonlyMap<string, number> }> {
  const known = await readPublished(settings, async (connection) => {
    const rows = await connection.rows<{ dataset: string; bytes: number | null }>(
      'SELECT dataset, sum(bytes) / nullif(sum(received), 0) AS bytes FROM ops.loads GROUP BY dataset',
    );
    return {
      units: new Set((await loadedUnits(connection)).keys()),
      bytesPerRow: new Map(rows.flatMap((row) => (row.bytes === null ? [] : [[row.dataset, row.bytes]]))),
    };
  });
  return known ?? { units: new Set(), bytesPerRow: new Map() };
}

async function countRows(
  client: ServiceClient,
  { unit, pipeline, oql }: PlannedUnit,
  landscape: Landscape,
  signal: AbortSignal,
): Promise<number | null> {
  const source = dataSourceOf(pipeline, unit);
  if (source === null) {
    const workspace = landscape.workspaces.find(({ id }) => id === unit.source.id);
    if (pipeline.source.data_type === 'projects') return workspace?.projects.total ?? null;
    return pipeline.source.data_type === 'crawls' ? (workspace?.crawls.total ?? null) : null;
  }
  try {
    return (await searchSource(client, source, { limit: 1, ...(oql ? { oql } : {}) }, signal)).meta
      .total_hits;
  } catch (error) {
    // A plan says what it knows: a unit that can't be counted now is one without a count.
    if (
      error instanceof CrawlhouseError &&
      (error.kind === 'skip' || error.kind === 'refused' || error.code === 'forbidden')
    )
      return null;
    throw error;
  }
}
