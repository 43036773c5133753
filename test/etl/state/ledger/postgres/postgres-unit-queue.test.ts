import { expect, onTestFinished, test } from 'vitest';
import { packageVersion } from '../../../../../src/core/host/package-version.ts';
import { silentLogger } from '../../../../../src/core/logs/logger.ts';
import { unitName } from '../../../../../src/etl/project/model/unit.ts';
import { openLedger, readLedger } from '../../../../../src/etl/state/ledger/open-ledger.ts';
import { openUnitQueue } from '../../../../../src/etl/state/ledger/open-unit-queue.ts';
import '../../../../../src/etl/state/ledger/postgres/postgres-part.ts';
import type { OfferedUnit, UnitClaim, UnitQueue } from '../../../../../src/etl/state/ledger/unit-queue.ts';
import { modelServer } from './model-server.ts';

const { signal } = new AbortController();
const WIDE = { project: 100, store: 100 };
const LOST = { code: 'lease_lost', exitCode: 3 };

/** A run that offers units, and the machines that claim them. With a real server: test/integration/unit-queue.test.ts. */
async function scene() {
  const server = await modelServer();
  const { on, settings } = server;
  const own = await settings('shop');
  const ledger = await on(() => openLedger(own, 'run', silentLogger, signal));
  const { offers } = ledger;
  if (offers === null) throw new Error('workers need a shared ledger');
  onTestFinished(() => on(() => ledger[Symbol.asyncDispose]()));
  const machine = async (command = 'worker'): Promise<UnitQueue> => {
    const of = await settings('shop');
    const queue = await on(() => openUnitQueue(of, command, signal));
    if (queue === undefined) throw new Error('workers need a shared ledger');
    return queue;
  };
  return {
    ...server,
    own,
    ledger,
    offers,
    machine,
    queue: await machine(),
    offer: async (units: readonly OfferedUnit[], runId = 'r1') =>
      offers.offer(runId, units, await packageVersion()),
    expire: () => server.change(`UPDATE queue SET until = '2000' WHERE status = 'claimed'`),
    claimed: async (queue: UnitQueue, limits = WIDE): Promise<UnitClaim> => {
      const claim = await on(() => queue.claim(limits));
      if (claim === null) throw new Error('nothing to claim');
      return claim;
    },
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

test('projects take turns, and each project has its limit', async () => {
  const { offer, queue, claimed } = await scene();
  await offer([...[1, 2, 3, 4].map((n) => unit(`a/${n}`)), unit('b/1'), unit('b/2'), unit('c/1')]);
  const taken: string[] = [];
  for (let turns = 0; turns < 5; turns++) taken.push((await claimed(queue)).unit);
  expect(taken).toEqual(['a/1', 'b/1', 'c/1', 'a/2', 'b/2']);
  expect(await queue.claim({ project: 2, store: 1 })).toBeNull();
  expect(await claimed(queue, { project: 3, store: 1 })).toMatchObject({
    unit: 'a/3',
    work: '{"of":"a/3"}',
    runId: 'r1',
  });
});

test('of projects with equally many units in progress, the least recently served one is next', async () => {
  const { offer, queue, claimed, pass } = await scene();
  await offer([unit('a/1'), unit('a/2'), unit('b/1'), unit('b/2')]);
  const taken: string[] = [];
  for (let turns = 0; turns < 4; turns++) {
    const claim = await claimed(queue);
    taken.push(claim.unit);
    pass(1);
    await claim.finishLocally();
  }
  expect(taken).toEqual(['a/1', 'b/1', 'a/2', 'b/2']);
});

test('a store has its limit, for units bound to it and for units that use it later', async () => {
  const { offer, queue, claimed, on, whileAsleep } = await scene();
  await offer([unit('a/1'), unit('b/1', { store: 'store_b' }), unit('c/1', { store: 'store_b' })]);
  const limits = { project: 9, store: 1 };
  const [plain, stored] = [await claimed(queue, limits), await claimed(queue, limits)];
  expect([plain.unit, stored.unit, await queue.claim(limits)]).toEqual(['a/1', 'b/1', null]);
  let looks = 0;
  whileAsleep(async () => {
    if (++looks === 3) await stored.finish();
  });
  await on(() => plain.move('store_b', signal));
  expect([looks, await queue.claim(limits)]).toEqual([3, null]);
  await plain.move(null, signal);
  expect((await claimed(queue, limits)).unit).toBe('c/1');
  await expect(on(() => plain.move('store_b', AbortSignal.abort()))).rejects.toMatchObject({
    name: 'AbortError',
  });
});

test('an expired claim passes to the next process, and its former holder is refused', async () => {
  const { offer, queue, claimed, expire, machine, offers } = await scene();
  await offer([unit('a/1')]);
  const next = await machine();
  const old = await claimed(queue);
  expect([await next.claim(WIDE), next.otherVersion]).toEqual([null, null]);
  expire();
  const taken = await claimed(next);
  expect([taken.unit, taken.token === old.token]).toEqual(['a/1', false]);
  await expect(old.finish()).rejects.toMatchObject(LOST);
  await expect(old.fail({ code: 'internal', message: '', hint: null }, 1)).rejects.toMatchObject(LOST);
  await expect(old.move('store_b', signal)).rejects.toMatchObject(LOST);
  await expect(old.exports.setExportStatus('a/1', 'DONE')).rejects.toMatchObject(LOST);
  expect(old.lost.reason).toMatchObject(LOST);
  await old[Symbol.asyncDispose]();
  await taken.finish();
  expect(await offers.entries('r1')).toMatchObject({
    waiting: 0,
    entries: [{ unit: 'a/1', status: 'staged', claim: taken.token, error: null }],
  });
  expect(await offers.claims()).toEqual(new Set([taken.token]));
});

test('a heartbeat keeps a claim, reports progress to readers, and finds a lost claim', async () => {
  const { offer, queue, claimed, expire, beat, pass, left, own, on, offers } = await scene();
  await offer([unit('a/1'), unit('a/2')]);
  const [old, plain] = [await claimed(queue), await claimed(queue)];
  expect(left('queue')).toEqual([30_000, 30_000]);
  old.report({ reported: 20, columns: 3, received: 10, phase: 'stage' });
  pass(20);
  await beat();
  expect(left('queue')).toEqual([30_000, 30_000]);
  expect((await offers.entries('r1')).entries).toMatchObject([
    { progress: { received: 10, phase: 'stage' } },
    { progress: null },
  ]);
  const reader = await on(() => readLedger(own));
  const worker = expect.stringMatching(/^crawlhouse worker \(process \d+ on /);
  expect(await reader?.claimed()).toMatchObject([
    { unit: 'a/1', worker, phase: 'stage', received: 10, reported: 20 },
    { unit: 'a/2', worker, phase: 'download', received: 0, reported: null },
  ]);
  await plain.finishLocally();
  expire();
  expect(await reader?.claimed()).toEqual([]);
  await claimed(queue);
  await beat();
  expect([old.lost.reason, plain.lost.aborted]).toMatchObject([LOST, false]);
});

test('a claim whose heartbeats failed for 30 seconds is lost', async () => {
  const { offer, queue, claimed, beat, pass } = await scene();
  await offer([unit('a/1'), unit('a/2')]);
  const kept = await claimed(queue);
  pass(30);
  await beat();
  expect(kept.lost.aborted).toBe(false);
  pass(31);
  await beat();
  expect(kept.lost.reason).toMatchObject(LOST);
});

test('a server clock set back does not extend the claim of a dead process', async () => {
  const { offer, queue, claimed, pass, left } = await scene();
  await offer([unit('a/1')]);
  const claim = await claimed(queue);
  pass(-3600);
  expect([await queue.claim(WIDE), left('queue')]).toEqual([null, [30_000]]);
  await claim.finish();
});

test('a returned unit is free immediately; a unit that kills its processes fails', async () => {
  const { offer, queue, claimed, expire, offers, ledger, on } = await scene();
  await offer([unit('a/1')]);
  for (let given = 0; given < 9; given++) await (await claimed(queue))[Symbol.asyncDispose]();
  for (let lost = 0; lost < 5; lost++) {
    await claimed(queue);
    expire();
  }
  expect(await queue.claim(WIDE)).toBeNull();
  expect((await offers.entries('r1')).entries).toMatchObject([
    { status: 'failed', claim: null, error: { code: 'worker_lost' } },
  ]);
  expect(await queue.isIdle()).toBe(false);
  await on(() => ledger[Symbol.asyncDispose]());
  expect(await queue.isIdle()).toBe(true);
});

test('a claim that has ended is not given up', async () => {
  const { offer, queue, claimed, offers, beat } = await scene();
  await offer([unit('a/1'), unit('a/2')]);
  const [staged, local] = [await claimed(queue), await claimed(queue)];
  await staged.finish();
  await local.finishLocally();
  for (const claim of [staged, local]) {
    await claim[Symbol.asyncDispose]();
    await beat();
    expect(claim.lost.aborted).toBe(false);
  }
  expect((await offers.entries('r1')).entries).toMatchObject([{ unit: 'a/1', status: 'staged' }]);
  expect(await queue.claim(WIDE)).toBeNull();
});

test('a later run keeps staged and claimed units of the same work, and offers everything else again', async () => {
  const { offer, queue, claimed, offers } = await scene();
  const units = ['same', 'changed', 'fresh', 'loaded', 'open', 'failed', 'gone'].map((one) => unit(one));
  await offer(units);
  const claims = new Map<string, UnitClaim>();
  for (const _ of units) {
    const claim = await claimed(queue);
    claims.set(claim.unit, claim);
  }
  const of = (name: string): UnitClaim => claims.get(name) as UnitClaim;
  for (const name of ['same', 'changed', 'fresh', 'loaded', 'gone']) await of(name).finish();
  await of('failed').fail({ code: 'quota', message: 'none left', hint: null }, 2);
  expect((await offers.entries('r1')).entries.find(({ unit }) => unit === 'failed')).toMatchObject({
    error: { code: 'quota' },
    attempts: 2,
  });
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
  await expect(of('changed').finishLocally()).rejects.toMatchObject(LOST);
  await offers.setStatus('same', 'loaded');
  await offers.forgetLoaded();
  await offers.withdraw();
  const rest = (await offers.entries('r2')).entries.map((one) => one.unit);
  expect(rest).toEqual(['loaded', 'open', 'failed', 'new', 'changed', 'fresh']);
});

test('a unit published by a killed run is not offered again', async () => {
  const { ledger, offer, queue, claimed, offers } = await scene();
  const source = { kind: 'crawl', id: 'c1', project_id: 'p' } as const;
  const published = { dataset: 'crawl_pages', source, window: null };
  await ledger.discoverUnits([published]);
  await offer([unit(unitName(published))]);
  await (await claimed(queue)).finish();
  await offers.setStatus(unitName(published), 'loaded');
  await ledger.setUnit(published, 'published', 1, null);
  expect((await offers.claims()).size).toBe(1);
  await offer([], 'r2');
  expect(await offers.claims()).toEqual(new Set());
});

test('the claims of a former run are free immediately for the next one', async () => {
  const { offer, queue, machine, claimed } = await scene();
  await offer([unit('a/1'), unit('a/2')]);
  const [old, kept] = [await claimed(await machine('run')), await claimed(queue)];
  await offer([unit('a/1'), unit('a/2')], 'r2');
  expect([(await claimed(queue)).unit, await queue.claim(WIDE)]).toEqual(['a/1', null]);
  await expect(old.finishLocally()).rejects.toMatchObject(LOST);
  await kept.finish();
});

test('a run without its lease offers nothing, and units of another version stay', async () => {
  const { offer, queue, claimed, offers, change } = await scene();
  await offers.offer('r1', [unit('a/1')], '0.0.0-other');
  expect([await queue.claim(WIDE), await queue.id(), queue.otherVersion]).toEqual([
    null,
    await offers.id(),
    '0.0.0-other',
  ]);
  await offer([unit('a/1'), unit('a/2')]);
  expect([(await claimed(queue)).unit, queue.otherVersion]).toEqual(['a/1', null]);
  change('UPDATE leases SET token = token + 1');
  await expect(offer([unit('a/2')])).rejects.toMatchObject(LOST);
  await expect(offers.setStatus('a/1', 'done')).rejects.toMatchObject(LOST);
});
