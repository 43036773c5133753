import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { host, withHost } from '../../../../../src/core/host/host.ts';
import type { LedgerSettings } from '../../../../../src/etl/state/ledger/open-ledger.ts';
import type { Decision } from '../../../../sim/decisions.ts';
import { networkOf } from '../../../../sim/network.ts';
import { SimPostgres } from '../../../../sim/sim-postgres.ts';
import type { SimProcess } from '../../../../sim/sim-process.ts';
import type { World } from '../../../../sim/world.ts';
import { seededRandom } from '../../../../support/random.ts';
import { temporaryFolder } from '../../../../support/temporary.ts';

/** A server of shared ledgers as the model of `test/sim`. A test moves its clock, so nothing waits. */
export async function modelServer() {
  const random = seededRandom(1);
  const world = {
    now: Date.parse('2026-11-23T10:00:00Z'),
    trace: null,
    random,
    below: (most: number) => Math.floor(random() * most),
    after: () => () => {},
  };
  const server = new SimPostgres(
    world as unknown as World,
    join(await temporaryFolder(), 'sqlite'),
    () => {},
  );
  onTestFinished(() => server[Symbol.dispose]());
  const beats = new Set<() => void>();
  const faults: (readonly [kind: string, fault: Decision['fault']])[] = [];
  const beat = async (): Promise<void> => {
    for (const work of [...beats]) withHost(machine, work);
    await new Promise((resolve) => setImmediate(resolve));
  };
  let sleeping = async (): Promise<void> => {};
  const process = {
    onEnd: [],
    after: (_ms: number, work: () => void) => work(),
    async operate(kind: string, _what: string, _ms: number, effect: (fault?: Decision) => unknown) {
      const index = faults.findIndex(([of]) => of === kind);
      const [fault] = index < 0 ? [] : faults.splice(index, 1);
      return effect(fault && ({ fault: fault[1], amount: 0 } as Decision));
    },
  } as unknown as SimProcess;
  const { postgres } = networkOf(process, { postgres: server } as never);
  const machine = {
    ...host(),
    now: () => world.now,
    monotonic: () => world.now,
    postgres,
    async sleep(ms: number, signal?: AbortSignal) {
      signal?.throwIfAborted();
      world.now += ms;
      await sleeping();
    },
    every(_ms: number, work: () => void) {
      beats.add(work);
      return { [Symbol.dispose]: () => void beats.delete(work) };
    },
  };
  return {
    server,
    /** The next operations of a kind have these faults. */
    faults,
    /** Settings of a new machine. */
    async settings(project: string): Promise<LedgerSettings> {
      const folder = await temporaryFolder();
      const ledger = `postgres://u:p@server/ledgers?project=${project}&sslmode=disable`;
      return { state_dir: folder, projectDir: folder, ledger };
    },
    on: <T>(work: () => T): T => withHost(machine, work),
    pass(seconds: number): void {
      world.now += seconds * 1000;
    },
    /** Every holder sends its heartbeat. */
    beat,
    /** Called after each sleep of a machine. */
    whileAsleep(work: () => Promise<void>): void {
      sleeping = work;
    },
    /** The end of each lease or claim, from now, in milliseconds. */
    left: (table: 'leases' | 'queue'): number[] =>
      server
        .committed<{ until: string }>(`SELECT until FROM ${table}`)
        .map(({ until }) => Date.parse(until) - server.now),
    change: (sql: string): unknown => server.write(sql, [], process),
  };
}
