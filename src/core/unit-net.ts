import { setTimeout as sleep } from 'node:timers/promises';
import { CrawlhouseError } from './errors.ts';
import { aboveNet } from './last-net.ts';

/** The time that a unit may take to end after its abort, in milliseconds. */
const GRACE_MS = 5_000;

/**
 * Runs the work of one unit so that every fault in it is that unit's error (`aboveNet`). Its signal aborts with the
 * run's signal, with an uncaught error, and at the end of the unit. No body or timer of it stays open.
 *
 * @throws what `work` throws, or the uncaught error where `work` does not end by it
 */
export async function withUnitNet<T>(
  signal: AbortSignal,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const own = new AbortController();
  const stuck = Promise.withResolvers<never>();
  const ended = new AbortController();
  const onUncaught = (error: CrawlhouseError): void => {
    own.abort(error);
    sleep(GRACE_MS, undefined, { signal: ended.signal }).then(
      () => stuck.reject(error),
      () => {},
    );
  };
  // It is heard in the race below.
  stuck.promise.catch(() => {});
  try {
    return await aboveNet('unit', onUncaught, () =>
      Promise.race([work(AbortSignal.any([signal, own.signal])), stuck.promise]),
    );
  } finally {
    ended.abort();
    own.abort(new CrawlhouseError('interrupted', 'the unit has ended'));
  }
}
