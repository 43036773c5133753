import type { FetchCounts } from '../../client/resources/crawl-progress.ts';
import type { Frontier } from './frontier/frontier.ts';
import { JOB_NAMES, type JobName } from './jobs/run-jobs.ts';
import type { CrawlCounts, CrawlSample, PageFinding } from './records/crawl-counts.ts';

type JobStatus = 'waiting' | 'running' | 'done';
type CrawlPhase = 'fetch' | 'analysis' | 'done';

/** The progress of a crawl; the names are those of api-spec.md §2.5. */
export interface FetchProgress {
  readonly phase: CrawlPhase;
  readonly isPaused: boolean;
  readonly depth: number;
  readonly counts: FetchCounts & { readonly queued_urls: number };
  readonly by_depth: readonly ({ readonly depth: number } & FetchCounts)[];
  readonly samples: readonly CrawlSample[];
  /** The jobs of the analysis, in their order. */
  readonly jobs: readonly { readonly name: JobName; readonly status: JobStatus }[];
  readonly slowest: CrawlSample | null;
  /**
   * The number of fetched pages that the previous crawl of the same configuration lacks; null if there is no previous
   * crawl.
   */
  readonly new_pages: number | null;
  /** Findings of single pages, from `looked` pages or, if that is null, from all. */
  readonly findings: readonly (readonly [PageFinding, number])[];
  readonly looked: number | null;
  /** Over the last seconds. */
  readonly urls_per_second: number;
  /** Descriptions of its other work and waits. */
  readonly side_work: readonly string[];
}

interface ReporterOptions {
  readonly counts: CrawlCounts;
  readonly frontier: Frontier;
  readonly sideWork: SideWork;
  readonly control?: CrawlControl;
  readonly onProgress?: (progress: FetchProgress) => void;
}

const INTERVAL_MS = 500;

/** Reports the progress of a crawl: twice a second, at each change of its phase, and at its end. */
export class ProgressReporter implements Disposable {
  readonly #options: ReporterOptions;
  readonly #timer: NodeJS.Timeout;
  readonly #jobs = new Map<JobName, JobStatus>();
  #phase: CrawlPhase = 'fetch';

  constructor(options: ReporterOptions) {
    this.#options = options;
    this.#timer = setInterval(() => this.#report(), INTERVAL_MS);
  }

  enter(phase: CrawlPhase): void {
    this.#phase = phase;
    this.#report();
  }

  readonly job = (name: JobName, status: JobStatus): void => {
    this.#jobs.set(name, status);
    this.#report();
  };

  #report(): void {
    const { counts, frontier, sideWork, control, onProgress } = this.#options;
    const isFetching = this.#phase === 'fetch';
    onProgress?.({
      phase: this.#phase,
      isPaused: isFetching && control?.state === 'paused',
      depth: counts.depth,
      counts: { ...counts.total, queued_urls: isFetching ? Math.max(0, frontier.known() - counts.urls) : 0 },
      by_depth: counts.byDepth(),
      samples: counts.samples(),
      jobs: JOB_NAMES.map((name) => ({ name, status: this.#statusOf(name) })),
      slowest: counts.slowest,
      findings: counts.findings(),
      looked: counts.looked,
      new_pages: frontier.newPages(),
      urls_per_second: counts.speed(),
      side_work: sideWork.words,
    });
  }

  #statusOf(name: JobName): JobStatus {
    return this.#phase === 'done' ? 'done' : (this.#jobs.get(name) ?? 'waiting');
  }

  [Symbol.dispose](): void {
    clearInterval(this.#timer);
    this.#report();
  }
}

/**
 * Describes what a crawl does besides fetching pages, such as reading sitemaps or waiting for robots.txt.
 */
export class SideWork {
  readonly #words = new Map<string, string>();

  get words(): readonly string[] {
    return [...this.#words.values()];
  }

  /** Describes the current work on something. Replaces its previous description. */
  say(what: string, words: string): void {
    this.#words.set(what, words);
  }

  end(what: string): void {
    this.#words.delete(what);
  }
}

type CrawlState = 'running' | 'paused' | 'terminating' | 'cancelling';

/** Controls a crawl from outside while it fetches. */
export class CrawlControl {
  #state: CrawlState = 'running';
  readonly #listeners = new Set<() => void>();

  get state(): CrawlState {
    return this.#state;
  }

  /** Calls `listener` after each command, until the result is disposed. */
  onChange(listener: () => void): Disposable {
    this.#listeners.add(listener);
    return { [Symbol.dispose]: () => this.#listeners.delete(listener) };
  }

  /** Waits while the crawl is paused. Returns false if the crawl must end. */
  async mayGoOn(signal: AbortSignal): Promise<boolean> {
    while (this.#state === 'paused') {
      const { promise, resolve } = Promise.withResolvers<void>();
      using _ = this.onChange(resolve);
      signal.addEventListener('abort', () => resolve(), { once: true });
      await promise;
      signal.throwIfAborted();
    }
    signal.throwIfAborted();
    return this.#state === 'running';
  }

  /** Stops further requests. Requests in progress are completed. */
  pause(): void {
    if (this.#state === 'running') this.#become('paused');
  }

  resume(): void {
    if (this.#state === 'paused') this.#become('running');
  }

  /** Ends the fetching. The report covers the pages fetched so far. */
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
