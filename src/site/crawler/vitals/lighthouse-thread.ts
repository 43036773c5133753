import { createRequire } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { parentPort, workerData } from 'node:worker_threads';
import type lighthouse from 'lighthouse';
import { browserEnvironment } from '../render/browser-folder.ts';
import { MemoryWatch } from '../render/memory-watch.ts';
import type { PausedRequest } from '../render/page-requests.ts';
import { readResult, warningOf } from './read-result.ts';
import type {
  AskedRequest,
  FromThread,
  LighthouseThreadData,
  RequestVerdict,
  ToThread,
} from './thread-messages.ts';
import type { PageLoad } from './vitals.ts';

/** Memory of a page's process, in bytes. */
const MOST_MEMORY = 800_000_000;
/** Memory of a script's objects, in MB. */
const SCRIPT_MEMORY_MB = 512;
const LAUNCH_MS = 60_000;
/** A page that is not quiet after this time has no vitals. */
const LONGEST_LOAD_MS = 25_000;

/** The page's next visit finds no service worker that answers its requests. */
const NO_SERVICE_WORKERS = `navigator.serviceWorker && Object.defineProperty(navigator.serviceWorker, 'register', {
  value: () => Promise.reject(new DOMException('refused', 'SecurityError')) });`;

const FLAGS = {
  logLevel: 'silent',
  locale: 'en-US',
  onlyCategories: ['performance'] as string[],
  // This audit would load the page again.
  skipAudits: ['bf-cache'] as string[],
  disableFullPageScreenshot: true,
  maxWaitForLoad: LONGEST_LOAD_MS,
} as const;

/** The type of Lighthouse's own puppeteer. */
type Page = NonNullable<Parameters<typeof lighthouse>[3]>;
type Browser = ReturnType<Page['browser']>;
type Session = Awaited<ReturnType<Page['createCDPSession']>>;

/**
 * A thread of `Meter`: loads one page after another with Lighthouse. If a page breaks Lighthouse, such as by a flood of
 * events, only this thread ends, not the crawl.
 */
const { browser: executablePath, proxyPort, userAgent, formFactor } = workerData as LighthouseThreadData;
const waiting = new Map<number, (verdict: RequestVerdict) => void>();
let asked = 0;

parentPort?.on('message', (said: ToThread) => {
  if ('load' in said) void load(said.load, said.folder);
  else {
    waiting.get(said.answer)?.(said.verdict);
    waiting.delete(said.answer);
  }
});

function say(message: FromThread): void {
  parentPort?.postMessage(message);
}

async function load(url: string, folder: string): Promise<void> {
  let browser: Browser;
  try {
    browser = await launch(folder);
  } catch (error) {
    say({ broken: String((error as Error | undefined)?.message ?? error) });
    return;
  }
  const loaded = await measure(url, browser);
  // It has already ended, or ends with its pipe.
  await browser.close().catch(() => {});
  say({ loaded });
}

async function launch(folder: string): Promise<Browser> {
  const from = createRequire(import.meta.resolve('lighthouse'));
  const { default: puppeteer } = (await import(pathToFileURL(from.resolve('puppeteer-core')).href)) as {
    default: { launch(options: object): Promise<Browser> };
  };
  return puppeteer.launch({
    executablePath,
    userDataDir: join(folder, 'profile'),
    env: browserEnvironment(folder),
    // A port would let any program on this machine control the browser.
    pipe: true,
    headless: true,
    args: [
      `--proxy-server=socks5://127.0.0.1:${proxyPort}`,
      '--proxy-bypass-list=<-loopback>',
      // Only the proxy resolves names.
      '--host-resolver-rules=MAP * ~NOTFOUND , EXCLUDE 127.0.0.1',
      '--force-webrtc-ip-handling-policy=disable_non_proxied_udp',
      '--disable-quic',
      '--deny-permission-prompts',
      `--user-agent=${userAgent}`,
      `--js-flags=--max-old-space-size=${SCRIPT_MEMORY_MB}`,
      // Chromium's own sandbox does not work for root.
      ...(process.getuid?.() === 0 ? ['--no-sandbox'] : []),
    ],
    timeout: LAUNCH_MS,
    handleSIGINT: false,
    handleSIGTERM: false,
    handleSIGHUP: false,
  });
}

async function measure(url: string, browser: Browser): Promise<PageLoad> {
  const session = await browser.target().createCDPSession();
  await using memory = new MemoryWatch(session, MOST_MEMORY);
  let load: PageLoad;
  try {
    await holdRequests(session);
    const page = await browser.newPage();
    await page.evaluateOnNewDocument(NO_SERVICE_WORKERS);
    const { default: lighthouse } = await import('lighthouse');
    const chromium = (await browser.version()).replace(/^.*\//, '');
    const ran = await lighthouse(url, FLAGS, await configuration(), page);
    load = ran === undefined ? { warning: 'vitals_failed' } : readResult(url, ran.lhr, chromium);
  } catch (error) {
    load = { warning: warningOf((error as { code?: unknown } | undefined)?.code) };
  }
  return 'warning' in load && memory.endedAt > 0 ? { warning: 'vitals_memory' } : load;
}

/** Returns the configuration of a form factor, in which Lighthouse itself fetches only the page. */
async function configuration() {
  const { defaultConfig, desktopConfig } = await import('lighthouse');
  const { default: SourceMaps } = await import('lighthouse/core/gather/gatherers/source-maps.js');
  class NoSourceMaps extends SourceMaps {
    override async fetchSourceMap(): Promise<never> {
      throw new Error('source maps are not fetched');
    }
  }
  const artifacts = (defaultConfig.artifacts ?? []).map((artifact) =>
    artifact.id === 'SourceMaps' ? { ...artifact, gatherer: { instance: new NoSourceMaps() } } : artifact,
  );
  const { settings } = formFactor === 'desktop' ? desktopConfig : { settings: {} };
  return { ...defaultConfig, artifacts, settings: { ...settings, emulatedUserAgent: userAgent } };
}

/**
 * Holds each request from pages, frames and workers in the browser until the crawl decides whether to send it.
 */
async function holdRequests(session: Session): Promise<void> {
  session.on('Fetch.requestPaused', (paused) => {
    // The browser has dropped a request that can no longer be answered.
    void answer(session, paused).catch(() => {});
  });
  await session.send('Fetch.enable', { patterns: [{ urlPattern: '*' }] });
}

async function answer(
  session: Session,
  { requestId, resourceType, request }: Omit<PausedRequest, 'networkId'>,
): Promise<void> {
  const isLocal = /^(?:data|blob|about):/.test(request.url);
  const verdict = isLocal
    ? { headers: {} }
    : await ask({ url: request.url, method: request.method, type: resourceType });
  if (verdict === false) {
    await session.send('Fetch.failRequest', { requestId, errorReason: 'BlockedByClient' });
    return;
  }
  const extra = Object.entries(verdict.headers);
  const headers = Object.entries({ ...request.headers, ...verdict.headers }).map(([name, value]) => ({
    name,
    value,
  }));
  await session.send('Fetch.continueRequest', { requestId, ...(extra.length === 0 ? {} : { headers }) });
}

function ask(request: AskedRequest): Promise<RequestVerdict> {
  const number = asked++;
  say({ ask: number, request });
  return new Promise((resolve) => waiting.set(number, resolve));
}
