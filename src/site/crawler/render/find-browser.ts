import { existsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import type { BrowserType } from 'playwright-core';
import { CrawlhouseError } from '../../../core/errors/errors.ts';
import { checkFolder } from '../../../core/files/make-folder.ts';

/** Usual paths of a Chromium. */
const PLACES = [
  ...['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable'].map(
    (name) => `/usr/bin/${name}`,
  ),
  '/usr/local/bin/chromium',
  '/snap/bin/chromium',
  '/opt/google/chrome/chrome',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
  '/Applications/Chromium.app/Contents/MacOS/Chromium',
  'C:\\Program Files\\Google\\Chrome\\Application\\chrome.exe',
];

export type FoundBrowser = Awaited<ReturnType<typeof findBrowser>>;

/**
 * Returns the Chromium that pages are rendered in, and the library that drives it: the browser of the setting, else of
 * the system, else Playwright's own. Nothing else needs them, so they are searched for only if pages are rendered.
 *
 * @throws CrawlhouseError `missing_feature`; `bad_project` if the folder for its temporary files cannot be created
 */
export async function findBrowser(given?: string) {
  const chromium = await loadLibrary();
  return { chromium, path: pathOf(given, [chromium.executablePath()], 'pages cannot be rendered') };
}

/**
 * Returns the path of the installed browser, for use without playwright-core.
 *
 * @param purpose the feature that needs it
 * @throws CrawlhouseError `missing_feature`
 */
export async function findBrowserPath(given: string | undefined, purpose: string): Promise<string> {
  const own = await loadLibrary().then(
    (chromium) => [chromium.executablePath()],
    () => [], // Then there is no browser of its own.
  );
  return pathOf(given, own, purpose);
}

function pathOf(given: string | undefined, own: readonly string[], purpose: string): string {
  const path = (given === undefined ? [...PLACES, ...own] : [given]).find((place) => existsSync(place));
  if (path !== undefined) {
    checkFolder(tmpdir(), 'TMPDIR', false);
    return path;
  }
  if (given !== undefined)
    throw missing(`rendering.browser: there is no ${given}`, 'set the path of Chromium or Chrome');
  throw missing(
    `${purpose}: there is no Chromium`,
    'apt-get install chromium, or npx playwright-core install chromium, or set rendering.browser to its path',
  );
}

async function loadLibrary(): Promise<BrowserType> {
  try {
    return (await import('playwright-core')).chromium;
  } catch (cause) {
    throw missing(
      'pages cannot be rendered: playwright-core is not installed',
      'npm install playwright-core',
      cause,
    );
  }
}

function missing(message: string, hint: string, cause?: unknown): CrawlhouseError {
  return new CrawlhouseError('missing_feature', message, { hint, cause });
}
