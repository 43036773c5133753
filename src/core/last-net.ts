import { AsyncLocalStorage } from 'node:async_hooks';
import { CrawlhouseError, toCrawlhouseError } from './errors.ts';

/** The scope that an uncaught error ends: one unit, or the command of a process. */
type Scope = 'unit' | 'process';

interface Net {
  readonly scope: Scope;
  readonly onUncaught: (error: CrawlhouseError) => void;
  readonly stop: (error: CrawlhouseError) => void;
}

const CURRENT = new AsyncLocalStorage<Net>();
const nets = new Set<Net>();
let latest: CrawlhouseError | null = null;

/**
 * Runs `work` above a net that takes uncaught errors: the error event of an emitter without a listener, a throw in a
 * callback, an unhandled rejection.
 *
 * An error that arose in the work of a unit goes to that unit's `onUncaught`: what it has half done ends with the unit.
 * Any other error goes to the `onUncaught` of the process, which ends it: nobody knows what is half done, and a killed
 * process leaves nothing that the next one can't continue (docs/decisions/last-net.md).
 *
 * @throws CrawlhouseError `internal` when the process has nothing left to wait for and `work` has not ended
 */
export async function aboveNet<T>(
  scope: Scope,
  onUncaught: (error: CrawlhouseError) => void,
  work: () => Promise<T>,
): Promise<T> {
  const { promise: stopped, reject: stop } = Promise.withResolvers<never>();
  const net: Net = { scope, onUncaught, stop };
  if (nets.size === 0) process.on('uncaughtException', take).on('beforeExit', stopAll);
  nets.add(net);
  try {
    return await Promise.race([CURRENT.run(net, work), stopped]);
  } finally {
    nets.delete(net);
    if (nets.size === 0) process.off('uncaughtException', take).off('beforeExit', stopAll);
  }
}

function take(thrown: unknown): void {
  const own = CURRENT.getStore();
  const host = [...nets].find(({ scope }) => scope === 'process');
  const blamed = own?.scope === 'unit' && nets.has(own) ? own : host;
  if (blamed === undefined) {
    // Within another program, what did not arise in our work is that program's own.
    if (process.listenerCount('uncaughtException') > 1) return;
    throw thrown;
  }
  latest = uncaughtError(thrown);
  blamed.onUncaught(latest);
}

function uncaughtError(thrown: unknown): CrawlhouseError {
  if (thrown instanceof CrawlhouseError) return thrown;
  const { code, message } = toCrawlhouseError(thrown);
  return new CrawlhouseError(code, `an error that nothing caught: ${message}`, { cause: thrown });
}

/** Nothing is left that could wake the process: whatever still waits would wait for ever. */
function stopAll(): void {
  const error =
    latest ?? new CrawlhouseError('internal', 'the work waits for an event that can no longer happen');
  const inner = [...nets].filter((net) => net.scope === 'unit');
  for (const net of inner.length > 0 ? inner : nets) net.stop(error);
}
