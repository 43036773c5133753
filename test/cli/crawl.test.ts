import { appendFileSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { CrawlDisplay } from '../../src/cli/crawl-display.ts';
import { fireSchedule } from '../../src/cli/fire-schedule.ts';
import { loadSchedules } from '../../src/config/schedules.ts';
import { loadSettings } from '../../src/config/settings.ts';
import { type Logger, silentLogger } from '../../src/core/logger.ts';
import type { RunResult } from '../../src/model/run-result.ts';
import { pageWith, serveSite } from '../support/crawl-site.ts';
import { projectFolder } from '../support/project.ts';
import { capture } from './capture.ts';

const PAGES: Readonly<Record<string, string>> = {
  '/': pageWith('/a', '/gone'),
  '/a': pageWith('/b'),
  '/b': pageWith('/'),
};

test('crawl --schedule writes a schedule that crawls the site with these flags and loads it', async () => {
  const folder = await projectFolder();
  writeFileSync(
    join(folder, 'schedules.yaml'),
    '# mine\nschedules:\n  - name: morning\n    cron: 0 6 * * *\n',
  );
  const site = await serveSite(PAGES);
  // An address that is not public, which leads to this machine.
  const url = `http://0.0.0.0:${site.port}/`;
  for (const cron of ['0 6 * * 2', '0 6 * * 1']) {
    const argv = ['crawl', url, '--max-urls', '2', '--allow-private', '--schedule', cron];
    expect(await capture(...argv, '--project-dir', folder)).toMatchObject({ code: 0, stdout: '' });
  }
  expect(site.hits).toEqual(['/', '/']);
  const name = `crawl-0-0-0-0-${site.port}`;
  expect(readFileSync(join(folder, 'schedules.yaml'), 'utf8')).toBe(
    `# mine\nschedules:\n  - name: morning\n    cron: 0 6 * * *\n  - name: ${name}\n    cron: 0 6 * * 1\n    crawl: ${url}\n    allow_private: true\n`,
  );
  // A report that would take the place of the warehouse fails, and no run with it.
  const errors: unknown[] = [];
  const logger = { ...silentLogger, error: (...words: unknown[]) => void errors.push(words) };
  const result = await fireLast(folder, { report: 'warehouse.duckdb' }, logger);
  expect(errors).toEqual([['report not written', expect.objectContaining({ file: 'warehouse.duckdb' })]]);
  expect(result.exitCode).toBe(0);
  expect(result.report.units).toContainEqual(
    expect.objectContaining({ dataset: 'crawl_pages', status: 'loaded' }),
  );
  expect(site.hits.slice(2)).toEqual(['/', '/a']);
});

/** Fires the last schedule of a folder. */
async function fireLast(folder: string, more: object, logger: Logger): Promise<RunResult> {
  const schedule = (await loadSchedules(folder, [])).at(-1);
  if (schedule === undefined) throw new Error('no schedule');
  const firing = { schedule: { ...schedule, ...more }, isLast: true, schedulesError: null };
  return fireSchedule(await loadSettings(folder, {}), firing, logger, new AbortController().signal);
}

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
