import type { Logger } from '../../core/logger.ts';
import type { Clock } from '../clock.ts';
import type { FaultBox } from '../faults/fault-box.ts';
import type { Resources } from '../resources.ts';
import type { RowStore } from '../rows/row-store.ts';
import type { RequestLog } from './request-log.ts';

/** What the routes work on. */
export interface Context {
  readonly resources: Resources;
  readonly rows: RowStore;
  readonly faults: FaultBox;
  readonly clock: Clock;
  readonly requests: RequestLog;
  readonly logger: Logger;
  /** Imports a folder; the id of its crawl, if it holds one. */
  readonly importFolder: (
    dir: string,
  ) => Promise<{ readonly project_id: string; readonly crawl_id: string | null }>;
}
