import { basename } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { silentLogger } from '../../../../../src/core/logs/logger.ts';
import { postgresAddress } from '../../../../../src/core/net/postgres-address.ts';
import type { Unit } from '../../../../../src/etl/project/model/unit.ts';
import type { Ledger } from '../../../../../src/etl/state/ledger/ledger.ts';
import {
  type LedgerSettings,
  openLedger,
  readLedger,
} from '../../../../../src/etl/state/ledger/open-ledger.ts';
import { openUnitQueue } from '../../../../../src/etl/state/ledger/open-unit-queue.ts';
import { postgresPart } from '../../../../../src/etl/state/ledger/postgres/postgres-part.ts';
import { SHARED_LEDGER_VERSION } from '../../../../../src/etl/state/ledger/postgres/postgres-schema.ts';
import { sharedSlots } from '../../../../../src/etl/state/ledger/shared-slots.ts';
import { takeSchedulerLease } from '../../../../../src/etl/state/ledger/take-scheduler-lease.ts';
import { ledgerContract } from '../ledger-contract.ts';
import { modelServer } from './model-server.ts';

const { signal } = new AbortController();
const UNIT: Unit = {
  dataset: 'crawl_pages',
  source: { kind: 'crawl', id: 'c1', project_id: 'p' },
  window: null,
};
const LOST = { code: 'lease_lost', exitCode: 3 };
type Server = Awaited<ReturnType<typeof modelServer>>;

// With a real server: test/integration/shared-ledger.test.ts.
const servers = new Map<string, Promise<Server>>();
const serverOf = (folder: string): Promise<Server> => {
  const server = servers.get(folder) ?? modelServer();
  servers.set(folder, server);
  return server;
};
const inFolder = (folder: string): LedgerSettings => ({
  state_dir: folder,
  projectDir: folder,
  ledger: `postgres://u:p@server/ledgers?project=${basename(folder)}&sslmode=disable`,
});
ledgerContract('a model of PostgreSQL', {
  open: async (folder) =>
    (await serverOf(folder)).on(() => openLedger(inFolder(folder), 'run', silentLogger, signal)),
  read: async (folder) => (await serverOf(folder)).on(() => readLedger(inFolder(folder))),
});

async function scene() {
  const server = await modelServer();
  const [here, there] = [await server.settings('shop'), await server.settings('shop')];
  return {
    ...server,
    here,
    there,
    open: async (settings: LedgerSettings): Promise<Ledger> => {
      const ledger = await server.on(() => openLedger(settings, 'run', silentLogger, signal));
      onTestFinished(() => server.on(() => ledger[Symbol.asyncDispose]()));
      return ledger;
    },
  };
}

test('one process writes to a project; a live one is named, a dead one is succeeded', async () => {
  const { here, there, open, server, on, pass, beat, whileAsleep } = await scene();
  const held = await open(here);
  await held.discoverUnits([UNIT]);
  await held.startRun('r1', 'run', '2026-11-21T01:00:00.000Z');
  expect(await held.runs()).toMatchObject([{ run_id: 'r1', status: 'running' }]);
  whileAsleep(beat);
  const message = expect.stringMatching(
    /^the project shop of the ledger is in use by crawlhouse run \(process \d+ on /,
  );
  await expect(open(there)).rejects.toMatchObject({ code: 'locked', message });
  whileAsleep(async () => {});
  const before = server.now;
  const successor = await open(there);
  expect(server.now - before).toBeGreaterThanOrEqual(29_000);
  expect(server.now - before).toBeLessThanOrEqual(31_000);
  await expect(held.setUnit(UNIT, 'requested', 1, null)).rejects.toMatchObject(LOST);
  expect([held.lost.reason, successor.lost.aborted]).toMatchObject([LOST, false]);
  expect(await successor.units()).toMatchObject([{ unit: 'crawl_pages/c1', status: 'discovered' }]);
  expect(await successor.runs()).toMatchObject([{ run_id: 'r1', status: 'killed' }]);
  pass(60);
  await beat();
  expect(successor.lost.aborted).toBe(false);
  await on(() => held[Symbol.asyncDispose]());
  await successor.setUnit(UNIT, 'requested', 1, null);
});

test('a process that ended, and one that died on the same machine, are not awaited', async () => {
  const { here, there, open, server, on } = await scene();
  const { now } = server;
  const dead = await open(here);
  const next = await open(here);
  await expect(dead.discoverUnits([UNIT])).rejects.toMatchObject(LOST);
  await next.discoverUnits([UNIT]);
  await on(() => next[Symbol.asyncDispose]());
  await open(there);
  expect(server.now).toBe(now);
});

test('a heartbeat finds a lost lease, and keeps one that is not', async () => {
  const { here, open, pass, beat, left } = await scene();
  const held = await open(here);
  expect(left('leases')).toEqual([30_000]);
  pass(10);
  await beat();
  expect(left('leases')).toEqual([30_000]);
  await open(here);
  await beat();
  expect(held.lost.reason).toMatchObject(LOST);
});

test('a server clock set back does not extend the lease of a dead holder', async () => {
  const { here, there, open, pass, left, server } = await scene();
  await open(here);
  pass(-3600);
  const before = server.now;
  await open(there);
  expect(server.now - before).toBeLessThanOrEqual(31_000);
  expect(left('leases')).toEqual([30_000]);
});

test('a reader writes nothing, and a missing ledger is reported as none', async () => {
  const { here, there, open, on } = await scene();
  const address = postgresAddress(here.ledger ?? '', '.');
  expect([await on(() => readLedger(here)), await on(() => postgresPart.hasTables(address))]).toEqual([
    undefined,
    false,
  ]);
  const ledger = await open(here);
  await ledger.discoverUnits([UNIT]);
  expect(await on(() => postgresPart.hasTables(address))).toBe(true);
  const reader = await on(() => readLedger(there));
  expect([reader?.offers, (await reader?.units())?.length, await reader?.claimed()]).toEqual([null, 1, []]);
  await expect(reader?.discoverUnits([UNIT])).rejects.toThrow('a reader of the ledger does not write');
  await reader?.check();
  await reader?.[Symbol.asyncDispose]();
});

test('a ledger of a newer version is refused by writers and readers, also by those that have it open', async () => {
  const { here, there, open, change, on } = await scene();
  const ledger = await open(here);
  await ledger.check();
  change(`UPDATE version SET version = ${SHARED_LEDGER_VERSION + 1}`);
  const newer = { code: 'newer_version' };
  await expect(ledger.check()).rejects.toMatchObject(newer);
  await expect(open(there)).rejects.toMatchObject(newer);
  await expect(on(() => readLedger(there))).rejects.toMatchObject(newer);
});

test.for([
  ['postgres statement', 'connection lost'],
  ['postgres commit', 'connection lost'],
  ['postgres commit', 'commit lost'],
  ['postgres commit', 'commit answer lost'],
] as const)('a transition whose %s has the fault %s is done once', async ([kind, fault]) => {
  const { here, open, faults, on } = await scene();
  const ledger = await open(here);
  await ledger.discoverUnits([UNIT]);
  await ledger.setUnit(UNIT, 'staged', 1, null);
  // `loaded` may not follow `loaded`, so a second transition would be refused.
  for (const state of ['loaded', 'published'] as const) {
    faults.push([kind, fault]);
    await on(() => ledger.setUnit(UNIT, state, 1, null));
  }
  expect([faults, await ledger.units(), ledger.lost.aborted]).toMatchObject([
    [],
    [{ status: 'published' }],
    false,
  ]);
});

test('a server that stays away for 90 seconds ends the run', async () => {
  const { here, open, server, on } = await scene();
  const ledger = await open(here);
  const before = server.world.now;
  server.awayUntil = before + 80_000;
  await on(() => ledger.discoverUnits([UNIT]));
  server.awayUntil = Number.POSITIVE_INFINITY;
  const away = {
    code: 'ledger_unavailable',
    message: expect.stringContaining('the ledger at server:5432/ledgers'),
  };
  await expect(on(() => ledger.discoverUnits([UNIT]))).rejects.toMatchObject(away);
  expect(ledger.lost.reason).toMatchObject(away);
  server.awayUntil = 0;
});

test("one scheduler runs a project's schedules; its successor knows the past firings", async () => {
  const { here, there, on, server } = await scene();
  const first = await on(() => takeSchedulerLease(here, undefined, signal));
  expect(await first?.readState()).toBeNull();
  await first?.writeState('{"evening":1}');
  await first?.writeState('{"morning":1}');
  await expect(on(() => takeSchedulerLease(there, undefined, signal))).rejects.toMatchObject({
    code: 'locked',
    message: expect.stringMatching(/^the schedules of shop are run by crawlhouse schedule \(process /),
  });
  const waits: string[] = [];
  const before = server.now;
  const second = await on(() => takeSchedulerLease(there, (holder) => void waits.push(holder), signal));
  expect([waits.length, server.now - before]).toEqual([1, 30_000]);
  expect(await second?.readState()).toBe('{"morning":1}');
  await expect(first?.writeState('{}')).rejects.toMatchObject(LOST);
  expect([first?.lost.reason, second?.lost.aborted]).toMatchObject([LOST, false]);
  await on(() => first?.[Symbol.asyncDispose]());
  await on(() => second?.[Symbol.asyncDispose]());
  const third = await on(() => takeSchedulerLease(here, (holder) => void waits.push(holder), signal));
  expect([waits.length, await third?.readState()]).toEqual([1, '{"morning":1}']);
  await on(() => third?.[Symbol.asyncDispose]());
});

test('a ledger in the state directory needs no lease of the scheduler, no request slots and no queue', async () => {
  const own = { ...(await scene()).here, ledger: undefined };
  expect(await takeSchedulerLease(own, undefined, signal)).toBeUndefined();
  expect(await openUnitQueue(own, 'worker', signal)).toBeUndefined();
  expect([sharedSlots(own, 'a'), await readLedger(own)]).toEqual([undefined, undefined]);
});
