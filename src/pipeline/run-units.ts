import type { CrawlhouseError } from '../core/errors.ts';
import type { Landscape } from '../discover/discover.ts';
import type { PlannedUnit } from '../discover/plan-units.ts';
import type { UnitReport } from '../model/report.ts';
import { unitName } from '../model/unit.ts';
import { loadedUnits } from '../warehouse/loads.ts';
import type { ChosenRoute } from './choose-route.ts';
import type { RunContext } from './context.ts';
import { runUnit } from './run-unit.ts';
import type { Work } from './session.ts';

/**
 * Runs the planned units, `concurrency` at once. A finished crawl's unit that the warehouse holds is left alone; an
 * answer that lets us in no more ends the rest.
 */
export async function runUnits(
  context: RunContext,
  planned: readonly PlannedUnit[],
  routes: ReadonlyMap<string, readonly ChosenRoute[]>,
  landscape: Landscape,
): Promise<Work> {
  const loaded = await loadedUnits(context.working.connection);
  const missing = planned.filter(({ unit }) => !loaded.has(unitName(unit)));
  const reports: UnitReport[] = skipUnits(context, missing);
  const errors: CrawlhouseError[] = [];
  const due = planned.filter(
    ({ unit, skip, refresh }) => skip === null && (context.reload || refresh || !loaded.has(unitName(unit))),
  );
  settleLedger(context, loaded);
  let next = 0;
  let done = 0;
  let shutOut = false;
  const worker = async (): Promise<void> => {
    for (let one = due[next++]; one && !shutOut && !context.signal.aborted; one = due[next++]) {
      const options = routes.get(one.pipeline.dataset);
      if (!options) continue;
      const { report, error } = await runUnit(
        context,
        one,
        options,
        landscape,
        loaded.get(unitName(one.unit)),
      );
      reports.push(report);
      if (error) errors.push(error);
      if (error?.kind === 'access') shutOut = true;
      context.progress(`${++done} of ${due.length} units: ${report.unit} ${report.status}`);
      context.logger.info(`unit ${report.status}`, {
        unit: report.unit,
        rows: report.counts.loaded ?? undefined,
        seconds: report.seconds,
        error: report.error?.message,
      });
    }
  };
  await Promise.all(Array.from({ length: context.settings.concurrency }, worker));
  return { units: reports, errors };
}

/** A kill may fall between a load and its entry in the ledger: what the warehouse holds has been loaded. */
function settleLedger({ ledger }: RunContext, loaded: ReadonlyMap<string, unknown>): void {
  for (const { unit, source, window, dataset, status, attempts } of ledger.units()) {
    const between = status === 'requested' || status === 'staged';
    if (between && loaded.has(unit)) ledger.setUnit({ dataset, source, window }, 'loaded', attempts, null);
  }
}

/** Reports units that can't be loaded, once: not again while the reason stays. */
function skipUnits(context: RunContext, planned: readonly PlannedUnit[]): UnitReport[] {
  const before = new Map(context.ledger.units().map((unit) => [unit.unit, unit.error?.message]));
  return planned.flatMap(({ unit, skip }) => {
    const name = unitName(unit);
    if (skip === null || before.get(name) === skip) return [];
    const error = { code: 'not_exportable', message: skip, hint: null } as const;
    context.ledger.setUnit(unit, 'skipped', 0, error);
    context.logger.info('unit skipped', { unit: name, reason: skip });
    const counts = {
      reported: null,
      received: null,
      staged: null,
      rejected: null,
      loaded: null,
      queryable: null,
    };
    return [
      {
        unit: name,
        dataset: unit.dataset,
        source: unit.source,
        window: unit.window,
        route: null,
        format: null,
        status: 'skipped',
        counts,
        bytes: null,
        seconds: 0,
        attempts: 0,
        error,
      },
    ];
  });
}
