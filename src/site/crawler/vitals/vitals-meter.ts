import { extname, join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { CrawlhouseError } from '../../../core/errors/errors.ts';
import { ownUrl, webUrl } from '../../../core/net/web-url.ts';
import type { CrawlSession } from '../crawl-session.ts';
import { BrowserFolder } from '../render/browser-folder.ts';
import type { RobotsCache } from '../robots/robots-cache.ts';
import type { GuardProxy } from './guard-proxy.ts';
import type {
  AskedRequest,
  FromThread,
  LighthouseThreadData,
  RequestVerdict,
  ToThread,
} from './thread-messages.ts';
import type { PageLoad } from './vitals.ts';

/** Requests of one load. A page with more has no vitals. */
const MOST_REQUESTS = 500;
/** Types that a page does not need to load: they never end, report it to others, or are for a later page. */
const NOT_THE_PAGES = new Set(['EventSource', 'Ping', 'CSPViolationReport', 'Prefetch']);
/** Headers that the browser sets itself. */
const THE_BROWSERS = new Set(['user-agent', 'accept', 'accept-encoding', 'cookie']);
/** The program next to this file, as source or built. */
const PROGRAM = join(import.meta.dirname, `lighthouse-thread${extname(import.meta.filename)}`);
/** Memory of the thread, in MB: the trace of a large page needs most of it. */
const MEMORY_MB = 1_000;
/** Time of a load and its evaluation; a page that takes longer has no vitals. */
const LONGEST_MS = 75_000;

/**
 * Loads pages by Lighthouse, one at a time, each in its own browser. If a page ends the thread, only that page loses
 * its vitals.
 */
export class VitalsMeter implements AsyncDisposable {
  readonly #data: LighthouseThreadData;
  readonly #gate: RequestGate;
  readonly #signal: AbortSignal;
  #worker: Worker | null = null;

  constructor(data: LighthouseThreadData, gate: RequestGate, signal: AbortSignal) {
    this.#data = data;
    this.#gate = gate;
    this.#signal = signal;
  }

  /** @throws CrawlhouseError `missing_feature` if the browser does not start */
  async load(url: string): Promise<PageLoad> {
    this.#signal.throwIfAborted();
    this.#gate.begin(url);
    await using folder = new BrowserFolder();
    const { promise, resolve, reject } = Promise.withResolvers<PageLoad>();
    const worker = this.#worker ?? this.#start();
    const onMessage = (said: FromThread): void => {
      if ('loaded' in said) resolve(said.loaded);
      else if ('broken' in said) reject(doesNotStart(this.#data.browser, said.broken));
    };
    const onExit = (): void => resolve({ warning: 'vitals_failed' });
    const onAbort = (): void => reject(this.#signal.reason);
    const timer = setTimeout(() => resolve({ warning: 'vitals_timeout' }), LONGEST_MS);
    worker.on('message', onMessage);
    worker.once('exit', onExit);
    this.#signal.addEventListener('abort', onAbort, { once: true });
    let isSound = false;
    try {
      worker.postMessage({ load: url, folder: folder.path } satisfies ToThread);
      const load = await promise;
      isSound = 'vitals' in load;
      if (this.#gate.hasTooMany) return { warning: 'vitals_request_limit' };
      return 'vitals' in load ? { ...load, isIncomplete: this.#gate.isIncomplete } : load;
    } finally {
      clearTimeout(timer);
      worker.off('message', onMessage);
      worker.off('exit', onExit);
      this.#signal.removeEventListener('abort', onAbort);
      // Anything that a page has left ends with the thread, and so does the browser.
      if (!isSound) await this[Symbol.asyncDispose]();
    }
  }

  #start(): Worker {
    const worker = new Worker(PROGRAM, {
      workerData: this.#data,
      resourceLimits: { maxOldGenerationSizeMb: MEMORY_MB },
      stdout: true,
      stderr: true,
    });
    worker.on('message', (said: FromThread) => {
      if ('ask' in said) void this.#answer(worker, said.ask, said.request);
    });
    worker.on('error', () => {}); // Its end says the same.
    worker.once('exit', () => {
      if (this.#worker === worker) this.#worker = null;
    });
    this.#worker = worker;
    return worker;
  }

  async #answer(worker: Worker, answer: number, request: AskedRequest): Promise<void> {
    // Aborted with the crawl, or without a robots.txt.
    const verdict = await this.#gate.judge(request).catch(() => false as const);
    worker.postMessage({ answer, verdict } satisfies ToThread);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const worker = this.#worker;
    this.#worker = null;
    await worker?.terminate();
  }
}

function doesNotStart(browser: string, problem: string): CrawlhouseError {
  return new CrawlhouseError('missing_feature', `web vitals cannot be measured: ${browser} does not start`, {
    cause: new Error(problem),
    hint: `${browser} --headless --dump-dom about:blank prints the reason; or set another browser in rendering.browser`,
  });
}

interface GateTools {
  readonly robots: RobotsCache;
  readonly session: CrawlSession;
  readonly guard: GuardProxy;
}

/** Decides for each request of a page whether it may be sent, by the rules of the crawl. */
export class RequestGate {
  readonly #tools: GateTools;
  #requests = 0;
  /** A request of the page was refused. */
  isIncomplete = false;
  /** A request waited for a robots.txt, so the times of this load are not those of the page. */
  hasWaited = false;

  constructor(tools: GateTools) {
    this.#tools = tools;
  }

  /** Begins another load, to which the next requests belong. */
  begin(url: string): void {
    this.#requests = 0;
    this.isIncomplete = false;
    this.hasWaited = false;
    this.#tools.guard.reset();
    // Connections to the page's own host are opened before its request is sent.
    this.#tools.guard.allow(ownUrl(url));
  }

  get hasTooMany(): boolean {
    return this.#requests > MOST_REQUESTS;
  }

  async judge({ url: text, method, type }: AskedRequest): Promise<RequestVerdict> {
    const url = webUrl(text);
    if (url === null) return false;
    this.#requests++;
    if (this.hasTooMany || NOT_THE_PAGES.has(type)) return false;
    const isAllowed = ['GET', 'HEAD', 'OPTIONS'].includes(method) && (await this.#isAllowed(url));
    if (!isAllowed) {
      this.isIncomplete = true;
      return false;
    }
    this.#tools.guard.allow(url);
    const headers = Object.entries(this.#tools.session.headersFor(url));
    return { headers: Object.fromEntries(headers.filter(([name]) => !THE_BROWSERS.has(name))) };
  }

  async #isAllowed(url: URL): Promise<boolean> {
    const { robots } = this.#tools;
    if (robots.known(url) === undefined) this.hasWaited = true;
    const rules = await robots.rulesOf(url);
    return !rules.isUnavailable && rules.isAllowed(url.href);
  }
}
