import type { Context } from '../../http/serve.ts';
import type { ExportJobs } from '../exports/export-jobs.ts';
import type { FaultBox } from '../faults/fault-box.ts';

/** What the routes of a sandbox need in addition to those of the service. */
export interface SandboxParts {
  readonly faults: FaultBox;
  readonly dataExports: ExportJobs;
  /** The bucket of `store_a` that data exports may go to. */
  readonly storeABucket: string;
  /** Imports a folder. Returns the id of its crawl, if it contains one. */
  readonly importFolder: (
    dir: string,
  ) => Promise<{ readonly project_id: string; readonly crawl_id: string | null }>;
}

export interface SandboxContext extends Context, SandboxParts {
  readonly requests: RequestLog;
}

/** A request of the API, in order of arrival; `status` is 0 until it is answered. */
export interface LogEntry {
  readonly method: string;
  /** With its query. */
  readonly path: string;
  status: number;
  /** Bytes of the body as sent, after compression. */
  bytes: number;
}

const KEPT = 200_000;

export class RequestLog {
  #entries: LogEntry[] = [];

  begin(method: string, path: string): LogEntry {
    const entry: LogEntry = { method, path, status: 0, bytes: 0 };
    this.#entries.push(entry);
    if (this.#entries.length > KEPT * 1.1) this.#entries = this.#entries.slice(-KEPT);
    return entry;
  }

  list(): readonly LogEntry[] {
    return this.#entries;
  }
}
