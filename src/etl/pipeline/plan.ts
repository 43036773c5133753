import type { ServiceClient } from '../../client/http/service-client.ts';
import type { Logger } from '../../core/logs/logger.ts';
import { longestDownload } from '../../core/net/download-limits.ts';
import { Semaphore } from '../../core/queue/semaphore.ts';
import type { Inventory } from '../project/model/inventory.ts';
import type { Pipeline } from '../project/model/pipeline.ts';
import { type PacesOf, pacesByProject } from '../project/model/route-pace.ts';
import {
  estimateUnit,
  type PastLoad,
  type PlanEntry,
  type PlanReport,
  totalsOf,
} from '../project/model/runs/plan-report.ts';
import type { Plan, Task } from '../project/model/task.ts';
import { limitsOf } from '../project/settings/limits.ts';
import { type Settings, selectionOf } from '../project/settings/settings.ts';
import { type Knowledge, readKnowledge } from '../state/catalog/knowledge.ts';
import { NOTHING_KNOWN } from '../state/catalog/ops/ops-lists.ts';
import { isLoaded, readPastLoads, readRouteLoads } from '../state/catalog/ops/ops-loads.ts';
import { loadedFieldNames } from '../state/catalog/ops/ops-unit-fields.ts';
import { droppedUnits } from '../state/catalog/ops/ops-units.ts';
import { type PublishedPlace, readPublished } from '../state/catalog/published/read-published.ts';
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
  type KnownFields,
  refuseUnknownFields,
  unknownNames,
  withNewest,
} from './routes/refuse-unknown-fields.ts';
import { ROUTES } from './routes/registry.ts';
import type { RouteOption } from './routes/route.ts';
import { isWeighed, withPast } from './routes/weigh-export.ts';
import { type RunRequest, routesOf, scopeOf } from './run.ts';

/** Units described concurrently. A plan makes two small requests per unit. */
const DESCRIBED_AT_ONCE = 4;

interface PlanRequest extends RunRequest {
  /** Skips everything that depends on the fields of a unit, which saves a request per unit. */
  readonly countsOnly?: boolean;
}

/** Returns the plan of a run or backfill, based on the service's counts. Loads nothing, but stores refreshed tokens. */
export async function reportPlan(
  settings: Settings,
  planRequest: PlanRequest,
  logger: Logger,
  signal: AbortSignal,
): Promise<PlanReport> {
  const request = { ...planRequest, selection: selectionOf(settings, planRequest.selection) };
  const routes = routesOf(settings, request);
  await using client = connect(settings, logger);
  const published = await publishedUnits(settings);
  const scope = scopeOf(settings, request, published);
  const dropped = isExplicit(request) ? NOTHING : published.dropped;
  const { inventory, plan } = await planRun(
    client,
    { ...request, withHeld: true },
    scope,
    markDropped(dropped),
    signal,
  );
  // Before a first run, the run itself reports it.
  if (!request.countsOnly) sayFailures(inventory, plan, logger);
  const names = projectNames(inventory);
  const left = request.reload ? plan.tasks : plan.tasks.filter((task) => !isLoaded(published.loaded, task));
  const fields = knownFields(settings, client, signal);
  await refuseUnknownFields(fields, withNewest(left, plan.tasks), signal);
  const isAnyWeighed = [...routes.values()].some(isWeighed);
  const exports = isAnyWeighed ? await requestedExports(settings) : new Map<string, LedgerExport>();
  const describing = new Semaphore(DESCRIBED_AT_ONCE);
  const units = await Promise.all(
    plan.tasks.map(async (task): Promise<PlanEntry> => {
      const loaded = isLoaded(published.loaded, task);
      const blank = blankEntry(task, names);
      const idle = idleEntry(task, blank, loaded && !request.reload && !task.refresh);
      if (idle) return idle;
      const { dataset, source } = task.unit;
      const options = withPast(routes.get(dataset) ?? [], published.pacesOf(dataset, source.project_id));
      const withFields =
        isWeighed(options) || (!request.countsOnly && options.some(({ cheaper }) => cheaper !== undefined));
      const toDescribe = { task, inventory, client, fieldSchemas: fields.fieldSchemas };
      const { rows, fields: described } = await describing.run(async () =>
        withFields
          ? describeUnit(toDescribe, signal)
          : { rows: await countRows(client, task, inventory, signal), fields: null },
      );
      const requested = exports.get(task.name);
      const option = pickRoute(options, { rows, fields: described, requested });
      const chosen = described === null ? undescribed(option) : chooseFormat(option, described);
      return {
        ...blank,
        status: 'due',
        route: chosen.route,
        format: chosen.format,
        rows,
        ...estimateUnit(published.past, dataset, chosen.route, rows),
        ...(option.seconds === undefined ? {} : { seconds: option.seconds }),
        limit_seconds: Math.round(longestDownload(rows ?? 0, limitsOf(settings)) / 1000),
        requests: ROUTES[chosen.route].requests(task.pipeline.source, rows),
        reason: `${loaded || published.loaded.has(task.name) ? 'loaded again' : 'not in the warehouse'}; ${chosen.reason}`,
      };
    }),
  );
  return { units, totals: totalsOf(units, settings) };
}

/**
 * Refuses fields that pipelines name but neither the warehouse nor the service has, even if nothing is due. Asks the
 * service only about names that the warehouse lacks.
 *
 * @throws CrawlhouseError `bad_pipeline` naming file, line, key and similar names
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
  for (const pipeline of pipelines)
    if (unknownNames(pipeline, await fields.loadedFields(pipeline.dataset)).length > 0)
      doubtful.push(pipeline);
  if (doubtful.length === 0) return;
  const selection = selectionOf(settings, { from: Number.NEGATIVE_INFINITY });
  const request = { pipelines: doubtful, selection, withHeld: true };
  const published = await publishedUnits(settings);
  const scope = scopeOf(settings, request, published);
  const { plan } = await planRun(client, request, scope, (units) => units, signal);
  const left = plan.tasks.filter((task) => !isLoaded(published.loaded, task));
  await refuseUnknownFields(fields, withNewest(left, plan.tasks), signal);
}

/** Returns the entry of a unit that needs no work; undefined for a due one. */
function idleEntry(
  { skip, failure }: Task,
  blank: ReturnType<typeof blankEntry>,
  loaded: boolean,
): PlanEntry | undefined {
  if (loaded) return { ...blank, status: 'loaded', reason: 'already in the warehouse' };
  if (failure) return { ...blank, status: 'failed', reason: failure.message };
  return skip === null ? undefined : { ...blank, status: 'skipped', reason: skip };
}

function blankEntry({ unit, name }: Task, names: ReadonlyMap<string, string>) {
  const { dataset, source, window } = unit;
  const id = source.project_id;
  const project_name = id === null ? null : (names.get(id) ?? null);
  const nothing = { route: null, format: null, rows: null, bytes: null, seconds: null, limit_seconds: null };
  return { unit: name, dataset, source, project_name, window, ...nothing, requests: 0 };
}

/** Returns finished sources that are not loaded, and open ones, with the names of projects by id. */
export async function discoverUnits(
  settings: Settings,
  { pipelines, selection }: Pick<RunRequest, 'pipelines' | 'selection'>,
  logger: Logger,
  signal: AbortSignal,
): Promise<{ plan: Plan; loaded: Knowledge['loaded']; names: ReadonlyMap<string, string> }> {
  await using client = connect(settings, logger);
  const published = await publishedUnits(settings);
  const { loaded, dropped } = published;
  const request = { pipelines, selection: selectionOf(settings, selection) };
  const scope = scopeOf(settings, request, published);
  const { inventory, plan } = await planRun(client, request, scope, markDropped(dropped), signal);
  const left = plan.tasks.filter((task) => !isLoaded(loaded, task));
  await refuseUnknownFields(knownFields(settings, client, signal), left, signal);
  sayFailures(inventory, plan, logger);
  return { plan, loaded, names: projectNames(inventory) };
}

/** Logs what a plan lacks because it could not be read, and crawls whose day differs from the requested one. */
function sayFailures({ failures }: Inventory, { notes }: Plan, logger: Logger): void {
  for (const note of notes) logger.warn(note);
  for (const { message, hint } of failures) logger.warn(`not in the plan: ${message}`, { hint });
}

/** Returns the names of projects by id. */
function projectNames({ workspaces }: Inventory): ReadonlyMap<string, string> {
  const projects = workspaces.flatMap((workspace) => workspace.projects.items);
  return new Map(projects.map(({ id, name }) => [id, name]));
}

const NOTHING: ReadonlySet<string> = new Set();

/** Returns a function that marks units that were dropped on purpose. */
function markDropped(dropped: ReadonlySet<string>): (tasks: readonly Task[]) => Task[] {
  return (tasks) =>
    tasks.map((task) =>
      dropped.has(task.name)
        ? { ...task, failure: null, skip: 'dropped: crawlhouse run --crawl ID --reload loads it again' }
        : task,
    );
}

interface PublishedUnits extends Knowledge {
  readonly past: readonly PastLoad[];
  readonly pacesOf: PacesOf;
  readonly dropped: ReadonlySet<string>;
}

async function publishedUnits(settings: PublishedPlace): Promise<PublishedUnits> {
  const published = await readPublished(settings, async (connection) => ({
    ...(await readKnowledge(connection)),
    past: await readPastLoads(connection),
    pacesOf: pacesByProject(await readRouteLoads(connection)),
    dropped: await droppedUnits(connection),
  }));
  const nothing = { known: NOTHING_KNOWN, loaded: new Map(), past: [], dropped: NOTHING };
  return published ?? { ...nothing, pacesOf: pacesByProject([]) };
}

/** Returns the data exports of the units' current attempts, by unit. */
async function requestedExports(settings: LedgerSettings): Promise<ReadonlyMap<string, LedgerExport>> {
  await using ledger = await readLedger(settings);
  return new Map((await ledger?.exports())?.map((entry) => [entry.unit, entry]));
}

function knownFields(settings: Settings, client: ServiceClient, signal: AbortSignal): KnownFields {
  return {
    projectDir: settings.projectDir,
    fieldSchemas: new FieldSchemaCache(client, signal),
    loadedFields: async (dataset) =>
      (await readPublished(settings, (connection) => loadedFieldNames(connection, dataset))) ?? new Set(),
  };
}

/** Returns the choice for a unit with unknown fields. The format stays open if the fields determine it. */
function undescribed({ route, format, cheaper, reason }: RouteOption) {
  return cheaper === undefined
    ? { route, format, reason }
    : { route, format: null, reason: `${reason}; its fields decide the format` };
}
