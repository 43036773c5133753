import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest';
import { packageVersion } from '../../src/core/host/package-version.ts';
import { silentLogger } from '../../src/core/logs/logger.ts';
import { unitName } from '../../src/etl/project/model/unit.ts';
import type { Ledger } from '../../src/etl/state/ledger/ledger.ts';
import { openLedger, readLedger } from '../../src/etl/state/ledger/open-ledger.ts';
import { openUnitQueue } from '../../src/etl/state/ledger/open-unit-queue.ts';
import { sharedSlots } from '../../src/etl/state/ledger/shared-slots.ts';
import type { OfferedUnit, UnitClaim, UnitOffers, UnitQueue } from '../../src/etl/state/ledger/unit-queue.ts';
import { type LedgerServer, startLedgerServer } from '../support/ledger-server.ts';
import { hasPostgres } from '../support/postgres.ts';
import { seededRandom, testSeed } from '../support/random.ts';
import { temporaryFolder } from '../support/temporary.ts';

const { signal } = new AbortController();
const WIDE = { project: 100, store: 100 };

describe.skipIf(!hasPostgres())('the queue of units, on PostgreSQL (apt-get install postgresql)', () => {
  let postgres: LedgerServer;
  let projects = 0;
  beforeAll(async () => {
    postgres = await startLedgerServer();
  });
  afterAll(async () => {
    await postgres?.[Symbol.asyncDispose]();
  });

  /** A run that offers units, and whatever machines are asked for. */
  async function scene(): Promise<{
    readonly project: string;
    readonly ledger: Ledger;
    readonly offers: UnitOffers;
    machine(command?: string): Promise<UnitQueue>;
    offer(units: readonly OfferedUnit[], runId?: string): Promise<void>;
  }> {
    const project = `queue-${projects++}`;
    const settings = async () => {
      const folder = await temporaryFolder();
      return { state_dir: folder, projectDir: folder, ledger: postgres.url(project) };
    };
    const ledger = await openLedger(await settings(), 'run', silentLogger, signal);
    onTestFinished(() => ledger[Symbol.asyncDispose]());
    const { offers } = ledger;
    if (offers === null) throw new Error('workers need a shared ledger');
    return {
      project,
      ledger,
      offers,
      machine: async (command = 'worker') => {
        const queue = await openUnitQueue(await settings(), command, signal);
        if (queue === undefined) throw new Error('workers need a shared ledger');
        onTestFinished(() => queue[Symbol.asyncDispose]());
        return queue;
      },
      offer: async (units, runId = 'r1') => offers.offer(runId, units, await packageVersion()),
    };
  }

  const unit = (name: string, more: Partial<OfferedUnit> = {}): OfferedUnit => ({
    unit: name,
    project: name.split('/')[0] ?? '',
    store: null,
    work: `{"of":"${name}"}`,
    refresh: false,
    ...more,
  });
  const expire = (project: string): Promise<unknown> =>
    postgres.admin(`UPDATE crawlhouse.queue SET until = now() WHERE project = '${project}'`, 'ledgers');
  const claimed = async (queue: UnitQueue, limits = WIDE): Promise<UnitClaim> => {
    const claim = await queue.claim(limits);
    if (claim === null) throw new Error('nothing to claim');
    onTestFinished(() => claim[Symbol.asyncDispose]());
    return claim;
  };

  test('projects take turns, whatever their number of units, and each project has its limit', async () => {
    const { offer, machine } = await scene();
    await offer([...[1, 2, 3, 4, 5].map((n) => unit(`a/${n}`)), unit('b/1'), unit('b/2'), unit('c/1')]);
    const [one, other] = [await machine(), await machine()];
    const taken: string[] = [];
    for (const queue of [one, other, one, other, one]) taken.push((await claimed(queue)).unit);
    expect(taken).toEqual(['a/1', 'b/1', 'c/1', 'a/2', 'b/2']);
    expect(await other.claim({ project: 2, store: 1 })).toBeNull();
    expect((await claimed(other, { project: 3, store: 1 })).unit).toBe('a/3');
  });

  test('of projects with equally many units in progress, the least recently served one is next', async () => {
    const { offer, machine } = await scene();
    await offer([unit('a/1'), unit('a/2'), unit('a/3'), unit('b/1'), unit('b/2')]);
    const queue = await machine();
    const taken: string[] = [];
    for (let turns = 0; turns < 5; turns++) {
      const claim = await claimed(queue);
      taken.push(claim.unit);
      await claim.finishLocally();
    }
    expect(taken).toEqual(['a/1', 'b/1', 'a/2', 'b/2', 'a/3']);
  });

  test('a store has its limit, for units bound to it and for units that use it later', async () => {
    const { offer, machine } = await scene();
    await offer([unit('a/1'), unit('b/1', { store: 'store_b' }), unit('c/1', { store: 'store_b' })]);
    const [one, other] = [await machine(), await machine()];
    const limits = { project: 9, store: 1 };
    const [plain, stored] = [await claimed(one, limits), await claimed(other, limits)];
    expect([plain.unit, stored.unit, await one.claim(limits)]).toEqual(['a/1', 'b/1', null]);
    let moved = false;
    const moving = plain.move('store_b', signal).then(() => {
      moved = true;
    });
    await sleep(700);
    expect(moved).toBe(false);
    await stored.finish();
    await moving;
    expect(await one.claim(limits)).toBeNull();
    await plain.move(null, signal);
    expect((await claimed(one, limits)).unit).toBe('c/1');
  });

  test('an expired claim passes to the next process, and its former holder is refused', async () => {
    const { project, offer, machine, offers } = await scene();
    await offer([unit('a/1')]);
    const [paused, next] = [await machine(), await machine()];
    const old = await claimed(paused);
    expect(await next.claim(WIDE)).toBeNull();
    await expire(project);
    const taken = await claimed(next);
    expect([taken.unit, taken.token === old.token]).toEqual(['a/1', false]);
    const export_ = {
      unit: 'a/1',
      data_export_id: null,
      store: 'store_b',
      format: 'parquet',
      prefix: 'p/',
      status: 'intended',
      requested_at: '2026-11-23T01:00:00.000Z',
      run_id: 'r1',
    };
    const refused = { code: 'lease_lost', exitCode: 3 };
    await expect(old.finish()).rejects.toMatchObject(refused);
    await expect(old.fail({ code: 'internal', message: '', hint: null }, 1)).rejects.toMatchObject(refused);
    await expect(old.move('store_b', signal)).rejects.toMatchObject(refused);
    await expect(old.exports.putExport(export_)).rejects.toMatchObject(refused);
    expect(old.lost.reason).toMatchObject(refused);
    await old[Symbol.asyncDispose]();
    await taken.exports.putExport(export_);
    await taken.finish();
    expect(await offers.entries('r1')).toMatchObject({
      waiting: 0,
      entries: [{ unit: 'a/1', status: 'staged', claim: taken.token }],
    });
    expect(await offers.claims()).toEqual(new Set([taken.token]));
  });

  test('a server clock set back neither extends the claim of a dead process nor ends a live one', async () => {
    const { project, offer, machine } = await scene();
    await offer([unit('a/1')]);
    const [live, next] = [await machine(), await machine()];
    const claim = await claimed(live);
    const of = `WHERE project = '${project}'`;
    await postgres.admin(`UPDATE crawlhouse.queue SET until = until + interval '1 hour' ${of}`, 'ledgers');
    expect(await next.claim(WIDE)).toBeNull();
    const left = `SELECT extract(epoch FROM until - now())::integer AS left FROM crawlhouse.queue ${of}`;
    expect(Number((await postgres.admin(left, 'ledgers'))[0]?.left)).toBeLessThanOrEqual(30);
    await claim.finish();
  });

  test('a heartbeat keeps a claim, reports progress to the run, and learns of its loss', async () => {
    const { project, offer, machine, offers } = await scene();
    await offer([unit('a/1')]);
    const [paused, next] = [await machine(), await machine()];
    const old = await claimed(paused);
    const progress = { reported: 20, columns: 3, received: 10, phase: 'download' } as const;
    old.report(progress);
    await expire(project);
    await expect
      .poll(async () => (await offers.entries('r1')).entries, { timeout: 120_000 })
      .toMatchObject([{ status: 'claimed', progress }]);
    expect(await next.claim(WIDE)).toBeNull();
    await expire(project);
    await claimed(next);
    await expect.poll(() => old.lost.aborted, { timeout: 120_000 }).toBe(true);
  });

  test('a returned unit is free immediately; a unit that kills its processes fails', async () => {
    const { project, offer, machine, offers } = await scene();
    await offer([unit('a/1')]);
    const queue = await machine();
    for (let given = 0; given < 9; given++) await (await claimed(queue))[Symbol.asyncDispose]();
    for (let lost = 0; lost < 5; lost++) {
      await claimed(queue);
      await expire(project);
    }
    expect(await queue.claim(WIDE)).toBeNull();
    expect((await offers.entries('r1')).entries).toMatchObject([
      { status: 'failed', claim: null, error: { code: 'worker_lost' } },
    ]);
    expect(await queue.isIdle()).toBe(false);
  });

  test('a later run keeps staged and claimed units of the same work, and offers everything else again', async () => {
    const { offer, machine, offers } = await scene();
    const units = ['same', 'changed', 'fresh', 'loaded', 'open', 'failed', 'gone'].map((one) => unit(one));
    await offer(units);
    const queue = await machine();
    const claims = new Map<string, UnitClaim>();
    for (const _ of units) {
      const claim = await claimed(queue);
      claims.set(claim.unit, claim);
    }
    const of = (name: string): UnitClaim => claims.get(name) as UnitClaim;
    for (const name of ['same', 'changed', 'fresh', 'loaded', 'gone']) await of(name).finish();
    await of('failed').fail({ code: 'quota', message: 'none left', hint: null }, 2);
    await offers.setStatus('loaded', 'loaded');
    await offer(
      [
        ...['same', 'loaded', 'open', 'failed', 'new'].map((one) => unit(one)),
        unit('changed', { work: '{"of":"another filter"}' }),
        unit('fresh', { refresh: true }),
      ],
      'r2',
    );
    const { entries, waiting } = await offers.entries('r2');
    expect(entries.map((one) => [one.unit, one.status])).toEqual([
      ['same', 'staged'],
      ['loaded', 'staged'],
      ['open', 'claimed'],
    ]);
    expect(waiting).toBe(4);
    await of('open').finish();
    const again = new Set<string>();
    for (let left = waiting; left > 0; left--) again.add((await claimed(queue)).unit);
    expect(again).toEqual(new Set(['failed', 'new', 'changed', 'fresh']));
    await expect(of('changed').finishLocally()).rejects.toMatchObject({ code: 'lease_lost' });
    await offers.setStatus('same', 'loaded');
    await offers.forgetLoaded();
    await offers.withdraw();
    expect((await offers.entries('r2')).entries.map((one) => one.unit)).toEqual([
      'loaded',
      'open',
      'failed',
      'new',
      'changed',
      'fresh',
    ]);
  });

  test('a unit published by a killed run is not offered again', async () => {
    const { ledger, offer, machine, offers } = await scene();
    const source = { kind: 'crawl', id: 'c1', project_id: 'p' } as const;
    const published = { dataset: 'crawl_pages', source, window: null };
    const name = unitName(published);
    await ledger.discoverUnits([published]);
    await offer([unit(name)]);
    const claim = await claimed(await machine());
    await claim.finish();
    await offers.setStatus(name, 'loaded');
    await ledger.setUnit(published, 'published', 1, null);
    expect((await offers.claims()).size).toBe(1);
    await offer([], 'r2');
    expect(await offers.claims()).toEqual(new Set());
  });

  test('the claims of a former run are free immediately for the next one', async () => {
    const { offer, machine } = await scene();
    await offer([unit('a/1'), unit('a/2')]);
    const [run, worker] = [await machine('run'), await machine()];
    const [old, kept] = [await claimed(run), await claimed(worker)];
    await offer([unit('a/1'), unit('a/2')], 'r2');
    expect((await claimed(worker)).unit).toBe('a/1');
    expect(await worker.claim(WIDE)).toBeNull();
    await expect(old.finishLocally()).rejects.toMatchObject({ code: 'lease_lost' });
    await kept.finish();
  });

  test('a reader on any machine sees which process works on which unit, and the progress', async () => {
    const { project, offer, machine } = await scene();
    await offer([unit('a/1'), unit('a/2'), unit('a/3')]);
    const worker = await machine();
    const [one, two] = [await claimed(worker), await claimed(worker)];
    one.report({ reported: 100, columns: 3, received: 40, phase: 'stage' });
    await two.finish();
    const folder = await temporaryFolder();
    const settings = { state_dir: folder, projectDir: folder, ledger: postgres.url(project) };
    await using reader = await readLedger(settings);
    await vi.waitFor(
      async () =>
        expect(await reader?.claimed()).toEqual([
          {
            unit: 'a/1',
            worker: expect.stringMatching(/^crawlhouse worker \(process \d+/),

            claimed_at: expect.stringMatching(/^\d{4}-.*Z$/),
            phase: 'stage',
            received: 40,
            reported: 100,
          },
        ]),
      { timeout: 120_000, interval: 200 },
    );
    await expire(project);
    expect(await reader?.claimed()).toEqual([]);
  });

  test('a run without its lease offers nothing, and units of another version stay', async () => {
    const { project, offer, machine, offers } = await scene();
    await offers.offer('r1', [unit('a/1')], '0.0.0-other');
    const queue = await machine();
    expect([await queue.claim(WIDE), await queue.id()]).toEqual([null, await offers.id()]);
    expect(queue.otherVersion).toBe('0.0.0-other');
    await offer([unit('a/1'), unit('a/2')]);
    expect([(await claimed(queue)).unit, queue.otherVersion]).toEqual(['a/1', null]);
    await postgres.admin(
      `UPDATE crawlhouse.leases SET token = token + 1 WHERE project = '${project}'`,
      'ledgers',
    );
    await expect(offer([unit('a/2')])).rejects.toMatchObject({ code: 'lease_lost' });
    await expect(offers.setStatus('a/1', 'done')).rejects.toMatchObject({ code: 'lease_lost' });
  });

  test('the worker role of docs/operate.md can stage units, and write nothing else', async () => {
    const { project, offer, machine, ledger } = await scene();
    await offer([unit('a/1')]);
    await (await machine()).id();
    const page = await readFile(join(import.meta.dirname, '../../docs/operate.md'), 'utf8');
    const section = page.slice(page.indexOf('## Workers'), page.indexOf('## Status'));
    const [, sql = ''] = /```sql\n(.*?)```/s.exec(section) ?? [];
    await postgres.admin(sql.replace("'…'", "'secret'"), 'ledgers');
    const folder = await temporaryFolder();
    const address = `postgres://crawlhouse_worker:secret@localhost:${postgres.port}/ledgers?project=${project}`;
    const settings = { state_dir: folder, projectDir: folder, ledger: address };
    await using queue = await openUnitQueue(settings, 'worker', signal);
    expect([await queue?.id(), await queue?.isIdle()]).toEqual([await ledger.offers?.id(), false]);
    await using claim = await queue?.claim(WIDE);
    await claim?.exports.setExportStatus('a/1', 'DONE');
    await claim?.move('store_b', signal);
    await claim?.finish();
    const slots = sharedSlots(settings, 'an account');
    expect(await slots?.reserve(1, 10)).toBeGreaterThanOrEqual(0);
    await slots?.[Symbol.asyncDispose]();
    await expect(openLedger(settings, 'run', silentLogger, signal)).rejects.toMatchObject({
      code: 'bad_settings',
      message: expect.stringContaining('crawlhouse_worker lacks a right'),
    });
  });

  test('many processes never claim the same unit, stay within all limits, and stage each unit once', async () => {
    const seed = testSeed();
    const random = seededRandom(seed);
    const { project, offer, machine, offers } = await scene();
    const limits = { project: 3, store: 2 };
    const units = Array.from({ length: 120 }, (_, index) =>
      unit(`${'abcd'[Math.floor(random() ** 2 * 4)]}/${index}`, {
        store: random() < 0.3 ? `store_${random() < 0.5 ? 'a' : 'b'}` : null,
      }),
    );
    await offer(units);
    const offered = new Map(units.map((one) => [one.unit, one]));
    const working = new Map<string, OfferedUnit>();
    const staged: string[] = [];
    const faults: string[] = [];
    let lost = 0;
    const work = async (queue: UnitQueue): Promise<void> => {
      while (staged.length < units.length) {
        const claim = await queue.claim(limits);
        if (claim === null) {
          await sleep(5);
          continue;
        }
        const own = offered.get(claim.unit) as OfferedUnit;
        if (working.has(claim.unit) || staged.includes(claim.unit)) faults.push(`${claim.unit} twice`);
        working.set(claim.unit, own);
        const at = [...working.values()];
        if (at.filter((one) => one.project === own.project).length > limits.project)
          faults.push(`project ${own.project}`);
        if (own.store !== null && at.filter((one) => one.store === own.store).length > limits.store)
          faults.push(`store ${own.store}`);
        await sleep(random() * 10);
        working.delete(claim.unit);
        const fate = random();
        if (fate < 0.1) await claim[Symbol.asyncDispose]();
        else if (fate < 0.15 && lost < 40) {
          lost++;
          await postgres.admin(
            `UPDATE crawlhouse.queue SET until = now() WHERE project = '${project}' AND claim = '${claim.token}'`,
            'ledgers',
          );
        } else {
          staged.push(claim.unit);
          await claim.finish();
        }
      }
    };
    const machines = await Promise.all(Array.from({ length: 5 }, machine));
    await Promise.all(machines.flatMap((one) => [work(one), work(one)]));
    expect(faults, `SEED=${seed}`).toEqual([]);
    expect(staged.toSorted(), `SEED=${seed}`).toEqual(units.map((one) => one.unit).toSorted());
    expect((await offers.entries('r1')).entries.filter(({ status }) => status !== 'staged')).toEqual([]);
  });
});
