import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { fireSchedule } from '../../../src/app/cli/commands/schedule.ts';
import { loadSettings } from '../../../src/app/settings/load-settings.ts';
import { type Logger, silentLogger } from '../../../src/core/logs/logger.ts';
import type { RunResult } from '../../../src/etl/project/model/runs/run-result.ts';
import { loadSchedules } from '../../../src/etl/project/settings/schedules.ts';
import { capture } from '../../app/cli/capture.ts';
import { pageWith, serveSite } from '../../support/crawl-site.ts';
import { projectFolder } from '../../support/project.ts';

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
  // The first one tries whether the site answers.
  expect(site.hits.slice(2)).toEqual(['/', '/', '/a']);
});

test('a schedule crawls with the file of its website, even before its first manual crawl', async () => {
  const folder = await projectFolder();
  const site = await serveSite(PAGES);
  mkdirSync(join(folder, 'crawls'));
  writeFileSync(join(folder, 'crawls', `127.0.0.1_${site.port}.yaml`), 'max_url: 1\nrecheck: 0\n');
  const yaml = `schedules:\n  - { name: x, cron: 0 6 * * *, crawl: "${site.origin}/" }\n`;
  writeFileSync(join(folder, 'schedules.yaml'), yaml);
  expect((await fireLast(folder, {}, silentLogger)).exitCode).toBe(0);
  // The first one tries whether the site answers.
  expect(site.hits).toEqual(['/', '/']);
  writeFileSync(join(folder, 'crawls', `127.0.0.1_${site.port}.yaml`), 'max_url: 2\nrecheck: 0\n');
  expect((await fireLast(folder, {}, silentLogger)).exitCode).toBe(0);
  expect(site.hits.slice(2)).toEqual(['/', '/', '/a']);
});

/** Fires the last schedule of a folder. */
async function fireLast(folder: string, more: object, logger: Logger): Promise<RunResult> {
  const schedule = (await loadSchedules(folder, [])).at(-1);
  if (schedule === undefined) throw new Error('no schedule');
  const firing = { schedule: { ...schedule, ...more }, isLast: true, schedulesError: null };
  return fireSchedule(await loadSettings(folder, {}), firing, logger, new AbortController().signal);
}
