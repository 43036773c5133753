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
