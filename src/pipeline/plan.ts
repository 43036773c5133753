import { ServiceClient } from '../api/client.ts';
import { type Settings, serviceSettings } from '../config/settings.ts';
import { CrawlhouseError } from '../core/errors.ts';
import type { Logger } from '../core/logger.ts';
import { discover, type Landscape } from '../discover/discover.ts';
import { type Plan, planUnits } from '../discover/plan-units.ts';
import type { Unit } from '../model/unit.ts';
import { unitName } from '../model/unit.ts';
import { loadedUnits } from '../warehouse/loads.ts';
import { type ChosenRoute, chooseRoute } from './choose-route.ts';
import { readPublished } from './read-published.ts';
import type { RunRequest } from './run.ts';

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
  const routes = new Map(
    request.pipelines.map((pipeline) => [pipeline.dataset, chooseRoute(pipeline, request.wish)]),
  );
  await using client = new ServiceClient({
    ...serviceSettings(settings),
    requestsPerSecond: settings.requests_per_second,
    logger,
  });
  const landscape = await discover(client, settings.workspaces, signal);
  const plan = planUnits(landscape, request.pipelines, request.selection);
  const known = await knownUnits(settings);
  const units: PlanEntry[] = [];
  for (const { unit, pipeline, skip } of plan.units) {
    const name = unitName(unit);
    const chosen = routes.get(pipeline.dataset);
    if (!chosen) continue;
    const held = known.units.has(name);
    const idle = held && !request.reload && unit.source.kind !== 'resource';
    const rows = skip || idle ? null : await countRows(client, unit, chosen, landscape, signal);
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
  await using client = new ServiceClient({
    ...serviceSettings(settings),
    requestsPerSecond: settings.requests_per_second,
    logger,
  });
  const landscape = await discover(client, settings.workspaces, signal);
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
  unit: Unit,
  chosen: ChosenRoute,
  landscape: Landscape,
  signal: AbortSignal,
): Promise<number | null> {
  if (chosen.route === 'list') {
    return (
      landscape.workspaces.find((workspace) => workspace.id === unit.source.id)?.[chosen.list].total ?? null
    );
  }
  const body = { limit: 1, ...(chosen.oql ? { oql: chosen.oql } : {}) };
  try {
    return (await client.searchCrawl(unit.source.id, chosen.dataType, body, signal)).meta.total_hits;
  } catch (error) {
    // A plan says what it knows: a crawl that can't be counted now is a unit without a count.
    if (error instanceof CrawlhouseError && (error.kind === 'skip' || error.kind === 'refused')) return null;
    throw error;
  }
}
