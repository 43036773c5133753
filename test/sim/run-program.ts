import { withAlerts } from '../../src/app/operations/alert/with-alerts.ts';
import type { Crawl } from '../../src/client/resources/crawls.ts';
import { type CrawlhouseError, toCrawlhouseError } from '../../src/core/errors/errors.ts';
import { host, timestamp } from '../../src/core/host/host.ts';
import { acquireLock } from '../../src/core/locks/acquire-lock.ts';
import type { Logger } from '../../src/core/logs/logger.ts';
import { Meter } from '../../src/core/progress/meter.ts';
import { Semaphore } from '../../src/core/queue/semaphore.ts';
import { reconcileExports } from '../../src/etl/pipeline/routes/export/reconcile-exports.ts';
import { runUnits, type UnitsRequest } from '../../src/etl/pipeline/run-units.ts';
import { sweepFolders, sweepUnfinished } from '../../src/etl/pipeline/stage/unit-folders.ts';
import type { SharedContext } from '../../src/etl/pipeline/unit/contexts.ts';
import { removePublishedPackages } from '../../src/etl/pipeline/workers/package-store.ts';
import { exitCodeOf, type RunResult, runStatus } from '../../src/etl/project/model/runs/run-result.ts';
import { formerPace, summarizeRun } from '../../src/etl/project/model/runs/run-summary.ts';
import type { UnitReport } from '../../src/etl/project/model/runs/unit-report.ts';
import type { Settings } from '../../src/etl/project/settings/settings.ts';
import type { Ledger } from '../../src/etl/state/ledger/ledger.ts';
import { LiveRunFile } from '../../src/etl/state/ledger/live-run.ts';
import { openLedger } from '../../src/etl/state/ledger/open-ledger.ts';
import type { Oracle } from './oracle.ts';
import type { SimProcess } from './sim-process.ts';
import { simLoad, simStage } from './sim-stage.ts';
import { SimWarehouse } from './sim-warehouse.ts';
import { PIPELINES, ROUTES, simClient, tasksOf } from './site.ts';

interface RunOptions {
  readonly process: SimProcess;
  readonly oracle: Oracle;
  readonly settings: Settings;
  readonly command: 'run' | 'backfill';
  /** The schedule's name, or `run`. */
  readonly scope: string;
  readonly isLast: boolean;
  readonly logger: Logger;
}

/** A run with its alerts, as `fire` and the command `run` make it. */
export function watchedRun(options: RunOptions, signal: AbortSignal): Promise<RunResult> {
  const { settings, scope, isLast, logger } = options;
  const { now } = host();
  return withAlerts(
    settings,
    { scope, alerts: settings.alerts, isLast, now },
    {
      plan: () => ({
        pipelines: PIPELINES,
        selection: { projects: 'all' as const, crawls: null, from: 0, to: Number.POSITIVE_INFINITY },
      }),
      run: () => runSimSession(options, signal),
    },
    logger,
    signal,
  );
}

/** The order of `session.ts`, with a warehouse of small files and without models. */
async function runSimSession(options: RunOptions, outer: AbortSignal): Promise<RunResult> {
  const { process, oracle, settings, command, logger } = options;
  using _running = oracle.runBegins(process);
  using _lock = await acquireLock(settings.state_dir, command, logger, outer);
  await sweepUnfinished(settings);
  await using ledger = await openLedger(settings, command, logger, outer);
  const signal = AbortSignal.any([outer, ledger.lost]);
  const warehouse = await SimWarehouse.open(process, oracle, settings.state_dir, settings.warehouse, logger);
  const loaded = warehouse.loaded();
  await reconcileLedger(ledger, warehouse, loaded);
  const run = { run_id: process.uuid(), command, started_at: timestamp() };
  await ledger.startRun(run.run_id, run.command, run.started_at);
  using live = new LiveRunFile(settings.state_dir, run);
  using meter = new Meter((_text, now, atWork) => live.write(now, atWork), formerPace(await ledger.runs(20)));
  const ended: { units: readonly UnitReport[]; errors: CrawlhouseError[] } = { units: [], errors: [] };
  await using client = simClient(logger);
  const alone = new Semaphore(1);
  const publishNews = async (status: string): Promise<void> => {
    if (warehouse.hasNews) await publishRun(context, warehouse, oracle, status);
  };
  const context = {
    settings,
    runId: run.run_id,
    ledger,
    loaded,
    logger,
    signal,
    meter,
    client,
    working: { connection: { rows: async () => [] }, rows: { isInCatalog: true } },
    holds: new Map(),
    progress: () => {},
    reload: false,
    named: false,
    unarchiver: { idle: async () => {} },
    engine: { alone: () => alone.take() },
    steps: { stage: simStage, load: simLoad(warehouse) },
  } as unknown as SharedContext;
  try {
    const work = await loadUnits(context, {
      routes: ROUTES,
      pacesOf: () => [],
      planned: new Map(),
      respectBackoff: options.scope !== 'run',
      publish: () => publishNews('running'),
      hasLockWaiter: () => false,
    });
    ended.units = work.units;
    ended.errors.push(...work.errors);
    signal.throwIfAborted();
    await publishNews(runStatus(ended.errors, ended.units));
    const open = await ledger.units('unpublished');
    await sweepFolders(
      settings,
      open.map(({ unit }) => unit),
    );
  } catch (thrown) {
    ended.errors.push(toCrawlhouseError(signal.aborted ? signal.reason : thrown));
  }
  return endRun(context, run.started_at, ended);
}

/** As `etl/engines/reconcile-ledger.ts`. */
async function reconcileLedger(
  ledger: Ledger,
  warehouse: SimWarehouse,
  loaded: SharedContext['loaded'],
): Promise<void> {
  const { id, units, runs } = warehouse.contents;
  if (id !== null && (await ledger.publication()) !== id) {
    await ledger.restore(units, runs);
    await ledger.setPublication(id);
  }
  await ledger.reconcile(loaded);
}

async function loadUnits(context: SharedContext, request: UnitsRequest) {
  const { client, signal, ledger } = context;
  const listed = await client.all('crawls', { workspace_id: 'w1' }, signal);
  const crawls = listed.items as readonly Crawl[];
  const open = crawls.filter(({ status }) => status !== 'done').map(({ id }) => id);
  await ledger.setDiscovery({ open, swept_at: timestamp() });
  const inventory = {
    workspaces: [
      {
        id: 'w1',
        name: 'w1',
        record: { id: 'w1', name: 'w1' },
        crawls: { items: crawls.map(({ id }) => ({ id })) },
      },
    ],
  };
  return runUnits({ ...context, inventory: inventory as never }, tasksOf(crawls), request);
}

async function publishRun(
  context: SharedContext,
  warehouse: SimWarehouse,
  oracle: Oracle,
  status: string,
): Promise<void> {
  const { ledger, runId } = context;
  const runs = (await ledger.runs(1000)).map((one) =>
    one.run_id === runId ? { ...one, status, ended_at: timestamp() } : one,
  );
  const units = await ledger.units();
  await warehouse.change({ units, runs });
  const id = await warehouse.publish(() => ledger.confirm());
  for (const unit of Object.keys(warehouse.contents.loads))
    if (unit.startsWith('crawl_links/')) oracle.exportOver(unit.slice('crawl_links/'.length));
  await ledger.publishLoaded(id);
  await reconcileExports(context, warehouse.loaded());
  await removePublishedPackages(context);
}

async function endRun(
  { runId, ledger, meter }: SharedContext,
  started_at: string,
  { units, errors }: { readonly units: readonly UnitReport[]; readonly errors: CrawlhouseError[] },
): Promise<RunResult> {
  const report = {
    run_id: runId,
    status: runStatus(errors, units),
    started_at,
    ended_at: timestamp(),
    units,
    models: [],
    tests: [],
  };
  try {
    await ledger.endRun(runId, report.status, report.ended_at, summarizeRun(units, errors, meter.took()));
  } catch (thrown) {
    errors.push(toCrawlhouseError(thrown));
  }
  return { report, exitCode: exitCodeOf(errors), errors, yielded: false };
}
