import { bytesText, counted, durationText } from '../../../core/text/amounts.ts';
import { textTable } from '../../../core/text/text-table.ts';
import { readDrift } from '../../../operations/status/read-status.ts';
import { reportPlan } from '../../../pipeline/plan.ts';
import type { RunRequest } from '../../../pipeline/run.ts';
import type { PlanEntry, PlanReport } from '../../../project/model/runs/plan-report.ts';
import type { Settings } from '../../../project/settings/settings.ts';
import type { Invocation } from '../command.ts';
import { describeDrifts } from './run-report.ts';

/** Prints what a run would do, and does none of it. */
export async function printPlan(
  invocation: Invocation,
  settings: Settings,
  request: RunRequest,
): Promise<number> {
  const plan = await reportPlan(settings, request, invocation.logger, invocation.signal);
  const drift = await readDrift(settings);
  if (invocation.has('json')) await invocation.printJson({ ...plan, drift });
  else {
    const width = invocation.terminal?.width ?? null;
    await invocation.print(describePlan(plan, width) + describeDrifts(drift));
  }
  return 0;
}

/** A plan for people: a line a unit that is due, then what that comes to, and what is left out. */
function describePlan(plan: PlanReport, width: number | null): string {
  const due = plan.units.filter((unit) => unit.status === 'due');
  return (due.length > 0 ? textTable(NAMES, due.map(row), { width, below: BELOW }) : '') + planSummary(plan);
}

export function planSummary({ units, totals }: PlanReport): string {
  const due = units.filter((unit) => unit.status === 'due');
  const strangers = new Set(due.filter((unit) => unit.seconds === null).map((unit) => unit.dataset));
  const time =
    totals.seconds === null
      ? `duration unknown: ${shortList([...strangers])} ${strangers.size === 1 ? 'has' : 'have'} not been loaded yet`
      : `about ${durationText(totals.seconds)}, by past loads`;
  const bytes = totals.bytes === null ? '' : `, about ${bytesText(totals.bytes)}`;
  const lines = [
    `${counted(totals.units, 'unit')} due: ${counted(totals.rows, 'row')} by the service's count${bytes}; ${time}`,
    `asked of the service: at least ${counted(totals.requests, 'request')}, ${counted(totals.exports, 'data export')}`,
    ...(totals.loaded > 0 ? [`${counted(totals.loaded, 'unit')} in the warehouse already`] : []),
    ...[...left(units)].map(([reason, count]) => `${counted(count, 'unit')} left out: ${reason}`),
  ];
  return lines.map((line) => `${line}\n`).join('');
}

/** What leaves the table of a narrow terminal. */
const BELOW = ['project', 'requests', 'reason'];
const NAMES = ['unit', 'project', 'route', 'format', 'rows', 'bytes', 'time', 'requests', 'reason'];

function row(unit: PlanEntry): (string | number | null)[] {
  return [
    unit.unit,
    unit.project_name,
    unit.route,
    unit.format,
    unit.rows,
    unit.bytes === null ? null : bytesText(unit.bytes),
    unit.seconds === null ? null : durationText(unit.seconds),
    unit.requests,
    unit.reason,
  ];
}

/** How many units can't be loaded, by the reason. */
function left(units: readonly PlanEntry[]): ReadonlyMap<string, number> {
  const reasons = Map.groupBy(
    units.filter(({ status }) => status === 'skipped' || status === 'failed'),
    (unit) => unit.reason,
  );
  return new Map([...reasons].map(([reason, those]) => [reason, those.length]));
}

/** The first names of a list, and how many more there are. */
function shortList(names: readonly string[]): string {
  return names.length <= 3
    ? names.join(', ')
    : `${names.slice(0, 2).join(', ')} and ${counted(names.length - 2, 'more dataset')}`;
}
