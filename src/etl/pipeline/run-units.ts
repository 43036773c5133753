import { asAllForbidden } from '../../client/http/service-error.ts';
import { type CrawlhouseError, toCrawlhouseError } from '../../core/errors/errors.ts';
import { host } from '../../core/host/host.ts';
import { count, runStep, type SpanResult } from '../../core/logs/telemetry.ts';
import type { DueUnit } from '../../core/progress/unit-work.ts';
import { FairQueue } from '../../core/queue/fair-queue.ts';
import type { PacesOf } from '../project/model/route-pace.ts';
import { reportedError, type UnitReport, unitReport } from '../project/model/runs/unit-report.ts';
import type { Task } from '../project/model/task.ts';
import { type Unit, unitName } from '../project/model/unit.ts';
import { nameFullDisk } from '../project/settings/name-full-disk.ts';
import { isLoaded, usualRows } from '../state/catalog/ops/ops-loads.ts';
import { respectBackoff, type SettledTasks } from '../state/ledger/respect-backoff.ts';
import type { UnitOffers } from '../state/ledger/unit-queue.ts';
import { loadWorkers } from './load-workers.ts';
import { RankingWindows } from './routes/aggregates/ranking-windows.ts';
import { reconcileExports } from './routes/export/reconcile-exports.ts';
import type { RouteOption } from './routes/route.ts';
import { withPast } from './routes/weigh-export.ts';
import type { SessionOutcome } from './session.ts';
import type { Session, SharedContext } from './unit/contexts.ts';
import { LoadQueue } from './unit/load-units.ts';
import { isFailure, runUnit, type UnitOutcome } from './unit/run-unit.ts';
import type { TakenUnit, WorkersPart } from './unit/shared-units.ts';

/** Milliseconds between two checks of whether to publish, and of pure waiting before a publication. */
const LOOK_MS = 1000;
const IDLE_MS = 5_000;

/** A run's request for its units, besides what their steps need. */
export interface UnitsRequest {
  /** The routes that the units of a dataset may take. */
  readonly routes: ReadonlyMap<string, readonly RouteOption[]>;
  /** Paces of loads before this run. */
  readonly pacesOf: PacesOf;
  /** Row counts of a plan, by unit name. */
  readonly planned: ReadonlyMap<string, number>;
  /** Whether units that failed repeatedly wait for their next try, because no person started this run. */
  readonly respectBackoff: boolean;
  /** Publishes the loaded units while nothing else uses the working copy. The session continues. */
  readonly publish: (units: readonly UnitReport[]) => Promise<unknown>;
  /** Returns whether another process waits for the lock that this run yields. */
  readonly hasLockWaiter: () => boolean;
}

/**
 * Runs the tasks concurrently, with a fair share for each project. Skips loaded units of finished crawls. A refusal
 * (403) affects only its own unit. After rejected credentials (401) or a damaged working copy, no further unit starts,
 * and the report lists the units that were not tried.
 */
export async function runUnits(
  context: SharedContext,
  tasks: readonly Task[],
  request: UnitsRequest,
): Promise<SessionOutcome> {
  const settled = await settleUnits(context, tasks, request.respectBackoff);
  await reconcileExports(context, context.loaded);
  for (const report of settled.reports) noteEnd(context, report);
  const expected = await expectedRows(context, settled.tasks, request.planned);
  context.meter.begin(expected);
  for (const { unit, rows } of expected) context.events?.note('planned', unit, { rows });
  const work = new UnitsAtWork(context, request, settled);
  await work.run();
  const { reports, errors, yielded } = work;
  return { units: reports, errors: [...errors, ...forbidsAll(context, reports, errors)], yielded };
}

/** Returns the error of a first run in which every tried unit is forbidden, which means that the token is useless. */
function forbidsAll(
  { loaded }: Session,
  reports: readonly UnitReport[],
  errors: readonly CrawlhouseError[],
): CrawlhouseError[] {
  const tried = reports.filter(({ status }) => status !== 'skipped');
  const isAll = tried.length > 0 && tried.every(({ error }) => error?.code === 'forbidden');
  const first = errors.find(({ code }) => code === 'forbidden');
  return isAll && first && loaded.size === 0 ? [asAllForbidden(first)] : [];
}

/** Records the tasks in the ledger, and reports those that need no request: skipped, failed, waiting. */
async function settleUnits(
  context: SharedContext,
  tasks: readonly Task[],
  isPatient: boolean,
): Promise<SettledTasks> {
  const { ledger, loaded, reload } = context;
  const missing = tasks.filter(({ name }) => !loaded.has(name));
  const failed = tasks.filter(({ failure }) => failure !== null);
  await forgetWindowless(context, tasks);
  await ledger.discoverUnits([...missing, ...failed].map(({ unit }) => unit));
  const reports: UnitReport[] = await skipUnits(context, missing);
  const errors: CrawlhouseError[] = [];
  for (const { unit, failure } of failed) {
    if (failure === null) continue;
    const report = await failUnit(context, unit, failure);
    logUnit(context, report, 'discover');
    reports.push(report);
    errors.push(failure);
  }
  const waiting = respectBackoff(
    tasks.filter(
      (task) =>
        task.skip === null && task.failure === null && (reload || task.refresh || !isLoaded(loaded, task)),
    ),
    isPatient ? await ledger.units('unpublished') : [],
    Date.now(),
  );
  return {
    tasks: restoredFirst(waiting.tasks),
    reports: [...reports, ...waiting.reports],
    errors: [...errors, ...waiting.errors],
  };
}

/** The due tasks of a run, each run at most once at a time, and the results of all units. */
class UnitsAtWork {
  readonly reports: UnitReport[];
  readonly errors: CrawlhouseError[];
  /** Whether another process wants the state lock. If so, nothing more starts. */
  yielded = false;
  /** Set if credentials are rejected or the working copy is damaged. Nothing more starts after that. */
  #shutOut: CrawlhouseError | undefined;
  /** Set once units can no longer be shared. */
  #unshared: CrawlhouseError | undefined;
  /** Projects with an exhausted quota of ranking performance. Their remaining units are not requested. */
  readonly #exhausted = new Map<string, CrawlhouseError>();
  readonly #context: SharedContext;
  readonly #request: UnitsRequest;
  readonly #tasks: readonly Task[];
  readonly #rankings: RankingWindows;
  readonly #queue: FairQueue;
  readonly #loads: LoadQueue;

  constructor(context: SharedContext, request: UnitsRequest, { tasks, reports, errors }: SettledTasks) {
    this.reports = [...reports];
    this.errors = [...errors];
    this.#context = context;
    this.#request = request;
    this.#tasks = tasks;
    this.#rankings = new RankingWindows(context.client, tasks);
    const { settings } = context;
    this.#queue = new FairQueue({
      all: settings.concurrency,
      project: settings.concurrency_per_project,
      store: settings.concurrency_per_store,
    });
    this.#loads = new LoadQueue(() => this.#queue.isBusy);
  }

  /** Runs the units of this process, and those shared with others. */
  async run(): Promise<void> {
    const { ledger, settings } = this.#context;
    const { offers } = ledger;
    const workers = offers && settings.packages ? await loadWorkers() : null;
    const shared = workers?.offerableUnits(this.#tasks) ?? new Set();
    const own = this.#tasks.filter((task) => !shared.has(task));
    const runs = own.map((task) => {
      const { project_id, id } = task.unit.source;
      return this.#queue.run(project_id ?? id, (slot) => this.#take(task, { slot }));
    });
    const others = this.#tasks.filter((task) => shared.has(task));
    const all = Promise.all([...runs, offers && workers && this.#share(workers, offers, others)]);
    await this.#publishUntil(all);
    await all;
    const ending = this.#shutOut?.kind === 'access' ? this.#shutOut : this.#unshared;
    if (ending) this.#reportUntried(ending);
  }

  /** Publishes loaded units every `publish_every` minutes, or earlier if all remaining units wait for the service. */
  async #publishUntil(all: Promise<unknown>): Promise<void> {
    const { engine, settings, signal } = this.#context;
    const { sleep, monotonic } = host();
    const every = settings.publish_every * 60_000;
    const ended = new AbortController();
    const end = (): void => ended.abort();
    all.then(end, end);
    const stop = AbortSignal.any([ended.signal, signal]);
    let publishedAt = monotonic();
    let busyAt = publishedAt;
    let published = 0;
    for (;;) {
      // The signal reports an end.
      await sleep(LOOK_MS, stop).catch(() => {});
      if (stop.aborted || this.yielded || this.#shutOut) return;
      const now = monotonic();
      if (this.#queue.isBusy) busyAt = now;
      const loaded = this.reports.filter(({ status }) => status === 'loaded').length;
      if (loaded === published || (now - publishedAt < every && now - busyAt < IDLE_MS)) continue;
      try {
        await using _alone = await engine.alone();
        await this.#request.publish([...this.reports]);
      } catch (thrown) {
        if (signal.aborted) return;
        const error = toCrawlhouseError(thrown);
        this.errors.push(error);
        this.#shutOut ??= error;
      }
      published = loaded;
      publishedAt = monotonic();
    }
  }

  async #share(workers: WorkersPart, offers: UnitOffers, tasks: readonly Task[]): Promise<void> {
    const { signal } = this.#context;
    try {
      await workers.offerUnits(this.#context, offers, tasks, {
        queue: this.#queue,
        run: (task, taken) => this.#take(task, taken),
        optionsOf: (task) => this.#optionsOf(task),
        hasEnded: () => this.#shutOut !== undefined || this.yielded,
      });
    } catch (thrown) {
      const error = toCrawlhouseError(signal.aborted ? signal.reason : thrown);
      this.errors.push(error);
      if (!signal.aborted) this.#unshared = error;
    }
  }

  #optionsOf({ unit: { dataset, source } }: Task): readonly RouteOption[] {
    const { routes, pacesOf } = this.#request;
    return withPast(routes.get(dataset) ?? [], pacesOf(dataset, source.project_id));
  }

  /** Returns undefined for a unit that was not begun, or that another process has now. */
  async #take(task: Task, taken: TakenUnit): Promise<UnitOutcome | undefined> {
    const context = this.#context;
    if (this.#shutOut || context.signal.aborted) return undefined;
    this.yielded ||= this.#request.hasLockWaiter();
    if (this.yielded) return undefined;
    const { unit } = task;
    const { kind, id } = unit.source;
    const exhausted = kind === 'ranking_performance' ? this.#exhausted.get(id) : undefined;
    if (exhausted) {
      const report = await failUnit(context, unit, exhausted);
      this.#report(report, 'discover');
      return { report, error: exhausted, stage: 'discover' };
    }
    const outcome = await this.#runTask(task, taken);
    // Loaded rows count, even if another process has taken the unit since. The load itself checks the lease.
    const isThere = outcome.report.status === 'loaded' || outcome.report.status === 'unchanged';
    if (taken.lost?.aborted && !isThere && !context.signal.aborted) return undefined;
    this.#note(unit, outcome);
    return outcome;
  }

  #runTask(task: Task, { slot, lost, stagedByOther }: TakenUnit): Promise<UnitOutcome> {
    const context = this.#context;
    const { unit, name } = task;
    const former = isLoaded(context.loaded, task) ? context.loaded.get(name) : undefined;
    const facts = { options: this.#optionsOf(task), former, stagedByOther };
    const shared = { ...context, slot, rankings: this.#rankings, loads: this.#loads };
    return runStep<UnitOutcome>(
      'unit',
      {
        attributes: { unit: name, dataset: unit.dataset, source: unit.source.id },
        describe: ({ report }) => spanOf(report),
        signal: AbortSignal.any([context.signal, ...(lost ? [lost] : [])]),
        isIsolated: true,
      },
      (_attempt, signal) => runUnit({ ...shared, signal }, task, facts),
    ).catch(async (thrown: unknown) => {
      const error = nameFullDisk(toCrawlhouseError(thrown), context.settings, name);
      return { report: await failUnit(context, unit, error), error, stage: undefined };
    });
  }

  /** Reports units that were not tried. Their ledger entries stay unchanged, because they have not failed. */
  #reportUntried({ code, message, hint }: CrawlhouseError): void {
    const seen = new Set(this.reports.map(({ unit }) => unit));
    const error = { code, message: `not tried, because the run ended: ${message}`, hint };
    for (const { unit, name } of this.#tasks) {
      if (!seen.has(name)) this.#report(unitReport(unit, 'failed', error), null);
    }
  }

  #note(unit: Unit, { report, error, stage }: UnitOutcome): void {
    if (error) this.errors.push(error);
    if (error?.kind === 'access' || error?.code === 'damaged_warehouse') this.#shutOut ??= error;
    if (error?.code === 'quota') this.#exhausted.set(unit.source.id, error);
    this.#report(report, stage);
    countUnit(report);
  }

  /** @param stage null if the unit was not tried, as the run's error explains */
  #report(report: UnitReport, stage: UnitOutcome['stage'] | null): void {
    this.reports.push(report);
    this.#context.meter.unitDone(report.unit, report.status, report.bytes);
    noteEnd(this.#context, report);
    if (stage !== null) logUnit(this.#context, report, stage);
  }
}

function logUnit({ logger }: Session, report: UnitReport, stage: UnitOutcome['stage']): void {
  logger.info(`unit ${report.status}`, {
    unit: report.unit,
    stage,
    rows: report.counts.loaded ?? undefined,
    bytes: report.bytes ?? undefined,
    seconds: report.seconds,
    error: report.error?.message,
  });
}

/** Records the end of a unit, except for a loaded unit, whose load records its end. */
function noteEnd({ events }: Session, { unit, status, counts, error }: UnitReport): void {
  if (status !== 'loaded') events?.note(status, unit, { rows: counts.loaded, error });
}

/** Estimates the rows of units from the first plan of the run, or from past loads of the dataset. */
async function expectedRows(
  { working }: Session,
  tasks: readonly Task[],
  planned: ReadonlyMap<string, number>,
): Promise<DueUnit[]> {
  const past = await usualRows(working.connection);
  return tasks.map(({ unit, name }) => {
    const rows = planned.get(name) ?? past.get(unit.dataset) ?? null;
    return { unit: name, dataset: unit.dataset, rows };
  });
}

/** Returns the tasks, first those that restore a crawl, so that the crawl's other units wait for them. */
function restoredFirst(tasks: readonly Task[]): readonly Task[] {
  if (tasks.every(({ restore }) => restore === null)) return tasks;
  const byCrawl = Map.groupBy(tasks, ({ unit }) => unit.source.id);
  return [...byCrawl.values()].flatMap((own) => [
    ...own.filter(({ restore }) => restore !== null),
    ...own.filter(({ restore }) => restore === null),
  ]);
}

/** Reports units that cannot be loaded, once per reason as long as the reason persists. */
async function skipUnits({ ledger, logger }: Session, tasks: readonly Task[]): Promise<UnitReport[]> {
  const entries = await ledger.units('unpublished');
  const before = new Map(entries.map(({ unit, error }) => [unit, error?.message]));
  const reports: UnitReport[] = [];
  for (const { unit, name, skip } of tasks) {
    if (skip === null || before.get(name) === skip) continue;
    const error = { code: 'not_exportable', message: skip, hint: null } as const;
    await ledger.setUnit(unit, 'skipped', 0, error);
    logger.info('unit skipped', { unit: name, stage: 'discover', reason: skip });
    reports.push(unitReport(unit, 'skipped', error));
  }
  return reports;
}

/** Fails a unit before anything was requested for it, or when its own work could not report the failure. */
async function failUnit(
  { ledger, logger }: Session,
  unit: Unit,
  error: CrawlhouseError,
): Promise<UnitReport> {
  const reported = reportedError(error);
  const status = error.kind === 'refused' ? 'refused' : 'failed';
  try {
    if (isFailure(error)) await ledger.setUnit(unit, status, 0, reported);
  } catch (thrown) {
    // On a full disk, the report still lists it.
    logger.error('unit not written to the ledger', { error: toCrawlhouseError(thrown).message });
  }
  return unitReport(unit, status, reported);
}

/** Removes the ledger's unit without a window of a project whose windows are now known. */
async function forgetWindowless({ ledger }: Session, tasks: readonly Task[]): Promise<void> {
  const windowed = tasks.filter(({ unit }) => unit.window !== null);
  const names = new Set(windowed.map(({ unit }) => unitName({ ...unit, window: null })));
  await ledger.forgetUnits([...names]);
}

/** Returns the attributes of a unit's span at its end (docs/operate.md). */
function spanOf({ status, route, format, attempts, bytes, counts, error }: UnitReport): SpanResult {
  const rows = counts.loaded ?? undefined;
  const came = { route: route ?? undefined, format: format ?? undefined, bytes: bytes ?? undefined, rows };
  return { attributes: { status, attempts, ...came }, error: error?.message ?? null };
}

function countUnit({ dataset, status, bytes, counts }: UnitReport): void {
  count('units', 1, { dataset, status });
  count('rows', counts.loaded ?? 0, { dataset });
  count('bytes', bytes ?? 0, { dataset });
}
