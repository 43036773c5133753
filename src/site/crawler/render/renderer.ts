import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { CrawlhouseError } from '../../../core/errors/errors.ts';
import { Semaphore } from '../../../core/queue/semaphore.ts';
import type { CrawlSettings } from '../crawl-settings.ts';
import type { FetchedAnswer } from '../fetch/fetcher.ts';
import { htmlBody } from '../parse/content-kind.ts';
import { BrowserFolder, browserEnvironment } from './browser-folder.ts';
import { type FoundBrowser, findBrowser } from './find-browser.ts';
import { MemoryWatch } from './memory-watch.ts';
import type { MainAnswer } from './page-requests.ts';
import { type Rendered, RenderFailure } from './rendered.ts';
import { ResourceFetcher, type ResourceTools } from './resource-fetcher.ts';
import { Tab, type TabOptions } from './tab.ts';

/** How a machine renders pages. It is not part of a crawl's configuration, because the pages stay the same. */
export interface RenderOptions {
  /** The path of a Chromium; default: that of the system, else Playwright's own. */
  readonly browser?: string | undefined;
  /** Pages at a time; default: one per core, as far as memory allows. */
  readonly tabs?: number | undefined;
  /** Whether images, media and fonts are fetched. */
  readonly media?: boolean | undefined;
}

/** Memory of a tab, in MB; a page that exceeds it is ended. */
const MOST_MEMORY_MB = 400;
/** Memory of a script's objects in it. */
const SCRIPT_MEMORY_MB = 256;
const MOST_TABS = 8;
/** Pages per tab; then a new tab replaces it and frees its memory. */
const PAGES_OF_A_TAB = 40;
/** Attempts to render a page if the browser breaks down: another page may have broken it. */
const MOST_ATTEMPTS = 3;
/** A tab that ends this soon after a process was ended belongs to that process. */
const JUST_ENDED_MS = 3_000;
const LONGEST_END_MS = 15_000;
const LONGEST_OPEN_MS = 30_000;
const LAUNCH_MS = 60_000;

/**
 * Features of Chromium that are off: those that send pages to other addresses than requested (Playwright's own list,
 * which this one replaces), and the suggestions of the address bar, which need a process of their own for each tab.
 */
const FEATURES_OFF = [
  'HttpsUpgrades',
  'HttpsFirstBalancedModeAutoEnable',
  'PaintHolding',
  'ThirdPartyStoragePartitioning',
  'AvoidCorsURLLoaderRestartOnRedirect',
  'AvoidUnnecessaryBeforeUnloadCheckSync',
  'DestroyProfileOnBrowserClose',
  'MediaRouter',
  'OptimizationHints',
  'WebUIOmniboxPopup',
  'WebUIOmniboxAimPopup',
  'WebUIOmniboxFullPopup',
];

/**
 * `PageRequests` answers every request of a page. Traffic that might bypass it, such as a WebSocket, meets a proxy that
 * does not exist and no names. All frames of a tab share its process, which ends with it.
 */
const ARGUMENTS = [
  '--proxy-server=http://127.0.0.1:9',
  '--proxy-bypass-list=<-loopback>',
  '--host-resolver-rules=MAP * ~NOTFOUND',
  '--force-webrtc-ip-handling-policy=disable_non_proxied_udp',
  '--disable-quic',
  '--disable-site-isolation-trials',
  '--deny-permission-prompts',
  '--disable-gpu',
  '--disable-software-rasterizer',
  `--disable-features=${FEATURES_OFF.join(',')}`,
  `--js-flags=--max-old-space-size=${SCRIPT_MEMORY_MB}`,
];

/**
 * Renders pages in one Chromium, several at a time. If a page breaks its tab or the browser, only that page loses its
 * content.
 */
export class Renderer implements AsyncDisposable {
  readonly #found: FoundBrowser;
  readonly #options: RendererOptions;
  readonly #turns: Semaphore;
  #browser: Promise<Started> | null = null;
  #idle: Tab[] = [];
  #isClosed = false;
  #onEnd = (): void => {};
  /** Pages that wait or are being rendered. */
  pending = 0;

  private constructor(found: FoundBrowser, options: RendererOptions) {
    this.#found = found;
    this.#options = options;
    this.#turns = new Semaphore(options.tabs);
  }

  /**
   * Returns the renderer of a crawl, or null if its configuration needs none. The renderer ends when the signal aborts.
   *
   * @param options with the most bytes of a page after content-encoding
   * @throws CrawlhouseError `missing_feature` if there is no browser
   */
  static async forCrawl(
    { rendering, headers, agentKind }: CrawlSettings,
    options: RenderOptions & { readonly bytes: number },
    tools: ResourceTools,
  ): Promise<Renderer | null> {
    if (rendering === undefined) return null;
    const renderer = new Renderer(await findBrowser(options.browser), {
      bytes: options.bytes,
      tabs: options.tabs ?? tabsOfThisMachine(),
      tab: {
        userAgent: headers['user-agent'] ?? '',
        agentKind,
        media: options.media ?? false,
        resources: new ResourceFetcher(tools),
      },
    });
    const stop = (): void => void renderer[Symbol.asyncDispose]();
    tools.signal.addEventListener('abort', stop, { once: true });
    renderer.#onEnd = () => tools.signal.removeEventListener('abort', stop);
    return renderer;
  }

  /** Whether further pages would only wait. */
  get isBusy(): boolean {
    return this.pending >= 2 * this.#turns.size;
  }

  /** Returns null if the response is not an HTML page with a status of 200 to 299. */
  async render(answer: FetchedAnswer): Promise<Rendered | null> {
    const { url, statusCode: status, headers } = answer;
    const body = htmlBody(answer, this.#options.bytes);
    if (body === null || status === null) return null;
    this.pending++;
    try {
      return await this.#turns.run(() => this.#patiently({ url, status, headers, body }));
    } finally {
      this.pending--;
    }
  }

  async #patiently(main: MainAnswer): Promise<Rendered> {
    for (let attempt = 1; ; attempt++) {
      const started = await this.#start();
      try {
        return await this.#inTab(started, main);
      } catch (error) {
        if (this.#isClosed || !(error instanceof RenderFailure)) throw error;
        if (!started.browser.isConnected() && attempt < MOST_ATTEMPTS) continue;
        const isMemory = performance.now() - started.memory.endedAt < JUST_ENDED_MS;
        const warning = error.warning === 'render_crashed' && isMemory ? 'render_memory' : error.warning;
        return { html: null, scriptRedirect: null, resources: [], warnings: [warning] };
      }
    }
  }

  /** @throws RenderFailure */
  async #inTab(started: Started, main: MainAnswer): Promise<Rendered> {
    const tab = this.#idle.pop() ?? (await this.#openTab(started));
    let isSound = false;
    try {
      const rendered = await tab.render(main);
      isSound = tab.pages < PAGES_OF_A_TAB;
      return rendered;
    } finally {
      if (isSound && !this.#isClosed) this.#idle.push(tab);
      else if (!(await tab.close())) await this.#end(started);
    }
  }

  async #openTab({ browser }: Started): Promise<Tab> {
    const opened = Tab.open(browser, this.#options.tab);
    try {
      const tab = await Promise.race([opened, sleep(LONGEST_OPEN_MS, null, { ref: false })]);
      if (tab !== null) return tab;
    } catch (cause) {
      throw new RenderFailure('render_crashed', { cause });
    }
    // It may still open.
    opened.then((tab) => tab.close()).catch(() => {});
    throw new RenderFailure('render_crashed');
  }

  /** Returns the running browser, or a new one. */
  #start(): Promise<Started> {
    if (this.#isClosed) throw new Error('the renderer is closed');
    this.#browser ??= launch(this.#found).then((started) => {
      started.browser.on('disconnected', () => {
        this.#browser = null;
        this.#idle = [];
        void started.memory[Symbol.asyncDispose]();
        // Files that cannot be removed now are removed when another process starts a browser.
        void started.folder[Symbol.asyncDispose]().catch(() => {});
      });
      return started;
    });
    return this.#browser;
  }

  async #end({ browser, folder }: Started): Promise<void> {
    // It has already ended, or ends with its process. One that does not end in time ends with this program.
    await Promise.race([browser.close().catch(() => {}), sleep(LONGEST_END_MS, undefined, { ref: false })]);
    // It still writes: the folder is removed when the program ends.
    await folder[Symbol.asyncDispose]().catch(() => {});
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#isClosed = true;
    this.#onEnd();
    // A browser that did not start needs no end.
    const started = await this.#browser?.catch(() => null);
    if (started) await this.#end(started);
  }
}

interface RendererOptions {
  readonly bytes: number;
  readonly tabs: number;
  readonly tab: TabOptions;
}

type Started = Awaited<ReturnType<typeof launch>>;

async function launch({ chromium, path }: FoundBrowser) {
  const folder = new BrowserFolder();
  try {
    const profile = join(folder.path, 'profile');
    const first = await chromium.launchPersistentContext(profile, {
      artifactsDir: folder.path,
      env: browserEnvironment(folder.path),
      executablePath: path,
      // Chromium's own sandbox does not work for root.
      chromiumSandbox: process.getuid?.() !== 0,
      args: ARGUMENTS,
      ignoreDefaultArgs: ['--disable-popup-blocking', '--disable-ipc-flooding-protection'],
      timeout: LAUNCH_MS,
      handleSIGINT: false,
      handleSIGTERM: false,
      handleSIGHUP: false,
    });
    folder.removeAtExit();
    const browser = first.browser();
    if (browser === null) throw new Error('the browser has ended');
    const session = await browser.newBrowserCDPSession();
    return { browser, folder, memory: new MemoryWatch(session, MOST_MEMORY_MB * 1_000_000) };
  } catch (cause) {
    await folder[Symbol.asyncDispose]();
    throw new CrawlhouseError('missing_feature', `pages cannot be rendered: ${path} does not start`, {
      cause,
      hint: `${path} --headless --dump-dom about:blank prints the reason; or set another browser in rendering.browser`,
    });
  }
}

function tabsOfThisMachine(): number {
  const byMemory = Math.floor(process.availableMemory() / 2 / (MOST_MEMORY_MB * 1_000_000));
  return Math.max(1, Math.min(availableParallelism(), byMemory, MOST_TABS));
}
