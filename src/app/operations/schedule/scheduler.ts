import { type CrawlhouseError, firstStack, toCrawlhouseError } from '../../../core/errors/errors.ts';
import { host } from '../../../core/host/host.ts';
import type { Logger } from '../../../core/logs/logger.ts';
import type { Schedule } from '../../../etl/project/settings/schedules.ts';
import { upcoming } from './next-firing.ts';
import { type LastEnd, planTick, type ScheduleCursor, type ScheduleState } from './plan-tick.ts';

interface Job {
  readonly name: string;
  readonly why: 'due' | 'missed' | 'retry' | 'nudge' | 'locked';
  /** UTC milliseconds. */
  readonly notBefore: number;
  /** From 0; retries count up. */
  readonly attempt: number;
  /** The cursor to keep on disk until the run is complete; null if no firing depends on it. */
  readonly before: ScheduleCursor | null;
}

export interface Fired {
  readonly exitCode: number;
  readonly errors: readonly CrawlhouseError[];
}

/** A run that starts at a time, UTC milliseconds. */
export interface Waiting {
  readonly name: string;
  readonly at: number;
}

export interface SchedulerOptions {
  /** The present schedules; throws if the file is invalid. */
  readonly load: () => Promise<readonly Schedule[]>;
  /** `isLast`: it is not repeated if it fails. */
  readonly fire: (schedule: Schedule, signal: AbortSignal, isLast: boolean) => Promise<Fired>;
  readonly readState: () => Promise<ScheduleState>;
  readonly writeState: (state: ScheduleState) => Promise<void>;
  /** UTC milliseconds. */
  readonly now: () => number;
  /** Unique to this installation, for jitter. */
  readonly seed: string;
  readonly logger: Logger;
}

/** Nudges within this time cause one run. */
const NUDGE_MS = 2_000;
/** Nudges start at most one run in this time. */
const NUDGE_EVERY_MS = 60_000;
/** Wait before the next attempt while another process holds the state. */
const LOCKED_MS = 30_000;
const RETRIABLE = 3;
const INTERRUPTED = 130;

/** Runs due schedules, one at a time. Call `tick` regularly; it never waits for a run. */
export class Scheduler {
  readonly #options: SchedulerOptions;
  #schedules: readonly Schedule[] = [];
  #broken: string | null = null;
  #state: ScheduleState | undefined;
  #written = '';
  #queue: readonly Job[] = [];
  readonly #outcomes = new Map<string, Fired>();
  readonly #lasts = new Map<string, LastEnd>();
  #running: { readonly job: Job; readonly abort: AbortController; readonly done: Promise<void> } | null =
    null;
  #saving: Promise<void> = Promise.resolve();
  #stopping = false;
  /** When the last nudge was due, in milliseconds. */
  #nudged = Number.NEGATIVE_INFINITY;
  #wake: () => void = () => {};

  constructor(options: SchedulerOptions) {
    this.#options = options;
  }

  get running(): string | null {
    return this.#running?.job.name ?? null;
  }

  /** The error in the current file; the previous schedules stay active. */
  get broken(): string | null {
    return this.#broken;
  }

  get outcomes(): ReadonlyMap<string, Fired> {
    return this.#outcomes;
  }

  get waiting(): readonly string[] {
    return this.#queue.map((job) => job.name);
  }

  /** Waiting schedules, each with its earliest start. */
  get queue(): readonly Waiting[] {
    return this.#queue.map(({ name, notBefore: at }) => ({ name, at }));
  }

  nextFirings(): { name: string; next_at: string | null }[] {
    return upcoming(this.#schedules, this.#options.now());
  }

  /**
   * Reads file and state for the first time; it needs valid schedules.
   *
   * @throws what `load` throws
   */
  async open(): Promise<void> {
    this.#schedules = await this.#options.load();
    this.#state = await this.#options.readState();
    for (const [name, { last }] of Object.entries(this.#state))
      if (last !== undefined) this.#lasts.set(name, last);
  }

  /** Checks file and clock, queues due firings, and starts a run if none is active. */
  async tick(): Promise<void> {
    if (this.#state === undefined) await this.open();
    else await this.#reload();
    const now = this.#options.now();
    const running = new Set(this.#running ? [this.#running.job.name] : []);
    const { starts, dropped, state } = planTick(this.#schedules, this.#state ?? {}, now, {
      running,
      seed: this.#options.seed,
    });
    this.#state = state;
    for (const { name, at, firings, why } of dropped) {
      this.#options.logger.warn('firing dropped', { schedule: name, why, firings, due: iso(at) });
    }
    for (const { name, at, late, missed, before } of starts) {
      if (missed > 0) this.#options.logger.warn('firings missed', { schedule: name, missed, due: iso(at) });
      const why = late ? 'missed' : 'due';
      this.#queue = withJob(this.#queue, { name, why, notBefore: now, attempt: 0, before });
    }
    await this.advance();
  }

  /**
   * Starts the next due run, unless one is running. Its firing is saved as undone first, so that a crash at the start
   * loses nothing.
   */
  async advance(): Promise<void> {
    await this.#save();
    this.#start(this.#options.now());
  }

  /**
   * Makes every schedule run soon, because new records may exist. Several calls cause one run, at most once a minute.
   */
  nudge(): void {
    const now = this.#options.now();
    // A waiting nudge covers this one. A clock that was set back must not block nudges.
    const isWaiting = this.#nudged > now && this.#nudged <= now + NUDGE_EVERY_MS;
    const earliest = this.#nudged <= now ? this.#nudged + NUDGE_EVERY_MS : Number.NEGATIVE_INFINITY;
    const notBefore = isWaiting ? this.#nudged : Math.max(now + NUDGE_MS, earliest);
    this.#nudged = notBefore;
    for (const { name } of this.#schedules.filter(({ paused }) => !paused)) {
      this.#queue = withJob(this.#queue, { name, why: 'nudge', notBefore, attempt: 0, before: null });
    }
    this.#wake();
  }

  /** Waits until there may be work, at most `most` milliseconds. */
  async wait(most: number): Promise<void> {
    await new Promise<void>((resolve) => {
      const timer = host().after(this.pause(most), resolve);
      this.#wake = () => {
        timer[Symbol.dispose]();
        resolve();
      };
    });
  }

  /** Returns the milliseconds until there may be work, at most `most`. */
  pause(most: number): number {
    const now = this.#options.now();
    const idle = this.#running === null && !this.#stopping;
    const starts = idle ? this.#queue.map((job) => job.notBefore) : [];
    const firings = this.nextFirings().flatMap(({ next_at }) => (next_at ? [Date.parse(next_at)] : []));
    return Math.max(0, Math.min(most, ...[...starts, ...firings].map((at) => at - now)));
  }

  /** Resolves once no run is active. */
  async idle(): Promise<void> {
    await this.#running?.done;
  }

  stop(): void {
    this.#stopping = true;
    this.#wake();
  }

  /** Ends the current run; the next service continues it. */
  abort(reason: unknown): void {
    this.#running?.abort.abort(reason);
  }

  async #reload(): Promise<void> {
    try {
      this.#schedules = await this.#options.load();
      if (this.#broken !== null) this.#options.logger.info('schedules.yaml is valid again');
      this.#broken = null;
    } catch (error) {
      const message = error instanceof Error ? error.message : String(error);
      if (this.#broken !== message) {
        this.#options.logger.error('schedules.yaml is invalid; the previous schedules stay active', {
          error: message,
        });
      }
      this.#broken = message;
    }
    this.#queue = this.#queue.filter((job) =>
      this.#schedules.some(({ name, paused }) => name === job.name && !paused),
    );
  }

  #start(now: number): void {
    const job = this.#running || this.#stopping ? undefined : nextJob(this.#queue, now);
    const schedule = this.#schedules.find(({ name }) => name === job?.name);
    if (!job || !schedule) return;
    this.#queue = this.#queue.filter((other) => other !== job);
    this.#options.logger.info('run starts', { schedule: job.name, why: job.why, attempt: job.attempt + 1 });
    const abort = new AbortController();
    this.#running = { job, abort, done: this.#run(schedule, job, abort.signal) };
  }

  async #run(schedule: Schedule, job: Job, signal: AbortSignal): Promise<void> {
    const fired = await this.#fire(schedule, signal, job.attempt >= schedule.retries.number);
    this.#outcomes.set(job.name, fired);
    this.#note(job.name, fired);
    const distinct = new Map(fired.errors.map((error) => [error.message, error]));
    for (const error of distinct.values()) {
      const { code, message, hint } = error;
      const fields = { schedule: job.name, code, error: message, hint, ...firstStack(error) };
      this.#options.logger.error('run had an error', fields);
    }
    this.#options.logger.info('run ended', { schedule: job.name, exit_code: fired.exitCode });
    this.#running = null;
    const again = repeat(schedule, job, fired, this.#options.now());
    if (again) this.#queue = withJob(this.#queue, again);
    await this.#save();
    this.#wake();
  }

  /** Records the end of a run. Repeats a run that was interrupted or did not get the lock. */
  #note(name: string, { exitCode, errors }: Fired): void {
    if (exitCode === INTERRUPTED || errors.some(({ code }) => code === 'locked')) return;
    const ended_at = iso(this.#options.now());
    this.#lasts.set(name, { ended_at, exit_code: exitCode, error: errors[0]?.message ?? null });
  }

  async #fire(schedule: Schedule, signal: AbortSignal, isLast: boolean): Promise<Fired> {
    // The caller must know of the run before it can end.
    await Promise.resolve();
    try {
      return await this.#options.fire(schedule, signal, isLast);
    } catch (thrown) {
      const error = toCrawlhouseError(thrown);
      return { exitCode: error.exitCode, errors: [error] };
    }
  }

  /** Saves the state. Firings of unfinished runs stay pending on disk, and the next process runs them. */
  async #save(): Promise<void> {
    const undone = [...this.#queue, ...(this.#running ? [this.#running.job] : [])];
    const state = Object.fromEntries(
      Object.entries(this.#state ?? {}).map(([name, cursor]) => {
        // The running job is the older one.
        const before = undone.findLast((job) => job.name === name && job.before !== null)?.before;
        const last = this.#lasts.get(name);
        return [name, { ...(before ?? cursor), ...(last && { last }) }];
      }),
    );
    const text = JSON.stringify(state);
    if (text !== this.#written) {
      this.#written = text;
      this.#saving = this.#saving.then(() => this.#write(state));
    }
    await this.#saving;
  }

  async #write(state: ScheduleState): Promise<void> {
    try {
      await this.#options.writeState(state);
    } catch (error) {
      // A full disk must not end the service; the next change is written again.
      this.#written = '';
      const { message } = toCrawlhouseError(error);
      this.#options.logger.error('state of the schedules not written', { error: message });
    }
  }
}

/** Returns the job that makes up for an unfinished run, or null. */
function repeat({ retries }: Schedule, job: Job, { exitCode, errors }: Fired, now: number): Job | null {
  if (errors.some(({ code }) => code === 'locked'))
    return { ...job, why: 'locked', notBefore: now + LOCKED_MS };
  if (exitCode === INTERRUPTED) return { ...job, notBefore: now };
  // Forbidden requests stay forbidden until a person changes something.
  const isLasting = errors.length > 0 && errors.every(({ kind }) => kind === 'forbidden' || kind === 'skip');
  if (exitCode !== RETRIABLE || isLasting || job.attempt >= retries.number) return null;
  return { ...job, why: 'retry', attempt: job.attempt + 1, notBefore: now + retries.wait * 60_000 };
}

function iso(at: number): string {
  return new Date(at).toISOString();
}

/**
 * Adds a job to the queue. A schedule waits once: another job is merged into it, with the earlier time and the older
 * cursor.
 */
function withJob(queue: readonly Job[], job: Job): readonly Job[] {
  const waiting = queue.find((other) => other.name === job.name);
  if (!waiting) return [...queue, job];
  const merged: Job = {
    ...(job.notBefore < waiting.notBefore ? job : waiting),
    attempt: Math.min(job.attempt, waiting.attempt),
    before: waiting.before ?? job.before,
  };
  return queue.map((other) => (other === waiting ? merged : other));
}

/** Returns the job that has waited longest among the jobs that may start. */
function nextJob(queue: readonly Job[], now: number): Job | undefined {
  return queue.find((job) => job.notBefore <= now);
}
