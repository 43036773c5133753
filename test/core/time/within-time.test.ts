import { expect, test } from 'vitest';
import { TimeLeft, TookTooLong, withinTime } from '../../../src/core/time/within-time.ts';

test('texts that are checked together share one time limit', () => {
  const left = new TimeLeft();
  const slow = (): void => {
    const end = performance.now() + 100;
    while (performance.now() < end);
  };
  let done = 0;
  expect(() => {
    for (; done < 40; done++) withinTime(slow, left);
  }).toThrow(TookTooLong);
  expect(done).toBeLessThanOrEqual(20);
  left.take(2000);
  expect(() => withinTime(() => 1, left)).toThrow(TookTooLong);
  expect(withinTime(() => 1, new TimeLeft())).toBe(1);
});
