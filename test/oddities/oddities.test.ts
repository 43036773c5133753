import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { crawlSite } from '../support/crawl-site.ts';
import { ODDITIES } from './cases.ts';
import { ACCEPTED, differences, readByCrawl } from './read-by-crawl.ts';
import type { Reading } from './reading.ts';
import { serveOddities } from './serve-oddities.ts';

const KEPT = JSON.parse(readFileSync(join(import.meta.dirname, 'chromium.json'), 'utf8')) as Record<
  string,
  Reading
>;

test('the crawler reads a site of oddities as Chromium does', { timeout: 120_000 }, async () => {
  const site = await serveOddities();
  onTestFinished(() => site[Symbol.asyncDispose]());
  expect(ODDITIES.length).toBeGreaterThanOrEqual(1_000);
  expect(Object.keys(ACCEPTED).length).toBeLessThanOrEqual(27);
  expect(Object.keys(KEPT)).toEqual(ODDITIES.map(({ path }) => path));
  const crawled = await crawlSite(site, { max_url: 2_000, max_depth: 2, use_cookies: true });
  expect(crawled.endReason).toMatch(/^(?:ok|max_depth_reached)$/);
  expect(differences(await readByCrawl(crawled, site.origin), KEPT)).toEqual([]);
});
