import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { PlanReport } from '../../src/pipeline/plan.ts';
import type { Sandbox } from '../../src/sandbox/start-sandbox.ts';
import { crawlhouse, rawProjectFolder, requestCount, sandboxFor } from '../support/house.ts';

const WINDOW = ['--from', '2000-01-01', '--to', '2100-01-01'];
const PAGES = ['backfill', 'crawl_pages', 'crawl_links', ...WINDOW];

async function planOf(folder: string, sandbox: Sandbox, args: readonly string[] = []): Promise<PlanReport> {
  const { status, stdout, stderr } = await crawlhouse(folder, sandbox, [
    ...PAGES,
    '--plan',
    '--json',
    ...args,
  ]);
  expect(status, stderr).toBe(0);
  return JSON.parse(stdout);
}

/** Requests of the service's interface while `work` goes on. */
async function requestsOf(sandbox: Sandbox, work: () => Promise<unknown>): Promise<number> {
  const before = await requestCount(sandbox);
  await work();
  return (await requestCount(sandbox)) - before;
}

test('a plan says what the backfill then does, to the row and the request, and changes nothing', {
  timeout: 60_000,
}, async () => {
  const sandbox = await sandboxFor({
    generate: ['projects=2,crawls=2,pages=40,links=90,columns=12,seed=81'],
  });
  const folder = await rawProjectFolder();
  const plan = await planOf(folder, sandbox);
  expect(existsSync(join(folder, 'warehouse.duckdb'))).toBe(false);
  expect(existsSync(join(folder, '.crawlhouse', 'ledger.sqlite'))).toBe(false);
  expect(plan.totals).toEqual({
    units: 8,
    rows: 4 * (40 + 90),
    bytes: null,
    seconds: null,
    requests: 24,
    exports: 0,
    held: 0,
    skipped: 0,
    failed: 0,
  });
  // What discovery costs, a plan of nothing costs too.
  const nothing = ['backfill', 'crawl_pages', '--from', '1999-01-01', '--to', '1999-01-02', '--plan'];
  const discovery = await requestsOf(sandbox, () => crawlhouse(folder, sandbox, nothing));
  const asked = await requestsOf(sandbox, async () => {
    const { status, stdout } = await crawlhouse(folder, sandbox, [...PAGES, '--json']);
    expect(status).toBe(0);
    const { units } = JSON.parse(stdout) as { units: { unit: string; counts: { reported: number } }[] };
    expect(units.map(({ unit, counts }) => [unit, counts.reported]).toSorted()).toEqual(
      plan.units.map(({ unit, rows }) => [unit, rows]).toSorted(),
    );
  });
  expect(asked - discovery).toBe(plan.totals.requests);

  const after = await planOf(folder, sandbox);
  expect(after.totals).toMatchObject({ units: 0, rows: 0, requests: 0, held: 8 });
  const again = await planOf(folder, sandbox, ['--reload']);
  expect(again.totals).toMatchObject({ units: 8, rows: 4 * (40 + 90), held: 0 });
  expect(again.totals.bytes).toBeGreaterThan(0);
  expect(again.totals.seconds).toBeGreaterThan(0);
});

test('a plan for people has a line a unit, what it comes to, and what is left out and why', {
  timeout: 60_000,
}, async () => {
  const sandbox = await sandboxFor({ generate: ['projects=1,crawls=2,pages=10,columns=8,seed=82'] });
  const folder = await rawProjectFolder();
  const { units } = await planOf(folder, sandbox);
  const archived = units[0]?.source.id;
  await fetch(`${sandbox.baseUrl}/_sandbox/crawls/${archived}`, {
    method: 'PATCH',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ status: 'archived' }),
  });
  const { stdout } = await crawlhouse(folder, sandbox, ['backfill', 'crawl_pages', ...WINDOW, '--plan']);
  expect(stdout).toMatch(
    /^unit +route +format +rows +bytes +time +requests +reason\ncrawl_pages\/\w+ +stream +json +10 /,
  );
  expect(stdout).toContain(
    "1 units due: 10 rows by the service's count; no telling how long: nothing of crawl_pages was loaded before\n",
  );
  expect(stdout).toContain('asked of the service: at least 3 requests, 0 data exports\n');
  expect(stdout).toContain('1 units left out: the crawl is archived\n');
});
