import fc from 'fast-check';
import { expect, test } from 'vitest';
import { Semaphore } from '../../../src/core/queue/semaphore.ts';

/** Work that ends when it is told to. */
function manual(log: string[], name: string): { work: () => Promise<string>; end: () => void } {
  const { promise, resolve } = Promise.withResolvers<void>();
  const work = async (): Promise<string> => {
    log.push(name);
    await promise;
    return name;
  };
  return { work, end: resolve };
}

/** Lets everything that can go on now go on. */
const nextTick = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

test('the weight in progress never exceeds the slots, and all work completes in order', async () => {
  const job = fc.record({ weight: fc.integer({ min: 1, max: 4 }), ticks: fc.integer({ min: 0, max: 3 }) });
  await fc.assert(
    fc.asyncProperty(fc.array(job, { maxLength: 20 }), async (jobs) => {
      const semaphore = new Semaphore(4);
      const started: number[] = [];
      let weightNow = 0;
      await Promise.all(
        jobs.map(({ weight, ticks }, index) =>
          semaphore.run(async () => {
            started.push(index);
            weightNow += weight;
            expect(weightNow).toBeLessThanOrEqual(4);
            for (let tick = 0; tick < ticks; tick++) await Promise.resolve();
            weightNow -= weight;
          }, weight),
        ),
      );
      expect(started).toEqual(jobs.map((_job, index) => index));
    }),
    { numRuns: 50 },
  );
});

test('later small work does not overtake work that needs all slots', async () => {
  const semaphore = new Semaphore(2);
  const log: string[] = [];
  const first = manual(log, 'first');
  const whole = manual(log, 'whole');
  const late = manual(log, 'late');
  const runs = [
    semaphore.run(first.work),
    semaphore.run(whole.work, semaphore.size),
    semaphore.run(late.work),
  ];
  await nextTick();
  expect(log).toEqual(['first']);
  first.end();
  await nextTick();
  expect(log).toEqual(['first', 'whole']);
  whole.end();
  late.end();
  expect(await Promise.all(runs)).toEqual(['first', 'whole', 'late']);
});

test('failed work releases its slots', async () => {
  const semaphore = new Semaphore(1);
  await expect(semaphore.run(() => Promise.reject(new Error('no')))).rejects.toThrow('no');
  expect(await semaphore.run(async () => 'next')).toBe('next');
});
