import type { Logger } from '../core/logs/logger.ts';
import { longestDownload } from '../core/net/limits.ts';
import { Semaphore } from '../core/queue/semaphore.ts';
import type { Inventory } from '../project/model/inventory.ts';
import type { Pipeline } from '../project/model/pipeline.ts';
import type { Plan, PlannedUnit } from '../project/model/planned-unit.ts';
import { type PacesOf, pacesByProject } from '../project/model/route-pace.ts';
import {
  estimateUnit,
  type PastLoad,
  type PlanEntry,
  type PlanReport,
  totalsOf,
} from '../project/model/runs/plan-report.ts';
import { limitsOf } from '../project/settings/limits.ts';
import type { Settings } from '../project/settings/settings.ts';
import type { ServiceClient } from '../service/api/client/client.ts';
import { type Knowledge, readKnowledge } from '../state/catalogue/knowledge.ts';
import { NOTHING_KNOWN } from '../state/catalogue/ops/ops-lists.ts';
import { isLoaded, readPastLoads, readRouteLoads } from '../state/catalogue/ops/ops-loads.ts';
import { loadedFieldNames } from '../state/catalogue/ops/ops-unit-fields.ts';
import { droppedUnits } from '../state/catalogue/ops/ops-units.ts';
import { type PublishedPlace, readPublished } from '../state/catalogue/published/read-published.ts';
import type { LedgerExport } from '../state/ledger/ledger-facts.ts';
import { type LedgerSettings, readLedger } from '../state/ledger/open-ledger.ts';
import { connect } from './discover/connect.ts';
import { planRun } from './discover/plan-run.ts';
import { isExplicit } from './retention.ts';
import { chooseFormat } from './routes/choose-format.ts';
import { pickRoute } from './routes/choose-route.ts';
import { countRows, describeUnit } from './routes/describe-rows.ts';
import { FieldSchemaCache } from './routes/field-schema-cache.ts';
import {
  isReadable,
  type KnownFields,
  refuseUnknownFields,
  unknownNames,
} from './routes/refuse-unknown-fields.ts';
import { ROUTES } from './routes/registry.ts';
import type { RouteOption } from './routes/route.ts';
import { isWeighed, withPast } from './routes/weigh-export.ts';
import { type RunRequest, routesOf, scopeOf } from './run.ts';

/** Units described at once: a plan asks two small questions a unit. */
const DESCRIBED_AT_ONCE = 4;

interface PlanRequest extends RunRequest {
  /** Leaves open what the fields of a unit decide, which takes one request a unit less. */
  readonly countsOnly?: boolean;
}

/** The plan of a run or backfill, by the service's own counts. Loads nothing; refreshed tokens are kept. */
export async function reportPlan(
  settings: Settings,
  request: PlanRequest,
  logger: Logger,
  signal: AbortSignal,
): Promise<PlanReport> {
  const routes = routesOf(settings, request);
  await using client = connect(settings, logger);
  const known = await knownUnits(settings);
  const scope = scopeOf(settings, request, known);
  const dropped = isExplicit(request) ? NOTHING : known.dropped;
  const { inventory, plan } = await planRun(
    client,
    { ...request, withHeld: true },
    scope,
    markDropped(dropped),
    signal,
  );
  // Before a first run, the run itself says it.
  if (!request.countsOnly) sayFailures(inventory, plan, logger);
  const names = projectNames(inventory);
  const left = request.reload ? plan.units : plan.units.filter((one) => !isLoaded(known.loaded, one));
  const fields = knownFields(settings, client, signal);
  await refuseUnknownFields(fields, withNewest(left, plan.units), signal);
  const isAnyWeighed = [...routes.values()].some(isWeighed);
  const exports = isAnyWeighed ? await requestedExports(settings) : new Map<string, LedgerExport>();
  const describing = new Semaphore(DESCRIBED_AT_ONCE);
  const units = await Promise.all(
    plan.units.map(async (planned): Promise<PlanEntry> => {
      const loaded = isLoaded(known.loaded, planned);
      const blank = blankEntry(planned, names);
      const idle = idleEntry(planned, blank, loaded && !request.reload && !planned.refresh);
      if (idle) return idle;
      const { dataset, source } = planned.unit;
      const options = withPast(routes.get(dataset) ?? [], known.pacesOf(dataset, source.project_id));
      const withFields =
        isWeighed(options) || (!request.countsOnly && options.some(({ cheaper }) => cheaper !== undefined));
      const toDescribe = { planned, inventory, client, fieldSchemas: fields.fieldSchemas };
      const { rows, fields: described } = await describing.run(async () =>
        withFields
          ? describeUnit(toDescribe, signal)
          : { rows: await countRows(client, planned, inventory, signal), fields: null },
      );
      const requested = exports.get(planned.name);
      const option = pickRoute(options, { rows, fields: described, requested });
      const chosen = described === null ? undescribed(option) : chooseFormat(option, described);
      return {
        ...blank,
        status: 'due',
        route: chosen.route,
        format: chosen.format,
        rows,
        ...estimateUnit(known.past, dataset, chosen.route, rows),
        ...(option.seconds === undefined ? {} : { seconds: option.seconds }),
        limit_seconds: Math.round(longestDownload(rows ?? 0, limitsOf(settings)) / 1000),
        requests: ROUTES[chosen.route].requests(planned.pipeline.source, rows),
        reason: `${loaded || known.loaded.has(planned.name) ? 'loaded again' : 'not in the warehouse'}; ${chosen.reason}`,
      };
    }),
  );
  return { units, totals: totalsOf(units, settings) };
}

/**
 * Refuses fields that pipelines name and neither the warehouse nor the service has, whether or not anything is
 * due. Asks the service only about names that the warehouse does not have.
 *
 * @throws CrawlhouseError `bad_pipeline` naming file, line, key and near names
 */
export async function checkFields(
  settings: Settings,
  pipelines: readonly Pipeline[],
  logger: Logger,
  signal: AbortSignal,
): Promise<void> {
  await using client = connect(settings, logger);
  const fields = knownFields(settings, client, signal);
  const doubtful: Pipeline[] = [];
  for (const one of pipelines)
    if (unknownNames(one, await fields.loadedFields(one.dataset)).length > 0) doubtful.push(one);
  if (doubtful.length === 0) return;
  const all = { from: Number.NEGATIVE_INFINITY, to: Number.POSITIVE_INFINITY };
  const selection = { projects: settings.projects, crawls: null, ...all };
  const request = { pipelines: doubtful, selection, withHeld: true };
  const known = await knownUnits(settings);
  const scope = scopeOf(settings, request, known);
  const { plan } = await planRun(client, request, scope, (units) => units, signal);
  const due = plan.units.filter((one) => !isLoaded(known.loaded, one));
  await refuseUnknownFields(fields, withNewest(due, plan.units), signal);
}

/** The due units and, for each dataset without one, its newest unit, which shows the fields. */
function withNewest(due: readonly PlannedUnit[], all: readonly PlannedUnit[]): PlannedUnit[] {
  const newest = new Map<string, PlannedUnit>();
  for (const one of all) if (isReadable(one)) newest.set(one.unit.dataset, one);
  for (const one of due) if (isReadable(one)) newest.delete(one.unit.dataset);
  return [...due, ...newest.values()];
}

/** A unit that needs no work; undefined for a due one. */
function idleEntry(
  { skip, failure }: PlannedUnit,
  blank: ReturnType<typeof blankEntry>,
  loaded: boolean,
): PlanEntry | undefined {
  if (loaded) return { ...blank, status: 'loaded', reason: 'in the warehouse already' };
  if (failure) return { ...blank, status: 'failed', reason: failure.message };
  return skip === null ? undefined : { ...blank, status: 'skipped', reason: skip };
}

function blankEntry({ unit, name }: PlannedUnit, names: ReadonlyMap<string, string>) {
  const { dataset, source, window } = unit;
  const id = source.project_id;
  const project_name = id === null ? null : (names.get(id) ?? null);
  const nothing = {
    route: null,
    format: null,
    rows: null,
    bytes: null,
    seconds: null,
    limit_seconds: null,
    requests: 0,
  };
  return { unit: name, dataset, source, project_name, window, ...nothing };
}

/** Finished sources that are not loaded, and open ones; with the names of projects by their ids. */
export async function discoverUnits(
  settings: Settings,
  request: Pick<RunRequest, 'pipelines' | 'selection'>,
  logger: Logger,
  signal: AbortSignal,
): Promise<{ plan: Plan; loaded: Knowledge['loaded']; names: ReadonlyMap<string, string> }> {
  await using client = connect(settings, logger);
  const known = await knownUnits(settings);
  const { loaded, dropped } = known;
  const scope = scopeOf(settings, request, known);
  const { inventory, plan } = await planRun(client, request, scope, markDropped(dropped), signal);
  const left = plan.units.filter((one) => !isLoaded(loaded, one));
  await refuseUnknownFields(knownFields(settings, client, signal), left, signal);
  sayFailures(inventory, plan, logger);
  return { plan, loaded, names: projectNames(inventory) };
}

/** What could not be read is missing from a plan, and a crawl may be of another day than was asked for. */
function sayFailures({ failures }: Inventory, { notes }: Plan, logger: Logger): void {
  for (const note of notes) logger.warn(note);
  for (const { message, hint } of failures) logger.warn(`not in the plan: ${message}`, { hint });
}

/** By id. */
function projectNames({ workspaces }: Inventory): ReadonlyMap<string, string> {
  const projects = workspaces.flatMap((workspace) => workspace.projects.items);
  return new Map(projects.map(({ id, name }) => [id, name]));
}

const NOTHING: ReadonlySet<string> = new Set();

/** Makes units that were dropped on purpose say so. */
function markDropped(dropped: ReadonlySet<string>): (units: readonly PlannedUnit[]) => PlannedUnit[] {
  return (units) =>
    units.map((one) =>
      dropped.has(one.name)
        ? { ...one, failure: null, skip: 'dropped: crawlhouse run --crawl ID --reload loads it again' }
        : one,
    );
}

interface Known extends Knowledge {
  readonly past: readonly PastLoad[];
  readonly pacesOf: PacesOf;
  readonly dropped: ReadonlySet<string>;
}

async function knownUnits(settings: PublishedPlace): Promise<Known> {
  const known = await readPublished(settings, async (connection) => ({
    ...(await readKnowledge(connection)),
    past: await readPastLoads(connection),
    pacesOf: pacesByProject(await readRouteLoads(connection)),
    dropped: await droppedUnits(connection),
  }));
  const nothing = { known: NOTHING_KNOWN, loaded: new Map(), past: [], dropped: NOTHING };
  return known ?? { ...nothing, pacesOf: pacesByProject([]) };
}

/** The data exports of the units' present attempts, by unit. */
async function requestedExports(settings: LedgerSettings): Promise<ReadonlyMap<string, LedgerExport>> {
  await using ledger = await readLedger(settings);
  return new Map((await ledger?.exports())?.map((one) => [one.unit, one]));
}

function knownFields(settings: Settings, client: ServiceClient, signal: AbortSignal): KnownFields {
  return {
    projectDir: settings.projectDir,
    fieldSchemas: new FieldSchemaCache(client, signal),
    loadedFields: async (dataset) =>
      (await readPublished(settings, (connection) => loadedFieldNames(connection, dataset))) ?? new Set(),
  };
}

/** The choice for a unit whose fields are not known: its format is open where they decide it. */
function undescribed({ route, format, cheaper, reason }: RouteOption) {
  return cheaper === undefined
    ? { route, format, reason }
    : { route, format: null, reason: `${reason}; its fields decide the format` };
}
