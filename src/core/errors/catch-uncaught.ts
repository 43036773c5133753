import { AsyncLocalStorage } from 'node:async_hooks';
import { host } from '../host/host.ts';
import { CrawlhouseError, toCrawlhouseError } from './errors.ts';

/** The scope that an uncaught error ends: one unit, or the command of a process. */
type Scope = 'unit' | 'process';

interface Handler {
  readonly scope: Scope;
  readonly onUncaught: (error: CrawlhouseError) => void;
  readonly stop: (error: CrawlhouseError) => void;
}

const CURRENT = new AsyncLocalStorage<Handler>();
const handlers = new Set<Handler>();
let latest: CrawlhouseError | null = null;

/**
 * Runs `work` and handles its uncaught errors: the error event of an emitter without a listener, a throw in a callback,
 * an unhandled rejection.
 *
 * An error in the work of a unit goes to that unit's `onUncaught`; its unfinished work ends with the unit. Any other
 * error goes to the `onUncaught` of the process, which ends it: the unfinished work is unknown, and the next process
 * can continue after a killed one (docs/decisions/code.md).
 *
 * @throws CrawlhouseError `internal` if the process has nothing left to wait for and `work` has not ended
 */
export function catchUncaught<T>(
  scope: Scope,
  onUncaught: (error: CrawlhouseError) => void,
  work: () => Promise<T>,
): Promise<T> {
  const { promise: stopped, reject: stop } = Promise.withResolvers<never>();
  const handler: Handler = { scope, onUncaught, stop };
  if (handlers.size === 0) process.on('uncaughtException', take).on('beforeExit', stopAll);
  handlers.add(handler);
  return Promise.race([CURRENT.run(handler, () => Promise.try(work)), stopped]).finally(() => {
    handlers.delete(handler);
    if (handlers.size === 0) process.off('uncaughtException', take).off('beforeExit', stopAll);
  });
}

function take(thrown: unknown): void {
  const own = CURRENT.getStore();
  const host = [...handlers].find(({ scope }) => scope === 'process');
  const blamed = own?.scope === 'unit' && handlers.has(own) ? own : host;
  if (blamed === undefined) {
    // Within another program, errors outside of our work belong to that program.
    if (process.listenerCount('uncaughtException') > 1) return;
    throw thrown;
  }
  latest = uncaughtError(thrown);
  blamed.onUncaught(latest);
}

function uncaughtError(thrown: unknown): CrawlhouseError {
  if (thrown instanceof CrawlhouseError) return thrown;
  const { code, message } = toCrawlhouseError(thrown);
  return new CrawlhouseError(code, `uncaught error: ${message}`, { cause: thrown });
}

/** Ends all pending work, which would wait forever because nothing is left that could wake the process. */
function stopAll(): void {
  const error =
    latest ?? new CrawlhouseError('internal', 'the work waits for an event that can no longer happen');
  const inner = [...handlers].filter(({ scope }) => scope === 'unit');
  for (const handler of inner.length > 0 ? inner : handlers) handler.stop(error);
}

/** Time for a unit to end after its abort, in milliseconds. */
const GRACE_MS = 5_000;

/**
 * Runs the work of one unit so that every fault in it is that unit's error (`catchUncaught`). The signal of the unit
 * aborts with the run's signal, with an uncaught error, and at the end of the unit, so that no body or timer of the
 * unit stays open.
 *
 * @throws what `work` throws, or the uncaught error if `work` does not end because of it
 */
export async function isolateUnit<T>(
  signal: AbortSignal,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const own = new AbortController();
  const stuck = Promise.withResolvers<never>();
  const ended = new AbortController();
  const onUncaught = (error: CrawlhouseError): void => {
    own.abort(error);
    host()
      .sleep(GRACE_MS, ended.signal)
      .then(
        () => stuck.reject(error),
        () => {},
      );
  };
  // The race below handles its rejection.
  stuck.promise.catch(() => {});
  try {
    return await catchUncaught('unit', onUncaught, () =>
      Promise.race([work(AbortSignal.any([signal, own.signal])), stuck.promise]),
    );
  } finally {
    ended.abort();
    own.abort(new CrawlhouseError('interrupted', 'the unit has ended'));
  }
}
