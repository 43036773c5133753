import { createContext, Script } from 'node:vm';
import { type Logger, silentLogger } from '../../../core/logger.ts';
import type { Fault, FaultPlace } from './fault.ts';

const SCRIPT = new Script('new RegExp(pattern).test(text)');

/** A pattern that takes longer on one path is removed. An honest one takes microseconds. */
const TIMEOUT_MS = 1000;

/** The faults in force, in the order they were given; a request meets at most one of them. */
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
    const matches = matchesInTime(pattern, path, TIMEOUT_MS);
    if (matches !== undefined) return matches;
    this.#armed = this.#armed.filter(({ fault }) => fault.match.path !== pattern);
    this.#logger.warn('fault removed, its pattern takes too long', { pattern, path });
    return false;
  }
}

/**
 * Whether a regular expression matches a text, within a time: one that backtracks, such as `(a+)+$`, would hold up the
 * whole process for as long as it likes. Undefined where the time was not enough.
 */
function matchesInTime(pattern: string, text: string, timeoutMs: number): boolean | undefined {
  try {
    return SCRIPT.runInContext(createContext({ pattern, text }), { timeout: timeoutMs }) === true;
  } catch (error) {
    if ((error as { code?: unknown }).code === 'ERR_SCRIPT_EXECUTION_TIMEOUT') return undefined;
    throw error;
  }
}
