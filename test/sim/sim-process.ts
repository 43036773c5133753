import type { DatabaseSync } from 'node:sqlite';
import type { Pool } from 'pg';
import { type Host, type Timer, withHost } from '../../src/core/host/host.ts';
import { LocalStore } from '../support/local-store.ts';
import type { Decision } from './decisions.ts';
import { errno } from './disk.ts';
import { BUCKET, type Machine } from './machine.ts';
import { type Network, networkOf } from './network.ts';
import { simFiles } from './sim-files.ts';
import { openSimSqlite } from './sim-sqlite.ts';
import type { World } from './world.ts';

/** Ends the synchronous work of a process that is dead. */
export class Death extends Error {
  override readonly name = 'Death';
}

/** A lease passes after 30 seconds. */
const SHORTEST_PAUSE_MS = 5_000;
const LONGEST_PAUSE_MS = 60_000;
const LONGEST_FULL_MS = 60_000;

/** A simulated process: a host of its own, which dies. */
export class SimProcess implements Host {
  readonly name: string;
  readonly machine: Machine;
  readonly world: World;
  readonly pid: number;
  readonly hostname: string;
  readonly files: Host['files'];
  readonly http: NonNullable<Host['http']>;
  readonly postgres: () => Pool;
  readonly bucket: NonNullable<Host['bucket']>;
  /** Called once, when it dies or ends. */
  readonly onEnd: (() => void)[] = [];
  isAlive = true;
  /** How often it stood still. */
  pauses = 0;
  #pausedUntil = 0;

  constructor(name: string, machine: Machine, network: Network) {
    this.world = machine.world;
    this.machine = machine;
    this.pid = machine.begin(this);
    this.name = `${name} ${this.pid}@${machine.name}`;
    this.hostname = machine.name;
    this.files = simFiles(this);
    const { http, postgres } = networkOf(this, network);
    this.http = http;
    this.postgres = postgres;
    // A bucket is a folder that all machines have.
    this.bucket = async <Store>({ bucket }: { readonly bucket: string }) =>
      new LocalStore({ folder: `${BUCKET}/${bucket}` }) as Store;
  }

  readonly processScope = (): string => `${this.machine.name}-${this.machine.boots}`;
  readonly processStart = (pid: number): string | null => {
    const isThere = [...this.machine.processes].some((one) => one.pid === pid);
    return isThere ? (this.machine.started.get(pid) ?? null) : null;
  };
  readonly now = (): number => Math.floor(this.world.now);
  readonly monotonic = (): number => this.world.age;
  readonly random = (): number => this.world.random();
  readonly sqlite = (path: string): DatabaseSync => openSimSqlite(this, path);

  uuid(): string {
    const digits = Array.from({ length: 4 }, () =>
      Math.floor(this.world.random() * 2 ** 32)
        .toString(16)
        .padStart(8, '0'),
    ).join('');
    return `${digits.slice(0, 8)}-${digits.slice(8, 12)}-4${digits.slice(13, 16)}-a${digits.slice(17, 20)}-${digits.slice(20)}`;
  }

  readonly sleep = (ms: number, signal?: AbortSignal): Promise<void> =>
    new Promise((resolve, reject) => {
      const abort = (): void => {
        stop();
        if (this.isAlive)
          reject(Object.assign(new Error('aborted', { cause: signal?.reason }), { name: 'AbortError' }));
      };
      const stop = this.#later('sleep', ms, () => {
        signal?.removeEventListener('abort', abort);
        resolve();
      });
      if (signal?.aborted) abort();
      else signal?.addEventListener('abort', abort, { once: true });
    });

  after(ms: number, work: () => void): Timer {
    let stop = this.#later('timer', ms, work);
    return {
      refresh: () => {
        stop();
        stop = this.#later('timer', ms, work);
      },
      [Symbol.dispose]: () => stop(),
    };
  }

  every(ms: number, work: () => void): Disposable {
    let stop = (): void => {};
    const again = (): void => {
      stop = this.#later('timer', ms, () => {
        again();
        work();
      });
    };
    again();
    return { [Symbol.dispose]: () => stop() };
  }

  /**
   * An operation that takes time. It never ends for a process that is dead by then, and waits for one that stands still.
   *
   * @param kind from the broad to the narrow
   * @param effect with the fault that it may have to show
   */
  operate<T>(kind: string, what: string, ms: number, effect: (fault?: Decision) => T): Promise<T> {
    const fault = this.#met(kind, what);
    if (!this.isAlive) return new Promise(() => {});
    return new Promise((resolve, reject) => {
      this.#wait(ms, () => {
        let done: () => void;
        try {
          if (fault?.fault === 'input/output error') throw errno('EIO', kind, what);
          const value = effect(fault);
          done = () => resolve(value);
        } catch (error) {
          done = () => reject(error);
        }
        if (this.world.trace) this.world.say(`${this.name}: ${kind} ${what}`);
        if (this.#diesAfter(fault)) return;
        done();
      });
    });
  }

  /** The same for one that the process waits for. */
  operateNow<T>(kind: string, what: string, effect: () => T): T {
    const fault = this.#met(kind, what);
    this.refuseDead();
    if (fault?.fault === 'input/output error') throw errno('EIO', kind, what);
    const value = effect();
    if (this.world.trace) this.world.say(`${this.name}: ${kind} ${what}`);
    if (this.#diesAfter(fault)) throw new Death(this.name);
    return value;
  }

  refuseDead(): void {
    if (!this.isAlive) throw new Death(this.name);
  }

  die(why: string): void {
    if (!this.isAlive) return;
    this.world.say(`${this.name}: ends (${why})`);
    this.isAlive = false;
    this.machine.processes.delete(this);
    for (const [path, holder] of [...this.machine.locks])
      if (holder === this) this.machine.locks.delete(path);
    for (const end of this.onEnd.splice(0)) end();
  }

  #met(kind: string, what: string): Decision | undefined {
    if (!this.isAlive) return undefined;
    const { world, machine } = this;
    const fault = world.fault(kind, `${this.name} ${what}`);
    if (fault === undefined) return undefined;
    if (fault.fault === 'kill') this.die('killed');
    if (fault.fault === 'crash') machine.crash();
    if (fault.fault === 'pause') {
      this.pauses++;
      this.#pausedUntil =
        world.now + SHORTEST_PAUSE_MS + fault.amount * (LONGEST_PAUSE_MS - SHORTEST_PAUSE_MS);
    }
    if (fault.fault === 'full' || fault.fault === 'short')
      machine.disk.fullUntil = world.now + 1000 + fault.amount * LONGEST_FULL_MS;
    return fault;
  }

  #diesAfter(fault: Decision | undefined): boolean {
    if (fault?.fault === 'kill after') this.die('killed');
    if (fault?.fault === 'crash after') this.machine.crash();
    return !this.isAlive;
  }

  /** Calls `work` after a time, unless the process is dead by then. */
  #wait(ms: number, work: () => void): () => void {
    let stop = (): void => {};
    const run = (): void => {
      if (!this.isAlive) return;
      if (this.#pausedUntil > this.world.now)
        stop = this.world.after(this.#pausedUntil - this.world.now, run);
      else work();
    };
    stop = this.world.after(ms, run);
    return () => stop();
  }

  #later(kind: string, ms: number, work: () => void): () => void {
    this.#met(kind, '');
    if (!this.isAlive) return () => {};
    // What a timer calls is this process's work too.
    return this.#wait(ms, () => withHost(this, work));
  }
}
