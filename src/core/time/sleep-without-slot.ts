import { host } from '../host/host.ts';
import { withoutSlot } from '../queue/fair-queue.ts';

/** A shorter sleep keeps its slot, in milliseconds. */
const SHORT = 1000;

/** Sleeps. Unless the sleep is short, other work may use the slot of the current work meanwhile. */
export function sleepWithoutSlot(ms: number, signal?: AbortSignal): Promise<void> {
  const sleep = (): Promise<void> => host().sleep(ms, signal);
  return ms < SHORT ? sleep() : withoutSlot(sleep);
}
