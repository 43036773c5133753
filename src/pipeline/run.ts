import { ConversionPlaces } from '../core/duckdb/engine.ts';
import { toCrawlhouseError } from '../core/errors/errors.ts';
import { hasLockWaiter, yieldsLock } from '../core/locks/acquire-lock.ts';
import type { Logger } from '../core/logs/logger.ts';
import type { Inventory } from '../project/model/inventory.ts';
import type { Pipeline } from '../project/model/pipeline.ts';
import type { PlannedUnit, Selection } from '../project/model/planned-unit.ts';
import { checkResource } from '../project/model/resources.ts';
import { pacesByProject } from '../project/model/route-pace.ts';
import { mergeResults, type RunResult } from '../project/model/runs/run-result.ts';
import { pipelineFilter } from '../project/model/unit-source.ts';
import { limitsOf } from '../project/settings/limits.ts';
import type { Settings } from '../project/settings/settings.ts';
import type { ServiceClient } from '../service/api/client/client.ts';
import type { ChangedDay } from '../service/api/resources/changed-day.ts';
import { Unarchiver } from '../service/api/unarchiver.ts';
import type { Knowledge } from '../state/catalogue/knowledge.ts';
import { readKnownLists } from '../state/catalogue/ops/ops-lists.ts';
import { isLoaded, readRouteLoads } from '../state/catalogue/ops/ops-loads.ts';
import { loadedFieldNames } from '../state/catalogue/ops/ops-unit-fields.ts';
import { configuredStores, type StoreSettings } from '../stores/registry.ts';
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
import { runSession, type SessionOutcome } from './session.ts';
import { stagingConnections } from './stage/macros.ts';
import type { RunContext, Session } from './unit/run-context.ts';

export interface RunRequest {
  /** What the run is called in the list of runs. */
  readonly command: string;
  readonly pipelines: readonly Pipeline[];
  readonly selection: Selection;
  readonly override: RouteOverride;
  /** Load units again that the warehouse holds. */
  readonly reload: boolean;
  /** Rows that a plan has counted, by the names of their units. */
  readonly planned?: ReadonlyMap<string, number>;
  /** Days of dated data that have changed since they were loaded: they are loaded again. */
  readonly changed?: readonly ChangedDay[];
  /** UTC milliseconds; absent: the system's own. */
  readonly now?: number;
  /** Leave units alone that have failed again and again, until their next try; for runs that nobody started. */
  readonly respectBackoff?: boolean;
  /** Gets each line of `--events`. */
  readonly events?: ((line: string) => void) | undefined;
}

/**
 * Everything that is due, from discovery to the published warehouse. Units that fail don't keep the others back.
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
  const options = { command, settings, logger, signal, progress, events };
  const session = (done: ReadonlySet<string>): Promise<RunResult> =>
    runSession(options, (own) => loadDueUnits(own, { settings, client, request, routes, done }));
  const results: [RunResult, ...RunResult[]] = [await session(new Set())];
  while (results.at(-1)?.yielded) {
    logger.info('yielded the lock to a waiting process');
    results.push(
      await session(new Set(results.flatMap(({ report }) => report.units.map((one) => one.unit)))),
    );
  }
  return mergeResults(results);
}

/**
 * The routes that each pipeline's units may take.
 *
 * @throws CrawlhouseError of kind usage, for what can't be had
 */
export function routesOf(
  settings: StoreSettings,
  { pipelines, override }: Pick<RunRequest, 'pipelines' | 'override'>,
): ReadonlyMap<string, readonly RouteOption[]> {
  const stores = configuredStores(settings);
  for (const pipeline of pipelines) {
    pipelineFilter(pipeline);
    if (pipeline.source.kind === 'resource') checkResource(pipeline);
  }
  return new Map(pipelines.map((one) => [one.dataset, routeOptions(one, override, stores)]));
}

export function scopeOf(
  settings: Settings,
  {
    pipelines,
    selection,
    reload,
    now,
  }: Pick<RunRequest, 'pipelines' | 'selection' | 'now'> & { readonly reload?: boolean },
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

interface DueUnits {
  readonly settings: Settings;
  readonly client: ServiceClient;
  readonly request: RunRequest;
  readonly routes: ReadonlyMap<string, readonly RouteOption[]>;
  /** Names of the units that an earlier session of the run has seen to. */
  readonly done: ReadonlySet<string>;
}

async function loadDueUnits(
  session: Session,
  { settings, client, request, routes, done }: DueUnits,
): Promise<SessionOutcome> {
  const { signal } = session;
  session.meter.discover();
  const { connection } = session.working;
  const knowledge = { loaded: session.loaded, known: await readKnownLists(connection) };
  const scope = scopeOf(settings, request, knowledge);
  const choose = (units: readonly PlannedUnit[], found: Inventory) =>
    withoutDropped(
      session,
      units.filter(({ name }) => !done.has(name)),
      found,
      request,
    );
  const { inventory, plan } = await planRun(client, request, scope, choose, signal);
  for (const note of plan.notes) session.logger.warn(note);
  await recordListing(connection, inventory, scope.now);
  const sweptAt = lastSweep(inventory, scope.known, scope.now);
  await session.ledger.setDiscovery({
    open: plan.open,
    swept_at: sweptAt === null ? null : new Date(sweptAt).toISOString(),
  });
  const fieldSchemas = new FieldSchemaCache(client, signal);
  const loadedFields = (dataset: string) => loadedFieldNames(connection, dataset);
  await refuseUnknownFields(
    { projectDir: settings.projectDir, fieldSchemas, loadedFields },
    plan.units.filter((one) => request.reload || !isLoaded(session.loaded, one)),
    signal,
  );
  const context: RunContext = {
    ...session,
    client,
    reload: request.reload,
    named: request.selection.crawls !== null,
    respectBackoff: request.respectBackoff ?? false,
    planned: request.planned ?? new Map(),
    pacesOf: pacesByProject(await readRouteLoads(connection)),
    unarchiver: new Unarchiver(client, settings.unarchive_per_run, limitsOf(settings).unarchiveWait, signal),
    fieldSchemas,
    engine: await ConversionPlaces.start(session.database, settings.threads, settings.memory_limit),
    staging: stagingConnections(() => session.database.connect()),
    hasLockWaiter: () => yieldsLock(request.command) && hasLockWaiter(settings.state_dir),
  };
  const ran = await runUnits(context, plan.units, routes, inventory);
  const unwritten = await client.keepTokens();
  const work = {
    ...ran,
    errors: [...inventory.failures, ...ran.errors, ...(unwritten === null ? [] : [unwritten])],
  };
  try {
    await recordLoadedLists(connection, inventory, request.pipelines, work.units);
    await applyRetention(session, request, work);
    return work;
  } catch (thrown) {
    // Loaded units are still published.
    return { ...work, errors: [...work.errors, toCrawlhouseError(signal.aborted ? signal.reason : thrown)] };
  }
}
