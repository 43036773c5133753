import { z } from 'zod';
import { countText, durationText } from '../../../core/text/amounts.ts';
import { type Html, html } from '../../../core/text/html.ts';
import type { LedgerRun } from '../../../project/model/runs/ledger-records.ts';
import { runLink } from './addresses.ts';
import { statusMark } from './status-mark.ts';
import { table } from './table.ts';
import { timeText } from './times.ts';

/** A run in a list. */
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
});
export type RunLine = z.infer<typeof RunLine>;

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
  };
}

/** Seconds that a run took, or has taken so far; 0 where its end is not known. */
export function secondsOf(run: Pick<RunLine, 'status' | 'started_at' | 'ended_at'>, now: number): number {
  const end = run.ended_at === null ? (run.status === 'running' ? now : null) : Date.parse(run.ended_at);
  return end === null ? 0 : Math.max(0, (end - Date.parse(run.started_at)) / 1000);
}

export function unitsText(units: RunLine['units']): string | null {
  return (
    Object.entries(units)
      .map(([status, count]) => `${countText(count)} ${status}`)
      .join(', ') || null
  );
}

export function runsTable(runs: readonly RunLine[]): Html {
  return table(
    'Runs',
    [
      { name: 'run', cell: ({ run_id }) => runLink(run_id) },
      { name: 'started (UTC)', cell: ({ started_at }) => timeText(started_at) },
      {
        name: 'took',
        isNumber: true,
        cell: (run) => (run.ended_at === null ? null : durationText(secondsOf(run, 0))),
      },
      { name: 'command', cell: ({ command }) => command },
      { name: 'status', cell: ({ status }) => statusMark(status) },
      { name: 'rows', isNumber: true, cell: ({ rows }) => (rows === null ? null : countText(rows)) },
      { name: 'units', cell: ({ units }) => unitsText(units) },
      { name: 'error', cell: ({ error }) => error },
    ],
    runs,
    html`Nothing has run yet. Run <code>crawlhouse run</code>.`,
  );
}
