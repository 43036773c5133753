import { z } from 'zod';
import { counted } from '../../core/text/amounts.ts';
import type { LedgerRun } from '../../project/model/runs/ledger-records.ts';
import { unitsText } from '../../project/model/runs/run-summary.ts';
import { type Table, tableOf } from '../../project/model/shown/blocks.ts';

export const RunLine = z.strictObject({
  run_id: z.string(),
  command: z.string(),
  status: z.string(),
  started_at: z.string(),
  ended_at: z.string().nullable(),
  /** Rows loaded; null while it goes on, and where it is not known. */
  rows: z.number().nullable(),
  /** Units by how they ended. */
  units: z.record(z.string(), z.number()),
  error: z.string().nullable(),
  /** How many errors there were; null where that is not known. */
  errors: z.number().nullable(),
});
export type RunLine = z.infer<typeof RunLine>;

export function runLine({ run_id, command, status, started_at, ended_at, summary }: LedgerRun): RunLine {
  return {
    ...{ run_id, command, status, started_at, ended_at },
    rows: summary?.rows ?? null,
    units: { ...summary?.units },
    error: summary?.error ?? null,
    errors: summary?.errors ?? null,
  };
}

/** Seconds that a run took; null while it goes on, and where its end is not known. */
export function secondsOf({ started_at, ended_at }: Pick<RunLine, 'started_at' | 'ended_at'>): number | null {
  return ended_at === null ? null : Math.max(0, (Date.parse(ended_at) - Date.parse(started_at)) / 1000);
}

/** The first error of a run, and how many more there were. */
export function errorText({ error, errors }: Pick<RunLine, 'error' | 'errors'>): string | null {
  const more = (errors ?? 1) - 1;
  return error === null || more < 1 ? error : `${error} (and ${counted(more, 'more error')})`;
}

export function runsTable(runs: readonly RunLine[]): Table {
  return tableOf(
    'Runs',
    [
      {
        name: 'run',
        of: ({ run_id }) => ({ value: run_id.slice(0, 8), link: { to: 'run', run_id } }),
      },
      { name: 'started (UTC)', kind: 'time', of: ({ started_at }) => started_at },
      { name: 'took', kind: 'duration', of: secondsOf },
      { name: 'command', of: ({ command }) => command },
      { name: 'status', kind: 'status', of: ({ status }) => status },
      { name: 'rows', kind: 'count', of: ({ rows }) => rows },
      { name: 'units', isBelow: true, of: ({ units }) => unitsText(units) },
    ],
    runs,
    {
      cause: { name: 'error', of: errorText },
      empty: ['Nothing has run yet. Run ', { value: 'crawlhouse run', kind: 'code' }, '.'],
    },
  );
}
