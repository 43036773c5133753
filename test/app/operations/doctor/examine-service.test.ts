import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, onTestFinished, test, vi } from 'vitest';
import { sqliteAlertStore } from '../../../../src/app/operations/alert/open-alert-store.ts';
import { examine } from '../../../../src/app/operations/doctor/examine.ts';
import { loadSettings } from '../../../../src/app/settings/load-settings.ts';
import { lockState } from '../../../../src/core/locks/state-lock.ts';
import { silentLogger } from '../../../../src/core/logs/logger.ts';
import { type Sandbox, startSandbox } from '../../../../src/service/sandbox/start-sandbox.ts';
import { environmentOf, rawProjectFolder } from '../../../support/project.ts';
import { waitingAlert } from '../alert/alert-store-contract.ts';

const { signal } = new AbortController();
let sandbox: Sandbox;
beforeAll(async () => {
  sandbox = await startSandbox({ generate: ['projects=1,crawls=1,pages=5,columns=8,seed=91'] });
});
afterAll(() => sandbox.close());

/** The checks of a project folder by name: `status: message`. */
async function checks(
  folder: string,
  extra: Readonly<Record<string, string>> = {},
  environment = environmentOf(sandbox, extra),
): Promise<Readonly<Record<string, string>>> {
  for (const [name, value] of Object.entries(environment))
    if (name.startsWith('AWS_')) vi.stubEnv(name, value);
  onTestFinished(() => void vi.unstubAllEnvs());
  const read = () => loadSettings(folder, environment);
  const found = await examine(folder, read, silentLogger, signal);
  return Object.fromEntries(found.map(({ name, status, message }) => [name, `${status}: ${message}`]));
}

test('every check of a valid project is ok', async () => {
  const found = await checks(await rawProjectFolder());
  expect(Object.entries(found).filter(([, text]) => !text.startsWith('ok: '))).toEqual([]);
  expect(found).toMatchObject({
    service: expect.stringContaining(`${sandbox.baseUrl} answers, clocks differ by`),
    token: expect.stringContaining('account:read: access to '),
    secret: expect.stringContaining(`${sandbox.ready.store_b.credentials_secret} exists`),
    store_a: expect.stringContaining('can list, write, read and delete'),
    warehouse: expect.stringContaining('nothing published yet'),
    ledger: expect.stringContaining('none yet'),
    ...{ alerts: 'ok: no target is set, so failed runs send no alert', outbox: 'ok: no alert waits' },
    ...{ issues: 'ok: no project or segment settings', mirror: 'ok: not set' },
  });
});

test('a wrong token, workspace, project or secret fails its check, and skips what depends on it', async () => {
  const folder = await rawProjectFolder();
  const token = await checks(folder, { CRAWLHOUSE_ACCESS_TOKEN: 'token-of-nobody' });
  expect(token).toMatchObject({
    token: expect.stringMatching(/^fail: .*401 unauthorized/),
    ...{ workspaces: 'skip: not checked: token fails', secret: 'skip: not checked: token fails' },
    fields: 'skip: not checked: token fails',
  });
  const wrong = await checks(folder, {
    ...{ CRAWLHOUSE_WORKSPACES: 'no', CRAWLHOUSE_PROJECTS: 'nobody' },
    CRAWLHOUSE_STORE_B_CREDENTIALS_SECRET: 'none',
  });
  expect(wrong).toMatchObject({
    workspaces: expect.stringMatching(/^fail: .*a workspace no$/),
    projects: expect.stringMatching(/^fail: .*no project nobody/),
    secret: expect.stringMatching(/^fail: .*a secret none$/),
  });
});

test('a service that is away, and a folder without an address of one, skip the checks of the service', async () => {
  const folder = await rawProjectFolder();
  const away = await checks(folder, { CRAWLHOUSE_BASE_URL: 'http://127.0.0.1:1' });
  expect(away).toMatchObject({
    service: expect.stringMatching(/^fail: .*cannot be reached/),
    ...{ token: 'skip: not checked: service fails', fields: 'skip: not checked: token fails' },
    store_b: expect.stringMatching(/^ok: /),
  });
  const none = await checks(folder, {}, {});
  expect(none).toMatchObject({
    service: 'fail: the setting base_url is missing',
    ...{ token: 'skip: not checked: service fails', fields: 'skip: not checked: token fails' },
  });
  expect(none).not.toHaveProperty('store_a');
  await mkdir(join(folder, '.crawlhouse', 'service'), { recursive: true });
  expect(await checks(folder, {}, {})).toMatchObject({
    service: 'ok: no account; crawlhouse crawl URL crawls websites in this folder',
    ...{ token: 'skip: not checked: no account is set', fields: 'skip: not checked: no account is set' },
  });
});

test('a file that is invalid fails its check, and skips what needs it', async () => {
  const folder = await rawProjectFolder();
  await writeFile(join(folder, 'schedules.yaml'), 'schedules:\n  - nme: daily\n');
  await writeFile(join(folder, 'pipelines', 'crawl_pages.yaml'), 'dataset: 1\n');
  await writeFile(join(folder, 'segments.yaml'), 'segmentations: 1\n');
  expect(await checks(folder, {}, {})).toMatchObject({
    schedules: expect.stringMatching(/^(?:fail: schedules\.yaml:2: |skip: )/),
    pipelines: expect.stringMatching(/^fail: pipelines\/crawl_pages\.yaml:1: /),
    segments: expect.stringMatching(/^fail: segments\.yaml:1: /),
    ...{ models: 'skip: not checked: segments fails', questions: 'skip: not checked: models fails' },
    drift: 'skip: not checked: pipelines fails',
  });
  await writeFile(join(folder, 'crawlhouse.yaml'), 'base_ur: http://127.0.0.1:1\n');
  expect(await checks(folder, {}, {})).toMatchObject({
    settings: expect.stringMatching(/^fail: .*base_ur/),
    ...{ disk: 'skip: not checked: settings fails', service: 'skip: not checked: settings fails' },
  });
});

test('alert targets that cannot be reached, alerts that wait, and a held lock are shown', async () => {
  const folder = await rawProjectFolder();
  const alerts = [{ target: 'webhook-x', alert: waitingAlert('the run failed') }];
  const state = join(folder, '.crawlhouse');
  {
    await using store = sqliteAlertStore(join(state, 'alerts'));
    await store.change(() => ({ opened: [], closed: [], alerts }));
  }
  using _lock = lockState(state, 'crawlhouse run');
  const targets = {
    CRAWLHOUSE_ALERTS_WEBHOOK: 'http://127.0.0.1:1/secret-path',
    CRAWLHOUSE_ALERTS_COMMAND: 'cat',
  };
  const found = await checks(folder, targets, targets);
  expect(found).toMatchObject({
    alerts: expect.stringMatching(/^warn: webhook at 127\.0\.0\.1:1: .*ECONNREFUSED.*; command cat$/),
    outbox: 'warn: 1 alert not delivered, the oldest of 2026-11-20T06:00:00.000Z: the run failed',
    lock: expect.stringContaining('held by crawlhouse run'),
  });
});
