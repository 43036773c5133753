import { createContext, Script } from 'node:vm';

/** For one user-written text on one position. A normal one takes microseconds. */
const LONGEST_MS = 500;
/** For all texts that are checked together. */
const LONGEST_OF_ALL_MS = 2000;

export class TookTooLong extends Error {
  constructor() {
    super('it takes too long');
  }
}

/**
 * The remaining time for texts that are checked together. Forty texts that each stay just within their limit would take
 * too long.
 */
export class TimeLeft {
  #ms = LONGEST_OF_ALL_MS;

  get ms(): number {
    return this.#ms;
  }

  take(ms: number): void {
    this.#ms = Math.max(0, this.#ms - ms);
  }
}

const context = createContext({ work: null });
const script = new Script('work()');

/**
 * Runs user-written code (a selector, an expression, a regular expression), and ends it when it takes too long, because
 * it would block the whole process. All such work uses this function, both when it is checked and when it is used.
 *
 * @param all the remaining time of a check of several texts
 * @throws TookTooLong, or what `work` throws
 */
export function withinTime<T>(work: () => T, all?: TimeLeft): T {
  const timeout = Math.floor(Math.min(LONGEST_MS, all?.ms ?? LONGEST_MS));
  if (timeout < 1) throw new TookTooLong();
  const begun = performance.now();
  context.work = work;
  try {
    return script.runInContext(context, { timeout }) as T;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ERR_SCRIPT_EXECUTION_TIMEOUT') throw new TookTooLong();
    throw error;
  } finally {
    all?.take(performance.now() - begun);
    context.work = null;
  }
}
