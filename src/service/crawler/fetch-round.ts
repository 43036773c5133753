import type { FetchStatus } from '../api/crawl-progress.ts';
import type { CrawlControl } from './crawl-control.ts';
import type { CrawlCounts, CrawlSample } from './crawl-counts.ts';
import type { Answer, Fetcher } from './fetcher.ts';
import type { Frontier, QueuedUrl } from './frontier.ts';
import type { OutcomeBatch } from './outcome-batch.ts';
import type { Pace } from './pace.ts';
import type { ParseReply } from './parse-messages.ts';
import type { ParsePool } from './parse-pool.ts';
import type { RobotsCache } from './robots-cache.ts';

/** Attempts at a URL that cannot be fetched (api-spec.md §2.4, `stopped_progressing`). */
const MOST_ATTEMPTS = 3;
/** URLs read from the queue at once. */
const PIECE = 500;
/** Answered pages that may wait for the parser. */
const MOST_UNPARSED = 32;
/** Failures one after another, by which a site is taken for silent: the round ends, and the next one asks again. */
const MOST_FAILURES_IN_A_ROW = 200;
/** The longest wait that a server may ask for with 429 or 503. */
const LONGEST_HOLD_MS = 60_000;

export interface FetchTools {
  readonly fetcher: Fetcher;
  readonly frontier: Frontier;
  readonly batch: OutcomeBatch;
  readonly parser: ParsePool;
  readonly counts: CrawlCounts;
  readonly robots: RobotsCache;
  readonly pace: Pace;
  readonly control: CrawlControl;
  readonly signal: AbortSignal;
  /** Requests at once. */
  readonly concurrency: number;
  /** URLs that may be answered in the whole crawl. */
  readonly mostFetched: number;
  /** Which of an answer's URLs the crawl goes on to. */
  readonly select: (item: QueuedUrl, reply: ParseReply) => readonly string[];
}

export interface RoundResult {
  /** Whether the limit of URLs ended the round while one was left. */
  readonly isFull: boolean;
  readonly answered: number;
  readonly failed: number;
}

/** Fetches the open URLs of the queue once, in their order, several at once. */
export class FetchRound {
  readonly #tools: FetchTools;
  readonly #running = new Set<Promise<void>>();
  /** Requests whose answer may still count as a fetched URL. */
  #undecided = 0;
  #answered = 0;
  #failed = 0;
  #failedInARow = 0;
  #error: unknown;
  #wake = Promise.withResolvers<void>();

  constructor(tools: FetchTools) {
    this.#tools = tools;
  }

  async run(): Promise<RoundResult> {
    const { frontier, batch, control, signal } = this.#tools;
    const wake = (): void => this.#wakeUp();
    using _ = control.onChange(wake);
    signal.addEventListener('abort', wake);
    let rank = 0;
    let isFull = false;
    try {
      for (let items = frontier.next(rank, PIECE); items.length > 0 && !isFull; ) {
        for (const item of items) {
          const state = await this.#turn();
          isFull = state === 'full';
          if (state !== 'free') break;
          await this.#start(item);
          rank = item.rank;
        }
        if (isFull || this.#isEnding()) break;
        items = frontier.next(rank, PIECE);
      }
    } finally {
      signal.removeEventListener('abort', wake);
      await Promise.all(this.#running);
      await batch.write();
    }
    signal.throwIfAborted();
    if (this.#error !== undefined) throw this.#error;
    return { isFull, answered: this.#answered, failed: this.#failed };
  }

  /** Waits until one more request may start. */
  async #turn(): Promise<'free' | 'full' | 'ending'> {
    const { counts, mostFetched, concurrency, parser, control, batch } = this.#tools;
    for (;;) {
      if (this.#isEnding()) return 'ending';
      await batch.writeIfDue();
      if (control.state === 'paused') await this.#whilePaused();
      else if (counts.fetched >= mostFetched) return 'full';
      else {
        const isBusy = this.#undecided >= concurrency || parser.pending >= MOST_UNPARSED;
        if (!isBusy && counts.fetched + this.#undecided < mostFetched) return 'free';
        await this.#wake.promise;
      }
    }
  }

  #isEnding(): boolean {
    const { control, signal } = this.#tools;
    const isStopped = control.state === 'terminating' || control.state === 'cancelling';
    const isSilent = this.#failedInARow >= MOST_FAILURES_IN_A_ROW;
    return isStopped || isSilent || signal.aborted || this.#error !== undefined;
  }

  #wakeUp(): void {
    const { resolve } = this.#wake;
    this.#wake = Promise.withResolvers<void>();
    resolve();
  }

  async #whilePaused(): Promise<void> {
    const { control, signal, batch } = this.#tools;
    await Promise.all(this.#running);
    await batch.write();
    while (control.state === 'paused' && !signal.aborted) await this.#wake.promise;
  }

  async #start(item: QueuedUrl): Promise<void> {
    const url = new URL(item.url);
    const rules = await this.#tools.robots.rulesOf(url);
    const isAllowed = rules.isAllowed(item.url);
    if (isAllowed) {
      const wait = this.#tools.pace.take(url.host, rules.delayMs, performance.now());
      if (wait > 0) await this.#sleep(wait);
      if (this.#isEnding()) return;
      this.#undecided++;
    }
    const work = (isAllowed ? this.#fetch(item, url) : this.#deny(item)).catch((error: unknown) => {
      this.#error ??= error;
    });
    const running: Promise<void> = work.finally(() => {
      this.#running.delete(running);
      this.#wakeUp();
    });
    this.#running.add(running);
  }

  /** Ends early when the crawl ends; longer in a pause. */
  async #sleep(ms: number): Promise<void> {
    let isOver = false;
    const timer = setTimeout(() => {
      isOver = true;
      this.#wakeUp();
    }, ms);
    while (!isOver && !this.#isEnding()) await this.#wake.promise;
    clearTimeout(timer);
    if (this.#tools.control.state === 'paused') await this.#whilePaused();
  }

  async #fetch(item: QueuedUrl, url: URL): Promise<void> {
    const answer = await this.#tools.fetcher.fetch(item.url);
    this.#undecided--;
    this.#wakeUp();
    if (this.#tools.signal.aborted || this.#tools.control.state === 'cancelling') return;
    this.#failedInARow = answer.statusCode === null ? this.#failedInARow + 1 : 0;
    if (answer.statusCode === null) this.#failed++;
    else this.#answered++;
    if (this.#isRetriable(answer, url) && item.attempts + 1 < MOST_ATTEMPTS) {
      this.#tools.batch.add({ item, status: null, targets: [] }, null);
      return;
    }
    await this.#record(item, answer, false);
  }

  async #deny(item: QueuedUrl): Promise<void> {
    const answer: Answer = { ...UNANSWERED, url: item.url, fetchedAt: new Date() };
    await this.#record(item, answer, true);
  }

  /** 429 and 503 say that the server wants to be asked later. */
  #isRetriable({ statusCode, error, headers }: Answer, url: URL): boolean {
    if (statusCode === null) return error !== 'refused_address';
    if (statusCode !== 429 && statusCode !== 503) return false;
    const seconds = Number(headers.find(([name]) => name === 'retry-after')?.[1] ?? Number.NaN);
    if (seconds > 0)
      this.#tools.pace.hold(url.host, performance.now() + Math.min(seconds * 1000, LONGEST_HOLD_MS));
    return true;
  }

  async #record(item: QueuedUrl, answer: Answer, isDenied: boolean): Promise<void> {
    const { counts, parser, batch, select } = this.#tools;
    const status = statusOf(answer.statusCode, isDenied);
    counts.add(item.depth, sampleOf(answer, status));
    const sources = item.source === 'sitemaps' ? [] : [item.source];
    const facts = { depth: item.depth, sources, robots_txt_denied: isDenied };
    const reply = await parser.parse({ answer, facts });
    batch.add({ item, status, targets: select(item, reply) }, reply);
  }
}

const UNANSWERED = {
  statusCode: null,
  error: null,
  headers: [],
  body: null,
  isTruncated: false,
  loadTimeMs: 0,
  ttfbMs: 0,
} as const;

function statusOf(statusCode: number | null, isDenied: boolean): FetchStatus {
  if (isDenied) return 'unfetched_robots_denied';
  const hundreds = Math.floor((statusCode ?? 0) / 100);
  switch (hundreds) {
    case 2:
    case 3:
    case 4:
    case 5:
      return `fetched_${hundreds}xx`;
    default:
      return 'unfetched_exception';
  }
}

function sampleOf(
  { url, statusCode, error, fetchedAt, loadTimeMs }: Answer,
  status: FetchStatus,
): CrawlSample {
  return {
    url,
    fetch_date: fetchedAt.toISOString(),
    fetch_status: status,
    ...(statusCode === null ? {} : { status_code: statusCode, fetch_duration: Math.round(loadTimeMs) }),
    ...(error === null ? {} : { error_code: error }),
  };
}
