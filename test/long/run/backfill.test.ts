import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { PlanReport } from '../../../src/etl/project/model/runs/plan-report.ts';
import type { Sandbox } from '../../../src/service/sandbox/start-sandbox.ts';
import {
  clearFaults,
  crawlhouse,
  published,
  rawProjectFolder,
  requestCount,
  sandboxFor,
  setFaults,
  spawnCrawlhouse,
} from '../../support/project.ts';
import { temporaryConnection, temporaryFolder } from '../../support/temporary.ts';
import { until } from '../../support/until.ts';

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

test('a plan predicts the rows and requests of the backfill exactly, and changes nothing', async () => {
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
    loaded: 0,
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
  expect(after.totals).toMatchObject({ units: 0, rows: 0, requests: 0, loaded: 8 });
  const again = await planOf(folder, sandbox, ['--reload']);
  expect(again.totals).toMatchObject({ units: 8, rows: 4 * (40 + 90), loaded: 0 });
  expect(again.totals.bytes).toBeGreaterThan(0);
  expect(again.totals.seconds).toBeGreaterThan(0);
});

test('a readable plan has one line per unit, the totals, and the skipped units with reasons', async () => {
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
    /^unit +project +route +format +rows +bytes +time +limit +requests +reason\ncrawl_pages\/\w+ +\S+ +stream +csv +10 .* 10 min +3 /,
  );
  expect(stdout).toContain(
    "1 unit due: 10 rows by the service's count; duration unknown: crawl_pages has not been loaded yet\n",
  );
  expect(stdout).toContain('cost at the service: at least 3 requests, 0 data exports\n');
  expect(stdout).toContain('1 unit left out: the crawl is archived\n');
});

/** Exports that were asked for, by unit. */
async function exportsOf(sandbox: Sandbox): Promise<Map<string, number>> {
  const response = await fetch(`${sandbox.baseUrl}/_sandbox/requests`);
  const paths = ((await response.json()) as { path: string }[]).map(({ path }) => path);
  const exported = paths.flatMap(
    (path) => /crawl\/(\w+)\/(\w+)\?export=true/.exec(path)?.slice(1, 3).join(' ') ?? [],
  );
  return new Map([...Map.groupBy(exported, (one) => one)].map(([one, times]) => [one, times.length]));
}

/** Each crawl's pages take a second, one after the other. */
async function slowSandbox(crawls: number, seed: number): Promise<Sandbox> {
  const sandbox = await sandboxFor({
    generate: [`projects=1,crawls=${crawls},pages=60,links=30,columns=10,seed=${seed}`],
  });
  const bytes = 10_000;
  await setFaults(sandbox, [
    { match: { path: '/pages.export=true' }, kind: 'slow', bytes_per_second: bytes },
  ]);
  return sandbox;
}

const ONE_BY_ONE = { CRAWLHOUSE_CONCURRENCY: '1' };

/** Waits until a backfill has one unit through. */
function underWay(sandbox: Sandbox): Promise<true> {
  return until(async () => ((await exportsOf(sandbox)).size > 1 ? true : undefined));
}

async function loads(folder: string): Promise<string[]> {
  const connection = await temporaryConnection(await temporaryFolder());
  const rows = await published(connection, folder, 'SELECT unit FROM ops.loads ORDER BY loaded_at, unit');
  return rows.map((row) => String(row.unit));
}

test('a backfill yields to a run between two units, then continues, and neither repeats work', async () => {
  const sandbox = await slowSandbox(7, 83);
  const folder = await rawProjectFolder();
  const backfill = crawlhouse(folder, sandbox, ['backfill', 'crawl_pages', ...WINDOW, '--json'], ONE_BY_ONE);
  await underWay(sandbox);
  const run = await crawlhouse(folder, sandbox, ['run', 'crawl_links', '--json'], ONE_BY_ONE);
  expect(run.status, run.stderr).toBe(0);
  expect(run.stderr).toMatch(/waiting for the state lock held_by="crawlhouse backfill \(process \d+ /);
  const meanwhile = await loads(folder);
  expect(meanwhile.filter((unit) => unit.startsWith('crawl_links/'))).toHaveLength(7);
  const pages = meanwhile.filter((unit) => unit.startsWith('crawl_pages/'));
  expect(pages.length).toBeGreaterThan(0);
  expect(pages.length).toBeLessThan(7);

  const done = await backfill;
  expect(done.status, done.stderr).toBe(0);
  const { units } = JSON.parse(done.stdout) as { units: { unit: string; status: string }[] };
  expect(units.map((one) => one.status)).toEqual(Array(7).fill('loaded'));
  expect(await loads(folder)).toHaveLength(14);
  expect([...(await exportsOf(sandbox)).values()]).toEqual(Array(14).fill(1));
});

test('two concurrent backfills share the work: the second waits and does the rest', async () => {
  const sandbox = await slowSandbox(3, 84);
  const folder = await rawProjectFolder();
  const pages = ['backfill', 'crawl_pages', ...WINDOW, '--json'];
  const first = crawlhouse(folder, sandbox, pages, ONE_BY_ONE);
  await underWay(sandbox);
  const second = await crawlhouse(
    folder,
    sandbox,
    [...pages.with(1, 'crawl_links'), 'crawl_pages'],
    ONE_BY_ONE,
  );
  expect(second.status, second.stderr).toBe(0);
  expect((await first).status).toBe(0);
  const { units } = JSON.parse(second.stdout) as { units: { dataset: string }[] };
  expect(units.map((one) => one.dataset)).toEqual(Array(3).fill('crawl_links'));
  expect([...(await exportsOf(sandbox)).values()]).toEqual(Array(6).fill(1));
});

test('a killed backfill continues, oldest first', async () => {
  const sandbox = await slowSandbox(3, 85);
  const folder = await rawProjectFolder();
  const pages = ['backfill', 'crawl_pages', ...WINDOW];
  const plan = await crawlhouse(folder, sandbox, [...pages, '--plan', '--json']);
  const oldestFirst = (JSON.parse(plan.stdout) as PlanReport).units.map((one) => one.unit);
  const child = spawnCrawlhouse(folder, sandbox, pages, { extra: ONE_BY_ONE });
  await underWay(sandbox);
  child.kill('SIGKILL');
  await once(child, 'exit');
  await clearFaults(sandbox);
  const again = await crawlhouse(folder, sandbox, pages, ONE_BY_ONE);
  expect(again.status, again.stderr).toBe(0);
  expect(await loads(folder)).toEqual(oldestFirst);
  const asked = [...(await exportsOf(sandbox)).values()];
  expect(asked).toHaveLength(3);
  // Only the one that was under way was asked for twice.
  expect(asked.reduce((sum, times) => sum + times, 0)).toBeLessThanOrEqual(4);
});

test('only a first run prints its plan before it starts', async () => {
  const sandbox = await sandboxFor({ generate: ['projects=1,crawls=2,pages=10,links=25,columns=8,seed=86'] });
  const folder = await rawProjectFolder();
  const args = ['run', 'crawl_pages', 'crawl_links'];
  const first = await crawlhouse(folder, sandbox, args);
  expect(first.stderr).toMatch(/^First run: all ended crawls\ndataset +units +rows\n/);
  expect(first.stderr).toMatch(/\ncrawl_links +2 +50\n/);
  expect(first.stderr).toContain("4 units due: 70 rows by the service's count");
  const second = await crawlhouse(folder, sandbox, args);
  expect(second.stderr).toBe('Nothing new: every requested finished unit is in the warehouse.\n');
});
