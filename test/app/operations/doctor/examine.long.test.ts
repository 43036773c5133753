import { readdir, readFile, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterAll, expect, onTestFinished, test, vi } from 'vitest';
import { sqliteAlertStore } from '../../../../src/app/operations/alert/open-alert-store.ts';
import { killed, lastGood } from '../../../../src/app/operations/doctor/examine.ts';
import type { Check } from '../../../../src/core/duckdb/check.ts';
import type { LedgerRun } from '../../../../src/etl/project/model/runs/ledger-records.ts';
import { type Sandbox, startSandbox } from '../../../../src/service/sandbox/start-sandbox.ts';
import {
  clearFaults,
  crawlhouse,
  environmentOf,
  rawProjectFolder,
  runProject,
  setFaults,
} from '../../../support/project.ts';
import { capture } from '../../cli/capture.ts';
import { waitingAlert } from '../alert/alert-store-contract.ts';

/** A command in this process, whose environment is for that long the one that a process would get. */
async function withEnvironment(
  environment: Readonly<Record<string, string>>,
  folder: string,
  args: string[],
) {
  for (const [name, value] of Object.entries(environment)) vi.stubEnv(name, value);
  const result = await capture(...args, '--project-dir', folder);
  vi.unstubAllEnvs();
  return result;
}

async function doctor(folder: string, sandbox: Sandbox | null, extra: Readonly<Record<string, string>> = {}) {
  const environment = sandbox ? environmentOf(sandbox, extra) : extra;
  const { code, stdout, stderr } = await withEnvironment(environment, folder, ['doctor', '--json']);
  const document = JSON.parse(stdout) as { status: string; checks: Check[] };
  const of = (name: string): Check | undefined => document.checks.find((check) => check.name === name);
  return { exitCode: code, stderr, status: document.status, checks: document.checks, of };
}

const sandbox = await startSandbox({ generate: ['projects=1,crawls=1,pages=5,columns=8,seed=91'] });
afterAll(() => sandbox.close());

test('a typo in a filter or data type is reported with file and line, and ends the command with 2', async () => {
  const folder = await rawProjectFolder();
  const pipeline = join(folder, 'pipelines', 'crawl_pages.yaml');
  const shipped = await readFile(pipeline, 'utf8');
  for (const [text, said] of [
    [
      `${shipped}filter: { field: [status_code, equalz, 200] }\n`,
      /pipelines\/crawl_pages\.yaml:\d+: .*equalz/,
    ],
    [shipped.replace('data_type: pages', 'data_type: pagez'), /pipelines\/crawl_pages\.yaml:\d+: .*pagez/],
  ] as const) {
    await writeFile(pipeline, text);
    const { status, stdout, stderr } = await crawlhouse(folder, sandbox, ['doctor']);
    expect([status, `${stdout}${stderr}`]).toEqual([2, expect.stringMatching(said)]);
  }
});

test('doctor reports ok for every check of a valid project, and leaves nothing behind', async () => {
  const folder = await rawProjectFolder();
  const before = await readdir(folder);
  const fresh = await doctor(folder, sandbox);
  expect(fresh.checks.filter((check) => check.status !== 'ok')).toEqual([]);
  expect([fresh.exitCode, fresh.status]).toEqual([0, 'ok']);
  expect((await crawlhouse(folder, sandbox, ['doctor', '--json'])).status).toBe(0);
  expect(fresh.of('warehouse')?.message).toContain('nothing published yet');
  expect(await readdir(folder)).toEqual(before);
  for (const store of ['store_a', 'store_b'])
    expect(fresh.of(store)?.message).toContain('can list, write, read and delete');
  expect(fresh.of('secret')?.message).toContain(sandbox.ready.store_b.credentials_secret);

  await runProject(folder, sandbox, { pipelines: ['crawl_pages'] });
  const later = await doctor(folder, sandbox);
  expect(later.exitCode).toBe(0);
  expect(later.of('warehouse')?.message).toMatch(/MB, version (\d+) of \1$/);
  expect(later.of('runs')?.message).toMatch(/^last good run \d{4}-\d\d-\d\d \d\d:\d\d UTC$/);

  const pipeline = join(folder, 'pipelines', 'crawl_pages.yaml');
  const shipped = await readFile(pipeline, 'utf8');
  await writeFile(pipeline, `${shipped}filter: { field: [status_code, equals, 200] }\n`);
  expect((await doctor(folder, sandbox)).of('drift')).toMatchObject({
    status: 'warn',
    message: 'crawl_pages: its filter has changed since 1 unit was loaded',
    hint: expect.stringMatching(/backfill crawl_pages --from \S+ --to \S+ --reload$/),
  });
  await writeFile(pipeline, 'dataset: 1\n');
  expect((await doctor(folder, sandbox)).of('drift')?.status).toBe('skip');
  await writeFile(pipeline, shipped);

  const mirror = { CRAWLHOUSE_MIRROR_STORE: 'store_a', CRAWLHOUSE_MIRROR_TABLES: 'raw.crawl_page' };
  expect((await doctor(folder, sandbox, mirror)).of('mirror')).toMatchObject({
    status: 'fail',
    message: 'mirror.tables: there is no raw.crawl_page in the warehouse',
    hint: expect.stringContaining('did you mean raw.crawl_pages?'),
  });
});

test("packages: the workers' store is tested under its own prefix", async () => {
  const folder = await rawProjectFolder();
  expect((await doctor(folder, sandbox)).of('packages')).toBeUndefined();
  const packages = { CRAWLHOUSE_PACKAGES_STORE: 'store_b', CRAWLHOUSE_PACKAGES_PREFIX: 'hand/over' };
  expect((await doctor(folder, sandbox, packages)).of('packages')).toMatchObject({
    status: 'ok',
    message: `${sandbox.ready.store_b.bucket}: can list, write, read and delete`,
  });
  onTestFinished(() => clearFaults(sandbox));
  const match = { at: 'store_b', method: 'PUT', path: '/hand/over/crawlhouse-doctor/' } as const;
  await setFaults(sandbox, [{ match, kind: 'status', status: 403 }]);
  const found = await doctor(folder, sandbox, packages);
  expect(found.of('packages')).toMatchObject({ status: 'warn', hint: expect.stringContaining('worker') });
  expect(found.of('store_b')?.status).toBe('ok');
  const none = { ...packages, CRAWLHOUSE_STORE_B_BUCKET: 'no-bucket' };
  expect((await doctor(folder, sandbox, none)).of('packages')?.status).toBe('fail');
});

test('a forbidden workspace is named, with what to do', async () => {
  onTestFinished(() => clearFaults(sandbox));
  await setFaults(sandbox, [{ match: { path: '/workspaces/\\w+/projects' }, kind: 'status', status: 403 }]);
  expect((await doctor(await rawProjectFolder(), sandbox)).of('projects')).toMatchObject({
    status: 'fail',
    message: expect.stringMatching(/^workspace .+ \(\w+\): GET /),
    hint: expect.stringContaining("check its subscription and the token's rights to it"),
  });
});

test('every check is shown, whichever fails first', async () => {
  const folder = await rawProjectFolder();
  const well = (await doctor(folder, sandbox)).checks.map(({ name }) => name);
  const away = await doctor(folder, sandbox, { CRAWLHOUSE_BASE_URL: 'http://127.0.0.1:1' });
  expect(away.checks.map(({ name }) => name)).toEqual(well);
  expect(away.of('token')).toMatchObject({ status: 'skip', message: 'not checked: service fails' });
  expect(away.of('store_b')?.status).toBe('ok');
  const stranger = await doctor(folder, sandbox, { CRAWLHOUSE_ACCESS_TOKEN: 'token-of-nobody' });
  expect(stranger.checks.map(({ name }) => name)).toEqual(well);
  await writeFile(join(folder, 'crawlhouse.yaml'), 'base_ur: http://127.0.0.1:1\n');
  const blind = await doctor(folder, null);
  // Which stores are set, the settings tell.
  const always = well.filter((name) => !['secret', 'store_a', 'store_b'].includes(name));
  expect(blind.checks.map(({ name }) => name)).toEqual(always);
  expect(blind.of('disk')).toMatchObject({ status: 'skip', message: 'not checked: settings fails' });
  expect(blind.of('pipelines')?.status).toBe('ok');
});

test('unreachable alert targets and undelivered alerts are warnings with hints', async () => {
  const folder = await rawProjectFolder();
  const alerts = [{ target: 'webhook-x', alert: waitingAlert('the run failed') }];
  {
    await using store = sqliteAlertStore(join(folder, '.crawlhouse', 'alerts'));
    await store.change(() => ({ opened: [], closed: [], alerts }));
  }
  const found = await doctor(folder, sandbox, {
    CRAWLHOUSE_ALERTS_WEBHOOK: 'http://127.0.0.1:1/secret-path',
    CRAWLHOUSE_ALERTS_COMMAND: '/nowhere/pager',
  });
  expect(found.of('alerts')).toMatchObject({
    status: 'warn',
    message: expect.stringMatching(
      /^webhook at 127\.0\.0\.1:1: .*ECONNREFUSED.*; command \/nowhere\/pager: .* is not an executable program$/,
    ),
    hint: expect.stringContaining('crawlhouse alerts test'),
  });
  expect(found.of('outbox')).toMatchObject({
    status: 'warn',
    message: '1 alert not delivered, the oldest of 2026-11-20T06:00:00.000Z: the run failed',
    hint: expect.stringContaining('the next run tries again'),
  });
  expect(found.exitCode).toBe(0);
  const reached = await doctor(folder, sandbox, {
    CRAWLHOUSE_ALERTS_WEBHOOK: sandbox.baseUrl,
    CRAWLHOUSE_ALERTS_COMMAND: 'cat',
  });
  expect(reached.of('alerts')?.status).toBe('ok');
});

const RUN = { command: 'run', summary: null } as const;
const run = (run_id: string, status: string, day: number): LedgerRun => ({
  ...RUN,
  run_id,
  status,
  started_at: `2026-11-${day}T06:00:00.000Z`,
  ended_at: status === 'running' ? null : `2026-11-${day}T06:10:00.000Z`,
});
const NOON = Date.parse('2026-11-20T12:00:00Z');
const DAILY = [{ name: 'morning', cron: '0 6 * * *', time_zone: 'UTC' }];

test.for([
  ['no run yet', [], 'none has ended yet', undefined],
  ['a good one today', [run('a', 'done', 20)], 'last good run 2026-11-20 06:10 UTC', undefined],
  [
    'two failures since',
    [run('c', 'failed', 20), run('b', 'partial', 19), run('a', 'done', 18)],
    'last good run 2026-11-18 06:10 UTC, 2 not done since',
    'crawlhouse status shows why',
  ],
  [
    'no good one',
    [run('b', 'failed', 20), run('a', 'killed', 19)],
    'none of the last 2 runs is done: the last run is failed',
    'crawlhouse status shows why',
  ],
  [
    'a firing that nobody ran',
    [run('a', 'done', 17)],
    'last good run 2026-11-17 06:10 UTC, but the schedule morning was due since then',
    'check that crawlhouse schedule is running',
  ],
] as const)('runs: %s', ([, runs, message, hint]) => {
  expect(lastGood(runs, DAILY, NOON)).toEqual({ message, ...(hint === undefined ? {} : { hint }) });
});

test('an interrupted run is reported until another run continues it', () => {
  expect(killed([run('b', 'killed', 20), run('a', 'done', 19)])).toEqual({
    message: 'the run of 2026-11-20 06:00 UTC was cut off: its process is gone',
    hint: expect.stringContaining('crawlhouse run continues the work'),
  });
  expect(killed([run('b', 'done', 20), run('a', 'killed', 19)])).toEqual({ message: 'no run was cut off' });
  expect(killed([])).toEqual({ message: 'no run was cut off' });
});

test.for([
  ['a wrong token', { CRAWLHOUSE_ACCESS_TOKEN: 'token-of-nobody' }, 5, 'token', /401 unauthorized/],
  ['a missing service', { CRAWLHOUSE_BASE_URL: 'http://127.0.0.1:1' }, 3, 'service', /cannot be reached/],
  ['a missing project', { CRAWLHOUSE_PROJECTS: 'nobody' }, 2, 'projects', /no project nobody/],
  ['a missing workspace', { CRAWLHOUSE_WORKSPACES: 'no' }, 2, 'workspaces', /a workspace no$/],
  ['a missing bucket', { CRAWLHOUSE_STORE_B_BUCKET: 'no-bucket' }, 2, 'store_b', /no bucket no-bucket/],
  ['a missing secret', { CRAWLHOUSE_STORE_B_CREDENTIALS_SECRET: 'no' }, 2, 'secret', /a secret no$/],
  [
    'keys that do not open the store',
    { AWS_SECRET_ACCESS_KEY: 'key-of-nobody' },
    3,
    'store_b',
    /sandbox-exports-b/,
  ],
] as const)('%s fails with a hint', async ([, extra, exitCode, name, message]) => {
  const found = await doctor(await rawProjectFolder(), sandbox, extra);
  expect(found.of(name)).toMatchObject({ status: 'fail', message: expect.stringMatching(message) });
  expect(found.of(name)?.hint?.length).toBeGreaterThan(5);
  expect([found.exitCode, found.status]).toEqual([exitCode, 'fail']);
});

test('store keys may be in .env, and the environment overrides them', async () => {
  const { access_key, secret_key } = sandbox.ready.store_b;
  const folder = await rawProjectFolder();
  const dotEnv = (secret: string): Promise<void> =>
    writeFile(join(folder, '.env'), `AWS_ACCESS_KEY_ID=${access_key}\nAWS_SECRET_ACCESS_KEY=${secret}\n`);
  await dotEnv(secret_key);
  const none = { AWS_ACCESS_KEY_ID: '', AWS_SECRET_ACCESS_KEY: '' };
  expect((await doctor(folder, sandbox, none)).of('store_b')?.status).toBe('ok');
  await dotEnv('key-of-nobody');
  expect((await doctor(folder, sandbox)).of('store_b')?.status).toBe('ok');
});

test('an invalid file is reported with its line, and the other checks still run', async () => {
  const folder = await rawProjectFolder();
  await writeFile(join(folder, 'schedules.yaml'), 'schedules:\n  - nme: daily\n');
  const found = await doctor(folder, sandbox);
  expect(found.of('schedules')?.message).toMatch(/^schedules\.yaml:2: /);
  expect(found.of('token')?.status).toBe('ok');
  expect(found.exitCode).toBe(2);
  await writeFile(join(folder, 'crawlhouse.yaml'), 'base_ur: http://127.0.0.1:1\n');
  const worse = await doctor(folder, null);
  expect(worse.of('settings')?.message).toBe('crawlhouse.yaml:1: unknown key base_ur');
  expect(worse.exitCode).toBe(2);
});

test('segments.yaml errors show their line, and errors in the derived models are not repeated', async () => {
  const folder = await rawProjectFolder();
  const file = (segment: string): Promise<void> =>
    writeFile(
      join(folder, 'segments.yaml'),
      `segmentations:\n  - name: template\n    projects: [nobody]\n    segments:\n      - ${segment}\n`,
    );
  await file('{ name: product, urll: /p/ }');
  const found = await doctor(folder, sandbox);
  expect(found.of('segments')).toMatchObject({
    status: 'fail',
    message: expect.stringContaining('segments.yaml:5: unknown key segmentations.0.segments.0.urll'),
    hint: expect.stringContaining('did you mean url?'),
  });
  expect(found.of('models')).toMatchObject({ status: 'skip', message: 'not checked: segments fails' });
  expect(found.exitCode).toBe(2);
  await file('{ name: product, url: /p/ }');
  expect((await doctor(folder, sandbox)).of('segments')).toMatchObject({
    status: 'ok',
    message: '1 in segments.yaml; nothing published yet',
  });
});

test('a store that is readable but not writable is a warning', async () => {
  onTestFinished(() => clearFaults(sandbox));
  await setFaults(sandbox, [{ match: { at: 'store_b', method: 'PUT' }, kind: 'status', status: 403 }]);
  const said = vi.spyOn(console, 'warn');
  onTestFinished(() => said.mockRestore());
  const found = await doctor(await rawProjectFolder(), sandbox);
  expect(said).not.toHaveBeenCalled();
  expect(found.of('store_b')).toMatchObject({
    status: 'warn',
    message: expect.stringContaining('may not write'),
    hint: expect.stringContaining('only the service needs to write'),
  });
  expect([found.exitCode, found.status]).toEqual([0, 'warn']);
});

test('clock skew is a warning that shows its direction', async () => {
  const server = createServer((_request, response) => {
    response.setHeader('date', new Date(Date.now() + 600_000).toUTCString());
    response.writeHead(401).end('{"type":"unauthorized","code":"unauthorized"}');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  const { port } = server.address() as AddressInfo;
  const found = await doctor(await rawProjectFolder(), null, {
    CRAWLHOUSE_BASE_URL: `http://127.0.0.1:${port}`,
    CRAWLHOUSE_ACCESS_TOKEN: 'token-of-anyone',
  });
  expect(found.of('service')).toMatchObject({ status: 'warn', hint: expect.stringContaining('behind') });
  expect(found.exitCode).toBe(5);
});
