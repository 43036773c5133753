import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect, test, vi } from 'vitest';
import { LEDGER_FILE, Ledger } from '../../src/ledger/ledger.ts';
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
  using writer = new Ledger(folder);
  using reader = new Ledger(folder);
  writer.discoverUnits([unit('c1')]);
  for (const state of [...WAY, 'failed'] as const) {
    writer.setUnit(unit('c1'), state, 2, state === 'failed' ? error : null);
    expect(reader.units()).toMatchObject([
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
  expect(reader.units()[0]?.updated_at).toMatch(/^\d{4}-\d\d-\d\dT.*Z$/);
});

test('a move that there is not changes nothing', async () => {
  using ledger = new Ledger(await temporaryFolder());
  expect(() => ledger.setUnit(unit('c1'), 'requested', 1, null)).toThrow(
    'cannot go from unknown to requested',
  );
  ledger.discoverUnits([unit('c1')]);
  expect(() => ledger.setUnit(unit('c1'), 'downloading', 1, null)).toThrow('cannot go from discovered');
  expect(ledger.units().map((one) => one.status)).toEqual(['discovered']);
  ledger.setUnit(unit('c1'), 'requested', 1, null);
});

test('a unit that is known is not discovered again', async () => {
  using ledger = new Ledger(await temporaryFolder());
  ledger.discoverUnits([unit('c1')]);
  ledger.setUnit(unit('c1'), 'requested', 3, null);
  ledger.discoverUnits([unit('c1'), unit('c2')]);
  expect(ledger.units().map((one) => [one.source.id, one.status, one.attempts])).toEqual([
    ['c1', 'requested', 3],
    ['c2', 'discovered', 0],
  ]);
});

test('failures count the runs in a row, until one is published: what is loaded may still be held', async () => {
  using ledger = new Ledger(await temporaryFolder());
  ledger.discoverUnits([unit('c1')]);
  const seen: unknown[] = [];
  for (const end of ['failed', 'refused', 'failed', 'failed', 'loaded', 'published', 'failed'] as const) {
    for (const state of ['requested', 'downloading', 'requested', 'downloading'] as const)
      ledger.setUnit(unit('c1'), state, 1, null);
    const isLoaded = end === 'loaded' || end === 'published';
    ledger.setUnit(unit('c1'), isLoaded ? 'loaded' : end, 1, null);
    if (end === 'published') ledger.publishLoaded('p');
    const [one] = ledger.units();
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
    using ledger = new Ledger(await temporaryFolder());
    ledger.discoverUnits([unit('c1')]);
    const since: unknown[] = [];
    for (const [day, end] of ['failed', 'requested', 'refused', 'staged', 'loaded', 'failed'].entries()) {
      vi.setSystemTime(Date.UTC(2026, 10, 14 + day));
      ledger.setUnit(unit('c1'), 'requested', 1, null);
      if (end !== 'requested')
        ledger.setUnit(unit('c1'), end === 'loaded' ? 'staged' : (end as 'failed'), 1, null);
      if (end === 'loaded') {
        ledger.setUnit(unit('c1'), 'loaded', 1, null);
        ledger.publishLoaded('p');
      }
      since.push(ledger.units()[0]?.failing_since?.slice(8, 10) ?? null);
    }
    expect(since).toEqual(['14', '14', '14', '14', null, '19']);
  } finally {
    vi.useRealTimers();
  }
});

test('windows of one source are units of their own', async () => {
  using ledger = new Ledger(await temporaryFolder());
  ledger.setUnit(unit('p', { from: '2026-11-01', to: '2026-11-02' }), 'loaded', 1, null);
  ledger.setUnit(unit('p', { from: '2026-11-02', to: '2026-11-03' }), 'loaded', 1, null);
  expect(ledger.units().map((one) => one.unit)).toEqual([
    'crawl_pages/p/2026-11-01',
    'crawl_pages/p/2026-11-02',
  ]);
});

test('a publication moves loaded units on, and no others', async () => {
  using ledger = new Ledger(await temporaryFolder());
  const states = ['failed', 'refused', 'skipped', 'requested', 'staged', 'dropped'] as const;
  ledger.discoverUnits(states.map(unitOf));
  for (const state of states) ledger.setUnit(unitOf(state), state, 1, null);
  ledger.setUnit(unit('loaded'), 'loaded', 1, null);
  ledger.publishLoaded('publication 7');
  expect(Object.fromEntries(ledger.units().map((one) => [one.source.id, one.status]))).toEqual({
    ...Object.fromEntries(states.map((state) => [state, state])),
    loaded: 'published',
  });
  expect(ledger.publication()).toBe('publication 7');
});

test('runs come newest first, as many as asked for', async () => {
  using ledger = new Ledger(await temporaryFolder());
  for (let hour = 1; hour <= 3; hour++) {
    ledger.startRun(`r${hour}`, 'run', `2026-11-21T0${hour}:00:00.000Z`);
    ledger.endRun(`r${hour}`, 'done', `2026-11-21T0${hour}:30:00.000Z`, {
      units: { loaded: 2 },
      rows: 7,
      error: null,
      errors: 0,
    });
  }
  expect(ledger.runs().map((run) => run.run_id)).toEqual(['r3', 'r2', 'r1']);
  expect(ledger.runs(1)).toEqual([
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
    using killed = new Ledger(folder);
    killed.startRun('r1', 'run', '2026-11-21T01:00:00.000Z');
  }
  using ledger = new Ledger(folder);
  expect(ledger.runs()[0]?.status).toBe('running');
  ledger.startRun('r2', 'backfill', '2026-11-21T02:00:00.000Z');
  expect(ledger.runs().map((run) => [run.run_id, run.status, run.ended_at])).toEqual([
    ['r2', 'running', null],
    ['r1', 'killed', null],
  ]);
});

test('discovery is the last one, whole', async () => {
  using ledger = new Ledger(await temporaryFolder());
  expect(ledger.discovery()).toEqual({ open: [], swept_at: null });
  ledger.setDiscovery({ open: ['b', 'a', 'a'], swept_at: '2026-11-21T01:00:00.000Z' });
  ledger.setDiscovery({ open: ['c', 'a'], swept_at: '2026-11-21T02:00:00.000Z' });
  expect(ledger.discovery()).toEqual({ open: ['a', 'c'], swept_at: '2026-11-21T02:00:00.000Z' });
});

test('an empty ledger is filled with what it held before', async () => {
  using before = new Ledger(await temporaryFolder());
  before.startRun('r1', 'run', '2026-11-21T01:00:00.000Z');
  before.endRun('r1', 'partial', '2026-11-21T01:10:00.000Z');
  before.setUnit(unit('c1'), 'published', 1, null);
  const second = unit('c2', { from: '2026-11-01', to: '2026-11-02' });
  before.discoverUnits([second]);
  for (let run = 1; run <= 4; run++) before.setUnit(second, 'failed', 3, error);
  using after = new Ledger(await temporaryFolder());
  after.restore(before.units(), before.runs());
  expect(after.units()).toEqual(before.units());
  expect(after.units()[1]?.next_try_at).not.toBeNull();
  expect(after.runs()).toEqual(before.runs());
});

test('an older ledger takes over what is newer, and keeps what it knows better', async () => {
  using older = new Ledger(await temporaryFolder());
  older.discoverUnits([unit('c1'), unit('c2')]);
  const [first, second] = older.units();
  if (!first || !second) throw new Error('two units');
  older.restore(
    [
      { ...first, status: 'published', updated_at: '2999-01-01T00:00:00.000Z' },
      { ...second, status: 'published', updated_at: '2000-01-01T00:00:00.000Z' },
    ],
    [],
  );
  expect(older.units().map((one) => [one.source.id, one.status])).toEqual([
    ['c2', 'discovered'],
    ['c1', 'published'],
  ]);
});

test('a run of an earlier version that yielded the lock has the status of today', async () => {
  const folder = await temporaryFolder();
  {
    using ledger = new Ledger(folder);
    ledger.startRun('r1', 'backfill', '2026-03-02T06:00:00.000Z');
  }
  using former = new DatabaseSync(join(folder, LEDGER_FILE));
  former.exec(`UPDATE runs SET status = 'made room'; PRAGMA user_version = 5`);
  using ledger = new Ledger(folder);
  expect(ledger.runs(1)).toMatchObject([{ run_id: 'r1', command: 'backfill', status: 'yielded' }]);
});
