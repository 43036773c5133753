import { expect, test } from 'vitest';
import { crawlHealthy } from '../healthy/crawl-healthy.ts';
import { spa } from '../healthy/templates/spa.ts';
import { CHROMIUM, MISSING } from './chromium.ts';

if (CHROMIUM === undefined) console.warn(MISSING);

test.skipIf(CHROMIUM === undefined)(
  'a rendered crawl of a healthy single-page site finds no issue of medium or high severity',
  async () => {
    const { pages, faults } = await crawlHealthy(spa, ['--render']);
    expect(pages).toBeGreaterThan(15);
    expect(faults).toEqual([]);
  },
);
