import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { CrawlhouseError } from '../../../src/core/errors/errors.ts';
import {
  published,
  type RunOptions,
  rawProjectFolder,
  runProject,
  sandboxFor,
  setFaults,
} from '../../support/project.ts';
import { temporaryConnection } from '../../support/temporary.ts';

const CRAWLS = 'projects=1,crawls=6,pages=40,columns=20,seed=11';
const DRIP = { match: { path: 'export=true' }, kind: 'slow', bytes_per_second: 1200, times: 1 };
const WAIT = { match: { path: '/pages' }, kind: 'status', status: 429, retry_after: 60, times: 1 };

/** A run that one of six crawls holds up, until there are rows of the others; then it is interrupted. */
async function runHeldUp(fault: object, options: RunOptions, isEnough: (crawls: number) => boolean) {
  const sandbox = await sandboxFor({ generate: [CRAWLS] });
  await setFaults(sandbox, [fault]);
  const folder = await rawProjectFolder();
  const connection = await temporaryConnection(folder);
  const interruption = new AbortController();
  const running = runProject(folder, sandbox, {
    pipelines: ['crawl_pages'],
    signal: interruption.signal,
    ...options,
  });
  const crawls = async (): Promise<number> => {
    if (!existsSync(join(folder, 'warehouse.duckdb'))) return 0;
    const sql = 'SELECT count(DISTINCT _crawl_id)::INTEGER AS crawls FROM raw.crawl_pages';
    return Number((await published(connection, folder, sql))[0]?.crawls);
  };
  const startedAt = performance.now();
  while (!isEnough(await crawls()) && performance.now() - startedAt < 50_000) await sleep(400);
  const before = await crawls();
  interruption.abort(new CrawlhouseError('interrupted', 'interrupted by SIGINT'));
  const { exitCode, report } = await running;
  const statuses = report.units.map(({ status }) => status).sort();
  return { exitCode, statuses, before, after: await crawls() };
}

const OTHERS = { exitCode: 130, statuses: ['failed', ...Array(5).fill('loaded')], after: 5 };

test('a slow crawl delays the publication of others by publish_every at most', async () => {
  const environment = { CRAWLHOUSE_PUBLISH_EVERY: '0.02' };
  const outcome = await runHeldUp(DRIP, { environment }, (crawls) => crawls === 5);
  expect(outcome).toEqual({ ...OTHERS, before: 5 });
});

test('a waiting crawl releases its slot, and other crawls are published meanwhile', async () => {
  const environment = { CRAWLHOUSE_CONCURRENCY: '1' };
  const outcome = await runHeldUp(WAIT, { environment }, (crawls) => crawls === 5);
  expect(outcome).toEqual({ ...OTHERS, before: 5 });
});

test('an interruption publishes the loaded crawls', async () => {
  let loaded = 0;
  const progress = (text: string): void => {
    if (/ · \S+ loaded$/.test(text)) loaded++;
  };
  const outcome = await runHeldUp(DRIP, { progress }, () => loaded === 5);
  expect(outcome).toEqual({ ...OTHERS, before: 0 });
});

test('a unit over its time limit fails as retriable, and other units are published', async () => {
  const environment = { CRAWLHOUSE_LIMITS_UNIT_TIME: '0.1', CRAWLHOUSE_LIMITS_UNIT_RATE: '40' };
  const sandbox = await sandboxFor({ generate: [CRAWLS] });
  await setFaults(sandbox, [DRIP]);
  const run = { pipelines: ['crawl_pages'], environment };
  const { exitCode, report } = await runProject(await rawProjectFolder(), sandbox, run);
  const failed = report.units.filter(({ status }) => status === 'failed');
  expect([exitCode, report.units.length, failed.map(({ error }) => error?.code)]).toEqual([
    3,
    6,
    ['timed_out'],
  ]);
  expect(failed[0]?.error?.message).toContain('40 rows did not arrive within 7.0 s');
});
