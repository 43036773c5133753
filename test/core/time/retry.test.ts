import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { ErrorCode } from '../../../src/core/errors/error-codes.ts';
import { CrawlhouseError } from '../../../src/core/errors/errors.ts';
import { host, withHost } from '../../../src/core/host/host.ts';
import { type RetryPolicy, retry, retryDelay } from '../../../src/core/time/retry.ts';

const QUICK: RetryPolicy = { attempts: 4, baseMs: 1, maxMs: 2 };

const policies = fc.record({
  attempts: fc.integer({ min: 1, max: 10 }),
  baseMs: fc.integer({ min: 1, max: 1000 }),
  maxMs: fc.integer({ min: 1, max: 60_000 }),
});
const chance = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true });

/** Fails `failures` times with `code`, then succeeds with the number of tries. */
function failing(failures: number, code: ErrorCode, retryAfterMs?: number) {
  return async (tries: number): Promise<number> => {
    if (tries > failures) return tries;
    throw new CrawlhouseError(code, `failed ${tries}`, retryAfterMs === undefined ? {} : { retryAfterMs });
  };
}

test('a wait is between zero and a bound that doubles with each failure', () => {
  fc.assert(
    fc.property(policies, fc.integer({ min: 1, max: 20 }), chance, (policy, failures, random) => {
      const bound = Math.min(policy.maxMs, policy.baseMs * 2 ** (failures - 1));
      const delay = retryDelay(policy, failures, undefined, () => random);
      expect(delay).toBeGreaterThanOrEqual(0);
      expect(delay).toBeLessThanOrEqual(Math.round(bound));
      expect(Math.abs(delay - random * bound)).toBeLessThanOrEqual(0.5);
    }),
  );
});

test('a wait is never shorter than the server requested', () => {
  fc.assert(
    fc.property(policies, fc.integer({ min: 0, max: 100_000 }), chance, (policy, retryAfterMs, random) => {
      const without = retryDelay(policy, 2, undefined, () => random);
      expect(retryDelay(policy, 2, retryAfterMs, () => random)).toBe(Math.max(without, retryAfterMs));
    }),
  );
});

test('a retriable failure is tried again until it succeeds', async () => {
  const seen: [string, number][] = [];
  const tries = await retry(failing(2, 'connection'), {
    policy: QUICK,
    onRetry: (error, failures) => seen.push([error.message, failures]),
  });
  expect(tries).toBe(3);
  expect(seen).toEqual([
    ['failed 1', 1],
    ['failed 2', 2],
  ]);
});

test.for(['quota', 'export_failed'] as const)('%s is left to a later run', async (code) => {
  await expect(retry(failing(1, code), { policy: QUICK })).rejects.toThrow('failed 1');
});

test('the last failure is thrown after the last try', async () => {
  await expect(retry(failing(9, 'cut_short'), { policy: QUICK })).rejects.toThrow('failed 4');
});

test.for(['usage', 'unauthorized', 'unreconciled', 'wrong_state', 'contract_broken'] as const)(
  'an error of code %s is not tried again',
  async (code) => {
    await expect(retry(failing(1, code), { policy: QUICK })).rejects.toMatchObject({
      code,
      message: 'failed 1',
    });
  },
);

test('an unknown error is not retried and becomes an internal error', async () => {
  let tries = 0;
  const attempt = async (): Promise<never> => {
    tries++;
    throw new TypeError('a bug');
  };
  await expect(retry(attempt, { policy: QUICK })).rejects.toMatchObject({ code: 'internal' });
  expect(tries).toBe(1);
});

test('the wait requested by the server is respected', async () => {
  const startedAt = performance.now();
  await retry(failing(1, 'service_unavailable', 80), { policy: QUICK });
  expect(performance.now() - startedAt).toBeGreaterThanOrEqual(79);
});

test('a wait of 15 minutes is respected, and a longer one is left to a later run', async () => {
  const slept: number[] = [];
  const sleep = async (ms: number): Promise<void> => void slept.push(ms);
  const attempt = (ms: number) =>
    withHost({ ...host(), sleep }, () => retry(failing(1, 'service_unavailable', ms), { policy: QUICK }));
  expect(await attempt(900_000)).toBe(2);
  await expect(attempt(900_001)).rejects.toThrow('failed 1');
  expect(slept).toEqual([900_000]);
});

test('an abort ends the wait at once', async () => {
  const controller = new AbortController();
  const waiting = retry(failing(1, 'service_unavailable', 60_000), {
    policy: QUICK,
    signal: controller.signal,
    onRetry: () => setImmediate(() => controller.abort()),
  });
  await expect(waiting).rejects.toMatchObject({ name: 'AbortError' });
});

test('nothing is tried with an aborted signal', async () => {
  let tried = false;
  const attempt = async (): Promise<void> => {
    tried = true;
  };
  await expect(retry(attempt, { signal: AbortSignal.abort() })).rejects.toMatchObject({
    code: 'interrupted',
  });
  expect(tried).toBe(false);
});
