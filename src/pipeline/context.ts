import type { ServiceClient } from '../api/client.ts';
import type { Unarchiver } from '../api/unarchiver.ts';
import type { Engine } from '../core/engine.ts';
import type { Turn } from '../core/fair-queue.ts';
import type { Meter } from '../core/meter.ts';
import type { RankingWindows } from '../routes/aggregates/ranking-windows.ts';
import type { FieldSchemaCache } from '../routes/field-schema-cache.ts';
import type { Session } from './session.ts';

/** What the work on the units of one run shares. */
export interface RunContext extends Session {
  readonly client: ServiceClient;
  /** Units that the warehouse holds are asked for anew. */
  readonly reload: boolean;
  /** The units' crawls were named by a person: what is unusual about them is accepted. */
  readonly named: boolean;
  /** Units that fail again and again are left alone until their next try: nobody started this run. */
  readonly respectBackoff: boolean;
  readonly unarchiver: Unarchiver;
  readonly fieldSchemas: FieldSchemaCache;
  readonly engine: Engine;
  /** Does somebody wait for the state whom this run makes room for? */
  readonly hasLockWaiter: () => boolean;
}

/** The same for one unit at work. */
export interface UnitContext extends RunContext {
  readonly turn: Turn;
  readonly meter: Pick<Meter, 'received'>;
  readonly rankings: RankingWindows;
}
