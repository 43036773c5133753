import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { crawlSite } from '../support/crawl-site.ts';
import { ODDITIES } from './cases.ts';
import { ACCEPTED, differences, readByCrawl } from './read-by-crawl.ts';
import type { Reading } from './reading.ts';
import { serveOddities } from './serve-oddities.ts';

const kept = (name: string): Record<string, Reading> =>
  JSON.parse(readFileSync(join(import.meta.dirname, name), 'utf8'));
const KEPT = kept('chromium.json');
const WITHOUT_SCRIPTS = kept('chromium-without-scripts.json');

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

test('without scripts, Chromium reads the same except for noscript, which the crawler ignores', () => {
  const differing = ODDITIES.filter(({ path }) => WITHOUT_SCRIPTS[path] !== undefined);
  expect(differing.map(({ path }) => path)).toEqual(Object.keys(WITHOUT_SCRIPTS));
  expect(differing.length).toBeGreaterThan(0);
  for (const { answer, path } of differing) {
    expect([path, answer.toString()]).toEqual([path, expect.stringContaining('<noscript>')]);
    expect(WITHOUT_SCRIPTS[path]).not.toEqual(KEPT[path]);
  }
});
