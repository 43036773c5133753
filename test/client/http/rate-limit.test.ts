import { expect, test, vi } from 'vitest';
import { RateLimit } from '../../../src/client/http/rate-limit.ts';

test('concurrent calls are spaced evenly', async () => {
  const rate = new RateLimit(50);
  const startedAt = performance.now();
  const times = await Promise.all(
    Array.from({ length: 6 }, async () => {
      await rate.take();
      return performance.now() - startedAt;
    }),
  );
  for (const [index, at] of times.entries()) expect(at).toBeGreaterThanOrEqual(index * 20 - 2);
});

test('calls slower than the rate do not wait, and no rate means no wait', async () => {
  const none = new RateLimit(undefined);
  const slow = new RateLimit(0.001);
  const startedAt = performance.now();
  for (let calls = 0; calls < 1000; calls++) await none.take();
  await slow.take();
  expect(performance.now() - startedAt).toBeLessThan(5000);
});

test('an abort ends the wait', async () => {
  const rate = new RateLimit(0.001);
  await rate.take();
  const controller = new AbortController();
  const waiting = rate.take(controller.signal);
  controller.abort();
  await expect(waiting).rejects.toMatchObject({ name: 'AbortError' });
});

test.each([0, -1, Number.NaN])('%s requests per second is not a valid rate', (perSecond) => {
  expect(() => new RateLimit(perSecond)).toThrow(`requestsPerSecond must be more than 0, not ${perSecond}`);
});

/** Slots as a server gives them, with what was asked of it. */
function slotServer() {
  const asked: number[] = [];
  let nextAt = 0;
  const source = {
    async reserve(count: number, intervalMs: number) {
      asked.push(count);
      const now = performance.now();
      const at = Math.max(now, nextAt);
      nextAt = at + count * intervalMs;
      return at - now;
    },
    async [Symbol.asyncDispose]() {},
  };
  return { asked, source };
}

test('processes that share slots keep the rate together, with few reservations', async () => {
  const { asked, source } = slotServer();
  const [one, other] = [new RateLimit(200, source), new RateLimit(200, source)];
  const startedAt = performance.now();
  await Promise.all(Array.from({ length: 120 }, (_, at) => (at % 2 ? one : other).take()));
  expect(performance.now() - startedAt).toBeGreaterThanOrEqual(119 * 5 - 2);
  expect(asked.length).toBeLessThan(20);
});

test('an unused slot expires, and few slots are reserved again', async () => {
  vi.useFakeTimers({ toFake: ['performance'] });
  try {
    const { asked, source } = slotServer();
    const rate = new RateLimit(500, source);
    await Promise.all(Array.from({ length: 4 }, () => rate.take()));
    expect(asked).toEqual([1, 2, 4]);
    vi.advanceTimersByTime(20);
    await rate.take();
    expect(asked).toEqual([1, 2, 4, 1]);
  } finally {
    vi.useRealTimers();
  }
});
