import type { ServiceClient } from '../../client/http/service-client.ts';
import type { ChangedDay } from '../../client/resources/changed-day.ts';
import { Unarchiver } from '../../client/unarchiver.ts';
import { ConversionPlaces } from '../../core/duckdb/conversion-places.ts';
import { toCrawlhouseError } from '../../core/errors/errors.ts';
import { hasLockWaiter, yieldsLock } from '../../core/locks/acquire-lock.ts';
import type { Logger } from '../../core/logs/logger.ts';
import { runStep } from '../../core/logs/telemetry.ts';
import { configuredStores, type StoreSettings } from '../../core/stores/registry.ts';
import type { Inventory } from '../project/model/inventory.ts';
import type { Pipeline } from '../project/model/pipeline.ts';
import { checkResource } from '../project/model/resource-names.ts';
import { pacesByProject } from '../project/model/route-pace.ts';
import { mergeResults, type RunResult } from '../project/model/runs/run-result.ts';
import type { Selection, Task } from '../project/model/task.ts';
import { pipelineFilter } from '../project/model/unit-source.ts';
import { limitsOf } from '../project/settings/limits.ts';
import { type Settings, selectionOf } from '../project/settings/settings.ts';
import type { Knowledge } from '../state/catalog/knowledge.ts';
import { readKnownLists } from '../state/catalog/ops/ops-lists.ts';
import { isLoaded, readRouteLoads } from '../state/catalog/ops/ops-loads.ts';
import { loadedFieldNames } from '../state/catalog/ops/ops-unit-fields.ts';
import { connect } from './discover/connect.ts';
import type { DiscoveryScope } from './discover/discover.ts';
import { planRun } from './discover/plan-run.ts';
import { lastSweep, recordListing, recordLoadedLists } from './discover/record-listing.ts';
import { applyRetention, withoutDropped } from './retention.ts';
import { type RouteOverride, routeOptions } from './routes/choose-route.ts';
import { FieldSchemaCache } from './routes/field-schema-cache.ts';
import { refuseUnknownFields } from './routes/refuse-unknown-fields.ts';
import type { RouteOption } from './routes/route.ts';
import { runUnits } from './run-units.ts';
import {
  hasNews,
  inSession,
  noteWork,
  type OpenSession,
  publishLeft,
  publishLoaded,
  publishRun,
  tidyUp,
  unitStatuses,
} from './session.ts';
import { stagingConnections } from './stage/macros.ts';
import { transform } from './transform.ts';
import type { SharedContext } from './unit/contexts.ts';

export interface RunRequest {
  /** The name of the run in the list of runs. */
  readonly command: string;
  readonly pipelines: readonly Pipeline[];
  /** The settings supply what it omits. */
  readonly selection?: Partial<Selection>;
  readonly override?: RouteOverride;
  /** Whether to load units again that are already loaded. */
  readonly reload: boolean;
  /** Row counts of a plan, by unit name. */
  readonly planned?: ReadonlyMap<string, number>;
  /** Days of dated data that have changed since they were loaded. They are loaded again. */
  readonly changed?: readonly ChangedDay[];
  /** UTC milliseconds; by default the system's time. */
  readonly now?: number;
  /** Whether units that failed repeatedly wait until their next try; for scheduled runs. */
  readonly respectBackoff?: boolean;
  /** Called with each line of `--events`. */
  readonly events?: ((line: string) => void) | undefined;
}

type ResolvedRequest = RunRequest & { readonly selection: Selection };

/**
 * Runs all due units, from discovery to publication. Failed units do not delay other units.
 *
 * @throws CrawlhouseError of kind usage, before anything was tried
 */
export async function run(
  settings: Settings,
  request: RunRequest,
  logger: Logger,
  signal: AbortSignal,
  progress: (text: string) => void = () => {},
): Promise<RunResult> {
  await using client = connect(settings, logger);
  const routes = routesOf(settings, request);
  const { command, events } = request;
  const asked = { ...request, selection: selectionOf(settings, request.selection) };
  const options = { command, settings, logger, signal, progress, events };
  let all: RunResult | null = null;
  do {
    if (all) logger.info('yielded the lock to a waiting process');
    const done = new Set(all?.report.units.map(({ unit }) => unit));
    const result: RunResult = await inSession(options, (session) =>
      runOnce(session, { settings, client, request: asked, routes, done }),
    );
    all = all ? mergeResults([all, result]) : result;
  } while (all.yielded);
  return all;
}

const AS_CONFIGURED: RouteOverride = { route: null, format: null, store: null };

/**
 * Returns the routes that each pipeline's units may use.
 *
 * @throws CrawlhouseError of kind usage, for an impossible request
 */
export function routesOf(
  settings: StoreSettings,
  { pipelines, override = AS_CONFIGURED }: Pick<RunRequest, 'pipelines' | 'override'>,
): ReadonlyMap<string, readonly RouteOption[]> {
  const stores = configuredStores(settings);
  for (const pipeline of pipelines) {
    pipelineFilter(pipeline);
    if (pipeline.source.kind === 'resource') checkResource(pipeline);
  }
  return new Map(pipelines.map((pipeline) => [pipeline.dataset, routeOptions(pipeline, override, stores)]));
}

export function scopeOf(
  settings: Settings,
  {
    pipelines,
    selection,
    reload,
    now,
  }: Pick<ResolvedRequest, 'pipelines' | 'selection'> & Partial<RunRequest>,
  knowledge: Knowledge,
): DiscoveryScope & Knowledge {
  return {
    workspaces: settings.workspaces,
    projects: selection.projects,
    pipelines,
    ...knowledge,
    sweepDays: settings.sweep_days,
    sweep: reload === true && selection.crawls === null,
    now: now ?? Date.now(),
  };
}

interface RunInputs {
  readonly settings: Settings;
  readonly client: ServiceClient;
  readonly request: ResolvedRequest;
  readonly routes: ReadonlyMap<string, readonly RouteOption[]>;
  /** Names of the units that an earlier session of the run has finished. */
  readonly done: ReadonlySet<string>;
}

/** Runs one session, in order. */
async function runOnce(
  opened: OpenSession,
  { settings, client, request, routes, done }: RunInputs,
): Promise<void> {
  // Results of an earlier process.
  const session = await publishLeft(opened);
  const { working, ledger, meter, signal, logger } = session;
  const { connection } = working;
  const before = await unitStatuses(session);

  // Plan: what the service has and the warehouse lacks.
  meter.discover();
  const knowledge = { loaded: session.loaded, known: await readKnownLists(connection) };
  const scope = scopeOf(settings, request, knowledge);
  const choose = (tasks: readonly Task[], present: Inventory) =>
    withoutDropped(
      session,
      tasks.filter(({ name }) => !done.has(name)),
      present,
      request,
    );
  const { inventory, plan } = await planRun(client, request, scope, choose, signal);
  for (const note of plan.notes) logger.warn(note);
  await recordListing(connection, inventory, scope.now);
  const sweptAt = lastSweep(inventory, scope.known, scope.now);
  await ledger.setDiscovery({
    open: plan.open,
    swept_at: sweptAt === null ? null : new Date(sweptAt).toISOString(),
  });
  const fieldSchemas = new FieldSchemaCache(client, signal);
  await refuseUnknownFields(
    {
      projectDir: settings.projectDir,
      fieldSchemas,
      loadedFields: (dataset) => loadedFieldNames(connection, dataset),
    },
    plan.tasks.filter((task) => request.reload || !isLoaded(session.loaded, task)),
    signal,
  );

  // Extract, stage and load units concurrently.
  const context: SharedContext = {
    ...session,
    client,
    inventory,
    reload: request.reload,
    named: request.selection.crawls !== null,
    unarchiver: new Unarchiver(client, settings.unarchive_per_run, limitsOf(settings).unarchiveWait, signal),
    fieldSchemas,
    engine: await ConversionPlaces.start(session.database, settings.threads, settings.memory_limit),
    staging: stagingConnections(() => session.database.connect()),
  };
  const loads = await runUnits(context, plan.tasks, {
    routes,
    pacesOf: pacesByProject(await readRouteLoads(connection)),
    planned: request.planned ?? new Map(),
    respectBackoff: request.respectBackoff ?? false,
    publish: (units) => publishLoaded(session, units),
    hasLockWaiter: () => yieldsLock(request.command) && hasLockWaiter(settings.state_dir),
  });
  const unwritten = await client.keepTokens();
  const errors = [...inventory.failures, ...loads.errors, ...(unwritten === null ? [] : [unwritten])];
  try {
    await recordLoadedLists(connection, inventory, request.pipelines, loads.units);
    await applyRetention(session, request, { ...loads, errors });
  } catch (thrown) {
    // Loaded units are still published.
    errors.push(toCrawlhouseError(signal.aborted ? signal.reason : thrown));
  }

  // Transform and publish.
  const last = await noteWork(session, { ...loads, errors });
  if (!last) return;
  const broken = await runStep('transform', {}, () => transform(last));
  last.state.errors.push(...broken);
  if (broken.length === 0 && (await hasNews(last, before))) await publishRun(last, 'end');
  if (!signal.aborted) await tidyUp(last);
}
