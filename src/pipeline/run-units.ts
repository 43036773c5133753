import { isolateUnit } from '../core/errors/catch-uncaught.ts';
import { type CrawlhouseError, toCrawlhouseError } from '../core/errors/errors.ts';
import { host } from '../core/host/host.ts';
import { count, inSpan } from '../core/logs/telemetry.ts';
import type { DueUnit } from '../core/progress/unit-work.ts';
import { FairQueue } from '../core/queue/fair-queue.ts';
import type { Inventory } from '../project/model/inventory.ts';
import type { PlannedUnit } from '../project/model/planned-unit.ts';
import { reportedError, type UnitReport, unitReport } from '../project/model/runs/report.ts';
import { unitName } from '../project/model/unit.ts';
import { nameFullDisk } from '../project/settings/name-full-disk.ts';
import { asAllForbidden } from '../service/api/client/service-error.ts';
import { isLoaded, usualRows } from '../state/catalogue/ops/ops-loads.ts';
import { respectBackoff } from '../state/ledger/respect-backoff.ts';
import type { UnitOffers } from '../state/ledger/unit-queue.ts';
import { RankingWindows } from './routes/aggregates/ranking-windows.ts';
import { reconcileExports } from './routes/export/reconcile-exports.ts';
import type { RouteOption } from './routes/route.ts';
import { withPast } from './routes/weigh-export.ts';
import type { SessionOutcome } from './session.ts';
import { LoadQueue } from './unit/load-queue.ts';
import type { RunContext } from './unit/run-context.ts';
import { isFailure, runUnit, type UnitOutcome } from './unit/run-unit.ts';
import { offerUnits, type TakenUnit } from './workers/offer-units.ts';
import { offerableUnits } from './workers/unit-task.ts';

/** How often a run looks whether to publish, and how long nothing but waits is left before it does, in milliseconds. */
const LOOK_MS = 1000;
const IDLE_MS = 5_000;

interface UnitInputs {
  readonly context: RunContext;
  readonly routes: ReadonlyMap<string, readonly RouteOption[]>;
  readonly inventory: Inventory;
}

/**
 * Runs the planned units, several at once, with a fair share for each project. A finished crawl's unit that the
 * warehouse holds is left alone. A refusal (403) harms only its own unit. If credentials are rejected (401) or the
 * working copy is damaged, no further unit starts; the report has those that were not tried.
 */
export async function runUnits(
  context: RunContext,
  planned: readonly PlannedUnit[],
  routes: ReadonlyMap<string, readonly RouteOption[]>,
  inventory: Inventory,
): Promise<SessionOutcome> {
  const settled = await settleUnits(context, planned);
  await reconcileExports(context, context.loaded);
  for (const report of settled.reports) noteEnd(context, report);
  const due = await expectedRows(context, settled.due);
  context.meter.begin(due);
  for (const { unit, rows } of due) context.events?.note('planned', unit, { rows });
  const work = new UnitsAtWork({ context, routes, inventory }, settled);
  await work.run();
  const { reports, errors, yielded } = work;
  return { units: reports, errors: [...errors, ...forbidsAll(context, reports, errors)], yielded };
}

/** The error of a first run in which all that was tried is forbidden: the token is of no use. */
function forbidsAll(
  { loaded }: RunContext,
  reports: readonly UnitReport[],
  errors: readonly CrawlhouseError[],
): CrawlhouseError[] {
  const tried = reports.filter(({ status }) => status !== 'skipped');
  const isAll = tried.length > 0 && tried.every(({ error }) => error?.code === 'forbidden');
  const first = errors.find(({ code }) => code === 'forbidden');
  return isAll && first && loaded.size === 0 ? [asAllForbidden(first)] : [];
}

/** The units that are due, and what is already known of the others. */
interface SettledUnits {
  readonly due: readonly PlannedUnit[];
  readonly reports: readonly UnitReport[];
  readonly errors: readonly CrawlhouseError[];
}

/** Notes the planned units in the ledger, and reports those that nothing is asked for: skipped, failed, waiting. */
async function settleUnits(context: RunContext, planned: readonly PlannedUnit[]): Promise<SettledUnits> {
  const { ledger, loaded, reload } = context;
  const missing = planned.filter(({ name }) => !loaded.has(name));
  const failed = planned.filter((one) => one.failure !== null);
  await forgetWindowless(context, planned);
  await ledger.discoverUnits([...missing, ...failed].map((one) => one.unit));
  const reports: UnitReport[] = await skipUnits(context, missing);
  const errors: CrawlhouseError[] = [];
  for (const one of failed) {
    if (one.failure === null) continue;
    reports.push(await failUnit(context, one, one.failure));
    errors.push(one.failure);
  }
  const waiting = respectBackoff(
    planned.filter(
      (one) => one.skip === null && one.failure === null && (reload || one.refresh || !isLoaded(loaded, one)),
    ),
    context.respectBackoff ? await ledger.units('unpublished') : [],
    Date.now(),
  );
  return {
    due: restoredFirst(waiting.now),
    reports: [...reports, ...waiting.reports],
    errors: [...errors, ...waiting.errors],
  };
}

/** The due units of a run, each at most once at work, and what became of all units. */
class UnitsAtWork {
  readonly reports: UnitReport[];
  readonly errors: CrawlhouseError[];
  /** The state lock is wanted by another process: nothing more is begun. */
  yielded = false;
  /** Credentials are rejected or the working copy is damaged: nothing more is begun. */
  #shutOut: CrawlhouseError | undefined;
  /** Units can no longer be shared. */
  #unshared: CrawlhouseError | undefined;
  /** Each project has its own quota of ranking performance. The project's remaining units are not requested. */
  readonly #exhausted = new Map<string, CrawlhouseError>();
  readonly #inputs: UnitInputs;
  readonly #due: readonly PlannedUnit[];
  readonly #rankings: RankingWindows;
  readonly #queue: FairQueue;
  readonly #loads: LoadQueue;

  constructor(inputs: UnitInputs, { due, reports, errors }: SettledUnits) {
    this.reports = [...reports];
    this.errors = [...errors];
    this.#inputs = inputs;
    this.#due = due;
    this.#rankings = new RankingWindows(inputs.context.client, due);
    const { settings } = inputs.context;
    this.#queue = new FairQueue({
      all: settings.concurrency,
      project: settings.concurrency_per_project,
      store: settings.concurrency_per_store,
    });
    this.#loads = new LoadQueue(() => this.#queue.isBusy);
  }

  /** Runs the units of this process, and those that it shares with others. */
  async run(): Promise<void> {
    const { ledger, settings } = this.#inputs.context;
    const shared = ledger.offers && settings.packages ? offerableUnits(this.#due) : new Set();
    const own = this.#due.filter((one) => !shared.has(one));
    const runs = own.map((one) =>
      this.#queue.run(one.unit.source.project_id ?? one.unit.source.id, (slot) => this.#take(one, { slot })),
    );
    const others = this.#due.filter((one) => shared.has(one));
    const all = Promise.all([...runs, ledger.offers && this.#share(ledger.offers, others)]);
    await this.#publishUntil(all);
    await all;
    const ending = this.#shutOut?.kind === 'access' ? this.#shutOut : this.#unshared;
    if (ending) this.#reportUntried(ending);
  }

  /** Publishes what is loaded every `publish_every` minutes, and sooner where all that is left waits for the service. */
  async #publishUntil(all: Promise<unknown>): Promise<void> {
    const { context } = this.#inputs;
    const { sleep, monotonic } = host();
    const every = context.settings.publish_every * 60_000;
    const ended = new AbortController();
    const end = (): void => ended.abort();
    all.then(end, end);
    const stop = AbortSignal.any([ended.signal, context.signal]);
    let publishedAt = monotonic();
    let busyAt = publishedAt;
    let published = 0;
    for (;;) {
      // An end shows in the signal.
      await sleep(LOOK_MS, stop).catch(() => {});
      if (stop.aborted || this.yielded || this.#shutOut) return;
      const now = monotonic();
      if (this.#queue.isBusy) busyAt = now;
      const loaded = this.reports.filter(({ status }) => status === 'loaded').length;
      if (loaded === published || (now - publishedAt < every && now - busyAt < IDLE_MS)) continue;
      try {
        await context.engine.alone(() => context.publish([...this.reports]));
      } catch (thrown) {
        if (context.signal.aborted) return;
        const error = toCrawlhouseError(thrown);
        this.errors.push(error);
        this.#shutOut ??= error;
      }
      published = loaded;
      publishedAt = monotonic();
    }
  }

  async #share(offers: UnitOffers, units: readonly PlannedUnit[]): Promise<void> {
    const { context, inventory } = this.#inputs;
    const offered = units.flatMap((planned) => {
      const options = this.#optionsOf(planned);
      return options ? [{ planned, options, inventory }] : [];
    });
    try {
      await offerUnits(context, offers, offered, {
        queue: this.#queue,
        run: ({ planned }, share) => this.#take(planned, share),
        hasEnded: () => this.#shutOut !== undefined || this.yielded,
      });
    } catch (thrown) {
      const error = toCrawlhouseError(context.signal.aborted ? context.signal.reason : thrown);
      this.errors.push(error);
      if (!context.signal.aborted) this.#unshared = error;
    }
  }

  #optionsOf({ unit, pipeline }: PlannedUnit): readonly RouteOption[] | undefined {
    const { context, routes } = this.#inputs;
    const options = routes.get(pipeline.dataset);
    return options && withPast(options, context.pacesOf(unit.dataset, unit.source.project_id));
  }

  /** Undefined for a unit that was not begun, or that another process has now. */
  async #take(one: PlannedUnit, taken: TakenUnit): Promise<UnitOutcome | undefined> {
    const { context } = this.#inputs;
    const options = this.#optionsOf(one);
    if (!options || this.#shutOut || context.signal.aborted) return undefined;
    this.yielded ||= context.hasLockWaiter();
    if (this.yielded) return undefined;
    const { kind, id } = one.unit.source;
    const exhausted = kind === 'ranking_performance' ? this.#exhausted.get(id) : undefined;
    if (exhausted) {
      const report = await failUnit(context, one, exhausted);
      this.reports.push(report);
      context.meter.unitDone(report.unit, 'failed', null);
      noteEnd(context, report);
      return { report, error: exhausted };
    }
    const outcome = await this.#runOne(one, options, taken);
    // Rows that are there count, though another process has taken the unit since: the load has a fence of its own.
    const isThere = outcome.report.status === 'loaded' || outcome.report.status === 'unchanged';
    if (taken.lost?.aborted && !isThere && !context.signal.aborted) return undefined;
    this.#note(one, outcome);
    return outcome;
  }

  #runOne(
    planned: PlannedUnit,
    options: readonly RouteOption[],
    { slot, lost, stagedByOther }: TakenUnit,
  ): Promise<UnitOutcome> {
    const { context, inventory } = this.#inputs;
    const { unit, name } = planned;
    const known = isLoaded(context.loaded, planned) ? context.loaded.get(name) : undefined;
    const due = { planned, options, inventory, stagedByOther };
    return isolateUnit(AbortSignal.any([context.signal, ...(lost ? [lost] : [])]), (signal) =>
      inSpan(
        'unit',
        { unit: name, dataset: unit.dataset, source: unit.source.id },
        () => runUnit({ ...context, signal, slot, rankings: this.#rankings, loads: this.#loads }, due, known),
        ({ report }) => ({ attributes: unitAttributes(report), error: report.error?.message ?? null }),
      ),
    ).catch(async (thrown: unknown) => {
      const error = nameFullDisk(toCrawlhouseError(thrown), context.settings, name);
      return { report: await failUnit(context, planned, error), error };
    });
  }

  /** What was not tried stands in the report. In the ledger it stays as it was: it has not failed. */
  #reportUntried({ code, message, hint }: CrawlhouseError): void {
    const { meter } = this.#inputs.context;
    const seen = new Set(this.reports.map(({ unit }) => unit));
    const said = { code, message: `not tried, because the run ended: ${message}`, hint };
    for (const { unit, name } of this.#due.filter((one) => !seen.has(one.name))) {
      const report = unitReport(unit, 'failed', said);
      this.reports.push(report);
      meter.unitDone(name, 'failed', null);
      noteEnd(this.#inputs.context, report);
    }
  }

  #note({ unit }: PlannedUnit, { report, error }: UnitOutcome): void {
    const { meter, logger } = this.#inputs.context;
    this.reports.push(report);
    if (error) this.errors.push(error);
    if (error?.kind === 'access' || error?.code === 'damaged_warehouse') this.#shutOut ??= error;
    if (error?.code === 'quota') this.#exhausted.set(unit.source.id, error);
    meter.unitDone(report.unit, report.status, report.bytes);
    noteEnd(this.#inputs.context, report);
    countUnit(report);
    logger.info(`unit ${report.status}`, {
      unit: report.unit,
      stage: 'load',
      rows: report.counts.loaded ?? undefined,
      bytes: report.bytes ?? undefined,
      seconds: report.seconds,
      error: report.error?.message,
    });
  }
}

/** Says what has become of a unit; of a loaded one, its load has said it. */
function noteEnd({ events }: RunContext, { unit, status, counts, error }: UnitReport): void {
  if (status !== 'loaded') events?.note(status, unit, { rows: counts.loaded, error });
}

/** By the first plan of the run, or by the past loads of the dataset. */
async function expectedRows(context: RunContext, due: readonly PlannedUnit[]): Promise<DueUnit[]> {
  const past = await usualRows(context.working.connection);
  return due.map(({ unit, name }) => {
    const rows = context.planned.get(name) ?? past.get(unit.dataset) ?? null;
    return { unit: name, dataset: unit.dataset, rows };
  });
}

/** Of one crawl's units those that restore it come first, so that the others wait until it is back. */
function restoredFirst(due: readonly PlannedUnit[]): readonly PlannedUnit[] {
  if (due.every((one) => one.restore === null)) return due;
  const byCrawl = Map.groupBy(due, ({ unit }) => unit.source.id);
  return [...byCrawl.values()].flatMap((units) => [
    ...units.filter((one) => one.restore !== null),
    ...units.filter((one) => one.restore === null),
  ]);
}

/** Reports units that can't be loaded, once: not again while the reason stays. */
async function skipUnits(context: RunContext, planned: readonly PlannedUnit[]): Promise<UnitReport[]> {
  const known = await context.ledger.units('unpublished');
  const before = new Map(known.map((unit) => [unit.unit, unit.error?.message]));
  const reports: UnitReport[] = [];
  for (const { unit, name, skip } of planned) {
    if (skip === null || before.get(name) === skip) continue;
    const error = { code: 'not_exportable', message: skip, hint: null } as const;
    await context.ledger.setUnit(unit, 'skipped', 0, error);
    context.logger.info('unit skipped', { unit: name, stage: 'discover', reason: skip });
    reports.push(unitReport(unit, 'skipped', error));
  }
  return reports;
}

/** A unit that fails before anything was asked for it, or in a way that its own work could not report. */
async function failUnit(
  { ledger, logger }: RunContext,
  { unit, name }: PlannedUnit,
  error: CrawlhouseError,
): Promise<UnitReport> {
  const said = reportedError(error);
  const status = error.kind === 'refused' ? 'refused' : 'failed';
  try {
    if (isFailure(error)) await ledger.setUnit(unit, status, 0, said);
  } catch (thrown) {
    // A full disk: the report has it all the same.
    logger.error('unit not written to the ledger', { error: toCrawlhouseError(thrown).message });
  }
  logger.info(`unit ${status}`, { unit: name, stage: 'discover', error: error.message });
  return unitReport(unit, status, said);
}

/** A project without windows stands in the ledger by a unit without one, which goes once its windows are known. */
async function forgetWindowless({ ledger }: RunContext, planned: readonly PlannedUnit[]): Promise<void> {
  const windowed = planned.filter(({ unit }) => unit.window !== null);
  const names = new Set(windowed.map(({ unit }) => unitName({ ...unit, window: null })));
  await ledger.forgetUnits([...names]);
}

/** A unit's attributes in telemetry (docs/operate.md). */
function unitAttributes({ status, route, format, attempts, bytes, counts }: UnitReport) {
  return {
    status,
    attempts,
    route: route ?? undefined,
    format: format ?? undefined,
    bytes: bytes ?? undefined,
    rows: counts.loaded ?? undefined,
  };
}

function countUnit({ dataset, status, bytes, counts }: UnitReport): void {
  count('units', 1, { dataset, status });
  count('rows', counts.loaded ?? 0, { dataset });
  count('bytes', bytes ?? 0, { dataset });
}
