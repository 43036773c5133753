import type { SimProcess } from './sim-process.ts';
import type { World } from './world.ts';

/** What was seen that may not be. */
export class Violation extends Error {
  override readonly name = 'Violation';
  readonly oracle: OracleName;

  constructor(oracle: OracleName, message: string) {
    super(`${oracle}: ${message}`);
    this.oracle = oracle;
  }
}

export const ORACLES = {
  'whole publication': 'a reader sees one whole publication, and none that is older than a finished one',
  'every crawl once': 'at the end each finished crawl is there once, with its rows',
  'no lost unit': 'at the end no unit waits, fails or is claimed',
  'one export': 'no data export is requested again while the former one is of use',
  'no late writer': 'a process whose lease or claim has passed changes nothing',
  'bounded tries': 'no run asks more often than its retries allow',
  alerts: 'each alert is delivered, and ended once',
  'no leftovers': 'no file, package or outbox entry stays behind',
  schedules: 'a scheduled run that was cut off is run again once the schedules are served again',
  'no internal error': 'nothing ends by a fault of crawlhouse, and all comes to an end',
} as const;
export type OracleName = keyof typeof ORACLES;

interface Received {
  readonly event: string;
  readonly incident: string;
  readonly since: string;
}

const MADE_UP_MS = 45_000;
/** Refused requests of one kind in one run, at the most. */
const MOST_OF_A_CALL = 5;
const MOST_OF_ITS_UNITS = 75;

/** A plain model of what may be seen. The first violation ends the life. */
export class Oracle {
  violation: Violation | null = null;
  readonly #world: World;
  /** Texts of publications by their ids, in the order in which they were written, by the path of the warehouse. */
  readonly #publications = new Map<string, Map<string, string>>();
  readonly #finished = new Map<string, number>();
  readonly #alerts: Received[] = [];
  readonly #exports: {
    readonly id: string;
    readonly resource_id: string;
    readonly prefix: string;
    isOver: boolean;
  }[] = [];
  /** When the run of a process began. */
  readonly #begun = new Map<SimProcess, number>();
  readonly #refused = new Map<SimProcess, Map<string, number>>();
  /** The schedule services at work on a run, by where their state is; and where a run was cut off. */
  readonly #running = new Map<SimProcess, string>();
  readonly #cutOff = new Set<string>();
  /** A ledger was lost or put back: what it had noted is not known any more. */
  hasForgotten = false;

  constructor(world: World) {
    this.#world = world;
  }

  fail(oracle: OracleName, message: string): void {
    this.#world.say(`VIOLATION ${oracle}: ${message}`);
    this.violation ??= new Violation(oracle, message);
  }

  hold(oracle: OracleName, isSo: boolean, message: string): void {
    if (!isSo) this.fail(oracle, message);
  }

  /** A writer is about to publish this text. */
  writes(place: string, id: string, text: string): void {
    const known = this.#publications.get(place) ?? new Map<string, string>();
    known.set(id, text);
    this.#publications.set(place, known);
  }

  /** A writer has reported that it has published. */
  finished(place: string, id: string): void {
    const order = [...(this.#publications.get(place)?.keys() ?? [])].indexOf(id);
    this.#finished.set(place, Math.max(order, this.#finished.get(place) ?? -1));
  }

  /** A reader has opened the warehouse. */
  reads(place: string, text: string | null): void {
    const least = this.#finished.get(place);
    if (text === null) {
      this.hold('whole publication', least === undefined, `${place} is gone`);
      return;
    }
    const ids = [...(this.#publications.get(place) ?? [])];
    const order = ids.findIndex(([, known]) => known === text);
    if (order < 0) this.fail('whole publication', `${place} is no whole publication: ${text.slice(0, 80)}`);
    else
      this.hold('whole publication', order >= (least ?? 0), `${place} has gone back to publication ${order}`);
  }

  /** The service has refused a request. A call tries five times, a unit four times. */
  refused(process: SimProcess, path: string): void {
    const key = path.split('?')[0] ?? '';
    const own = this.#refused.get(process) ?? new Map<string, number>();
    this.#refused.set(process, own);
    const count = (own.get(key) ?? 0) + 1;
    own.set(key, count);
    const most = key.endsWith('/crawls') ? MOST_OF_A_CALL : MOST_OF_ITS_UNITS;
    this.hold('bounded tries', count <= most, `${process.name} has asked ${key} ${count} times in one run`);
  }

  answered(process: SimProcess, path: string): void {
    this.#refused.get(process)?.delete(path.split('?')[0] ?? '');
  }

  /** A run begins: what it asks is counted anew. */
  runBegins(process: SimProcess): Disposable {
    this.#refused.delete(process);
    this.#begun.set(process, this.#world.age);
    return { [Symbol.dispose]: () => this.#begun.delete(process) };
  }

  /** Each run that began before a time, in milliseconds of the life, has ended by now. */
  runsHaveEnded(before: number): void {
    for (const [process, began] of this.#begun)
      this.hold(
        'no internal error',
        began >= before || !process.isAlive,
        `a run of ${process.name} does not end: it began at ${began / 1000} s`,
      );
  }

  exportRequested(
    one: { readonly id: string; readonly resource_id: string; readonly prefix: string },
    isLate: boolean,
  ): void {
    const same = this.#exports.find(({ prefix }) => prefix === one.prefix);
    this.hold('one export', same === undefined, `${one.prefix} is requested again`);
    const former = this.#exports.find(
      ({ resource_id, isOver }) => resource_id === one.resource_id && !isOver,
    );
    this.hold(
      'one export',
      former === undefined || this.hasForgotten || isLate,
      `${one.id} of ${one.resource_id} is requested, and ${former?.id} is of use`,
    );
    // The request of a process that stood still may come after another one took over: its export is of no use.
    this.#exports.push({ ...one, isOver: isLate });
  }

  /** A scheduled run begins. */
  fired(process: SimProcess, keeper: string): void {
    this.#cutOff.delete(keeper);
    this.#running.set(process, keeper);
    process.onEnd.push(() => {
      if (this.#running.delete(process)) this.#cutOff.add(keeper);
    });
  }

  fireEnded(process: SimProcess): void {
    this.#running.delete(process);
  }

  /** The schedules are served: what was cut off begins again within a minute, unless this process does not go on. */
  serves(process: SimProcess, keeper: string): void {
    if (!this.#cutOff.has(keeper)) return;
    const pauses = process.pauses;
    this.#world.after(MADE_UP_MS, () => {
      const goesOn = process.isAlive && process.pauses === pauses;
      const isMadeUp = !this.#cutOff.has(keeper) || this.#running.has(process);
      if (goesOn)
        this.hold('schedules', isMadeUp, `${process.name} does not make up for a run that was cut off`);
    });
  }

  /** It has failed, or its rows are published. */
  exportOver(idOrResource: string): void {
    for (const one of this.#exports)
      if (one.id === idOrResource || one.resource_id === idOrResource) one.isOver = true;
  }

  received(alert: Received): void {
    this.#alerts.push(alert);
  }

  /** The deliveries of the whole life. */
  get alerts(): readonly Received[] {
    return this.#alerts;
  }
}
