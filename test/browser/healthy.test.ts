import { expect, test } from 'vitest';
import { crawlHealthy } from '../healthy/crawl-healthy.ts';
import { spa } from '../healthy/templates/spa.ts';
import { CHROMIUM, MISSING } from './chromium.ts';

if (CHROMIUM === undefined) console.warn(MISSING);

test.skipIf(CHROMIUM === undefined)(
  'a healthy single-page site has no issue of medium or high severity once it is rendered',
  async () => {
    const { pages, faults } = await crawlHealthy(spa, ['--render']);
    expect(pages).toBeGreaterThan(15);
    expect(faults).toEqual([]);
  },
);
