import type { Context } from '../../http/serve.ts';
import type { DataExports } from '../exports/data-exports.ts';
import type { FaultBox } from '../faults/fault-box.ts';

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

export interface SandboxContext extends Context, SandboxParts {
  readonly requests: RequestLog;
}

/** A request of the API, in the order they arrived; `status` is 0 until it is answered, and for one that never is. */
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
