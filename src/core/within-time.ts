import { createContext, Script } from 'node:vm';

/** For one text of a person on one place. An honest one takes microseconds. */
const LONGEST_MS = 500;

/** What a person's text asks for takes longer than it may. */
export class TookTooLong extends Error {
  constructor() {
    super('it takes too long');
  }
}

const context = createContext({ work: null });
const script = new Script('work()');

/**
 * Runs what a person wrote (a selector, an expression, a regular expression), and ends it when it takes too long. This is
 * the one door to such work, at its check as at its use: it would hold up the whole process.
 *
 * @throws TookTooLong, or what `work` throws
 */
export function withinTime<T>(work: () => T): T {
  context.work = work;
  try {
    return script.runInContext(context, { timeout: LONGEST_MS }) as T;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ERR_SCRIPT_EXECUTION_TIMEOUT') throw new TookTooLong();
    throw error;
  } finally {
    context.work = null;
  }
}
