import type { ServiceClient } from '../api/client.ts';
import type { Semaphore } from '../core/semaphore.ts';
import type { Meter } from './meter.ts';
import type { Session } from './session.ts';
import type { Turn } from './turns.ts';
import type { Unarchiver } from './unarchive.ts';

/** What the work on the units of one run shares. */
export interface RunContext extends Session {
  readonly client: ServiceClient;
  /** Units that the warehouse holds are asked for anew. */
  readonly reload: boolean;
  /** The units' crawls were named by a person: what is unusual about them is accepted. */
  readonly named: boolean;
  /** Units that fail again and again are left alone until their next try: nobody started this run. */
  readonly patient: boolean;
  readonly unarchiver: Unarchiver;
  /** Places for conversions in DuckDB; a load takes all of them, so that memory stays within the limit. */
  readonly engine: Semaphore;
  /** Does somebody wait for the state whom this run makes room for? */
  readonly isStateWished: () => boolean;
}

/** The same for one unit at work. */
export interface UnitContext extends RunContext {
  readonly turn: Turn;
  readonly meter: Pick<Meter, 'received'>;
}

/** Conversions at once: each takes up to two threads and about 150 MB on 750-column data. */
export function engineSlots(threads: number, memoryLimit: string): number {
  return Math.max(1, Math.min(Math.floor(threads / 2), Math.floor(megabytes(memoryLimit) / 200)));
}

function megabytes(limit: string): number {
  const match = /^(\d+(?:\.\d+)?)\s*([KMGT])/i.exec(limit);
  const scale = { K: 1e-3, M: 1, G: 1e3, T: 1e6 }[match?.[2]?.toUpperCase() ?? 'M'] ?? 1;
  return Number(match?.[1] ?? 0) * scale;
}
