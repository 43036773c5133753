import { z } from 'zod';
import { counted } from '../../../core/text/amounts.ts';
import type { Typed } from '../../../core/text/typed-rows.ts';
import type { LedgerRun } from '../../../etl/project/model/runs/ledger-records.ts';
import { unitsText } from '../../../etl/project/model/runs/run-summary.ts';
import { type Table, tableOf } from '../../answers/presentation/blocks.ts';

export const RunLine = z.strictObject({
  run_id: z.string(),
  command: z.string(),
  status: z.string(),
  started_at: z.string(),
  ended_at: z.string().nullable(),
  /** Loaded rows; null during the run, and if unknown. */
  rows: z.number().nullable(),
  /** Units by their outcome. */
  units: z.record(z.string(), z.number()),
  error: z.string().nullable(),
  /** Number of errors; null if unknown. */
  errors: z.number().nullable(),
});
export type RunLine = Typed<typeof RunLine>;

export function runLine({ run_id, command, status, started_at, ended_at, summary }: LedgerRun): RunLine {
  return {
    run_id,
    command,
    status,
    started_at,
    ended_at,
    rows: summary?.rows ?? null,
    units: { ...summary?.units },
    error: summary?.error ?? null,
    errors: summary?.errors ?? null,
  };
}

/** Returns the duration of a run in seconds; null during the run, and if its end is unknown. */
export function secondsOf({ started_at, ended_at }: Pick<RunLine, 'started_at' | 'ended_at'>): number | null {
  return ended_at === null ? null : Math.max(0, (Date.parse(ended_at) - Date.parse(started_at)) / 1000);
}

export function errorText({ error, errors }: Pick<RunLine, 'error' | 'errors'>): string | null {
  const more = (errors ?? 1) - 1;
  return error === null || more < 1 ? error : `${error} (and ${counted(more, 'more error')})`;
}

export function runsTable(runs: readonly RunLine[]): Table {
  return tableOf(
    'Runs',
    [
      { name: 'run', of: ({ run_id }) => ({ value: run_id.slice(0, 8), link: { to: 'run', run_id } }) },
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
