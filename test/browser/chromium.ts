import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { type Browser, type BrowserContextOptions, chromium, type Page } from 'playwright-core';

const NAMES = ['chromium', 'chromium-browser', 'google-chrome'];

/** The Chromium of this machine; undefined where there is none. */
export const CHROMIUM = (process.env.PATH ?? '')
  .split(delimiter)
  .flatMap((folder) => NAMES.map((name) => join(folder, name)))
  .find((path) => existsSync(path));

export const MISSING = 'Chromium is not installed: apt-get install chromium, then npm run test:browser';

export async function startChromium(): Promise<Browser> {
  return await chromium.launch({
    ...(CHROMIUM === undefined ? {} : { executablePath: CHROMIUM }),
    args: [
      '--no-sandbox',
      '--disable-gpu',
      '--disable-quic',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
      '--no-first-run',
    ],
  });
}

/** A tab of a person, and what its page complained of: errors of scripts, and what the policy of the page refused. */
export async function openTab(
  browser: Browser,
  session: { readonly url: string; readonly cookie: string },
  options: BrowserContextOptions = {},
): Promise<{ readonly tab: Page; readonly complaints: readonly string[] } & AsyncDisposable> {
  const context = await browser.newContext(options);
  const [name = '', value = ''] = session.cookie.split('=');
  if (name !== '') await context.addCookies([{ name, value, url: session.url }]);
  const tab = await context.newPage();
  const complaints: string[] = [];
  tab.on('console', (message) => {
    if (message.type() === 'error' || message.type() === 'warning') complaints.push(message.text());
  });
  tab.on('pageerror', (error) => complaints.push(error.message));
  return { tab, complaints, [Symbol.asyncDispose]: () => context.close() };
}
