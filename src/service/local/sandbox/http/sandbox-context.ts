import type { Context } from '../../http/context.ts';
import type { DataExports } from '../exports/data-exports.ts';
import type { FaultBox } from '../faults/fault-box.ts';
import type { RequestLog } from './request-log.ts';

/** What the routes of a sandbox need besides those of the service. */
export interface SandboxParts {
  readonly faults: FaultBox;
  readonly dataExports: DataExports;
  /** The bucket of `store_a` that data exports may go to. */
  readonly storeABucket: string;
  /** Imports a folder; the id of its crawl, if it holds one. */
  readonly importFolder: (
    dir: string,
  ) => Promise<{ readonly project_id: string; readonly crawl_id: string | null }>;
}

/** The context of the routes that only a sandbox has. */
export interface SandboxContext extends Context, SandboxParts {
  readonly requests: RequestLog;
}
