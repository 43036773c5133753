import { ServiceClient } from '../api/client.ts';
import { type Settings, serviceSettings } from '../config/settings.ts';
import type { Logger } from '../core/logger.ts';
import { Semaphore } from '../core/semaphore.ts';
import { discover } from '../discover/discover.ts';
import { planUnits, type Selection } from '../discover/plan-units.ts';
import type { Pipeline } from '../model/pipeline.ts';
import { type ChosenRoute, chooseRoute, type RouteWish } from './choose-route.ts';
import { engineSlots, type RunContext } from './context.ts';
import { runUnits } from './run-units.ts';
import { type RunResult, runSession, type Session, type Work } from './session.ts';

export interface RunRequest {
  readonly command: 'run' | 'backfill';
  readonly pipelines: readonly Pipeline[];
  readonly selection: Selection;
  readonly wish: RouteWish;
  /** Load units again that the warehouse holds. */
  readonly reload: boolean;
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
  const service = serviceSettings(settings);
  const routes = new Map(
    request.pipelines.map((pipeline) => [pipeline.dataset, chooseRoute(pipeline, request.wish)]),
  );
  await using client = new ServiceClient({
    ...service,
    requestsPerSecond: settings.requests_per_second,
    logger,
  });
  return await runSession({ command: request.command, settings, logger, signal, progress }, (session) =>
    loadDueUnits(session, client, request, routes),
  );
}

async function loadDueUnits(
  session: Session,
  client: ServiceClient,
  request: RunRequest,
  routes: ReadonlyMap<string, ChosenRoute>,
): Promise<Work> {
  const { settings, signal } = session;
  const landscape = await discover(client, settings.workspaces, signal);
  const plan = planUnits(landscape, request.pipelines, request.selection);
  session.ledger.setDiscovery({ open: plan.open, swept_at: new Date().toISOString() });
  const context: RunContext = {
    ...session,
    client,
    engine: new Semaphore(engineSlots(settings.threads, settings.memory_limit)),
  };
  return runUnits(context, plan.units, routes, landscape, request.reload);
}
