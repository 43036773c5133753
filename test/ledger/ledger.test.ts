import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect, test, vi } from 'vitest';
import { LEDGER_FILE, SqliteLedger } from '../../src/ledger/sqlite/sqlite-ledger.ts';
import type { Unit } from '../../src/model/unit.ts';
import { temporaryFolder } from '../support/temporary.ts';

function unit(id: string, window: Unit['window'] = null): Unit {
  return { dataset: 'crawl_pages', source: { kind: 'crawl', id, project_id: 'p' }, window };
}

const unitOf = (id: string): Unit => unit(id);

const error = { code: 'connection', message: 'reset', hint: null } as const;

const WAY = [
  'requested',
  'downloading',
  'requested',
  'downloading',
  'staged',
  'loaded',
  'published',
] as const;

test('a unit stands where it was last put, also for another process', async () => {
  const folder = await temporaryFolder();
  await using writer = new SqliteLedger(folder);
  await using reader = new SqliteLedger(folder);
  await writer.discoverUnits([unit('c1')]);
  for (const state of [...WAY, 'failed'] as const) {
    await writer.setUnit(unit('c1'), state, 2, state === 'failed' ? error : null);
    expect(await reader.units()).toMatchObject([
      {
        unit: 'crawl_pages/c1',
        dataset: 'crawl_pages',
        source: { kind: 'crawl', id: 'c1', project_id: 'p' },
        window: null,
        status: state,
        attempts: 2,
        error: state === 'failed' ? error : null,
      },
    ]);
  }
  expect((await reader.units())[0]?.updated_at).toMatch(/^\d{4}-\d\d-\d\dT.*Z$/);
});

test('a move that there is not changes nothing', async () => {
  await using ledger = new SqliteLedger(await temporaryFolder());
  await expect(ledger.setUnit(unit('c1'), 'requested', 1, null)).rejects.toThrow(
    'cannot go from unknown to requested',
  );
  await ledger.discoverUnits([unit('c1')]);
  await expect(ledger.setUnit(unit('c1'), 'downloading', 1, null)).rejects.toThrow(
    'cannot go from discovered',
  );
  expect((await ledger.units()).map((one) => one.status)).toEqual(['discovered']);
  await ledger.setUnit(unit('c1'), 'requested', 1, null);
});

test('a unit that is known is not discovered again', async () => {
  await using ledger = new SqliteLedger(await temporaryFolder());
  await ledger.discoverUnits([unit('c1')]);
  await ledger.setUnit(unit('c1'), 'requested', 3, null);
  await ledger.discoverUnits([unit('c1'), unit('c2')]);
  expect((await ledger.units()).map((one) => [one.source.id, one.status, one.attempts])).toEqual([
    ['c1', 'requested', 3],
    ['c2', 'discovered', 0],
  ]);
});

test('failures count the runs in a row, until one is published: what is loaded may still be held', async () => {
  await using ledger = new SqliteLedger(await temporaryFolder());
  await ledger.discoverUnits([unit('c1')]);
  const seen: unknown[] = [];
  for (const end of ['failed', 'refused', 'failed', 'failed', 'loaded', 'published', 'failed'] as const) {
    for (const state of ['requested', 'downloading', 'requested', 'downloading'] as const)
      await ledger.setUnit(unit('c1'), state, 1, null);
    const isLoaded = end === 'loaded' || end === 'published';
    await ledger.setUnit(unit('c1'), isLoaded ? 'loaded' : end, 1, null);
    if (end === 'published') await ledger.publishLoaded('p');
    const [one] = await ledger.units();
    seen.push([one?.failures, one?.next_try_at !== null]);
  }
  expect(seen).toEqual([
    [1, false],
    [2, false],
    [3, false],
    [4, true],
    [4, true],
    [0, false],
    [1, false],
  ]);
});

test('since when a unit fails is the end of its first failure, through attempts that are under way', async () => {
  vi.useFakeTimers({ toFake: ['Date'] });
  try {
    await using ledger = new SqliteLedger(await temporaryFolder());
    await ledger.discoverUnits([unit('c1')]);
    const since: unknown[] = [];
    for (const [day, end] of ['failed', 'requested', 'refused', 'staged', 'loaded', 'failed'].entries()) {
      vi.setSystemTime(Date.UTC(2026, 10, 14 + day));
      await ledger.setUnit(unit('c1'), 'requested', 1, null);
      if (end !== 'requested')
        await ledger.setUnit(unit('c1'), end === 'loaded' ? 'staged' : (end as 'failed'), 1, null);
      if (end === 'loaded') {
        await ledger.setUnit(unit('c1'), 'loaded', 1, null);
        await ledger.publishLoaded('p');
      }
      since.push((await ledger.units())[0]?.failing_since?.slice(8, 10) ?? null);
    }
    expect(since).toEqual(['14', '14', '14', '14', null, '19']);
  } finally {
    vi.useRealTimers();
  }
});

test('windows of one source are units of their own', async () => {
  await using ledger = new SqliteLedger(await temporaryFolder());
  await ledger.setUnit(unit('p', { from: '2026-11-01', to: '2026-11-02' }), 'loaded', 1, null);
  await ledger.setUnit(unit('p', { from: '2026-11-02', to: '2026-11-03' }), 'loaded', 1, null);
  expect((await ledger.units()).map((one) => one.unit)).toEqual([
    'crawl_pages/p/2026-11-01',
    'crawl_pages/p/2026-11-02',
  ]);
});

test('a publication moves loaded units on, and no others', async () => {
  await using ledger = new SqliteLedger(await temporaryFolder());
  const states = ['failed', 'refused', 'skipped', 'requested', 'staged', 'dropped'] as const;
  await ledger.discoverUnits(states.map(unitOf));
  for (const state of states) await ledger.setUnit(unitOf(state), state, 1, null);
  await ledger.setUnit(unit('loaded'), 'loaded', 1, null);
  await ledger.publishLoaded('publication 7');
  expect(Object.fromEntries((await ledger.units()).map((one) => [one.source.id, one.status]))).toEqual({
    ...Object.fromEntries(states.map((state) => [state, state])),
    loaded: 'published',
  });
  expect(await ledger.publication()).toBe('publication 7');
});

test('runs come newest first, as many as asked for', async () => {
  await using ledger = new SqliteLedger(await temporaryFolder());
  for (let hour = 1; hour <= 3; hour++) {
    await ledger.startRun(`r${hour}`, 'run', `2026-11-21T0${hour}:00:00.000Z`);
    await ledger.endRun(`r${hour}`, 'done', `2026-11-21T0${hour}:30:00.000Z`, {
      units: { loaded: 2 },
      rows: 7,
      error: null,
      errors: 0,
    });
  }
  expect((await ledger.runs()).map((run) => run.run_id)).toEqual(['r3', 'r2', 'r1']);
  expect(await ledger.runs(1)).toEqual([
    {
      run_id: 'r3',
      command: 'run',
      status: 'done',
      started_at: '2026-11-21T03:00:00.000Z',
      ended_at: '2026-11-21T03:30:00.000Z',
      summary: { units: { loaded: 2 }, rows: 7, error: null, errors: 0 },
    },
  ]);
});

test('a run whose process was killed is marked when the next one starts', async () => {
  const folder = await temporaryFolder();
  {
    await using killed = new SqliteLedger(folder);
    await killed.startRun('r1', 'run', '2026-11-21T01:00:00.000Z');
  }
  await using ledger = new SqliteLedger(folder);
  expect((await ledger.runs())[0]?.status).toBe('running');
  await ledger.startRun('r2', 'backfill', '2026-11-21T02:00:00.000Z');
  expect((await ledger.runs()).map((run) => [run.run_id, run.status, run.ended_at])).toEqual([
    ['r2', 'running', null],
    ['r1', 'killed', null],
  ]);
});

test('discovery is the last one, whole', async () => {
  await using ledger = new SqliteLedger(await temporaryFolder());
  expect(await ledger.discovery()).toEqual({ open: [], swept_at: null });
  await ledger.setDiscovery({ open: ['b', 'a', 'a'], swept_at: '2026-11-21T01:00:00.000Z' });
  await ledger.setDiscovery({ open: ['c', 'a'], swept_at: '2026-11-21T02:00:00.000Z' });
  expect(await ledger.discovery()).toEqual({ open: ['a', 'c'], swept_at: '2026-11-21T02:00:00.000Z' });
});

test('an empty ledger is filled with what it held before', async () => {
  await using before = new SqliteLedger(await temporaryFolder());
  await before.startRun('r1', 'run', '2026-11-21T01:00:00.000Z');
  await before.endRun('r1', 'partial', '2026-11-21T01:10:00.000Z');
  await before.setUnit(unit('c1'), 'published', 1, null);
  const second = unit('c2', { from: '2026-11-01', to: '2026-11-02' });
  await before.discoverUnits([second]);
  for (let run = 1; run <= 4; run++) await before.setUnit(second, 'failed', 3, error);
  await using after = new SqliteLedger(await temporaryFolder());
  await after.restore(await before.units(), await before.runs());
  expect(await after.units()).toEqual(await before.units());
  expect((await after.units())[1]?.next_try_at).not.toBeNull();
  expect(await after.runs()).toEqual(await before.runs());
});

test('an older ledger takes over what is newer, and keeps what it knows better', async () => {
  await using older = new SqliteLedger(await temporaryFolder());
  await older.discoverUnits([unit('c1'), unit('c2')]);
  const [first, second] = await older.units();
  if (!first || !second) throw new Error('two units');
  await older.restore(
    [
      { ...first, status: 'published', updated_at: '2999-01-01T00:00:00.000Z' },
      { ...second, status: 'published', updated_at: '2000-01-01T00:00:00.000Z' },
    ],
    [],
  );
  expect((await older.units()).map((one) => [one.source.id, one.status])).toEqual([
    ['c2', 'discovered'],
    ['c1', 'published'],
  ]);
});

test('a run of an earlier version that yielded the lock has the status of today', async () => {
  const folder = await temporaryFolder();
  {
    await using ledger = new SqliteLedger(folder);
    await ledger.startRun('r1', 'backfill', '2026-03-02T06:00:00.000Z');
  }
  using former = new DatabaseSync(join(folder, LEDGER_FILE));
  former.exec(`UPDATE runs SET status = 'made room'; PRAGMA user_version = 5`);
  await using ledger = new SqliteLedger(folder);
  expect(await ledger.runs(1)).toMatchObject([{ run_id: 'r1', command: 'backfill', status: 'yielded' }]);
});
