import type { Logger } from '../../core/logs/logger.ts';
import type { Clock } from '../resources/clock.ts';
import type { Resources } from '../resources/resources.ts';
import type { ServiceRows } from './service-rows.ts';

/** Shared by the parts of the service. */
export interface ServiceState {
  readonly resources: Resources;
  readonly rows: ServiceRows;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** All stored data of the service. */
export type ServiceData = Pick<ServiceState, 'resources' | 'rows'>;
