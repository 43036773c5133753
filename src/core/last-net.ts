import { AsyncLocalStorage } from 'node:async_hooks';
import { CrawlhouseError, toCrawlhouseError } from './errors.ts';

/** The scope that an uncaught error ends: one unit, one run, or the command of a process. */
type Scope = 'unit' | 'run' | 'process';

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
 * callback, an unhandled rejection. Without the net, such an error would end the process.
 *
 * An error that arose in the work of a unit goes to that unit's `onUncaught`. Any active unit may have caused another
 * error: it goes to all active units and to the run. Without an active unit or run, it goes to the process.
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
  const of = (scope: Scope): Net[] => [...nets].filter((net) => net.scope === scope);
  const host = of('process');
  // Within another program, what did not arise in our work is that program's own.
  if (own === undefined && host.length === 0) {
    if (process.listenerCount('uncaughtException') > 1) return;
    throw thrown;
  }
  const error = uncaughtError(thrown);
  latest = error;
  const inside = [...of('unit'), ...of('run')];
  const blamed = own?.scope === 'unit' && nets.has(own) ? [own] : inside.length > 0 ? inside : host;
  for (const net of blamed) net.onUncaught(error);
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
