import type { ServiceClient } from '../api/client.ts';
import { searchSource } from '../api/data-source.ts';
import type { Settings } from '../config/settings.ts';
import { CrawlhouseError } from '../core/errors.ts';
import type { Logger } from '../core/logger.ts';
import { Semaphore } from '../core/semaphore.ts';
import type { Landscape } from '../discover/discover.ts';
import type { Plan, PlannedUnit } from '../discover/plan-units.ts';
import { dataSourceOf } from '../discover/unit-source.ts';
import type { Unit } from '../model/unit.ts';
import { unitName } from '../model/unit.ts';
import { droppedUnits } from '../warehouse/dropped-units.ts';
import { NOTHING_KNOWN } from '../warehouse/known-lists.ts';
import { pickRoute } from './choose-route.ts';
import { connect } from './connect.ts';
import { isExplicit } from './housekeeping.ts';
import { isHeld } from './is-held.ts';
import { type Knowledge, readKnowledge } from './list-knowledge.ts';
import { estimateTogether, estimateUnit, type Lanes, type PastLoad, readPastLoads } from './past-loads.ts';
import { readPublished } from './read-published.ts';
import { type RunRequest, routesOf, scopeOf } from './run.ts';
import { takeStock } from './take-stock.ts';
import { unitRequests } from './unit-requests.ts';

/** A unit as a plan shows it (interface.md, "JSON"). */
export interface PlanEntry {
  readonly unit: string;
  readonly dataset: string;
  readonly source: Unit['source'];
  readonly window: Unit['window'];
  /** `due`: would be loaded; `held`: in the warehouse already; `skipped`, `failed`: can't be, for the reason given. */
  readonly status: 'due' | 'held' | 'skipped' | 'failed';
  /** Null for a unit that is not due. */
  readonly route: string | null;
  readonly format: string | null;
  /** The service's own count; null where nothing would be loaded or no count is given. */
  readonly rows: number | null;
  /** On the wire, by past loads of the dataset; null without any. */
  readonly bytes: number | null;
  /** By past loads too. */
  readonly seconds: number | null;
  /** What would be asked of the service, at least. */
  readonly requests: number;
  readonly reason: string;
}

export interface PlanTotals {
  /** Units that are due; the rows, bytes and requests are theirs. */
  readonly units: number;
  readonly rows: number;
  readonly bytes: number | null;
  /** Until all are through, as many at once as the settings say. */
  readonly seconds: number | null;
  readonly requests: number;
  /** Data exports that would be asked for. */
  readonly exports: number;
  readonly held: number;
  readonly skipped: number;
  readonly failed: number;
}

export interface PlanReport {
  readonly units: readonly PlanEntry[];
  readonly totals: PlanTotals;
}

/** Units counted at once: a plan asks one small question a unit. */
const COUNTS_AT_ONCE = 4;

/** What a run or backfill would do, by the service's own counts. Changes nothing. */
export async function planRun(
  settings: Settings,
  request: RunRequest,
  logger: Logger,
  signal: AbortSignal,
): Promise<PlanReport> {
  const routes = routesOf(settings, request);
  await using client = connect(settings, logger);
  const known = await knownUnits(settings);
  const scope = scopeOf(settings, request, known);
  const dropped = isExplicit(request) ? NOTHING : known.dropped;
  const { landscape, plan } = await takeStock(
    client,
    { ...request, withHeld: true },
    scope,
    markDropped(dropped),
    signal,
  );
  const counting = new Semaphore(COUNTS_AT_ONCE);
  const units = await Promise.all(
    plan.units.map(async (planned): Promise<PlanEntry> => {
      const held = isHeld(known.held, planned);
      const idle = idleEntry(planned, held && !request.reload && !planned.refresh);
      if (idle) return idle;
      const rows = await counting.run(() => countRows(client, planned, landscape, signal));
      const chosen = pickRoute(routes.get(planned.pipeline.dataset) ?? [], rows);
      return {
        ...blankEntry(planned.unit),
        status: 'due',
        route: chosen.route,
        format: chosen.format,
        rows,
        ...estimateUnit(known.past, planned.unit.dataset, chosen.route, rows),
        requests: unitRequests(planned.pipeline.source, chosen.route, rows),
        reason: `${held ? 'loaded again' : 'not in the warehouse'}; ${chosen.reason}`,
      };
    }),
  );
  return { units, totals: totalsOf(units, settings) };
}

/** A unit that nothing would be done about; undefined for one that is due. */
function idleEntry({ unit, skip, failure }: PlannedUnit, held: boolean): PlanEntry | undefined {
  const blank = blankEntry(unit);
  if (held) return { ...blank, status: 'held', reason: 'in the warehouse already' };
  if (failure) return { ...blank, status: 'failed', reason: failure.message };
  return skip === null ? undefined : { ...blank, status: 'skipped', reason: skip };
}

function blankEntry(unit: Unit) {
  const { dataset, source, window } = unit;
  const nothing = { route: null, format: null, rows: null, bytes: null, seconds: null, requests: 0 };
  return { unit: unitName(unit), dataset, source, window, ...nothing };
}

/** What the units of a plan come to. */
export function totalsOf(units: readonly PlanEntry[], lanes: Lanes): PlanTotals {
  const due = units.filter((unit) => unit.status === 'due');
  const sum = (values: readonly (number | null)[]): number =>
    values.reduce<number>((all, one) => all + (one ?? 0), 0);
  const count = (status: PlanEntry['status']): number =>
    units.filter((unit) => unit.status === status).length;
  const bytes = due.map((unit) => unit.bytes);
  return {
    units: due.length,
    rows: sum(due.map((unit) => unit.rows)),
    bytes: bytes.includes(null) ? null : sum(bytes),
    seconds: estimateTogether(
      due.map(({ source, seconds }) => ({ project: source.project_id ?? source.id, seconds })),
      lanes,
    ),
    requests: sum(due.map((unit) => unit.requests)),
    exports: due.filter((unit) => unit.route === 'export').length,
    held: count('held'),
    skipped: count('skipped'),
    failed: count('failed'),
  };
}

/** What is finished and not in the warehouse, and what is still open. */
export async function discoverUnits(
  settings: Settings,
  request: Pick<RunRequest, 'pipelines' | 'selection'>,
  logger: Logger,
  signal: AbortSignal,
): Promise<{ plan: Plan; held: Knowledge['held'] }> {
  await using client = connect(settings, logger);
  const { held, known, dropped } = await knownUnits(settings);
  const scope = scopeOf(settings, request, { held, known });
  const { plan } = await takeStock(client, request, scope, markDropped(dropped), signal);
  return { plan, held };
}

const NOTHING: ReadonlySet<string> = new Set();

/** Makes units that were dropped on purpose say so. */
function markDropped(dropped: ReadonlySet<string>): (units: readonly PlannedUnit[]) => PlannedUnit[] {
  return (units) =>
    units.map((one) =>
      dropped.has(unitName(one.unit))
        ? { ...one, failure: null, skip: 'dropped on purpose: --crawl or backfill --reload loads it again' }
        : one,
    );
}

interface Known extends Knowledge {
  readonly past: readonly PastLoad[];
  readonly dropped: ReadonlySet<string>;
}

async function knownUnits(settings: Settings): Promise<Known> {
  const known = await readPublished(settings, async (connection) => ({
    ...(await readKnowledge(connection)),
    past: await readPastLoads(connection),
    dropped: await droppedUnits(connection),
  }));
  return known ?? { known: NOTHING_KNOWN, held: new Map(), past: [], dropped: NOTHING };
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
