import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { CrawlhouseError } from '../../src/core/errors/errors.ts';
import { withHost } from '../../src/core/host/host.ts';
import { readLedger } from '../../src/etl/state/ledger/open-ledger.ts';
import { type Decision, decide } from './decisions.ts';
import { Disk } from './disk.ts';
import { watchFences } from './fence-oracle.ts';
import { holdEnd } from './hold-end.ts';
import { BUCKET, Machine } from './machine.ts';
import type { Network } from './network.ts';
import { Oracle, Violation } from './oracle.ts';
import { watchedRun } from './run-program.ts';
import { scheduleProgram } from './schedule-program.ts';
import { type LoggedStatement, SimPostgres } from './sim-postgres.ts';
import { Death, SimProcess } from './sim-process.ts';
import { SimService } from './sim-service.ts';
import { placeOf } from './sim-warehouse.ts';
import { FOLDER, STATE, simLogger, simSettings, WAREHOUSE } from './site.ts';
import { workerProgram } from './worker-program.ts';
import { type Happened, World } from './world.ts';

/** Milliseconds of a life in which faults happen, and after which nothing is begun any more. */
const ROUGH_MS = 210_000;
const SERVED_MS = 270_000;
/** Runs that the end may take: a data export may fail at any time. */
const LAST_RUNS = 8;
const MEMORY = '/dev/shm';

export interface LifeResult {
  readonly seed: number;
  readonly violation: Violation | null;
  readonly happened: readonly Happened[];
  readonly operations: number;
  readonly events: number;
  /** What there was: `shared ledger`, `standby`. */
  readonly kinds: readonly string[];
  readonly trace: readonly string[] | null;
  /** What PostgreSQL was asked. */
  readonly statements: readonly LoggedStatement[] | null;
}

interface LifeOptions {
  /** The faults; absent: those of the seed. */
  readonly decisions?: readonly Decision[];
  readonly trace?: boolean;
  readonly statements?: boolean;
}

type Program = (process: SimProcess, signal: AbortSignal) => Promise<unknown>;

/** Lives a life: everything in it follows from the seed and the faults. */
export async function live(seed: number, options: LifeOptions = {}): Promise<LifeResult> {
  const folder = mkdtempSync(join(existsSync(MEMORY) ? MEMORY : tmpdir(), 'crawlhouse-sim-'));
  const world = new World(seed, options.decisions ?? decide(seed), options.trace ?? false);
  const oracle = new Oracle(world);
  let life: Life | undefined;
  try {
    life = new Life(world, oracle, folder);
    if (options.statements) life.postgres.log = [];
    await life.run();
  } catch (error) {
    if (oracle.violation === null) oracle.fail('no internal error', String((error as Error).stack));
  } finally {
    life?.[Symbol.dispose]();
    rmSync(folder, { recursive: true, force: true });
  }
  const { violation } = oracle;
  const { happened, operations, events, trace } = world;
  return {
    seed,
    violation,
    happened,
    operations,
    events,
    trace,
    kinds: life?.kinds ?? [],
    statements: life?.postgres.log ?? null,
  };
}

class Life implements Disposable {
  readonly kinds: string[] = [];
  readonly #world: World;
  readonly #oracle: Oracle;
  readonly #network: Network;
  readonly #machines: readonly [Machine, Machine, Machine];
  readonly #bucket: Disk;
  readonly #isShared: boolean;
  /** What machine b has besides workers: its own project folder and warehouse, with the same ledger. */
  readonly #second: 'standby' | 'runs' | null;
  /** Machines on which a person has started a run. */
  readonly #byHand = new Set<Machine>();
  readonly #under = new Map<SimProcess, AbortController>();

  constructor(world: World, oracle: Oracle, folder: string) {
    this.#world = world;
    this.#oracle = oracle;
    this.#bucket = new Disk(world);
    for (const name of ['exports', 'packages']) this.#bucket.makeFolder(`${BUCKET}/${name}`, true);
    const postgres: SimPostgres = new SimPostgres(
      world,
      join(folder, 'postgres.sqlite'),
      watchFences(oracle, () => postgres),
    );
    this.#network = { postgres, service: new SimService(world, this.#bucket, oracle) };
    const machine = (name: string): Machine => new Machine(name, world, this.#bucket, folder);
    this.#machines = [machine('a'), machine('b'), machine('c')];
    for (const { disk } of this.#machines) disk.makeFolder(FOLDER, true);
    this.#isShared = world.random() < 0.5;
    const chance = world.random();
    this.#second = !this.#isShared || chance > 0.5 ? null : chance < 0.14 ? 'standby' : 'runs';
    if (this.#isShared) this.kinds.push('shared ledger');
    if (this.#second) this.kinds.push(`second machine: ${this.#second}`);
  }

  async run(): Promise<void> {
    const world = this.#world;
    const [a, b, c] = this.#machines;
    this.#keep('schedule', a, (process, signal) => scheduleProgram(this.#given(process), signal));
    if (this.#second === 'standby')
      this.#keep('schedule', b, (process, signal) => scheduleProgram(this.#given(process), signal));
    if (this.#second === 'runs')
      this.#keep('run', b, (process, signal) => this.#runByHand(process, signal), 40_000);
    const workers = this.#isShared ? [b, ...(world.random() < 0.4 ? [c] : [])] : [];
    for (const one of workers) this.#keep('worker', one, this.#worker, 20_000);
    this.#keep('run', a, (process, signal) => this.#runByHand(process, signal), 120_000);
    this.#keep('status', a, (process) => this.#status(process), 60_000);
    this.#look();
    world.after(ROUGH_MS, () => this.#calm());
    await this.#until(() => world.age > SERVED_MS);
    this.#oracle.runsHaveEnded(ROUGH_MS);
    for (const controller of this.#under.values()) controller.abort(interrupted());
    const stop = world.age + 60_000;
    world.after(60_000, () => {});
    await this.#until(() => this.#under.size === 0 || world.age >= stop);
    for (const process of [...this.#under.keys()]) process.die('at the end');
    for (const machine of this.#homes()) {
      await this.#lastRuns(machine);
      if (this.#oracle.violation) return;
    }
    await this.#hold();
  }

  get postgres(): SimPostgres {
    return this.#network.postgres;
  }

  #given(process: SimProcess) {
    const settings = simSettings(this.#isShared);
    return { process, oracle: this.#oracle, settings, logger: simLogger(process) };
  }

  readonly #worker: Program = (process, signal) =>
    workerProgram(simSettings(true), simLogger(process), signal);

  #runByHand(process: SimProcess, signal: AbortSignal): Promise<unknown> {
    this.#byHand.add(process.machine);
    const command = this.#world.random() < 0.3 ? 'backfill' : 'run';
    return watchedRun({ ...this.#given(process), command, scope: 'run', isLast: true }, signal);
  }

  async #status(process: SimProcess): Promise<void> {
    await using ledger = await readLedger(this.#given(process).settings);
    await ledger?.units();
    await ledger?.runs();
  }

  async #lastRuns(machine: Machine): Promise<void> {
    for (let number = 1; ; number++) {
      let said = 'it has no result';
      let isDone = false;
      const process = this.#start('run', machine, async (own, signal) => {
        const result = await watchedRun(
          { ...this.#given(own), command: 'run', scope: 'often', isLast: true },
          signal,
        );
        said = result.errors.map(({ code, message }) => `${code}: ${message}`).join('; ');
        isDone = result.exitCode === 0;
      });
      await this.#until(() => !process.isAlive);
      if (this.#byHand.has(machine)) {
        // An open incident that only a run by hand may end.
        const byHand = this.#start('run', machine, (own, signal) => this.#runByHand(own, signal));
        await this.#until(() => !byHand.isAlive);
      }
      if (isDone || this.#oracle.violation) return;
      if (number < LAST_RUNS) continue;
      this.#oracle.fail(
        'no lost unit',
        `on ${machine.name}, run ${number} without a fault ends with: ${said}`,
      );
      return;
    }
  }

  async #hold(): Promise<void> {
    for (const machine of this.#homes()) {
      const process = this.#start('oracle', machine, (own) =>
        holdEnd({
          ...this.#given(own),
          service: this.#network.service,
          bucket: this.#bucket,
          server: this.#network.postgres,
        }),
      );
      await this.#until(() => !process.isAlive);
    }
  }

  /** Machines with a warehouse. */
  #homes(): readonly Machine[] {
    const [a, b] = this.#machines;
    return b.disk.files.has(WAREHOUSE) || b.disk.files.has(`${STATE}/lock.sqlite`) ? [a, b] : [a];
  }

  /** A process of this kind is there all the time, but for the time until it is started again. */
  #keep(name: string, machine: Machine, program: Program, pauseMs = 5_000): void {
    const again = (): void => {
      const wait = this.#world.random() * pauseMs * 2;
      this.#world.after(wait, () => {
        if (this.#world.age > SERVED_MS) return;
        this.#start(name, machine, program).onEnd.push(again);
      });
    };
    again();
  }

  #start(name: string, machine: Machine, program: Program): SimProcess {
    const process = new SimProcess(name, machine, this.#network);
    const controller = new AbortController();
    this.#under.set(process, controller);
    process.onEnd.push(() => this.#under.delete(process));
    this.#world.say(`${process.name}: begins`);
    const end = (thrown: unknown): void => {
      if (!process.isAlive) return;
      if (thrown instanceof Violation || (thrown !== undefined && isFault(thrown)))
        this.#oracle.fail('no internal error', `${process.name}: ${(thrown as Error).stack}`);
      process.die(thrown instanceof Error ? `${thrown.name}: ${thrown.message}` : 'done');
    };
    withHost(process, () => program(process, controller.signal)).then(() => end(undefined), end);
    return process;
  }

  /** Readers look again and again. */
  #look(): void {
    const seen = new Map<string, Buffer | undefined>();
    const look = (): void => {
      for (const { name, disk } of this.#machines) {
        const data = disk.files.get(WAREHOUSE)?.data;
        const place = placeOf(name, WAREHOUSE);
        if (seen.has(place) && seen.get(place) === data) continue;
        seen.set(place, data);
        this.#oracle.reads(place, data?.toString() ?? null);
      }
      this.#world.after(3000, look);
    };
    look();
  }

  #calm(): void {
    this.#world.say('no fault happens from here on');
    this.#world.calm();
    const { postgres, service } = this.#network;
    postgres.awayUntil = 0;
    service.awayUntil = 0;
    for (const { disk } of this.#machines) disk.fullUntil = 0;
  }

  #until(isDone: () => boolean): Promise<void> {
    return this.#world.run(() => {
      this.#oracle.hasForgotten ||= this.#machines.some(({ hasForgotten }) => hasForgotten);
      return this.#oracle.violation !== null || isDone();
    });
  }

  [Symbol.dispose](): void {
    for (const process of [...this.#under.keys()]) process.die('over');
    this.#network.postgres[Symbol.dispose]();
    for (const machine of this.#machines) machine.close();
  }
}

function interrupted(): CrawlhouseError {
  return new CrawlhouseError('interrupted', 'interrupted by a signal');
}

/** Whether an error is no refusal in words. */
function isFault(thrown: unknown): boolean {
  if (thrown instanceof Death) return false;
  if (thrown instanceof CrawlhouseError) return thrown.code === 'internal';
  const { code, errcode, name } = thrown as { code?: unknown; errcode?: unknown; name?: unknown };
  return code === undefined && errcode === undefined && name !== 'AbortError';
}
