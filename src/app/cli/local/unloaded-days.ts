import { counted } from '../../../core/text/amounts.ts';
import type { RunResult } from '../../../etl/project/model/runs/run-result.ts';
import type { LocalService } from './local-service.ts';

/** Days of search results that are stored but not in the warehouse, and why. */
export interface UnloadedDays {
  /** First and last day, inclusive. */
  readonly from: string;
  readonly to: string;
  readonly days: number;
  readonly reason: string;
}

/**
 * Returns the days of a project whose search results the run did not load, by reason.
 *
 * @param result the run that should have loaded them
 * @param now UTC milliseconds
 */
export async function unloadedDays(
  { handle }: Pick<LocalService, 'handle'>,
  projectId: string,
  { report: { units } }: RunResult,
  now = Date.now(),
): Promise<UnloadedDays[]> {
  const today = new Date(now).toISOString().slice(0, 10);
  const own = units.filter(({ source }) => source.kind === 'ranking_performance');
  const reasonOf = (day: string): string => {
    if (day >= today) return 'these days have not ended (UTC); the first run after their end loads them';
    const unit = own.find(({ window }) => window !== null && window.from <= day && day < window.to);
    return unit?.error?.message ?? 'no pipeline of the project loads the ranking performance of these days';
  };
  const days = (await handle.changedDays())
    .filter((day) => day.project_id === projectId && day.kind === 'ranking_performance')
    .filter(({ loaded_by }) => loaded_by.length === 0)
    .map(({ day }) => day);
  return [...Map.groupBy(days, reasonOf)].map(([reason, all]) => {
    const sorted = all.toSorted();
    return { from: sorted[0] ?? '', to: sorted.at(-1) ?? '', days: all.length, reason };
  });
}

export function unloadedText({ from, to, days, reason }: UnloadedDays): string {
  const span = from === to ? from : `${from} to ${to}`;
  return `Not in the warehouse: ${counted(days, 'day')} (${span}): ${reason}.\n`;
}
