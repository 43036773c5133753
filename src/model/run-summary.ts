import type { RunReport, UnitStatus } from './report.ts';

/** What a run came to, as it is remembered. */
export interface RunSummary {
  /** Units by how they ended. */
  readonly units: Readonly<Partial<Record<UnitStatus, number>>>;
  /** Rows loaded. */
  readonly rows: number;
  /** The first error, and how many there were. */
  readonly error: string | null;
  readonly errors: number;
}

export function summarizeRun(
  units: RunReport['units'],
  errors: readonly { readonly message: string }[],
): RunSummary {
  const counts: Partial<Record<UnitStatus, number>> = {};
  let rows = 0;
  for (const { status, counts: own } of units) {
    counts[status] = (counts[status] ?? 0) + 1;
    if (status === 'loaded') rows += own.loaded ?? 0;
  }
  return { units: counts, rows, error: errors[0]?.message ?? null, errors: errors.length };
}
