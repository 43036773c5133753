import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { startSandbox } from '../../../src/service/sandbox/start-sandbox.ts';
import { crawlId, putManyCrawls } from '../../support/many-crawls.ts';
import { published, rawProjectFolder, requestCount, runProject } from '../../support/project.ts';
import { temporaryConnection, temporaryFolder } from '../../support/temporary.ts';

const LAST = Date.parse('2026-06-01T00:00:00Z');

/** All lists that there are; no rows of crawls. */
const LISTS = [
  'workspaces',
  'projects',
  'crawls',
  'crawl_over_crawls',
  'data_exports',
  'crawl_configs',
  'scheduled_crawls',
  'ingest_files',
];

async function houseWith(count: number) {
  const stateDir = join(await temporaryFolder(), 'sandbox');
  putManyCrawls(stateDir, count, LAST);
  const sandbox = await startSandbox({ stateDir });
  onTestFinished(() => sandbox.close());
  const folder = await rawProjectFolder();
  const morning = async (pipelines: readonly string[] = LISTS) => {
    const before = await requestCount(sandbox);
    const { report, exitCode, errors } = await runProject(folder, sandbox, { pipelines });
    expect(errors).toEqual([]);
    expect(exitCode).toBe(0);
    const statuses = Object.fromEntries(report.units.map((unit) => [unit.dataset, unit.status]));
    return { requests: (await requestCount(sandbox)) - before, statuses, units: report.units };
  };
  const patch = async (kind: string, id: string, change: object): Promise<void> => {
    const response = await fetch(`${sandbox.baseUrl}/_sandbox/${kind}/${id}`, {
      method: 'PATCH',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(change),
    });
    expect(response.status).toBe(200);
  };
  const remove = async (path: string): Promise<void> => {
    const headers = { authorization: `Bearer ${sandbox.accessToken}` };
    const response = await fetch(`${sandbox.baseUrl}/api/v2${path}`, { method: 'DELETE', headers });
    expect(response.status).toBe(204);
  };
  const sql = async (query: string) =>
    published(await temporaryConnection(await temporaryFolder()), folder, query);
  return { morning, patch, remove, sql };
}

test.for([150, 2_000])(
  'with %i known crawls, a run without changes costs the same few requests',
  async (count) => {
    const { morning, sql } = await houseWith(count);
    await morning();
    expect(await sql('SELECT count(*) AS n FROM raw.crawls')).toEqual([{ n: String(count) }]);
    const { requests, statuses } = await morning();
    expect(Object.values(statuses)).toEqual(LISTS.map(() => 'unchanged'));
    expect(requests).toBe(8);
  },
);

test('changes in long lists are recorded, and unchanged records stay, with few reads', async () => {
  const { morning, patch, remove, sql } = await houseWith(350);
  await patch('crawls', crawlId(20), { status: 'paused', ended_at: null });
  await morning();
  await patch('crawls', crawlId(20), { status: 'done', ended_at: LAST });
  const second = await morning();
  expect(second.statuses.crawls).toBe('loaded');
  expect(second.units.find((unit) => unit.dataset === 'crawls')?.counts).toMatchObject({
    reported: 350,
    received: 350,
    loaded: 350,
    queryable: 350,
  });
  expect(second.requests).toBe(9);
  const history = `SELECT status, _seen_to IS NULL AS now FROM raw.crawls WHERE id = '${crawlId(20)}' ORDER BY _seen_from`;
  expect(await sql(history)).toEqual([
    { status: 'paused', now: false },
    { status: 'done', now: true },
  ]);
  await remove(`/crawls/${crawlId(30)}`);
  expect((await morning()).requests).toBe(8 + 4);
  expect(await sql('SELECT id FROM raw.crawls WHERE _seen_to IS NOT NULL ORDER BY id')).toEqual([
    { id: crawlId(20) },
    { id: crawlId(30) },
  ]);
  expect((await morning()).requests).toBe(8);
});

test('crawl changes found by a run that does not load the list are recorded by the next run that does', async () => {
  const { morning, patch, sql } = await houseWith(350);
  await patch('crawls', crawlId(20), { status: 'running', ended_at: null });
  await patch('crawls', crawlId(21), { status: 'running', ended_at: null });
  await morning();
  await patch('crawls', crawlId(20), { status: 'cancelled', ended_at: LAST });
  await morning(['projects']);
  const open = "SELECT count(*) AS n FROM raw.crawls WHERE status = 'running' AND _seen_to IS NULL";
  expect(await sql(open)).toEqual([{ n: '2' }]);
  await morning();
  expect(await sql(open)).toEqual([{ n: '1' }]);
});
