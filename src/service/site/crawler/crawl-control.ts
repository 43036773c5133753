export type CrawlState = 'running' | 'paused' | 'terminating' | 'cancelling';

/** Steers a crawl from outside while it fetches. */
export class CrawlControl {
  #state: CrawlState = 'running';
  readonly #listeners = new Set<() => void>();

  get state(): CrawlState {
    return this.#state;
  }

  /** Calls `listener` after each command, until the result is disposed of. */
  onChange(listener: () => void): Disposable {
    this.#listeners.add(listener);
    return { [Symbol.dispose]: () => this.#listeners.delete(listener) };
  }

  /** No further request; those under way end. */
  pause(): void {
    if (this.#state === 'running') this.#become('paused');
  }

  resume(): void {
    if (this.#state === 'paused') this.#become('running');
  }

  /** Ends the fetching; the report is made of what there is. */
  terminate(): void {
    if (this.#state !== 'cancelling') this.#become('terminating');
  }

  /** Ends the crawl without a report. */
  cancel(): void {
    this.#become('cancelling');
  }

  #become(state: CrawlState): void {
    this.#state = state;
    for (const listener of this.#listeners) listener();
  }
}
