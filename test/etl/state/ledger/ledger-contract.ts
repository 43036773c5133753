import { expect, onTestFinished, test, vi } from 'vitest';
import type { Unit } from '../../../../src/etl/project/model/unit.ts';
import type { Ledger } from '../../../../src/etl/state/ledger/ledger.ts';
import { temporaryFolder } from '../../../support/temporary.ts';

/** What the contract is checked against. */
export interface LedgerSubject {
  /** The ledger of a project, for the process that writes. Each folder is a project of its own. */
  open(folder: string): Promise<Ledger>;
  /** The same for another process, which only reads. */
  read(folder: string): Promise<Ledger | undefined>;
}

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

/** What every ledger does. */
export function ledgerContract(name: string, subject: LedgerSubject): void {
  const opened = async (folder?: string): Promise<Ledger> => {
    const ledger = await subject.open(folder ?? (await temporaryFolder()));
    onTestFinished(() => ledger[Symbol.asyncDispose]());
    return ledger;
  };

  test(`${name}: a unit keeps its last state, also for another process`, async () => {
    const folder = await temporaryFolder();
    const writer = await opened(folder);
    const reader = await subject.read(folder);
    if (!reader) throw new Error('there is a ledger');
    onTestFinished(() => reader[Symbol.asyncDispose]());
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

  test(`${name}: an invalid state change is refused`, async () => {
    const ledger = await opened();
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

  test(`${name}: a known unit is not discovered again`, async () => {
    const ledger = await opened();
    await ledger.discoverUnits([unit('c1')]);
    await ledger.setUnit(unit('c1'), 'requested', 3, null);
    await ledger.discoverUnits([unit('c1'), unit('c2')]);
    expect((await ledger.units()).map((one) => [one.source.id, one.status, one.attempts])).toEqual([
      ['c1', 'requested', 3],
      ['c2', 'discovered', 0],
    ]);
  });

  test(`${name}: failures count consecutive runs until a publication, because loaded units may be quarantined`, async () => {
    const ledger = await opened();
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

  test(`${name}: a unit fails since the end of its first failure, also during later attempts`, async () => {
    vi.useFakeTimers({ toFake: ['Date'] });
    try {
      const ledger = await opened();
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

  test(`${name}: windows of one source are separate units`, async () => {
    const ledger = await opened();
    await ledger.setUnit(unit('p', { from: '2026-11-01', to: '2026-11-02' }), 'loaded', 1, null);
    await ledger.setUnit(unit('p', { from: '2026-11-02', to: '2026-11-03' }), 'loaded', 1, null);
    expect((await ledger.units()).map((one) => one.unit)).toEqual([
      'crawl_pages/p/2026-11-01',
      'crawl_pages/p/2026-11-02',
    ]);
  });

  test(`${name}: a publication moves only loaded units to published`, async () => {
    const ledger = await opened();
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

  test(`${name}: runs are listed newest first, up to the limit`, async () => {
    const ledger = await opened();
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

  test(`${name}: a run with a dead process is killed, also for a reader`, async () => {
    const folder = await temporaryFolder();
    {
      await using killed = await subject.open(folder);
      await killed.startRun('r1', 'run', '2026-11-21T01:00:00.000Z');
    }
    await using reader = await subject.read(folder);
    expect((await reader?.runs())?.[0]?.status).toBe('killed');
    const ledger = await opened(folder);
    await ledger.startRun('r2', 'backfill', '2026-11-21T02:00:00.000Z');
    expect((await ledger.runs()).map((run) => [run.run_id, run.status, run.ended_at])).toEqual([
      ['r2', 'running', null],
      ['r1', 'killed', null],
    ]);
  });

  test(`${name}: discovery is replaced as a whole`, async () => {
    const ledger = await opened();
    expect(await ledger.discovery()).toEqual({ open: [], swept_at: null });
    await ledger.setDiscovery({ open: ['b', 'a', 'a'], swept_at: '2026-11-21T01:00:00.000Z' });
    await ledger.setDiscovery({ open: ['c', 'a'], swept_at: '2026-11-21T02:00:00.000Z' });
    expect(await ledger.discovery()).toEqual({ open: ['a', 'c'], swept_at: '2026-11-21T02:00:00.000Z' });
  });

  test(`${name}: an empty ledger is restored from the warehouse`, async () => {
    const before = await opened();
    await before.startRun('r1', 'run', '2026-11-21T01:00:00.000Z');
    await before.endRun('r1', 'partial', '2026-11-21T01:10:00.000Z');
    await before.setUnit(unit('c1'), 'published', 1, null);
    const second = unit('c2', { from: '2026-11-01', to: '2026-11-02' });
    await before.discoverUnits([second]);
    for (let run = 1; run <= 4; run++) await before.setUnit(second, 'failed', 3, error);
    const after = await opened();
    await after.restore(await before.units(), await before.runs());
    expect(await after.units()).toEqual(await before.units());
    expect((await after.units())[1]?.next_try_at).not.toBeNull();
    expect(await after.runs()).toEqual(await before.runs());
  });

  test(`${name}: an older ledger takes newer entries, and keeps its own newer ones`, async () => {
    const older = await opened();
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

  test(`${name}: the projects of a ledger are independent`, async () => {
    const [one, other] = [await opened(), await opened()];
    await one.discoverUnits([unit('c1')]);
    await one.setDiscovery({ open: ['c2'], swept_at: null });
    await one.startRun('r1', 'run', '2026-11-21T01:00:00.000Z');
    await one.setPublication('p');
    expect([await other.units(), await other.runs(), await other.publication()]).toEqual([[], [], null]);
    expect((await other.discovery()).open).toEqual([]);
    await other.setDiscovery({ open: [], swept_at: null });
    await other.startRun('r2', 'run', '2026-11-21T02:00:00.000Z');
    expect([(await one.discovery()).open, (await one.runs())[0]?.status]).toEqual([['c2'], 'running']);
  });

  test(`${name}: units are counted by dataset and state, and removed by name`, async () => {
    const ledger = await opened();
    await ledger.discoverUnits(['c1', 'c2', 'c3'].map(unitOf));
    await ledger.discoverUnits([{ ...unit('c1'), dataset: 'crawl_links' }]);
    await ledger.setUnit(unit('c2'), 'skipped', 0, error);
    await ledger.forgetUnits(['crawl_pages/c3', 'crawl_pages/unknown']);
    await ledger.forgetUnits([]);
    expect(await ledger.unitCounts()).toEqual([
      { dataset: 'crawl_links', status: 'discovered', units: 1 },
      { dataset: 'crawl_pages', status: 'discovered', units: 1 },
      { dataset: 'crawl_pages', status: 'skipped', units: 1 },
    ]);
  });

  test(`${name}: the warehouse corrects the states that a killed run left`, async () => {
    const ledger = await opened();
    await ledger.discoverUnits(['c1', 'c2', 'c3', 'c4'].map(unitOf));
    for (const id of ['c1', 'c2']) await ledger.setUnit(unit(id), 'requested', 1, null);
    await ledger.setUnit(unit('c3'), 'published', 1, null);
    await ledger.setUnit(unit('c4'), 'failed', 1, null);
    const load = { published: true, loaded_at: Date.now() + 1000 };
    const moves = await ledger.reconcile(
      new Map([
        ['crawl_pages/c1', load],
        ['crawl_pages/c4', load],
      ]),
    );
    expect(moves).toHaveLength(3);
    expect(Object.fromEntries((await ledger.units()).map((one) => [one.source.id, one.status]))).toEqual({
      c1: 'published',
      c2: 'requested',
      c3: 'discovered',
      c4: 'published',
    });
  });

  test(`${name}: a run resumes a data export, and its state follows the service`, async () => {
    const ledger = await opened();
    const job = {
      unit: 'crawl_pages/c1',
      data_export_id: null,
      store: 'store_b',
      format: 'parquet',
      prefix: 'x/',
      status: 'intended',
      requested_at: '2026-11-21T01:00:00.123Z',
      run_id: 'r1',
    };
    await ledger.putExport(job);
    expect(await ledger.exportOf(job.unit)).toEqual(job);
    await ledger.putExport({ ...job, data_export_id: 'e1', status: 'REQUESTED' });
    await ledger.claimExport(job.unit, 'r2');
    await ledger.setExportStatus(job.unit, 'DONE');
    const found = { ...job, data_export_id: 'e1', run_id: 'r2', status: 'DONE' };
    expect([await ledger.exports(), await ledger.exportOf('crawl_pages/c2')]).toEqual([[found], undefined]);
  });

  test(`${name}: any error text is stored unchanged`, async () => {
    const ledger = await opened();
    const message = 'a\u0000b \ud800 "quoted" \\ {null} \'; DROP TABLE units; -- 😀';
    await ledger.discoverUnits([unit('c1')]);
    await ledger.setUnit(unit('c1'), 'failed', 1, { ...error, message });
    expect((await ledger.units())[0]?.error?.message).toBe(message);
  });

  test(`${name}: state changes of many units are all applied`, async () => {
    const ledger = await opened();
    const units = Array.from({ length: 20 }, (_, at) => unit(`c${at}`));
    await ledger.discoverUnits(units);
    await Promise.all(units.map((one) => ledger.setUnit(one, 'requested', 1, null)));
    expect(await ledger.unitCounts()).toEqual([{ dataset: 'crawl_pages', status: 'requested', units: 20 }]);
  });
}
