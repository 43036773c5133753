import { type CrawlhouseError, toCrawlhouseError } from '../core/errors.ts';
import { FairQueue } from '../core/fair-queue.ts';
import type { SlotLimits } from '../core/next-slot.ts';
import { inSpan } from '../core/telemetry.ts';
import { withUnitNet } from '../core/unit-net.ts';
import type { DueUnit } from '../core/unit-work.ts';
import type { Inventory } from '../project/model/inventory.ts';
import type { PlannedUnit } from '../project/model/planned-unit.ts';
import type { UnitReport } from '../project/model/report.ts';
import { unitName } from '../project/model/unit.ts';
import { countUnit, unitAttributes } from '../project/model/unit-measures.ts';
import { reportedError, unitReport } from '../project/model/unit-report.ts';
import { isLoaded } from '../state/catalogue/is-loaded.ts';
import { usualRows } from '../state/catalogue/ops-loads.ts';
import { respectBackoff } from '../state/ledger/respect-backoff.ts';
import type { RunContext } from './context.ts';
import { RankingWindows } from './routes/aggregates/ranking-windows.ts';
import { reconcileExports } from './routes/export/reconcile-exports.ts';
import type { ChosenRoute } from './routes/route.ts';
import { runUnit, type UnitOutcome } from './run-unit.ts';
import type { Work } from './session.ts';
import { type Share, shareUnits } from './share-units.ts';
import { sharedUnits } from './unit-task.ts';

/**
 * Runs the planned units, several at once, with a fair share for each project. A finished crawl's unit that the warehouse holds is
 * left alone. An answer that lets us in no more ends the rest, and so does a damaged working copy.
 */
export async function runUnits(
  context: RunContext,
  planned: readonly PlannedUnit[],
  routes: ReadonlyMap<string, readonly ChosenRoute[]>,
  inventory: Inventory,
): Promise<Work> {
  const loaded = context.loaded;
  const missing = planned.filter(({ unit }) => !loaded.has(unitName(unit)));
  await forgetWindowless(context, planned);
  await context.ledger.discoverUnits(
    [...missing, ...planned.filter((one) => one.failure !== null)].map((one) => one.unit),
  );
  const reports: UnitReport[] = await skipUnits(context, missing);
  const errors: CrawlhouseError[] = [];
  for (const one of planned) {
    if (one.failure === null) continue;
    reports.push(await failUnit(context, one, one.failure));
    errors.push(one.failure);
  }
  const waiting = respectBackoff(
    planned.filter(
      (one) =>
        one.skip === null &&
        one.failure === null &&
        (context.reload || one.refresh || !isLoaded(loaded, one)),
    ),
    context.respectBackoff ? await context.ledger.units('unpublished') : [],
    Date.now(),
  );
  reports.push(...waiting.reports);
  errors.push(...waiting.errors);
  const due = restoredFirst(waiting.now);
  await reconcileExports(context, loaded);
  // Each project has its own quota of ranking performance. The project's remaining units are not requested.
  const exhausted = new Map<string, CrawlhouseError>();
  const { meter } = context;
  meter.begin(await expectedRows(context, due));
  const rankings = new RankingWindows(context.client, due);
  let shutOut = false;
  let yielded = false;
  const queue = new FairQueue(slotLimits(context.settings));
  const work = async (one: PlannedUnit, share: Share): Promise<UnitOutcome | undefined> => {
    const options = routes.get(one.pipeline.dataset);
    if (!options || shutOut || context.signal.aborted) return undefined;
    yielded ||= context.hasLockWaiter();
    if (yielded) return undefined;
    const { kind, id } = one.unit.source;
    const out = kind === 'ranking_performance' ? exhausted.get(id) : undefined;
    if (out) {
      const report = await failUnit(context, one, out);
      reports.push(report);
      meter.unitDone(report.unit, 'failed', null);
      return { report, error: out };
    }
    const known = isLoaded(loaded, one) ? loaded.get(unitName(one.unit)) : undefined;
    const { slot, lost = context.signal, elsewhere } = share;
    const due = { planned: one, options, inventory, elsewhere };
    const { report, error } = await withUnitNet(AbortSignal.any([context.signal, lost]), (signal) =>
      inSpan(
        'unit',
        { unit: unitName(one.unit), dataset: one.unit.dataset, source: id },
        () => runUnit({ ...context, signal, slot, rankings }, due, known),
        ({ report }) => ({ attributes: unitAttributes(report), error: report.error?.message ?? null }),
      ),
    ).catch(async (thrown: unknown) => {
      const error = toCrawlhouseError(thrown);
      return { report: await failUnit(context, one, error), error };
    });
    // Another process has the unit.
    if (lost.aborted && !context.signal.aborted) return undefined;
    reports.push(report);
    if (error) errors.push(error);
    if (error?.kind === 'access' || error?.code === 'damaged_warehouse') shutOut = true;
    if (error?.code === 'quota') exhausted.set(id, error);
    meter.unitDone(report.unit, report.status, report.bytes);
    countUnit(report);
    context.logger.info(`unit ${report.status}`, {
      unit: report.unit,
      stage: 'load',
      rows: report.counts.loaded ?? undefined,
      bytes: report.bytes ?? undefined,
      seconds: report.seconds,
      error: report.error?.message,
    });
    return { report, error };
  };
  const { offers } = context.ledger;
  const shared = offers && context.settings.packages ? sharedUnits(due) : new Set();
  await Promise.all([
    ...due
      .filter((one) => !shared.has(one))
      .map((one) =>
        queue.run(one.unit.source.project_id ?? one.unit.source.id, (slot) => work(one, { slot })),
      ),
    offers &&
      shareUnits(
        context,
        offers,
        due.flatMap((planned) => {
          const options = routes.get(planned.pipeline.dataset);
          return options && shared.has(planned) ? [{ planned, options, inventory }] : [];
        }),
        { queue, run: ({ planned }, share) => work(planned, share), hasEnded: () => shutOut || yielded },
      ).catch((thrown: unknown) => {
        errors.push(toCrawlhouseError(context.signal.aborted ? context.signal.reason : thrown));
      }),
  ]);
  return { units: reports, errors, yielded };
}

/** By the first plan of the run, or by the past loads of the dataset. */
async function expectedRows(context: RunContext, due: readonly PlannedUnit[]): Promise<DueUnit[]> {
  const past = await usualRows(context.working.connection);
  return due.map(({ unit }) => {
    const name = unitName(unit);
    const rows = context.planned.get(name) ?? past.get(unit.dataset) ?? null;
    return { unit: name, dataset: unit.dataset, rows };
  });
}

function slotLimits(settings: RunContext['settings']): SlotLimits {
  return {
    all: settings.concurrency,
    project: settings.concurrency_per_project,
    store: settings.concurrency_per_store,
  };
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
  for (const { unit, skip } of planned) {
    const name = unitName(unit);
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
  { unit }: PlannedUnit,
  error: CrawlhouseError,
): Promise<UnitReport> {
  const said = reportedError(error);
  const status = error.kind === 'refused' ? 'refused' : 'failed';
  try {
    if (error.kind !== 'interrupted') await ledger.setUnit(unit, status, 0, said);
  } catch (thrown) {
    // A full disk: the report has it all the same.
    logger.error('unit not written to the ledger', { error: toCrawlhouseError(thrown).message });
  }
  logger.info(`unit ${status}`, { unit: unitName(unit), stage: 'discover', error: error.message });
  return unitReport(unit, status, said);
}

/** A project without windows stands in the ledger by a unit without one, which goes once its windows are known. */
async function forgetWindowless({ ledger }: RunContext, planned: readonly PlannedUnit[]): Promise<void> {
  const windowed = planned.filter(({ unit }) => unit.window !== null);
  const names = new Set(windowed.map(({ unit }) => unitName({ ...unit, window: null })));
  await ledger.forgetUnits([...names]);
}
