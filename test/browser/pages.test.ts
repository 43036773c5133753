import { once } from 'node:events';
import { mkdirSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { AxeBuilder } from '@axe-core/playwright';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest';
import { PAGES } from '../../src/app/console/pages/all-pages.ts';
import { type Console, serveConsole } from '../../src/app/console/server/serve-console.ts';
import { silentLogger } from '../../src/core/logs/logger.ts';
import { ALL_ROUNDS, roundSeed } from '../support/random.ts';
import { sharedFolder } from '../support/temporary.ts';
import { CHROMIUM, MISSING, openTab, startChromium } from './chromium.ts';
import { ADDRESSES, type VisitedProject, visitedProject } from './visited-project.ts';

/** Every look at a page is written here, to be judged by a person. */
const SCREENSHOTS = join(import.meta.dirname, 'screenshots');
const WIDTHS = [360, 768, 1600];
const SCHEMES = ['light', 'dark'] as const;
const LOOKS = WIDTHS.flatMap((width) => SCHEMES.map((colorScheme) => ({ width, colorScheme })));

/** The looks of a page of this place in the list: all, or a narrow and a wider one by the day. Four days have all. */
function looksOf(place: number): typeof LOOKS {
  const turn = roundSeed() + place;
  return ALL_ROUNDS ? LOOKS : LOOKS.filter((_, look) => look === turn % 2 || look === 2 + (turn % 4));
}

/** What a person loads to see the first page. */
const MOST_BYTES = 150_000;

const folder = sharedFolder();
let project: VisitedProject;
let served: Console;
let browser: Browser;
let cookie = '';

if (CHROMIUM === undefined) console.warn(MISSING);

describe.skipIf(CHROMIUM === undefined)('the console in Chromium', () => {
  beforeAll(async () => {
    rmSync(SCREENSHOTS, { recursive: true, force: true });
    mkdirSync(SCREENSHOTS, { recursive: true });
    project = await visitedProject(folder);
    served = await serveConsole(project.settings, '127.0.0.1:0', silentLogger, new AbortController().signal);
    const signedIn = await fetch(served.newLink() ?? '', { redirect: 'manual' });
    [cookie = ''] = (signedIn.headers.get('set-cookie') ?? '').split(';');
    browser = await startChromium();
  });
  afterAll(async () => {
    await browser?.close();
    await served?.[Symbol.asyncDispose]();
    await project?.[Symbol.asyncDispose]();
  });

  test('this test has an address for every page', () => {
    expect(Object.keys(ADDRESSES).sort()).toEqual(PAGES.map(({ path }) => path).sort());
  });

  test.for(PAGES.map(({ path }, place) => ({ path, place })))(
    '$path passes the accessibility and layout checks',
    async ({ path, place }) => {
      const address = served.url + (ADDRESSES[path]?.(project) ?? '');
      for (const { width, colorScheme } of looksOf(place)) {
        const viewport = { width, height: 900 };
        await using opened = await openTab(browser, { url: served.url, cookie }, { viewport, colorScheme });
        const { tab, complaints } = opened;
        const response = await tab.goto(address, { waitUntil: 'load' });
        const text = (await tab.locator('main').textContent()) ?? '';
        expect(response?.status(), `${address}: ${text}`).toBe(200);
        const name = `${path.replaceAll(/[^a-z]+/g, '-').replaceAll(/^-|-$/g, '') || 'overview'}-${width}-${colorScheme}`;
        await tab.screenshot({ path: join(SCREENSHOTS, `${name}.png`), fullPage: true });
        const wide = await tab.evaluate('document.scrollingElement.scrollWidth - innerWidth');
        expect(wide, `${name} scrolls sideways`).toBeLessThanOrEqual(0);
        expect(complaints, name).toEqual([]);
        const { violations } = await new AxeBuilder({ page: tab }).analyze();
        const found = violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(' ')}`);
        expect(found, name).toEqual([]);
      }
    },
  );

  test('no page can be framed by another origin, with or without a session', async () => {
    const addresses = [
      ...Object.values(ADDRESSES).map((of) => of(project)),
      '/sign-in',
      '/nowhere',
      '/report',
    ];
    const frames = addresses.map((path) => `<iframe src="${served.url}${path}"></iframe>`).join('');
    const embeds = `<object data="${served.url}/do"></object><embed src="${served.url}/do">`;
    const attacker = createServer((_, response) => {
      response.setHeader('content-type', 'text/html').end(frames + embeds);
    });
    attacker.listen(0, '127.0.0.1');
    await once(attacker, 'listening');
    onTestFinished(() => void attacker.close());
    const { port } = attacker.address() as AddressInfo;
    for (const session of [cookie, '']) {
      await using opened = await openTab(browser, { url: served.url, cookie: session });
      const { tab } = opened;
      await tab.goto(`http://127.0.0.1:${port}/`, { waitUntil: 'networkidle' });
      // A frame that Chromium refuses is replaced by one for the error: all are read again until none was.
      const shown = await vi.waitFor(
        () =>
          Promise.all(
            tab
              .frames()
              .slice(1)
              .map(async (frame) => [frame.url(), await frame.locator('main, form').count()]),
          ),
        { timeout: 30_000 },
      );
      expect(shown.length).toBeGreaterThanOrEqual(addresses.length);
      expect(shown.filter(([url, parts]) => parts !== 0 || !String(url).startsWith('chrome-error:'))).toEqual(
        [],
      );
    }
  });

  test('every page has the same content without scripts', async () => {
    for (const [path, addressOf] of Object.entries(ADDRESSES)) {
      await using opened = await openTab(browser, { url: served.url, cookie }, { javaScriptEnabled: false });
      await opened.tab.goto(served.url + addressOf(project));
      const heading = await opened.tab.locator('main h1').first().textContent();
      expect(heading?.trim(), path).not.toBe('');
    }
  });

  test('the keyboard alone reaches the content, every page and sign-out', async () => {
    await using opened = await openTab(browser, { url: served.url, cookie });
    const { tab } = opened;
    await tab.goto(served.url);
    await tab.keyboard.press('Tab');
    await tab.keyboard.press('Enter');
    expect(await tab.evaluate('document.activeElement.id')).toBe('main');
    await tab.goto(served.url);
    const reached: string[] = [];
    for (let step = 0; step < 12; step++) {
      await tab.keyboard.press('Tab');
      reached.push(String(await tab.evaluate('document.activeElement.textContent.trim()')));
    }
    expect(reached).toEqual(
      expect.arrayContaining(['Overview', 'Projects', 'Runs', 'Ask', 'Operations', 'Sign out']),
    );
  });

  test(`the first page has at most ${MOST_BYTES / 1000} kB, and its script is small`, async () => {
    await using opened = await openTab(browser, { url: served.url, cookie });
    const { tab } = opened;
    const session = await tab.context().newCDPSession(tab);
    await session.send('Network.enable');
    let bytes = 0;
    session.on('Network.loadingFinished', ({ encodedDataLength }) => {
      bytes += encodedDataLength;
    });
    await tab.goto(served.url, { waitUntil: 'load' });
    console.info(`the first page: ${bytes} bytes`);
    expect(bytes).toBeGreaterThan(1000);
    expect(bytes).toBeLessThanOrEqual(MOST_BYTES);
  });
});
