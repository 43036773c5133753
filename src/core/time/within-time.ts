import { createContext, Script } from 'node:vm';

/** For one text of a person on one place. An honest one takes microseconds. */
const LONGEST_MS = 500;
/** For all texts that are checked at once. */
const LONGEST_OF_ALL_MS = 2000;

export class TookTooLong extends Error {
  constructor() {
    super('it takes too long');
  }
}

/** The time that is left for texts that are checked at once: forty that just keep their limits would take too long too. */
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
 * Runs what a person wrote (a selector, an expression, a regular expression), and ends it when it takes too long. This is
 * the one door to such work, at its check as at its use: it would hold up the whole process.
 *
 * @param all of the check that this text is one of several of
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
