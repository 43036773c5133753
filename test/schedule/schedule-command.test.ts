import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { lockState } from '../../src/core/state-lock.ts';
import type { Sandbox } from '../../src/sandbox/start-sandbox.ts';
import { clearFaults, crawlhouse, rawProjectFolder, sandboxFor, setFaults } from '../support/house.ts';
import { until } from '../support/until.ts';

const PROGRAM = join(import.meta.dirname, '..', '..', 'src', 'cli', 'main.ts');
const PAGES = 'pipelines: [crawl_pages]';
const DONE_LONG_AGO = '2026-01-01T06:00:00.000Z';

/** A project folder with one schedule, at six in the morning in UTC unless it says something else. */
async function project(...lines: readonly string[]): Promise<string> {
  const folder = await rawProjectFolder();
  const keys = lines.some((line) => line.startsWith('cron:')) ? lines : ['cron: "0 6 * * *"', ...lines];
  await writeFile(
    join(folder, 'schedules.yaml'),
    `schedules:\n  - name: morning\n${[PAGES, ...keys].map((line) => `    ${line}\n`).join('')}`,
  );
  return folder;
}

/** As if the service had been down since the beginning of the year. */
async function missed(folder: string): Promise<void> {
  await mkdir(join(folder, '.crawlhouse'), { recursive: true });
  const morning = { cron: '0 6 * * *', time_zone: 'UTC', done_until: DONE_LONG_AGO };
  await writeFile(join(folder, '.crawlhouse', 'schedules.json'), JSON.stringify({ morning }));
}

async function doneUntil(folder: string): Promise<string> {
  const state = JSON.parse(await readFile(join(folder, '.crawlhouse', 'schedules.json'), 'utf8'));
  return state.morning.done_until;
}

/** The service as a process, with what it says. */
function service(folder: string, sandbox: Sandbox, extra: Readonly<Record<string, string>> = {}) {
  const child = spawn(process.execPath, [PROGRAM, 'schedule'], {
    cwd: folder,
    env: {
      PATH: process.env.PATH,
      CRAWLHOUSE_BASE_URL: sandbox.baseUrl,
      CRAWLHOUSE_ACCESS_TOKEN: sandbox.accessToken,
      ...extra,
    },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  const said = { text: '' };
  child.stderr.setEncoding('utf8').on('data', (piece: string) => {
    said.text += piece;
  });
  const heard = (pattern: RegExp) => until(async () => pattern.exec(said.text) ?? undefined);
  const ended = once(child, 'exit') as Promise<[number | null]>;
  return { child, said, heard, ended };
}

const SMALL = { generate: ['projects=1,crawls=1,pages=20,links=0,seed=5'] };

test('--once runs what is due and ends with the exit code of the run; then nothing is due', async () => {
  const sandbox = await sandboxFor(SMALL);
  const folder = await project();
  const fresh = await crawlhouse(folder, sandbox, ['schedule', '--once']);
  expect([fresh.status, fresh.stderr]).toEqual([0, 'Nothing is due.\n']);

  await missed(folder);
  const first = await crawlhouse(folder, sandbox, ['schedule', '--once', '--json']);
  expect(JSON.parse(first.stdout)).toMatchObject({
    runs: [{ schedule: 'morning', status: 'done', units: [{ dataset: 'crawl_pages', status: 'loaded' }] }],
  });
  expect([first.status, existsSync(join(folder, 'warehouse.duckdb'))]).toEqual([0, true]);
  expect(await doneUntil(folder)).not.toBe(DONE_LONG_AGO);
  const second = await crawlhouse(folder, sandbox, ['schedule', '--once']);
  expect([second.status, second.stderr]).toEqual([0, 'Nothing is due.\n']);
});

test('--once ends with 3 where units can be tried again, and with 2 where another process holds the state', async () => {
  const sandbox = await sandboxFor(SMALL);
  const folder = await project('timeout: 0.02');
  await setFaults(sandbox, [{ match: { path: '/api/v2/workspaces' }, kind: 'stall' }]);
  await missed(folder);
  const late = await crawlhouse(folder, sandbox, ['schedule', '--once']);
  expect([late.status, late.stderr]).toEqual([3, expect.stringContaining('ended after 0.02 minutes')]);

  await missed(folder);
  using _lock = lockState(join(folder, '.crawlhouse'), 'crawlhouse backfill');
  const locked = await crawlhouse(folder, sandbox, ['schedule', '--once']);
  expect([locked.status, locked.stderr]).toEqual([
    2,
    expect.stringContaining('in use by crawlhouse backfill'),
  ]);
  expect(await doneUntil(folder)).toBe(DONE_LONG_AGO);
});

test('the service makes up for a missed firing, answers /readyz, refuses a second one and ends with 143', async () => {
  const sandbox = await sandboxFor(SMALL);
  const folder = await project();
  await missed(folder);
  const { child, heard, ended, said } = service(folder, sandbox, {
    CRAWLHOUSE_SCHEDULE_LISTEN: '127.0.0.1:0',
    CRAWLHOUSE_WEBHOOK_SECRET: 'secret-of-the-webhook',
  });
  await heard(/run ended schedule=morning exit_code=0/);
  const [, port] = await heard(/listening port=(\d+)/);
  const ready = await (await fetch(`http://127.0.0.1:${port}/readyz`)).json();
  expect(ready).toMatchObject({ status: 'ready', running: null, schedules: [{ last_exit_code: 0 }] });
  const second = await crawlhouse(folder, sandbox, ['schedule']);
  expect([second.status, second.stderr]).toEqual([
    2,
    expect.stringContaining('in use by crawlhouse schedule'),
  ]);

  const status = await crawlhouse(folder, null, ['status', '--json']);
  const { schedules } = JSON.parse(status.stdout);
  expect(schedules).toEqual([{ name: 'morning', next_at: expect.stringMatching(/T06:00:00\.000Z$/) }]);
  expect((await crawlhouse(folder, null, ['status'])).stdout).toContain(
    `schedule morning: next at ${schedules[0].next_at}\n`,
  );
  child.kill('SIGTERM');
  expect((await ended)[0]).toBe(143);
  expect(said.text).toContain('1 units, ');
  expect(said.text).not.toContain('secret-of-the-webhook');
});

test('SIGTERM ends a run that outlives its grace time, and the next service takes it up', async () => {
  const sandbox = await sandboxFor(SMALL);
  const folder = await project();
  await missed(folder);
  await setFaults(sandbox, [{ match: { path: '/api/v2/workspaces' }, kind: 'stall' }]);
  const first = service(folder, sandbox, { CRAWLHOUSE_SCHEDULE_GRACE: '0.1' });
  await first.heard(/run starts schedule=morning why=missed/);
  first.child.kill('SIGTERM');
  expect((await first.ended)[0]).toBe(143);
  expect(first.said.text).toContain('stopping running=morning grace_seconds=0.1');
  expect(await doneUntil(folder)).toBe(DONE_LONG_AGO);

  await clearFaults(sandbox);
  const second = service(folder, sandbox);
  await second.heard(/run ended schedule=morning exit_code=0/);
  second.child.kill('SIGINT');
  expect((await second.ended)[0]).toBe(130);
  expect(existsSync(join(folder, 'warehouse.duckdb'))).toBe(true);
});

test('a schedules.yaml that does not hold is a wrong use that names its line', async () => {
  const sandbox = await sandboxFor(SMALL);
  const folder = await project('cron: "61 6 * * *"');
  const { status, stderr } = await crawlhouse(folder, sandbox, ['schedule']);
  expect([status, stderr]).toEqual([
    2,
    expect.stringContaining('schedules.yaml:4: schedules.0.cron: 61 does not fit'),
  ]);
});
