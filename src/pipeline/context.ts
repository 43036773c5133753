import type { ServiceClient } from '../api/client.ts';
import type { Engine } from './engine.ts';
import type { Meter } from './meter.ts';
import type { RankingWindows } from './ranking-windows.ts';
import type { Session } from './session.ts';
import type { ToldFields } from './told-fields.ts';
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
  readonly toldFields: ToldFields;
  readonly engine: Engine;
  /** Does somebody wait for the state whom this run makes room for? */
  readonly isStateWished: () => boolean;
}

/** The same for one unit at work. */
export interface UnitContext extends RunContext {
  readonly turn: Turn;
  readonly meter: Pick<Meter, 'received'>;
  readonly rankings: RankingWindows;
}
