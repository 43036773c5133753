import type { ScheduleCursor } from './plan-tick.ts';

/** One run that waits in the queue. */
export interface Job {
  readonly name: string;
  readonly why: 'due' | 'missed' | 'retry' | 'nudge' | 'locked';
  /** UTC milliseconds. */
  readonly notBefore: number;
  /** From 0; retries count up. */
  readonly attempt: number;
  /** The cursor to keep on disk until the run is through; null where no firing hangs on it. */
  readonly before: ScheduleCursor | null;
}

/**
 * The queue with one more job. A schedule waits once: a further job is merged into it, with the earlier time and the
 * older cursor.
 */
export function withJob(queue: readonly Job[], job: Job): readonly Job[] {
  const waiting = queue.find((other) => other.name === job.name);
  if (!waiting) return [...queue, job];
  const merged: Job = {
    ...(job.notBefore < waiting.notBefore ? job : waiting),
    attempt: Math.min(job.attempt, waiting.attempt),
    before: waiting.before ?? job.before,
  };
  return queue.map((other) => (other === waiting ? merged : other));
}

/** The next job: of those that may start, the one that waits longest. */
export function nextJob(queue: readonly Job[], now: number): Job | undefined {
  return queue.find((job) => job.notBefore <= now);
}
