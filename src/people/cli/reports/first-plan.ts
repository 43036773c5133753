import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { toCrawlhouseError } from '../../../core/errors/errors.ts';
import { countText } from '../../../core/text/amounts.ts';
import { textTable } from '../../../core/text/text-table.ts';
import { reportPlan } from '../../../pipeline/plan.ts';
import type { RunRequest } from '../../../pipeline/run.ts';
import type { PlanReport } from '../../../project/model/runs/plan-report.ts';
import type { Settings } from '../../../project/settings/settings.ts';
import type { Invocation } from '../command.ts';
import { planSummary } from './plan-report.ts';

const NOTHING: ReadonlyMap<string, number> = new Map();

/**
 * Before a first run, which may be a long one: what it is going to load.
 *
 * @returns the rows of each unit, where the plan has counted them
 */
export async function sayFirstPlan(
  invocation: Invocation,
  settings: Settings,
  request: RunRequest,
): Promise<ReadonlyMap<string, number>> {
  const begun = existsSync(settings.warehouse) || existsSync(join(settings.state_dir, 'work.duckdb'));
  if (begun || invocation.has('quiet')) return NOTHING;
  try {
    const counted = { ...request, countsOnly: true };
    const plan = await reportPlan(settings, counted, invocation.logger, invocation.signal);
    invocation.say(describeFirstPlan(plan, settings.since));
    return new Map(plan.units.flatMap(({ unit, rows }) => (rows === null ? [] : [[unit, rows]])));
  } catch (thrown) {
    // The run reports errors and signals, because it meets the same ones.
    invocation.logger.debug('no plan', { error: toCrawlhouseError(thrown).message });
    return NOTHING;
  }
}

/** Units and rows by dataset, and what they come to. */
function describeFirstPlan(plan: PlanReport, since: string): string {
  const due = plan.units.filter((unit) => unit.status === 'due');
  const rows = [...Map.groupBy(due, (unit) => unit.dataset)].map(([dataset, units]) => [
    dataset,
    countText(units.length),
    // Of some datasets the service gives no count.
    units.every((unit) => unit.rows === null)
      ? null
      : countText(units.reduce((sum, unit) => sum + (unit.rows ?? 0), 0)),
  ]);
  const reach = since === 'all' ? 'all ended crawls' : `crawls that ended since ${since}`;
  return `First run: ${reach}\n${textTable(['dataset', 'units', 'rows'], rows)}${planSummary(plan)}`;
}
