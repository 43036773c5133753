import type { FetchStatus } from '../../client/resources/crawl-progress.ts';
import { ownUrl } from '../../core/net/web-url.ts';
import { Semaphore } from '../../core/queue/semaphore.ts';
import { askedUrl } from './ajax-crawling.ts';
import { fetchStatus } from './fetch/fetch-status.ts';
import { type FetchedAnswer, UNANSWERED } from './fetch/fetcher.ts';
import { LONGEST_HOLD_MS, MOST_ATTEMPTS, mayRetry } from './fetch/may-retry.ts';
import type { Frontier, QueuedUrl } from './frontier/frontier.ts';
import type { ParseReply } from './parse/threads/parse-messages.ts';
import type { ParsePool } from './parse/threads/parse-pool.ts';
import type { CrawlControl } from './progress-reporter.ts';
import type { CrawlCounts, CrawlSample } from './records/crawl-counts.ts';
import type { OutcomeBatch } from './records/outcome-batch.ts';
import type { Renderer } from './render/renderer.ts';
import { type VisitTools, visitPage } from './visit-page.ts';

/** URLs that are read from the queue at a time. */
const PIECE = 500;
/** Answered pages that may wait for the parser. */
const MOST_UNPARSED = 32;
/** Consecutive failures after which a site counts as silent: the round ends, and the next one tries again. */
const MOST_FAILURES_IN_A_ROW = 200;
/** URLs that may wait for their hosts before reading stops. */
const MOST_WAITING = 5_000;
/** The maximum number of bodies of over a million bytes in memory at a time. */
const MOST_LARGE = 2;

export interface FetchTools extends VisitTools {
  readonly frontier: Frontier;
  readonly batch: OutcomeBatch;
  readonly parser: ParsePool;
  /** Null: pages are not rendered. */
  readonly renderer: Renderer | null;
  readonly counts: CrawlCounts;
  readonly control: CrawlControl;
  /** Concurrent requests. */
  readonly concurrency: number;
  /** URLs that may be answered in the whole crawl. */
  readonly mostFetched: number;
  /** Selects the URLs of a response that the crawl follows. */
  readonly select: (item: QueuedUrl, reply: ParseReply) => readonly string[];
}

/** Waiting URLs of one host, in their order. */
interface Lane {
  readonly items: QueuedUrl[];
  /** Its robots.txt is being requested. */
  isAsking: boolean;
}

/** Fetches the open URLs of the queue once, in their order, several at a time. */
export class FetchRound {
  readonly #tools: FetchTools;
  readonly #running = new Set<Promise<void>>();
  /** Read from the queue, in reverse order. */
  #items: QueuedUrl[] = [];
  #rank = 0;
  /** URLs whose hosts are not ready, by host, and their number. */
  readonly #lanes = new Map<string, Lane>();
  #waiting = 0;
  /** Requests in progress, by host. Each host whose URLs were read has a number. */
  readonly #underWay = new Map<string, number>();
  /** Requests whose response may still count as a fetched URL. */
  #undecided = 0;
  #fetched = 0;
  #failed = 0;
  #failedInARow = 0;
  #error: unknown;
  #wake = Promise.withResolvers<void>();
  /** Large bodies in memory, until they are recorded. */
  readonly #large = new Semaphore(MOST_LARGE);

  constructor(tools: FetchTools) {
    this.#tools = tools;
  }

  /** Returns `full` if the limit of URLs ended the round while a URL was left. */
  async run() {
    const { batch, control, signal } = this.#tools;
    const wake = (): void => this.#wakeUp();
    using _ = control.onChange(wake);
    signal.addEventListener('abort', wake);
    let isFull = false;
    try {
      for (let item = await this.#next(); item !== null; item = await this.#next()) {
        const state = await this.#turn();
        isFull = state === 'full';
        if (state !== 'free') break;
        await this.#start(item);
      }
    } finally {
      signal.removeEventListener('abort', wake);
      await Promise.all(this.#running);
      await batch.write();
    }
    signal.throwIfAborted();
    if (this.#error !== undefined) throw this.#error;
    return { isFull, answered: this.#fetched, failed: this.#failed };
  }

  /** Waits until one more request may start. */
  async #turn(): Promise<'free' | 'full' | 'ending'> {
    const { counts, mostFetched, concurrency, parser, renderer, control, batch } = this.#tools;
    for (;;) {
      if (this.#isEnding()) return 'ending';
      await batch.writeIfDue();
      if (control.state === 'paused') await this.#whilePaused();
      else if (counts.fetched >= mostFetched) return 'full';
      else {
        const isBehind = parser.pending >= MOST_UNPARSED || (renderer?.isBusy ?? false);
        const isBusy = this.#undecided >= concurrency || isBehind;
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

  /** Returns the next URL whose host is ready; null if none is left, or the round ends. */
  async #next(): Promise<QueuedUrl | null> {
    for (;;) {
      if (this.#isEnding()) return null;
      const now = performance.now();
      for (const [host, lane] of this.#lanes) {
        if (this.#readyAt(host, lane) > now) continue;
        const item = lane.items.shift();
        this.#waiting--;
        if (lane.items.length === 0) this.#lanes.delete(host);
        if (item !== undefined) return item;
      }
      const item = this.#waiting < MOST_WAITING ? this.#fromQueue() : undefined;
      if (item !== undefined) {
        if (!this.#mustWait(item, now)) return item;
      } else if (this.#lanes.size === 0) return null;
      else {
        const first = Math.min(...[...this.#lanes].map(([host, lane]) => this.#readyAt(host, lane)));
        await this.#sleep(Math.min(Math.max(1, first - now), LONGEST_HOLD_MS), true);
      }
    }
  }

  #fromQueue(): QueuedUrl | undefined {
    if (this.#items.length === 0) {
      this.#items = this.#tools.frontier.next(this.#rank, PIECE).toReversed();
      for (const { url } of this.#items) this.#count(ownUrl(url).host, 0);
    }
    const item = this.#items.pop();
    this.#rank = item?.rank ?? this.#rank;
    return item;
  }

  #readyAt(host: string, lane: Lane): number {
    return lane.isAsking || this.#isBusy(host) ? Number.POSITIVE_INFINITY : this.#tools.pace.readyAt(host);
  }

  /**
   * Returns whether a host is busy. With several hosts, none may use more than half of the requests, because a slow
   * host would delay the others.
   */
  #isBusy(host: string): boolean {
    const { concurrency } = this.#tools;
    const most = this.#underWay.size > 1 ? Math.ceil(concurrency / 2) : concurrency;
    return (this.#underWay.get(host) ?? 0) >= most;
  }

  #count(host: string, change: number): void {
    this.#underWay.set(host, (this.#underWay.get(host) ?? 0) + change);
  }

  /** Sets a URL aside if its host is not ready, so that other URLs continue. */
  #mustWait(item: QueuedUrl, now: number): boolean {
    const { robots, pace } = this.#tools;
    const url = ownUrl(item.url);
    const lane = this.#lanes.get(url.host);
    if (lane !== undefined) lane.items.push(item);
    else {
      const rules = robots.known(url);
      if (rules !== undefined && !this.#isBusy(url.host) && pace.readyAt(url.host) <= now) return false;
      const own: Lane = { items: [item], isAsking: rules === undefined };
      this.#lanes.set(url.host, own);
      if (own.isAsking)
        this.#track(
          robots.rulesOf(url).then(() => {
            own.isAsking = false;
          }),
        );
    }
    this.#waiting++;
    return true;
  }

  async #start(item: QueuedUrl): Promise<void> {
    const url = ownUrl(item.url);
    // Cached, unless it has just expired.
    const rules = await this.#tools.robots.rulesOf(url);
    if (rules.isUnavailable) {
      const answer = { ...failure(item), error: 'robots_unavailable', ...rules.hostError } as const;
      this.#track(this.#answered(item, url, answer));
      return;
    }
    if (!rules.isAllowed(askedUrl(item.url))) {
      this.#track(this.#record(item, failure(item), true));
      return;
    }
    const wait = this.#tools.pace.take(url.host, rules.delayMs, performance.now());
    if (wait > 0) await this.#sleep(wait);
    if (this.#isEnding()) return;
    this.#undecided++;
    this.#track(this.#fetch(item, url));
  }

  /** Makes the round wait for this work before it ends. An error of the work ends the round. */
  #track(work: Promise<void>): void {
    const running: Promise<void> = work
      .catch((error: unknown) => {
        this.#error ??= error;
      })
      .finally(() => {
        this.#running.delete(running);
        this.#wakeUp();
      });
    this.#running.add(running);
  }

  /** Sleeps. Ends early when the crawl ends or, if allowed, when anything happens; lasts longer during a pause. */
  async #sleep(ms: number, mayWake = false): Promise<void> {
    let isOver = false;
    const timer = setTimeout(() => {
      isOver = true;
      this.#wakeUp();
    }, ms);
    if (mayWake) await this.#wake.promise;
    else while (!isOver && !this.#isEnding()) await this.#wake.promise;
    clearTimeout(timer);
    if (this.#tools.control.state === 'paused') await this.#whilePaused();
  }

  async #fetch(item: QueuedUrl, url: URL): Promise<void> {
    const recorded = Promise.withResolvers<void>();
    this.#count(url.host, 1);
    let given: Promise<void> | undefined;
    // A page that needs several requests has one place: two such pages would wait for each other's second request.
    const room = (): Promise<void> => {
      given ??= new Promise((resolve) => {
        void this.#large.run(() => {
          resolve();
          return recorded.promise;
        });
      });
      return given;
    };
    try {
      const answer = await visitPage(item, this.#tools, room);
      this.#undecided--;
      this.#count(url.host, -1);
      this.#wakeUp();
      if (this.#tools.signal.aborted || this.#tools.control.state === 'cancelling') return;
      await this.#answered(item, url, answer);
    } finally {
      recorded.resolve();
    }
  }

  /** Records a response or its absence; URLs that may be answered later are tried again. */
  async #answered(item: QueuedUrl, url: URL, answer: FetchedAnswer): Promise<void> {
    this.#failedInARow = answer.statusCode === null ? this.#failedInARow + 1 : 0;
    if (answer.statusCode === null) this.#failed++;
    else this.#fetched++;
    if (mayRetry(answer, url, this.#tools.pace) && item.attempts + 1 < MOST_ATTEMPTS) {
      this.#tools.batch.add({ item, status: null, targets: [] }, null);
      return;
    }
    await this.#record(item, answer, false);
  }

  async #record(item: QueuedUrl, answer: FetchedAnswer, isDenied: boolean): Promise<void> {
    const { counts, parser, renderer, batch, select, signal } = this.#tools;
    const status = fetchStatus(answer.statusCode, isDenied);
    counts.add(item.depth, sampleOf(answer, status));
    const sources = item.source === 'sitemaps' ? [] : [item.source];
    const denied_robots =
      this.#tools.robots.known(ownUrl(item.url))?.deniedRobots(askedUrl(item.url)) ?? null;
    const facts = { depth: item.depth, sources, robots_txt_denied: isDenied, denied_robots };
    const rendered =
      isDenied || renderer === null
        ? null
        : await renderer.render({ ...answer, url: item.url.replace(/#.*$/, '') });
    // Cut off from its resources: the page is fetched again.
    if (signal.aborted) return;
    await parser.parse({ answer, facts, rendered }, async (reply, isLarge) => {
      counts.look(reply.findings);
      batch.add({ item, status, targets: select(item, reply) }, reply);
      if (isLarge) await batch.write();
    });
  }
}

/** No response to a URL. */
function failure({ url }: QueuedUrl): FetchedAnswer {
  return { ...UNANSWERED, url, fetchedAt: new Date() };
}

function sampleOf(
  { url, statusCode, error, fetchedAt, loadTimeMs }: FetchedAnswer,
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
