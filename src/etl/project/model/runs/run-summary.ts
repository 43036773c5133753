import { countText } from '../../../../core/text/amounts.ts';
import type { RunReport, UnitError, UnitStatus } from './unit-report.ts';

/** The stored result of a run. */
export interface RunSummary {
  /** Units by their result. */
  readonly units: Readonly<Partial<Record<UnitStatus, number>>>;
  readonly rows: number;
  /** The first error, and the number of errors. */
  readonly error: string | null;
  readonly errors: number;
  /** The first error that belongs to no single unit; absent in summaries of versions that did not store it. */
  readonly failure?: UnitError | null;
  /** Damaged files and their replacements; absent if there were none. */
  readonly healed?: readonly string[];
  /**
   * Seconds of the units, of the work after them, and the usual seconds of such work; absent in summaries of versions
   * that did not store them.
   */
  readonly seconds?: { readonly units: number; readonly after: number; readonly usual?: number };
}

/** Returns the seconds of a run that has ended, including models and publication. */
export function runSeconds({ started_at, ended_at }: Pick<RunReport, 'started_at' | 'ended_at'>): number {
  return (Date.parse(ended_at) - Date.parse(started_at)) / 1000;
}

/** The remaining advice after a damaged file is replaced. */
export const CHECK_DISK =
  'check the disk, because the file has changed since it was written; let other programs write to another file';

/**
 * Returns, for the last run that loaded units, the seconds after its units divided by the usual ones; 1 if there is
 * none.
 */
export function formerPace(runs: readonly { readonly summary: RunSummary | null }[]): number {
  const last = runs.find(({ summary }) => summary?.seconds?.usual && summary.units.loaded);
  const { after, usual } = { usual: 0, after: 0, ...last?.summary?.seconds };
  return usual > 0 ? after / usual : 1;
}

export function summarizeRun(
  units: RunReport['units'],
  errors: readonly UnitError[],
  seconds?: RunSummary['seconds'],
): RunSummary {
  const counts: Partial<Record<UnitStatus, number>> = {};
  let rows = 0;
  for (const { status, counts: own } of units) {
    counts[status] = (counts[status] ?? 0) + 1;
    if (status === 'loaded') rows += own.loaded ?? 0;
  }
  const ofUnits = new Set(units.map(({ error }) => error?.message));
  const own = errors.find(({ message }) => !ofUnits.has(message));
  return {
    units: counts,
    rows,
    error: errors[0]?.message ?? null,
    errors: errors.length,
    ...(seconds ? { seconds } : {}),
    failure: own ? { code: own.code, message: own.message, hint: own.hint } : null,
  };
}

/** Returns text such as `12 loaded, 1 failed`; null for none. */
export function unitsText(units: Readonly<Record<string, number>>): string | null {
  const parts = Object.entries(units).map(([status, count]) => `${countText(count)} ${status}`);
  return parts.length === 0 ? null : parts.join(', ');
}
