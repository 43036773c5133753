import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeEach, expect, onTestFinished, test, vi } from 'vitest';
import { exchangeCode } from '../../../src/client/http/oauth.ts';
import { sqliteLedger } from '../../../src/etl/state/ledger/sqlite/sqlite-ledger.ts';
import { startSandbox } from '../../../src/service/sandbox/start-sandbox.ts';
import { applicationOf, BACK, codeFor } from '../../service/sandbox/oauth/consent.ts';
import { Service } from '../../service/support.ts';
import { DataExportDesk } from '../../support/data-exports.ts';
import {
  clearFaults,
  differences,
  rawProjectFolder,
  requestCount,
  runProject,
  setFaults,
} from '../../support/project.ts';
import { temporaryConnection, temporaryFolder } from '../../support/temporary.ts';

const DATASETS = ['crawl_pages', 'crawl_links'];
const DAY = 86_400_000;
const sandbox = await startSandbox({ generate: ['projects=1,crawls=3,pages=30,links=60,columns=8,seed=4'] });
afterAll(() => sandbox.close());
const service = new Service(sandbox);
let folder: string;

beforeEach(async () => {
  folder = await rawProjectFolder();
  onTestFinished(() => clearFaults(sandbox));
});

async function run(more: Parameters<typeof runProject>[2] = {}) {
  const { report, exitCode, errors } = await runProject(folder, sandbox, { pipelines: DATASETS, ...more });
  return { exitCode, errors, report, statuses: report.units.map((one) => one.status).sort() };
}

/** The warehouse is the one of a run that nothing disturbed. */
async function expectWhole(): Promise<void> {
  const disturbed = folder;
  folder = await rawProjectFolder();
  expect((await run()).exitCode).toBe(0);
  const connection = await temporaryConnection(await temporaryFolder());
  for (const dataset of DATASETS)
    expect([dataset, await differences(connection, folder, disturbed, dataset)]).toEqual([dataset, 0n]);
}

test('a token revoked during a run ends it with 5; with a valid one the next run continues', async () => {
  await setFaults(sandbox, [{ match: { path: '/links.*export=true' }, kind: 'status', status: 401 }]);
  const first = await run({ environment: { CRAWLHOUSE_CONCURRENCY: '1' } });
  expect(first.exitCode).toBe(5);
  const loaded = first.statuses.filter((status) => status === 'loaded').length;
  // What had come before is published; what would have come after is not asked for in vain.
  const tried = first.report.units.filter(({ attempts }) => attempts > 0);
  expect([first.statuses.length, tried.length]).toEqual([6, loaded + 1]);
  await clearFaults(sandbox);
  const second = await run();
  expect([second.exitCode, second.statuses]).toEqual([0, Array(6 - loaded).fill('loaded')]);
  await expectWhole();
});

test('an access token that expires during a run is refreshed without effect on the run', async () => {
  const { client_id, client_secret } = sandbox.ready.oauth;
  const { refreshToken } = await exchangeCode(applicationOf(service), await codeFor(service), BACK);
  const environment = {
    CRAWLHOUSE_ACCESS_TOKEN: undefined as unknown as string,
    CRAWLHOUSE_OAUTH_CLIENT_ID: client_id,
    CRAWLHOUSE_OAUTH_CLIENT_SECRET: client_secret,
    CRAWLHOUSE_OAUTH_REFRESH_TOKEN: refreshToken,
    CRAWLHOUSE_CONCURRENCY: '1',
  };
  const stored: string[] = [];
  const progress = (text: string): void => {
    // The first token is there once a download has begun.
    if (stored.length > 0 || !text.includes('download')) return;
    stored.push('');
    void readFile(join(folder, '.crawlhouse', 'oauth.json'), 'utf8').then((text) => {
      stored[0] = text;
      return service.ask('/_sandbox/clock', { body: { now: Date.now() + 7_200_000 } });
    });
  };
  const result = await run({ environment, progress });
  expect([result.exitCode, result.statuses]).toEqual([0, Array(6).fill('loaded')]);
  expect(stored[0]).not.toBe('');
  expect(await readFile(join(folder, '.crawlhouse', 'oauth.json'), 'utf8')).not.toBe(stored[0]);
});

test('a service that requests a longer wait than a run allows ends it with 3, after few requests', async () => {
  expect((await run({ pipelines: ['crawl_pages'] })).exitCode).toBe(0);
  await setFaults(sandbox, [{ match: {}, kind: 'status', status: 503, retry_after: 86_400 }]);
  for (let hour = 0; hour < 6; hour++) {
    const before = await requestCount(sandbox);
    const { exitCode, errors } = await run();
    expect([exitCode, errors[0]?.code]).toEqual([3, 'service_unavailable']);
    expect((await requestCount(sandbox)) - before).toBeLessThanOrEqual(5);
  }
  await clearFaults(sandbox);
  expect(await run()).toMatchObject({ exitCode: 0, statuses: ['loaded', 'loaded', 'loaded'] });
  await expectWhole();
});

test.for([
  ['back', -400 * DAY],
  ['forward', 400 * DAY],
] as const)('a clock set %s between runs loses nothing and loads nothing twice', async ([_where, jump]) => {
  const desk = new DataExportDesk(sandbox);
  const before = await desk.asked();
  const environment = { CRAWLHOUSE_KEEP_EXPORTS: 'never' };
  const override = { route: 'export', format: 'json', store: 'store_a', environment } as const;
  expect(await run({ ...override, pipelines: ['crawl_pages'] })).toMatchObject({ exitCode: 0 });
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + jump });
  onTestFinished(() => void vi.useRealTimers());
  expect(await run(override)).toMatchObject({ exitCode: 0, statuses: Array(3).fill('loaded') });
  vi.useRealTimers();
  expect(await run(override)).toMatchObject({ exitCode: 0, statuses: [] });
  expect((await desk.asked()) - before).toBe(6);
  await using ledger = sqliteLedger(join(folder, '.crawlhouse'));
  expect((await ledger.exports()).map((one) => one.status)).toEqual(Array(6).fill('loaded'));
  expect(new Set((await ledger.units()).map((one) => one.status))).toEqual(new Set(['published']));
  await expectWhole();
});

test('a clock that jumps back and forth during a run has no effect', async () => {
  const now = Date.now();
  vi.useFakeTimers({ toFake: ['Date'], now });
  onTestFinished(() => void vi.useRealTimers());
  let jumps = 0;
  const progress = (): void => void vi.setSystemTime(now + (++jumps % 2 === 0 ? 3 : -3) * DAY);
  expect(await run({ progress })).toMatchObject({ exitCode: 0, statuses: Array(6).fill('loaded') });
  expect(jumps).toBeGreaterThanOrEqual(6);
  expect(await run({ progress })).toMatchObject({ exitCode: 0, statuses: [] });
  vi.useRealTimers();
  await expectWhole();
});

test('a slow store costs only time', async () => {
  await setFaults(sandbox, [
    { match: { at: 'store_a', method: 'GET' }, kind: 'slow', bytes_per_second: 20_000 },
  ]);
  const { exitCode, statuses } = await run({ route: 'export', format: 'json', store: 'store_a' });
  expect([exitCode, statuses]).toEqual([0, Array(6).fill('loaded')]);
  await clearFaults(sandbox);
  await expectWhole();
});
