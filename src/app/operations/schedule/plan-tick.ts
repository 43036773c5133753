import { createHash } from 'node:crypto';
import type { Schedule } from '../../../etl/project/settings/schedules.ts';
import { lastFiring } from './next-firing.ts';

/** The time up to which the firings of one schedule are done. */
export interface ScheduleCursor {
  /** The cron expression of these firings. A changed expression applies from now on. */
  readonly cron: string;
  readonly time_zone: string;
  /** ISO 8601, UTC. */
  readonly done_until: string;
  readonly last?: LastEnd | undefined;
}

/** The end of the last run of a schedule that was not interrupted. */
export interface LastEnd {
  /** ISO 8601, UTC. */
  readonly ended_at: string;
  readonly exit_code: number;
  readonly error: string | null;
}

export type ScheduleState = Readonly<Record<string, ScheduleCursor>>;

interface Start {
  readonly name: string;
  /** The firing, UTC milliseconds. */
  readonly at: number;
  /** Whether the service was not running at its time. */
  readonly late: boolean;
  /** Earlier firings that this run makes up for. */
  readonly missed: number;
  /** The cursor before the firing. A restart uses this cursor until the run is complete. */
  readonly before: ScheduleCursor;
}

interface Dropped {
  readonly name: string;
  readonly at: number;
  readonly firings: number;
  readonly why: 'late' | 'overlap';
}

export interface Tick {
  readonly starts: readonly Start[];
  readonly dropped: readonly Dropped[];
  readonly state: ScheduleState;
}

/** A firing that is processed later than this was missed. */
const LATE_MS = 60_000;
/** A clock correction by more than this must not block a schedule. */
const CLOCK_BACK_MS = 3_600_000;

export interface Here {
  /** Names of the schedules with active runs. */
  readonly running: ReadonlySet<string>;
  /** Unique to this installation, for jitter. */
  readonly seed: string;
}

/**
 * Plans the runs to start at an instant. A new schedule, or one with a changed time, counts from the beginning of the
 * minute. The firings of a paused schedule are done without a run.
 */
export function planTick(
  schedules: readonly Schedule[],
  state: ScheduleState,
  now: number,
  { running, seed }: Here,
): Tick {
  const starts: Start[] = [];
  const dropped: Dropped[] = [];
  const next: Record<string, ScheduleCursor> = {};
  for (const schedule of schedules) {
    const { name, cron, time_zone } = schedule;
    const before = cursorOf(schedule, state[name], now);
    const delay = jitterOf(schedule, seed);
    const last = lastFiring(cron, time_zone, Date.parse(before.done_until), now - delay);
    next[name] = last ? { cron, time_zone, done_until: new Date(last.at).toISOString() } : before;
    if (last === null || schedule.paused) continue;
    const late = now - (last.at + delay) > LATE_MS;
    const why = dropReason(schedule, late, running.has(name));
    if (why) dropped.push({ name, at: last.at, firings: last.count, why });
    else starts.push({ name, at: last.at, late, missed: last.count - (late ? 0 : 1), before });
  }
  return { starts, dropped, state: next };
}

/** Returns the milliseconds to delay a schedule's runs: constant on this installation, different on others. */
export function jitterOf({ name, jitter }: Pick<Schedule, 'name' | 'jitter'>, seed: string): number {
  const share = createHash('sha256').update(`${seed}\0${name}`).digest().readUInt32BE(0) / 2 ** 32;
  return Math.floor(share * jitter * 1000);
}

function cursorOf(
  { cron, time_zone }: Schedule,
  known: ScheduleCursor | undefined,
  now: number,
): ScheduleCursor {
  const fresh = {
    cron,
    time_zone,
    done_until: new Date(Math.floor(now / 60_000) * 60_000 - 1).toISOString(),
  };
  if (known?.cron !== cron || known.time_zone !== time_zone) return fresh;
  return Date.parse(known.done_until) > now + CLOCK_BACK_MS ? fresh : known;
}

function dropReason(
  { on_missed, overlap }: Schedule,
  late: boolean,
  running: boolean,
): Dropped['why'] | null {
  if (running && overlap === 'skip') return 'overlap';
  return late && on_missed === 'skip' ? 'late' : null;
}
