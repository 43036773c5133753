import type { Logger } from '../../../core/logs/logger.ts';
import type { Clock } from '../resources/clock.ts';
import type { Resources } from '../resources/resources.ts';
import type { ServiceRows } from './row-store.ts';

/** What the parts of the service share. */
export interface ServiceState {
  readonly resources: Resources;
  readonly rows: ServiceRows;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** All that it keeps. */
export type ServiceData = Pick<ServiceState, 'resources' | 'rows'>;
