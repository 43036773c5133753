import { host } from '../host/host.ts';
import { catchUncaught } from './catch-uncaught.ts';
import { CrawlhouseError } from './errors.ts';

/** The time that a unit may take to end after its abort, in milliseconds. */
const GRACE_MS = 5_000;

/**
 * Runs the work of one unit so that every fault in it is that unit's error (`catchUncaught`). Its signal aborts with the
 * run's signal, with an uncaught error, and at the end of the unit. No body or timer of it stays open.
 *
 * @throws what `work` throws, or the uncaught error where `work` does not end by it
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
  // Its rejection is handled by the race below.
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
