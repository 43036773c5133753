import { setTimeout as sleep } from 'node:timers/promises';
import type { Browser, BrowserContext, CDPSession, Page } from 'playwright-core';
import { ownUrl, webUrl } from '../../../core/net/web-url.ts';
import { type GivenResources, type MainAnswer, PageRequests, type PausedRequest } from './page-requests.ts';
import { FRAMES, MOST_CHARACTERS, SNAPSHOT, type Snapshot, VIEW } from './page-scripts.ts';
import { type Rendered, RenderFailure } from './rendered.ts';
import type { ResourceFetcher } from './resource-fetcher.ts';
import { SHARED_WORKERS } from './shared-workers.ts';

/**
 * The time that a page gets after its response, on the page's own clock. The clock stops while requests are in
 * progress, and jumps to the next timer while nothing happens. So a page gets the same time on any machine and at any
 * speed. Then the browser draws the page, and the page gets the rest of its time for content that loads when it comes
 * into view.
 */
const BEFORE_VIEW_MS = 4_000;
const AFTER_VIEW_MS = 1_000;
/** After this much of it, a page has started the workers that it needs. */
const BEGINNING_MS = 200;
/** For a page with workers, whose clock is the machine's: the parts of its time, and the real time for each. */
const WORKER_STEP_MS = 100;
const WORKER_WAIT_MS = 20;
/** Real time that the browser has to draw a page; after it, the page is read without being drawn. */
const LONGEST_VIEW_MS = 5_000;
/** Tasks after which the clock continues although there are more. */
const STARVED_TASKS = 1_000;
/** Real time of a page, including its requests, but not their waits for a turn. */
const LONGEST_MS = 20_000;
/** Real time with these turns. */
const LONGEST_WITH_TURNS_MS = 180_000;
const TICK_MS = 100;
const CLOSING_MS = 5_000;
/**
 * The height of the viewport. It is tall, as in Google's renderer, so that content that loads when it comes into view
 * is in view.
 */
const HEIGHT = 10_000;
const WIDTHS = { web: 1024, mobile: 412 } as const;
/** The drawn part: pages cannot detect it, and each pixel takes time. */
const WINDOW = { width: 400, height: 300 };
/**
 * The world of the crawler's scripts. With a name there is one world per tab; others would be created again for each
 * page.
 */
const WORLD = 'crawlhouse';

export interface TabOptions {
  readonly userAgent: string;
  readonly agentKind: keyof typeof WIDTHS;
  readonly media: boolean;
  readonly resources: ResourceFetcher;
}

/**
 * A browser tab with its own cookies and storage. It renders one page after another, each as if it were new.
 */
export class Tab {
  readonly #context: BrowserContext;
  readonly #page: Page;
  readonly #cdp: CDPSession;
  readonly #frameId: string;
  readonly #options: TabOptions;
  readonly #crashed = Promise.withResolvers<never>();
  readonly #given: GivenResources = new Map();
  #requests: PageRequests | null = null;
  pages = 0;

  private constructor(
    { context, page, cdp }: { context: BrowserContext; page: Page; cdp: CDPSession },
    frameId: string,
    options: TabOptions,
  ) {
    this.#context = context;
    this.#page = page;
    this.#cdp = cdp;
    this.#frameId = frameId;
    this.#options = options;
    // The caller of render learns it; the next page of an idle tab detects it.
    this.#crashed.promise.catch(() => {});
    const crash = (): void => this.#crashed.reject(new RenderFailure('render_crashed'));
    page.on('crash', crash);
    page.on('close', crash);
    page.on('dialog', (dialog) => {
      // A dialog of a page that ends no longer exists.
      void dialog.dismiss().catch(() => {});
    });
    cdp.on('Fetch.requestPaused', (paused: PausedRequest) => {
      // The browser has dropped a request that can no longer be answered.
      void this.#requests?.answer(paused).catch(() => {});
    });
    cdp.on('Network.requestWillBeSent', ({ requestId, request }) => {
      this.#requests?.asked(requestId, request.url);
    });
    cdp.on('Network.requestServedFromCache', ({ requestId }) => this.#requests?.kept(requestId));
  }

  static async open(browser: Browser, options: TabOptions): Promise<Tab> {
    const { userAgent, agentKind } = options;
    const context = await browser.newContext({
      userAgent,
      viewport: { width: WIDTHS[agentKind], height: HEIGHT },
      isMobile: agentKind === 'mobile',
      serviceWorkers: 'block',
      acceptDownloads: false,
    });
    const page = await context.newPage();
    const cdp = await context.newCDPSession(page);
    const { windowId } = await cdp.send('Browser.getWindowForTarget');
    await cdp.send('Browser.setWindowBounds', { windowId, bounds: WINDOW });
    const { frameTree } = await cdp.send('Page.getFrameTree');
    const tab = new Tab({ context, page, cdp }, frameTree.frame.id, options);
    // Playwright's own method waits for a page whose scripts end it.
    await cdp.send('Page.enable');
    await cdp.send('Page.addScriptToEvaluateOnNewDocument', { source: FRAMES + SHARED_WORKERS });
    await cdp.send('Fetch.enable', { patterns: [{ urlPattern: '*' }] });
    await cdp.send('Network.enable', { maxTotalBufferSize: 0, maxResourceBufferSize: 0 });
    await cdp.send('Emulation.setVirtualTimePolicy', { policy: 'pause' });
    return tab;
  }

  /** @throws RenderFailure; the tab is then to be closed */
  async render(main: MainAnswer): Promise<Rendered> {
    const { resources, media } = this.#options;
    const requests = new PageRequests(this.#cdp, resources, main, {
      frameId: this.#frameId,
      media,
      given: this.#given,
    });
    this.#requests = requests;
    this.pages++;
    const deadline = watch(requests);
    try {
      const work = this.#load(main.url, requests);
      // The deadline may come first.
      work.catch(() => {});
      const { html, ...place } = await Promise.race([work, deadline.late, this.#crashed.promise]);
      if (html.length >= MOST_CHARACTERS) requests.warnings.add('render_size_limit');
      const { scriptRedirect, seen, warnings } = requests;
      return { html, place, scriptRedirect, resources: seen, warnings: [...warnings] };
    } finally {
      deadline.end();
    }
  }

  async #load(url: string, requests: PageRequests): Promise<Snapshot> {
    try {
      await this.#page.goto(url, { waitUntil: 'commit', timeout: LONGEST_MS });
      await this.#pass(BEGINNING_MS);
      await this.#passBesideWorkers(BEFORE_VIEW_MS - BEGINNING_MS, requests);
      await this.#view();
      await this.#passBesideWorkers(AFTER_VIEW_MS, requests);
      const snapshot = (await this.#evaluate(SNAPSHOT)) as Snapshot;
      // Scripts replaced the page with their own document.
      if (!/^https?:/.test(snapshot.url)) throw new RenderFailure('render_navigated');
      await this.#forget(url);
      return snapshot;
    } catch (error) {
      throw error instanceof RenderFailure ? error : new RenderFailure('render_failed', { cause: error });
    }
  }

  /** Runs the page for a part of its time, and meanwhile gives its workers the time that they need. */
  async #passBesideWorkers(budget: number, requests: PageRequests): Promise<void> {
    let left = budget;
    while (left > 0) {
      const hasWorkers = this.#page.workers().length > 0;
      if (hasWorkers) await Promise.all([requests.answered(), sleep(WORKER_WAIT_MS)]);
      const step = hasWorkers ? Math.min(left, WORKER_STEP_MS) : left;
      await this.#pass(step);
      left -= step;
    }
  }

  /** Runs the page for a part of its time. */
  async #pass(budget: number): Promise<void> {
    const expired = new Promise<void>((resolve) => {
      this.#cdp.once('Emulation.virtualTimeBudgetExpired', () => resolve());
    });
    await this.#cdp.send('Emulation.setVirtualTimePolicy', {
      policy: 'pauseIfNetworkFetchesPending',
      budget,
      maxVirtualTimeTaskStarvationCount: STARVED_TASKS,
    });
    await expired;
  }

  /**
   * Waits until the browser has drawn the page. The browser draws in real time, which the page's clock runs ahead of.
   * Without the wait, a page on a slow machine would not detect what is in view.
   */
  async #view(): Promise<void> {
    // If the document is replaced meanwhile, the promise is lost.
    const viewed = this.#evaluate(VIEW).catch(() => {});
    await Promise.race([viewed, sleep(LONGEST_VIEW_MS, undefined, { ref: false })]);
  }

  async #evaluate(expression: string): Promise<unknown> {
    const world = await this.#cdp.send('Page.createIsolatedWorld', {
      frameId: this.#frameId,
      worldName: WORLD,
    });
    const { result } = await this.#cdp.send('Runtime.evaluate', {
      expression,
      contextId: world.executionContextId,
      returnByValue: true,
      awaitPromise: true,
    });
    return result.value;
  }

  /** Removes the stored data of a page, so that the next page does not find it. */
  async #forget(url: string): Promise<void> {
    const framed = this.#page.frames().map((frame) => webUrl(frame.url())?.origin);
    const origins = new Set([ownUrl(url).origin, ...framed.filter((one) => one !== undefined)]);
    await Promise.all([
      this.#cdp.send('Network.clearBrowserCookies'),
      ...[...origins].map((origin) =>
        this.#cdp.send('Storage.clearDataForOrigin', { origin: String(origin), storageTypes: 'all' }),
      ),
    ]);
  }

  /** Closes the tab. Returns false if the browser does not close it in time. */
  async close(): Promise<boolean> {
    const late = sleep(CLOSING_MS, false as const, { ref: false });
    const closed = this.#context.close().then(
      () => true,
      () => true, // The browser is gone, and the tab with it.
    );
    return Promise.race([closed, late]);
  }
}

/** Fails when the real time of a page is used up. */
function watch(requests: PageRequests): { readonly late: Promise<never>; readonly end: () => void } {
  const { promise, reject } = Promise.withResolvers<never>();
  // The page may end before.
  promise.catch(() => {});
  let own = 0;
  let all = 0;
  const timer = setInterval(() => {
    all += TICK_MS;
    if (!requests.isWaiting) own += TICK_MS;
    if (own >= LONGEST_MS || all >= LONGEST_WITH_TURNS_MS) reject(new RenderFailure('render_timeout'));
  }, TICK_MS);
  return { late: promise, end: () => clearInterval(timer) };
}
