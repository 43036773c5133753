import { appendFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { CrawlDisplay } from '../../../src/people/cli/crawl-display.ts';
import { pageWith, serveSite } from '../../support/crawl-site.ts';
import { projectFolder } from '../../support/project.ts';
import { capture } from './capture.ts';

const PAGES: Readonly<Record<string, string>> = {
  '/': pageWith('/a', '/gone'),
  '/a': pageWith('/b'),
  '/b': pageWith('/'),
};

test.for([
  [[], 'a URL is needed'],
  [['--resume'], 'no crawl was interrupted'],
  [['https://www.example.com/', '--schedule', 'monday'], '--schedule monday: '],
  [['--resume', '--schedule', '0 6 * * 1'], '--schedule 0 6 * * 1: it does not go with --resume'],
  [['https://www.example.com/', '--max-urls', 'many'], '--max-urls many: a number above 0 is expected'],
  [['http://user agent/'], 'start_url'],
  [['http://site.invalid/', '--speed', '10'], '10 URLs per second is more than 5'],
] as const)('a wrong use, %j, is refused in words', async ([argv, words]) => {
  const folder = await projectFolder();
  const { code, stderr } = await capture('crawl', ...argv, '--project-dir', folder);
  expect(code).toBe(2);
  expect(stderr).toContain(words);
});

test('the project folder of another service is refused', async () => {
  const folder = await projectFolder();
  appendFileSync(join(folder, 'crawlhouse.yaml'), 'base_url: https://service.invalid\n');
  const site = await serveSite(PAGES);
  const { code, stderr } = await capture('crawl', site.origin, '--project-dir', folder);
  expect(code).toBe(2);
  expect(stderr).toContain('this project folder loads from https://service.invalid');
});

test('the display tells pages, speed, depth, errors and what is left, then the job that runs', () => {
  const display = new CrawlDisplay();
  const counts = {
    fetched_2xx: 1000,
    fetched_3xx: 1,
    fetched_4xx: 2,
    fetched_5xx: 3,
    unfetched_exception: 4,
    unfetched_robots_denied: 5,
    queued_urls: 60,
  };
  const fetching = { status: 'running', crawler: { depth: 3, counts } };
  expect(display.line(fetching, 0)).toBe('1,006 pages  0.0/s  depth 3  9 errors  60 left');
  const later = { ...fetching, crawler: { depth: 3, counts: { ...counts, fetched_2xx: 1020 } } };
  expect(display.line(later, 2000)).toBe('1,026 pages  10.0/s  depth 3  9 errors  60 left');
  const jobs = [
    { name: 'parse', status: 'done' },
    { name: 'inlinks', status: 'running' },
  ];
  const analysed = { ...later, steps: [{ name: 'analysis', status: 'running', jobs }] };
  expect(display.line(analysed, 3000)).toBe('analysis: inlinks (2 of 2)');
});
