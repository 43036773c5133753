import type { CrawlhouseError } from '../core/errors.ts';
import type { Landscape } from '../discover/discover.ts';
import type { PlannedUnit } from '../discover/plan-units.ts';
import type { UnitReport } from '../model/report.ts';
import { unitName } from '../model/unit.ts';
import type { LoadedUnit } from '../warehouse/loads.ts';
import type { ChosenRoute } from './choose-route.ts';
import type { RunContext } from './context.ts';
import { idleReport } from './idle-report.ts';
import { isHeld } from './is-held.ts';
import { Meter } from './meter.ts';
import type { TurnLimits } from './next-turn.ts';
import { RankingWindows } from './ranking-windows.ts';
import { runUnit } from './run-unit.ts';
import type { Work } from './session.ts';
import { settleExports } from './settle-export.ts';
import { type Turn, Turns } from './turns.ts';
import { waitForNextTry } from './wait-for-next-try.ts';

/**
 * Runs the planned units, several at once, their projects in turn. A finished crawl's unit that the warehouse holds is
 * left alone; an answer that lets us in no more ends the rest.
 *
 * @param loaded what the warehouse holds
 */
export async function runUnits(
  context: RunContext,
  planned: readonly PlannedUnit[],
  routes: ReadonlyMap<string, readonly ChosenRoute[]>,
  landscape: Landscape,
  loaded: ReadonlyMap<string, LoadedUnit>,
): Promise<Work> {
  const missing = planned.filter(({ unit }) => !loaded.has(unitName(unit)));
  forgetWindowless(context, planned);
  context.ledger.discoverUnits(
    [...missing, ...planned.filter((one) => one.failure !== null)].map((one) => one.unit),
  );
  const reports: UnitReport[] = skipUnits(context, missing);
  const errors: CrawlhouseError[] = [];
  for (const one of planned) {
    if (one.failure === null) continue;
    reports.push(failUnit(context, one, one.failure));
    errors.push(one.failure);
  }
  const patience = waitForNextTry(
    planned.filter(
      (one) =>
        one.skip === null && one.failure === null && (context.reload || one.refresh || !isHeld(loaded, one)),
    ),
    context.patient ? context.ledger.units('unpublished') : [],
    Date.now(),
  );
  reports.push(...patience.reports);
  errors.push(...patience.errors);
  const due = restoredFirst(patience.now);
  await settleExports(context, loaded);
  // The quota of ranking performance is a project's own: what is left of it is not asked for in vain.
  const exhausted = new Map<string, CrawlhouseError>();
  const meter = new Meter(due.length, context.progress);
  const rankings = new RankingWindows(context.client, due);
  let shutOut = false;
  let madeRoom = false;
  const turns = new Turns(turnLimits(context.settings));
  const work = async (one: PlannedUnit, turn: Turn): Promise<void> => {
    const options = routes.get(one.pipeline.dataset);
    if (!options || shutOut || context.signal.aborted) return;
    madeRoom ||= context.isStateWished();
    if (madeRoom) return;
    const { kind, id } = one.unit.source;
    const out = kind === 'ranking_performance' ? exhausted.get(id) : undefined;
    if (out) {
      reports.push(failUnit(context, one, out));
      meter.unitDone(`${unitName(one.unit)} failed`, null);
      return;
    }
    const held = isHeld(loaded, one) ? loaded.get(unitName(one.unit)) : undefined;
    const { report, error } = await runUnit(
      { ...context, turn, meter, rankings },
      one,
      options,
      landscape,
      held,
    );
    reports.push(report);
    if (error) errors.push(error);
    if (error?.kind === 'access') shutOut = true;
    if (error?.code === 'quota') exhausted.set(id, error);
    meter.unitDone(`${report.unit} ${report.status}`, report.bytes);
    context.logger.info(`unit ${report.status}`, {
      unit: report.unit,
      stage: 'load',
      rows: report.counts.loaded ?? undefined,
      bytes: report.bytes ?? undefined,
      seconds: report.seconds,
      error: report.error?.message,
    });
  };
  await Promise.all(
    due.map((one) => turns.run(one.unit.source.project_id ?? one.unit.source.id, (turn) => work(one, turn))),
  );
  return { units: reports, errors, madeRoom };
}

function turnLimits(settings: RunContext['settings']): TurnLimits {
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
function skipUnits(context: RunContext, planned: readonly PlannedUnit[]): UnitReport[] {
  const before = new Map(context.ledger.units('unpublished').map((unit) => [unit.unit, unit.error?.message]));
  return planned.flatMap(({ unit, skip }) => {
    const name = unitName(unit);
    if (skip === null || before.get(name) === skip) return [];
    const error = { code: 'not_exportable', message: skip, hint: null } as const;
    context.ledger.setUnit(unit, 'skipped', 0, error);
    context.logger.info('unit skipped', { unit: name, stage: 'discover', reason: skip });
    return [idleReport(unit, 'skipped', error)];
  });
}

/** A unit that fails before anything was asked for it. */
function failUnit({ ledger, logger }: RunContext, { unit }: PlannedUnit, error: CrawlhouseError): UnitReport {
  const { code, message, hint } = error;
  const said = { code, message, hint: hint ?? null };
  ledger.setUnit(unit, 'failed', 0, said);
  logger.info('unit failed', { unit: unitName(unit), stage: 'discover', error: message });
  return idleReport(unit, 'failed', said);
}

/** A project without windows stands in the ledger by a unit without one, which goes once its windows are known. */
function forgetWindowless({ ledger }: RunContext, planned: readonly PlannedUnit[]): void {
  for (const { unit } of planned)
    if (unit.window !== null) ledger.forgetUnit(unitName({ ...unit, window: null }));
}
