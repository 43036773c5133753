import { expect, test } from 'vitest';
import { RateLimit } from '../../src/api/rate-limit.ts';

test('calls that come at once are spaced evenly', async () => {
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

test('calls that come slower than the rate do not wait, and no rate means no wait', async () => {
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

test.each([0, -1, Number.NaN])('%s requests a second is no rate', (perSecond) => {
  expect(() => new RateLimit(perSecond)).toThrow(`requestsPerSecond must be more than 0, not ${perSecond}`);
});
