import { type Check, type Finding, look } from '../../core/duckdb/check.ts';
import type { LedgerRun } from '../../project/model/runs/ledger-records.ts';
import type { Schedule } from '../../project/settings/schedules.ts';
import { type LedgerSettings, readLedger } from '../../state/ledger/open-ledger.ts';
import { nextFiring } from '../schedule/next-firing.ts';

const RUNS = 1000;
const DAY_MS = 86_400_000;

/** The last good run, and a run whose process is dead. */
export async function examineRuns(
  settings: LedgerSettings,
  schedules: readonly Schedule[],
  signal: AbortSignal,
): Promise<Check[]> {
  return [
    await look('runs', signal, async () => lastGood(await runsOf(settings), schedules, Date.now())),
    await look('killed', signal, async () => killed(await runsOf(settings))),
  ];
}

/** The newest first. */
async function runsOf(settings: LedgerSettings): Promise<readonly LedgerRun[]> {
  await using ledger = await readLedger(settings);
  return (await ledger?.runs(RUNS)) ?? [];
}

/** @param now UTC milliseconds */
export function lastGood(
  runs: readonly LedgerRun[],
  schedules: readonly Pick<Schedule, 'name' | 'cron' | 'time_zone'>[],
  now: number,
): Finding {
  const ended = runs.filter(({ status }) => status !== 'running');
  if (ended.length === 0) return { message: 'none has ended yet' };
  const at = ended.findIndex(({ status }) => status === 'done');
  const good = ended[at];
  if (good === undefined) {
    return {
      message: `none of the last ${ended.length} is done: the last one is ${ended[0]?.status}`,
      hint: 'crawlhouse status shows why',
    };
  }
  const message = `last good run ${minuteOf(good.ended_at ?? good.started_at)}`;
  if (at > 0) return { message: `${message}, ${at} not done since`, hint: 'crawlhouse status shows why' };
  const late = schedules.find(({ cron, time_zone }) => {
    const next = nextFiring(cron, time_zone, Date.parse(good.started_at));
    return next !== null && next + DAY_MS < now;
  });
  if (late === undefined) return { message };
  return {
    message: `${message}, but the schedule ${late.name} has had a firing since`,
    hint: 'see that crawlhouse schedule is running',
  };
}

/** The last run, if its process is dead; a later run has taken up what an earlier one left. */
export function killed([last]: readonly LedgerRun[]): Finding {
  if (last?.status !== 'killed') return { message: 'no run was cut off' };
  return {
    message: `the run of ${minuteOf(last.started_at)} was cut off: its process is gone`,
    hint: 'crawlhouse run continues it; look for a kill by the system, such as for want of memory',
  };
}

function minuteOf(time: string): string {
  return `${time.slice(0, 16).replace('T', ' ')} UTC`;
}
