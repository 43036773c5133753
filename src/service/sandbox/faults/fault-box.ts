import { type Logger, silentLogger } from '../../../core/logs/logger.ts';
import { TookTooLong, withinTime } from '../../../core/time/within-time.ts';
import type { Fault, FaultPlace } from './fault.ts';

/** The faults in force, in the order in which they were added. At most one fault applies to a request. */
export class FaultBox {
  #armed: { readonly fault: Fault; left: number }[] = [];
  readonly #logger: Logger;

  constructor(logger: Logger = silentLogger) {
    this.#logger = logger;
  }

  add(faults: readonly Fault[]): void {
    this.#armed.push(...faults.map((fault) => ({ fault, left: fault.times ?? Number.POSITIVE_INFINITY })));
  }

  clear(): void {
    this.#armed = [];
  }

  list(): readonly Fault[] {
    return this.#armed.map((armed) => armed.fault);
  }

  /** The fault that strikes this request, if any; it counts as one of its `times`. */
  take(method: string, path: string, place: FaultPlace = 'api'): Fault | undefined {
    const struck = this.#armed.find(({ fault: { match } }) => {
      if ((match.at ?? 'api') !== place) return false;
      const sameMethod = match.method === undefined || match.method.toUpperCase() === method;
      return sameMethod && (match.path === undefined || this.#matches(match.path, path));
    });
    if (struck === undefined) return undefined;
    struck.left -= 1;
    if (struck.left <= 0) this.#armed = this.#armed.filter((armed) => armed !== struck);
    return struck.fault;
  }

  #matches(pattern: string, path: string): boolean {
    try {
      return withinTime(() => new RegExp(pattern).test(path));
    } catch (error) {
      if (!(error instanceof TookTooLong)) throw error;
    }
    this.#armed = this.#armed.filter(({ fault }) => fault.match.path !== pattern);
    this.#logger.warn('fault removed, its pattern takes too long', { pattern, path });
    return false;
  }
}
