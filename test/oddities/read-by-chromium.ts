import type { BrowserContextOptions, Page } from 'playwright-core';
import { startChromium } from '../browser/chromium.ts';
import { ODDITIES } from './cases.ts';
import { NO_PAGE, ofSite, type Reading } from './reading.ts';

/** Until a page that leads away has done so. */
const WAIT_MS = 700;
const TABS = 4;
const UNREADABLE = /ERR_CONTENT_DECODING_FAILED/;

/** What the browser is asked for in a tab. */
interface Document {
  readonly type: string;
  readonly url: string;
  readonly title: string;
  readonly encoding: string;
  readonly canonical: string | null;
  readonly links: readonly string[];
}

const READ = `({
  type: document.contentType,
  url: document.URL,
  title: document.title,
  encoding: document.characterSet,
  canonical: document.querySelector('head link[rel~=canonical i][href]')?.href ?? null,
  links: [...function* within(root) {
    for (const element of root.querySelectorAll('*')) {
      if (element.matches('a[*|href], area[href]')) yield element;
      if (element.shadowRoot !== null) yield* within(element.shadowRoot);
    }
  }(document)].map(({ href }) =>
    typeof href === 'string' ? href : URL.parse(href.baseVal, document.baseURI)?.href ?? href.baseVal),
})`;

/**
 * Reads oddities with the Chromium of this machine, each case of cookies without those of the others.
 *
 * @param options such as `javaScriptEnabled: false`, with which a browser reads what is in `noscript`
 */
export async function readByChromium(
  origin: string,
  cases = ODDITIES,
  options: BrowserContextOptions = {},
): Promise<Record<string, Reading>> {
  const browser = await startChromium();
  try {
    const shared = await browser.newContext(options);
    const readings: Record<string, Reading> = {};
    const left = [...cases];
    const readNext = async (): Promise<void> => {
      for (let one = left.shift(); one !== undefined; one = left.shift()) {
        const context = one.kind === 'cookie' ? await browser.newContext(options) : shared;
        const tab = await context.newPage();
        const problem = await problemOf(tab, origin + one.path);
        if (problem !== null || one.kind.startsWith('refresh')) await tab.waitForTimeout(WAIT_MS);
        // Of an answer that breaks off there is an error, and yet a page.
        const isPage = problem === null || (tab.url().startsWith(origin) && !UNREADABLE.test(problem));
        readings[one.path] = isPage ? await readTab(tab, origin) : NO_PAGE;
        await (context === shared ? tab : context).close();
      }
    };
    await Promise.all(Array.from({ length: TABS }, readNext));
    return Object.fromEntries(cases.map(({ path }) => [path, readings[path] ?? NO_PAGE]));
  } finally {
    await browser.close();
  }
}

/** Goes to a page; the error of its request, after which there is no event of its load. */
async function problemOf(tab: Page, url: string): Promise<string | null> {
  const failed = new Promise<string>((resolve) => {
    tab.on('requestfailed', (request) => {
      if (request.isNavigationRequest()) resolve(request.failure()?.errorText ?? 'unknown');
    });
  });
  const gone = tab.goto(url, { timeout: 20_000 }).then(() => null, String);
  return Promise.race([gone, failed]);
}

async function readTab(tab: Page, origin: string): Promise<Reading> {
  // A page that reloads itself is read between two loads.
  for (let turn = 0; turn < 10; turn++) {
    const reading = await readOnce(tab, origin).catch(() => null);
    if (reading !== null) return reading;
  }
  throw new Error(`${tab.url()} can not be read`);
}

async function readOnce(tab: Page, origin: string): Promise<Reading> {
  const read = (await tab.evaluate(READ)) as Document;
  const end = ofSite(read.url, origin);
  if (end === null || !/html/.test(read.type)) return NO_PAGE;
  const links = read.links.map((link) => ofSite(link, origin)).filter((link) => link !== null);
  const canonical = read.canonical === null ? null : ofSite(read.canonical, origin);
  return { end, isPage: true, title: read.title || null, encoding: read.encoding, canonical, links };
}
