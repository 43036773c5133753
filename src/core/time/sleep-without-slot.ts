import { host } from '../host/host.ts';
import { withoutSlot } from '../queue/fair-queue.ts';

/** A shorter sleep keeps its slot, in milliseconds. */
const SHORT = 1000;

/** Sleeps; others may use the slot of the current work meanwhile, unless the sleep is short. */
export function sleepWithoutSlot(ms: number, signal?: AbortSignal): Promise<void> {
  const sleep = (): Promise<void> => host().sleep(ms, signal);
  return ms < SHORT ? sleep() : withoutSlot(sleep);
}
