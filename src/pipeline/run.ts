import type { ServiceClient } from '../api/client.ts';
import type { Settings } from '../config/settings.ts';
import type { Logger } from '../core/logger.ts';
import { isStateWished } from '../core/state-wish.ts';
import type { DiscoveryScope, Landscape } from '../discover/discover.ts';
import type { PlannedUnit, Selection } from '../discover/plan-units.ts';
import { checkResource } from '../discover/resources.ts';
import { pipelineFilter } from '../discover/unit-source.ts';
import type { Pipeline } from '../model/pipeline.ts';
import { unitName } from '../model/unit.ts';
import { readKnownLists } from '../warehouse/known-lists.ts';
import { type ChosenRoute, type RouteWish, routeOptions } from './choose-route.ts';
import { configuredStores } from './configured-stores.ts';
import { connect } from './connect.ts';
import type { RunContext } from './context.ts';
import { Engine } from './engine.ts';
import { keepHouse, withoutDropped } from './housekeeping.ts';
import { type Knowledge, lastSweep, recordLoadedLists, recordNews } from './list-knowledge.ts';
import { mergeResults } from './merge-results.ts';
import { runUnits } from './run-units.ts';
import { type RunResult, runSession, type Session, type Work } from './session.ts';
import { makesRoom } from './take-state.ts';
import { takeStock } from './take-stock.ts';
import { ToldFields } from './told-fields.ts';
import { Unarchiver } from './unarchive.ts';

export interface RunRequest {
  readonly command: 'run' | 'backfill';
  readonly pipelines: readonly Pipeline[];
  readonly selection: Selection;
  readonly wish: RouteWish;
  /** Load units again that the warehouse holds. */
  readonly reload: boolean;
  /** UTC milliseconds; absent: the system's own. */
  readonly now?: number;
  /** Leave units alone that have failed again and again, until their next try; for runs that nobody started. */
  readonly patient?: boolean;
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
  const options = { command: request.command, settings, logger, signal, progress };
  const session = (done: ReadonlySet<string>): Promise<RunResult> =>
    runSession(options, (own) => loadDueUnits(own, client, request, routes, done));
  const results: [RunResult, ...RunResult[]] = [await session(new Set())];
  while (results.at(-1)?.madeRoom) {
    logger.info('made room for who waits for the state');
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
  settings: Settings,
  { pipelines, wish }: Pick<RunRequest, 'pipelines' | 'wish'>,
): ReadonlyMap<string, readonly ChosenRoute[]> {
  const stores = configuredStores(settings);
  for (const pipeline of pipelines) {
    pipelineFilter(pipeline);
    if (pipeline.source.kind === 'resource') checkResource(pipeline);
  }
  return new Map(pipelines.map((one) => [one.dataset, routeOptions(one, wish, stores)]));
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

async function loadDueUnits(
  session: Session,
  client: ServiceClient,
  request: RunRequest,
  routes: ReadonlyMap<string, readonly ChosenRoute[]>,
  done: ReadonlySet<string>,
): Promise<Work> {
  const { settings, signal } = session;
  const { connection } = session.working;
  const knowledge = { held: session.held, known: await readKnownLists(connection) };
  const scope = scopeOf(settings, request, knowledge);
  const choose = (units: readonly PlannedUnit[], found: Landscape) =>
    withoutDropped(
      session,
      units.filter(({ unit }) => !done.has(unitName(unit))),
      found,
      request,
    );
  const { landscape, plan } = await takeStock(client, request, scope, choose, signal);
  await recordNews(connection, landscape, scope.now);
  const sweptAt = lastSweep(landscape, scope.known, scope.now);
  session.ledger.setDiscovery({
    open: plan.open,
    swept_at: sweptAt === null ? null : new Date(sweptAt).toISOString(),
  });
  const context: RunContext = {
    ...session,
    client,
    reload: request.reload,
    named: request.selection.crawls !== null,
    patient: request.patient ?? false,
    unarchiver: new Unarchiver(client, settings.unarchive_per_run, signal),
    toldFields: new ToldFields(client, signal),
    engine: await Engine.start(session.database, settings.threads, settings.memory_limit),
    isStateWished: () => makesRoom(request.command) && isStateWished(settings.state_dir),
  };
  const work = await runUnits(context, plan.units, routes, landscape, scope.held);
  await recordLoadedLists(connection, landscape, request.pipelines, work.units);
  await keepHouse(session, request, work);
  return work;
}
