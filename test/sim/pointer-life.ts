import { CrawlhouseError } from '../../src/core/errors/errors.ts';
import { host, withHost } from '../../src/core/host/host.ts';
import { RelationNames } from '../../src/etl/engines/trino/client/relation-names.ts';
import { PointerTable } from '../../src/etl/engines/trino/rows/pointer-table.ts';
import { vacuumRows } from '../../src/etl/engines/trino/rows/vacuum-rows.ts';
import { seededRandom } from '../support/random.ts';
import type { Decision, Fault } from './decisions.ts';
import { Disk } from './disk.ts';
import { Machine } from './machine.ts';
import type { Network } from './network.ts';
import { Oracle, type Violation } from './oracle.ts';
import { SimProcess } from './sim-process.ts';
import { type LoggedTrino, SimTrino, trinoClient } from './sim-trino.ts';
import { type Happened, World } from './world.ts';

const UNITS = ['a', 'b', "c'd"];
const PAGES = 'raw.pages';
const LOCATION = 'location';
const NAMES = new RelationNames('');
/** Milliseconds in which writers begin again and again, and after which nothing goes wrong. */
const ROUGH_MS = 12_000;
const LONGEST_LIFE_MS = 300_000;
const MOST_ROUNDS = 3;
/** Faults that a writer in Trino may meet, and the operations of a life. */
const FAULTS: readonly Fault[] = ['kill', 'kill after', 'pause', 'commit answer lost'];
const MOST_FAULTS = 6;
const SPAN = 350;

interface PointerLife {
  readonly seed: number;
  readonly violation: Violation | null;
  readonly happened: readonly Happened[];
  readonly statements: readonly LoggedTrino[];
  readonly trace: readonly string[] | null;
}

interface PointerOptions {
  /** Writers at once; one of them has no faults. */
  readonly writers?: number;
  readonly trace?: boolean;
}

/**
 * Several writers of one warehouse in Trino, without a shared ledger: they take tokens, write, point, publish and tidy. The
 * product's own statements are run (`PointerTable`, `vacuumRows`).
 */
export async function livePointers(seed: number, options: PointerOptions = {}): Promise<PointerLife> {
  const { writers = 3, trace = false } = options;
  const world = new World(seed, writers === 1 ? [] : decidePointers(seed), trace);
  const oracle = new Oracle(world);
  using server = new SimTrino(world);
  server.isRough = writers > 1;
  const life = new Life(world, oracle, server);
  try {
    await life.run(writers);
  } catch (error) {
    if (oracle.violation === null) oracle.fail('no internal error', String((error as Error).stack));
  }
  const { violation } = oracle;
  return { seed, violation, happened: world.happened, statements: server.log, trace: world.trace };
}

function decidePointers(seed: number): Decision[] {
  const random = seededRandom(seed ^ 0x7121);
  return Array.from({ length: Math.floor(random() * MOST_FAULTS) }, () => ({
    at: Math.floor(random() * SPAN),
    fault: FAULTS[Math.floor(random() * FAULTS.length)] as Fault,
    amount: random(),
    step: random() < 0.5 ? 'commit' : '',
  })).sort((one, other) => one.at - other.at);
}

/** The loads of the units: what a publication shows. */
type Shown = ReadonlyMap<string, string>;

class Life {
  readonly #world: World;
  readonly #oracle: Oracle;
  readonly #server: SimTrino;
  readonly #machine: Machine;
  readonly #tokens = new Map<bigint, SimProcess>();
  /** In the order in which writers were about to publish them. */
  readonly #publications: { readonly token: bigint; readonly shown: Shown; isFinished: boolean }[] = [];
  #settled: string | null = null;
  #load = 0;

  constructor(world: World, oracle: Oracle, server: SimTrino) {
    this.#world = world;
    this.#oracle = oracle;
    this.#server = server;
    this.#machine = new Machine('a', world, new Disk(world), '');
    for (const table of [NAMES.visible, NAMES.candidate])
      server.execute(
        `CREATE TABLE ${plain(table)} (token INTEGER, seq INTEGER, relation TEXT, unit TEXT, load_id TEXT)`,
      );
    server.execute(`CREATE TABLE ${plain(NAMES.stored(PAGES))} (_unit TEXT, _load_id TEXT)`);
    server.onCommit = (table, inserted, when) => {
      if (when === 'after') this.#look();
      else if (table === plain(NAMES.visible)) this.#fence(inserted);
    };
  }

  async run(writers: number): Promise<void> {
    const world = this.#world;
    let under = 0;
    const keep = (): void => {
      if (world.age >= ROUGH_MS) return;
      under++;
      this.#start(() => {
        under--;
        world.after(world.random() * 2000, keep);
      });
    };
    for (let count = 0; count < writers; count++) world.after(world.random() * 500, keep);
    world.after(ROUGH_MS, () => {
      world.calm();
      this.#server.isRough = false;
    });
    const isOver = (): boolean => this.#oracle.violation !== null || world.age > LONGEST_LIFE_MS;
    await world.run(() => isOver() || (world.age >= ROUGH_MS && under === 0));
    if (this.#oracle.violation) return;
    this.#oracle.hold('no internal error', under === 0, 'a writer does not end');
    const last = this.#start(() => {});
    await world.run(() => isOver() || !last.isAlive);
    const [shown] = this.#publications.slice(-1);
    this.#oracle.hold(
      'no lost unit',
      shown?.isFinished === true,
      'the last writer, alone, has not published',
    );
  }

  #start(onEnd: () => void): SimProcess {
    const process = new SimProcess('writer', this.#machine, {} as Network);
    process.onEnd.push(onEnd);
    this.#world.say(`${process.name}: begins`);
    withHost(process, () => this.#write(process)).then(
      () => process.die('done'),
      (error: Error) => {
        const isKnown = error instanceof CrawlhouseError && error.code !== 'internal';
        if (process.isAlive && !isKnown) this.#oracle.fail('no internal error', String(error.stack));
        process.die(error.message);
      },
    );
    return process;
  }

  async #write(process: SimProcess): Promise<void> {
    const client = trinoClient(this.#server, process);
    const oracle = this.#oracle;
    const { random } = host();
    const table = await PointerTable.begin({ client, prefix: '' }, NAMES, undefined);
    oracle.hold('no late writer', !this.#tokens.has(table.token), `the token ${table.token} is given twice`);
    this.#tokens.set(table.token, process);
    const settled = await table.settle(LOCATION, process.name);
    this.#settled ??= settled;
    oracle.hold(
      'whole publication',
      settled === this.#settled,
      `${settled} is settled after ${this.#settled}`,
    );
    for (let round = 1 + Math.floor(random() * MOST_ROUNDS); round > 0; round--) {
      if (random() < 0.5) {
        const check = (): Promise<void> => table.check();
        await vacuumRows({ client, catalog: 'lake', names: NAMES, relations: [PAGES], grace: '7d', check });
      }
      const units = UNITS.filter(() => random() < 0.8);
      const shown = new Map(units.map((unit) => [unit, `l${++this.#load}`]));
      for (const [unit, load] of shown) {
        await client.run(
          `INSERT INTO ${NAMES.stored(PAGES)} VALUES ('${unit.replace("'", "''")}', '${load}')`,
        );
        await table.set([{ relation: PAGES, unit, load }]);
      }
      // As a drop.
      await table.set(
        UNITS.filter((unit) => !shown.has(unit)).map((unit) => ({ relation: PAGES, unit, load: null })),
      );
      const publication = { token: table.token, shown, isFinished: false };
      this.#publications.push(publication);
      await table.publish();
      publication.isFinished = true;
    }
  }

  /** No writer commits once a later one has its token. */
  #fence(inserted: readonly Record<string, unknown>[]): void {
    const [last] = this.#server.read(`SELECT max(seq) AS seq FROM ${NAMES.visible}`);
    // Those of beginnings and publications.
    const order = inserted.filter(({ relation }) => relation === null).map(({ seq }) => seq as bigint);
    for (const seq of order)
      this.#oracle.hold(
        'no late writer',
        last?.seq === null || seq > (last?.seq as bigint),
        `${seq} is committed after ${last?.seq}`,
      );
  }

  /** What readers see, after each commit. */
  #look(): void {
    const rows = this.#server.read(NAMES.lastPointers('visible', PAGES));
    const shown = rows.filter(({ load_id }) => load_id !== null).map(({ unit, load_id }) => [unit, load_id]);
    const text = textOf(new Map(shown as [string, string][]));
    // Several publications may show the same.
    const tokens = this.#publications.filter((one) => textOf(one.shown) === text).map(({ token }) => token);
    const newest = greatest(this.#publications.filter((one) => one.isFinished).map(({ token }) => token));
    this.#oracle.hold('whole publication', tokens.length > 0 || text === '[]', `${text} is no publication`);
    this.#oracle.hold(
      'whole publication',
      greatest(tokens) >= newest,
      `${text} is older than that of writer ${newest}`,
    );
    const stored = this.#server.read(`SELECT _load_id FROM ${NAMES.stored(PAGES)}`);
    const there = new Set(stored.map(({ _load_id }) => _load_id));
    const gone = shown.filter(([, load]) => !there.has(load as string));
    this.#oracle.hold('every crawl once', gone.length === 0, `the rows of ${gone} are gone`);
  }
}

/** As the model names it, which has no schemas. */
function plain(name: string): string {
  return name.replace('"store".', '');
}

function greatest(tokens: readonly bigint[]): bigint {
  return tokens.toSorted((one, other) => (one < other ? 1 : -1))[0] ?? 0n;
}

function textOf(shown: Shown): string {
  return JSON.stringify([...shown].sort());
}
