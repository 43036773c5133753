import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { Database } from '../../../src/core/duckdb/duckdb.ts';
import type { Sandbox } from '../../../src/service/sandbox/start-sandbox.ts';
import { receiver } from '../../app/operations/alert/receiver.ts';
import {
  clearFaults,
  crawlhouse,
  published,
  rawProjectFolder,
  sandboxFor,
  setFaults,
} from '../../support/project.ts';
import { temporaryFolder } from '../../support/temporary.ts';
import { importCrawl, watchedRun } from '../../support/watched-run.ts';

/** A folder that a sandbox imports as a crawl of the project `shop`. */
async function crawlFolder(day: number, rows: number): Promise<string> {
  const folder = join(await temporaryFolder(), `shop-2026-03-0${day}`);
  await mkdir(folder);
  const lines = Array.from({ length: rows }, (_, index) => {
    return `${JSON.stringify({ url: `https://shop.example/${day}/${index}`, status_code: 200 })}\n`;
  });
  await writeFile(join(folder, 'pages.jsonl'), lines.join(''));
  const fields = [
    { name: 'url', type: 'string', arity: 'one' },
    { name: 'status_code', type: 'natural', arity: 'one' },
  ];
  await writeFile(join(folder, 'pages.fields.json'), JSON.stringify({ fields }));
  return folder;
}

test('crawlhouse run sends one alert and one recovery to a webhook and a command', async () => {
  const sandbox = await sandboxFor({ generate: ['projects=1,crawls=1,pages=20,links=0,seed=5'] });
  const folder = await rawProjectFolder();
  const { url, received } = await receiver();
  const file = join(folder, 'alerts.jsonl');
  await writeFile(
    join(folder, 'crawlhouse.yaml'),
    `shipped_models: none\nalerts:\n  webhook: ${url}\n  command: [tee, -a, ${file}]\n`,
  );
  await setFaults(sandbox, [{ match: { path: '/data/crawl/' }, kind: 'status', status: 401 }]);
  const first = await crawlhouse(folder, sandbox, ['run', 'crawl_pages']);
  expect([first.status, first.stderr]).toEqual([5, expect.stringContaining('Error: ')]);
  expect(received).toMatchObject([
    {
      event: 'failure',
      incident: expect.stringMatching(/^units\/[0-9a-f]+\/unauthorized$/),
      title: expect.stringMatching(/^1 unit of \S+ failed: unauthorized$/),
      details: [expect.stringContaining('crawl_pages/')],
      scope: 'run',
      run_id: expect.any(String),
    },
  ]);
  expect(JSON.stringify(received)).not.toContain(sandbox.accessToken);
  expect((await crawlhouse(folder, sandbox, ['run', 'crawl_pages'])).status).toBe(5);
  expect(received).toHaveLength(1);

  await clearFaults(sandbox);
  expect((await crawlhouse(folder, sandbox, ['run', 'crawl_pages'])).status).toBe(0);
  expect(received).toHaveLength(2);
  expect(received[1]).toMatchObject({
    event: 'recovery',
    incident: received[0]?.incident,
    since: received[0]?.since,
  });
  const lines = (await readFile(file, 'utf8')).trimEnd().split('\n');
  expect(lines.map((line) => JSON.parse(line).event)).toEqual(['failure', 'recovery']);
});

test('an unavailable service raises an alert only after the last retry, and an unavailable receiver does not fail the run', async () => {
  const sandbox = await sandboxFor({ generate: ['projects=1,crawls=1,pages=20,links=0,seed=5'] });
  const folder = await rawProjectFolder();
  const { url, received, answers } = await receiver();
  await setFaults(sandbox, [
    { match: { path: '/workspaces' }, kind: 'status', status: 503, retry_after: 3600 },
  ]);
  expect((await watchedRun(folder, sandbox, { webhook: url, isLast: false })).exitCode).toBe(3);
  expect(received).toEqual([]);
  answers.push(404);
  expect((await watchedRun(folder, sandbox, { webhook: url })).exitCode).toBe(3);
  expect(received).toMatchObject([{ incident: 'run/morning/service_unavailable' }]);
  await clearFaults(sandbox);
  expect((await watchedRun(folder, sandbox, { webhook: url })).exitCode).toBe(0);
  expect(received.slice(1).map(({ event }) => event)).toEqual(['failure', 'recovery']);
});

test('an unreadable warehouse raises an alert, although alerts are computed from it', async () => {
  const sandbox = await sandboxFor({ generate: ['projects=1,crawls=1,pages=20,links=0,seed=5'] });
  const folder = await rawProjectFolder();
  const { url, received } = await receiver();
  await writeFile(join(folder, 'warehouse.duckdb'), 'no database');
  await expect(watchedRun(folder, sandbox, { webhook: url })).rejects.toThrow();
  expect(received).toMatchObject([{ event: 'failure', scope: 'morning', run_id: null }]);
});

test('a project without a new crawl within its usual interval is an incident until there is one', async () => {
  const sandbox = await sandboxFor({ generate: ['projects=1,crawls=4,pages=20,links=0,seed=5'] });
  const folder = await rawProjectFolder();
  const { url, received } = await receiver();
  const report = await watchedRun(folder, sandbox, { webhook: url });
  expect(report.exitCode).toBe(0);
  await using database = await Database.open({ memoryLimit: '100MB', threads: 1, tempDirectory: folder });
  const connection = await database.connect();
  const [{ last, id } = { last: 0, id: '' }] = await published(
    connection,
    folder,
    'SELECT CAST(max(ended_at) AS DOUBLE) AS last, max_by(id, ended_at) AS id FROM raw.crawls',
  );
  received.length = 0;
  const late = Number(last) + 29 * 86_400_000;
  await watchedRun(folder, sandbox, { webhook: url, now: late });
  await watchedRun(folder, sandbox, { webhook: url, now: late });
  expect(received).toMatchObject([
    { event: 'stale', title: expect.stringMatching(/: no new crawl since \d{4}-\d\d-\d\d \d\d:\d\d UTC$/) },
  ]);
  const moved = await fetch(`${sandbox.baseUrl}/_sandbox/crawls/${id}`, {
    method: 'PATCH',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ ended_at: late - 60_000 }),
  });
  expect(moved.ok).toBe(true);
  await watchedRun(folder, sandbox, { webhook: url, now: late });
  expect(received.map(({ event }) => event)).toEqual(['stale', 'recovery']);
});

test('a crawl with far fewer rows is loaded and an incident; the next usual crawl ends it', async () => {
  const sandbox = await sandboxFor({});
  const folder = await rawProjectFolder();
  const { url, received } = await receiver();
  for (const day of [1, 2, 3]) {
    await importCrawl(sandbox, await crawlFolder(day, 100));
    await watchedRun(folder, sandbox, { webhook: url });
  }
  expect(received).toEqual([]);
  await importCrawl(sandbox, await crawlFolder(4, 40));
  expect((await watchedRun(folder, sandbox, { webhook: url })).exitCode).toBe(0);
  await watchedRun(folder, sandbox, { webhook: url });
  expect(received).toMatchObject([
    {
      event: 'volume',
      title: 'shop: far fewer rows than usual',
      details: [expect.stringMatching(/^crawl_pages\/\w+: 40 rows, usually 100$/)],
    },
  ]);
  await using database = await Database.open({ memoryLimit: '100MB', threads: 1, tempDirectory: folder });
  const connection = await database.connect();
  expect(
    await published(
      connection,
      folder,
      `SELECT loaded::INT AS loaded, usual::INT AS usual, flag FROM ops.loads WHERE dataset = 'crawl_pages' ORDER BY loaded_at`,
    ),
  ).toEqual([
    ...[1, 2, 3].map(() => ({ loaded: 100, usual: null, flag: null })),
    { loaded: 40, usual: 100, flag: 'few_rows' },
  ]);
  await importCrawl(sandbox, await crawlFolder(5, 90));
  await watchedRun(folder, sandbox, { webhook: url });
  expect(received.map(({ event }) => event)).toEqual(['volume', 'recovery']);
});

test('with hold, a crawl with far fewer rows is quarantined without another download until a user names it', async () => {
  const sandbox = await sandboxFor({});
  const folder = await rawProjectFolder();
  const { url, received } = await receiver();
  const environment = { CRAWLHOUSE_VOLUME_CHECK_HOLD: 'true' };
  for (const [day, rows] of [
    [1, 100],
    [2, 100],
    [3, 100],
    [4, 10],
  ] as const)
    await importCrawl(sandbox, await crawlFolder(day, rows));
  const held = await watchedRun(folder, sandbox, { webhook: url, environment });
  expect(held.exitCode).toBe(4);
  expect(held.errors).toMatchObject([
    { code: 'volume_held', message: expect.stringContaining(': 10 rows, usually 100') },
  ]);
  const asked = await pageRequests(sandbox);
  expect((await watchedRun(folder, sandbox, { webhook: url, environment })).exitCode).toBe(4);
  expect(await pageRequests(sandbox)).toBe(asked);
  expect(received).toMatchObject([{ event: 'volume', details: [expect.stringContaining('; not loaded')] }]);

  const id = /crawl_pages\/(\w+)/.exec(held.errors[0]?.message ?? '')?.[1] ?? '';
  expect(held.errors[0]?.hint).toContain(`crawlhouse run --crawl ${id}`);
  expect((await watchedRun(folder, sandbox, { webhook: url, environment, crawls: [id] })).exitCode).toBe(0);
  await using database = await Database.open({ memoryLimit: '100MB', threads: 1, tempDirectory: folder });
  const connection = await database.connect();
  expect(
    await published(
      connection,
      folder,
      `SELECT count(*)::INT AS rows, count(DISTINCT _crawl_id)::INT AS crawls FROM raw.crawl_pages`,
    ),
  ).toEqual([{ rows: 310, crawls: 4 }]);
});

/** How often a sandbox was asked for pages of a crawl. */
async function pageRequests(sandbox: Sandbox): Promise<number> {
  const requests = (await (await fetch(`${sandbox.baseUrl}/_sandbox/requests`)).json()) as { path: string }[];
  return requests.filter(({ path }) => path.includes('/data/crawl/')).length;
}
