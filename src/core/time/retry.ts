import { CrawlhouseError, toCrawlhouseError } from '../errors/errors.ts';
import { host } from '../host/host.ts';
import { sleepWithoutSlot } from './sleep-without-slot.ts';

export interface RetryPolicy {
  /** Maximum attempts, including the first. */
  readonly attempts: number;
  /** Upper bound of the first wait, in milliseconds; it doubles with each attempt. */
  readonly baseMs: number;
  /** Upper bound of any wait, in milliseconds. */
  readonly maxMs: number;
}

export const DEFAULT_RETRY: RetryPolicy = { attempts: 5, baseMs: 250, maxMs: 30_000 };

/**
 * The longest wait. If the server requests a longer wait, the run ends as retriable, and the next run continues.
 */
const LONGEST_WAIT_MS = 15 * 60_000;

/**
 * Returns the wait before a retry, with full jitter: between 0 and the doubled bound, but never shorter than the other
 * side requested.
 */
export function retryDelay(
  policy: RetryPolicy,
  failures: number,
  retryAfterMs: number | undefined,
  random: () => number = host().random,
): number {
  const bound = Math.min(policy.maxMs, policy.baseMs * 2 ** (failures - 1));
  return Math.max(Math.round(random() * bound), retryAfterMs ?? 0);
}

/**
 * Errors that only a later run can resolve. A quota is restored by the hour or day, and waiting for it would delay
 * units with other quotas. A failed data export fails again until its bucket is repaired. A wait that timed out is not
 * repeated.
 */
const LATER: readonly string[] = ['quota', 'export_failed', 'timed_out'];

export interface RetryOptions {
  readonly policy?: RetryPolicy;
  readonly signal?: AbortSignal | undefined;
  readonly onRetry?: ((error: CrawlhouseError, failures: number, delayMs: number) => void) | undefined;
}

/** Calls `attempt` until it succeeds, fails with an error that is not retriable, or the policy is used up. */
export async function retry<T>(
  attempt: (tries: number) => Promise<T>,
  options: RetryOptions = {},
): Promise<T> {
  const policy = options.policy ?? DEFAULT_RETRY;
  for (let tries = 1; ; tries++) {
    try {
      options.signal?.throwIfAborted();
      return await attempt(tries);
    } catch (thrown) {
      const error = toCrawlhouseError(thrown);
      if (error.kind !== 'retriable' || LATER.includes(error.code) || tries >= policy.attempts) throw error;
      if ((error.retryAfterMs ?? 0) > LONGEST_WAIT_MS) throw error;
      const delayMs = retryDelay(policy, tries, error.retryAfterMs);
      options.onRetry?.(error, tries, delayMs);
      await sleepWithoutSlot(delayMs, options.signal);
    }
  }
}

export function retriable(
  code: 'connection' | 'cut_short',
  message: string,
  cause?: unknown,
): CrawlhouseError {
  return new CrawlhouseError(code, message, { cause });
}
