import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { lockState } from '../../../src/core/locks/state-lock.ts';
import { receiver } from '../../app/operations/alert/receiver.ts';
import { DONE_LONG_AGO, missed, project, service } from '../../app/operations/schedule/service.ts';
import { clearFaults, crawlhouse, sandboxFor, setFaults } from '../../support/project.ts';

async function doneUntil(folder: string): Promise<string> {
  const state = JSON.parse(await readFile(join(folder, '.crawlhouse', 'schedules.json'), 'utf8'));
  return state.morning.done_until;
}

const SMALL = { generate: ['projects=1,crawls=1,pages=20,links=0,seed=5'] };

test('--once runs due schedules and ends with their exit code; then nothing is due', async () => {
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

test('--once ends with 3 for retriable units, and with 2 if another process holds the state', async () => {
  const sandbox = await sandboxFor(SMALL);
  const folder = await project('timeout: 0.02', 'retries: { number: 0, wait: 1 }');
  await setFaults(sandbox, [{ match: { path: '/api/v2/workspaces' }, kind: 'stall' }]);
  await missed(folder);
  const late = await crawlhouse(folder, sandbox, ['schedule', '--once']);
  expect([late.status, late.stderr]).toEqual([3, expect.stringContaining('ended after 0.02 minutes')]);

  await missed(folder);
  using _lock = lockState(join(folder, '.crawlhouse'), 'crawlhouse backfill');
  const locked = await crawlhouse(folder, sandbox, ['schedule', '--once']);
  expect([locked.status, locked.stderr]).toEqual([
    6,
    expect.stringContaining('in use by crawlhouse backfill'),
  ]);
  expect(await doneUntil(folder)).toBe(DONE_LONG_AGO);
});

test('the scheduler runs a missed firing, serves /readyz, refuses a second scheduler and ends with 143', async () => {
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
    6,
    expect.stringContaining('in use by crawlhouse schedule'),
  ]);

  const status = await crawlhouse(folder, null, ['status', '--json']);
  const { schedules } = JSON.parse(status.stdout);
  expect(schedules).toEqual([{ name: 'morning', next_at: expect.stringMatching(/T06:00:00\.000Z$/) }]);
  expect((await crawlhouse(folder, null, ['status'])).stdout).toContain(
    `Schedule morning: next at ${schedules[0].next_at.slice(0, 16).replace('T', ' ')} UTC\n`,
  );
  child.kill('SIGTERM');
  expect((await ended)[0]).toBe(143);
  expect(said.text).toContain('1 unit, ');
  expect(said.text).not.toContain('secret-of-the-webhook');
});

test('SIGTERM ends a run after its grace time, and the next scheduler continues it', async () => {
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

test('an invalid schedules.yaml is a usage error that names its line', async () => {
  const sandbox = await sandboxFor(SMALL);
  const folder = await project('cron: "61 6 * * *"');
  const { status, stderr } = await crawlhouse(folder, sandbox, ['schedule']);
  expect([status, stderr]).toEqual([
    2,
    expect.stringContaining('schedules.yaml:4: schedules.0.cron: 61 does not fit'),
  ]);
});

test('a run that fails by an outage is retried as scheduled, and a short outage raises no alert', async () => {
  const sandbox = await sandboxFor(SMALL);
  const { url, received } = await receiver();
  const folder = await project('retries: { number: 2, wait: 0.01 }', `alerts: { webhook: "${url}" }`);
  await missed(folder);
  const outage = { match: { path: '/workspaces' }, kind: 'status', status: 503, retry_after: 3600, times: 2 };
  await setFaults(sandbox, [outage]);
  const { status, stderr } = await crawlhouse(folder, sandbox, ['schedule', '--once']);
  expect([status, received]).toEqual([0, []]);
  expect(stderr.match(/run ended schedule=morning exit_code=(\d)/g)?.map((line) => line.at(-1))).toEqual([
    '3',
    '3',
    '0',
  ]);
  expect(stderr.match(/^Waiting until [\d-]+ [\d:]+ UTC to run morning again\./gm)).toHaveLength(2);

  await missed(folder);
  await setFaults(sandbox, [{ ...outage, times: 3 }]);
  expect((await crawlhouse(folder, sandbox, ['schedule', '--once'])).status).toBe(3);
  expect(received).toMatchObject([{ event: 'failure', incident: 'run/morning/service_unavailable' }]);
});

test('the scheduler also serves the console, and creates a new sign-in link without a restart', async () => {
  const sandbox = await sandboxFor(SMALL);
  const folder = await project();
  const none = await crawlhouse(folder, null, ['console', '--link']);
  expect([none.status, none.stderr]).toEqual([2, expect.stringContaining('no console is running')]);
  const { child, heard, ended } = service(folder, sandbox, { CRAWLHOUSE_CONSOLE_LISTEN: '127.0.0.1:0' });
  const [, url] = await heard(/console url=(\S+)/);
  const { stdout: link } = await crawlhouse(folder, null, ['console', '--link']);
  expect(link.startsWith(`${url}/sign-in?key=`)).toBe(true);
  const signedIn = await fetch(link.trim(), { redirect: 'manual' });
  const [cookie = ''] = (signedIn.headers.get('set-cookie') ?? '').split(';');
  expect((await fetch(`${url}/`, { redirect: 'manual', headers: { cookie } })).status).toBe(200);
  child.kill('SIGTERM');
  expect((await ended)[0]).toBe(143);
  const after = await crawlhouse(folder, null, ['console', '--link']);
  expect(after.status).toBe(2);
});
