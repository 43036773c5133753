import { expect, test } from 'vitest';
import { crawlHealthy } from './crawl-healthy.ts';
import { nextApp } from './templates/next-app.ts';

test('a healthy site in two languages has no issue of medium or high severity', async () => {
  const { pages, faults } = await crawlHealthy(nextApp);
  expect(pages).toBeGreaterThan(25);
  expect(faults).toEqual([]);
});
