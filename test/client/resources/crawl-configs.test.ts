import { expect, test } from 'vitest';
import { CrawlConfigInput } from '../../../src/client/resources/crawl-configs.ts';

test.each([
  [0.1, true],
  [2, true],
  [5, true],
  [10, true],
  [0, false],
  [3, false],
  [-5, false],
  [7.5, false],
])('a maximum speed of %d URLs per second is supported: %s', (speed, isSupported) => {
  const { success, error } = CrawlConfigInput.safeParse({ max_speed: speed });
  expect(!success && error.issues.some(({ path }) => path[0] === 'max_speed')).toBe(!isSupported);
});
