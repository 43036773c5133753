import { setImmediate as turn } from 'node:timers/promises';
import { expect, onTestFinished, test, vi } from 'vitest';
import { MOST_CHARACTERS } from '../../../../src/site/crawler/render/page-scripts.ts';
import { Tab, type TabOptions } from '../../../../src/site/crawler/render/tab.ts';
import { FakeBrowser, SHOWN } from './fake-browser.ts';

const MAIN = { url: 'https://a.example/', status: 200, headers: [], body: Buffer.from('page') };
const RESOURCES = { get: () => new Promise(() => {}) };
const OPTIONS = {
  userAgent: 'bot',
  agentKind: 'web',
  media: false,
  resources: RESOURCES,
} as never as TabOptions;
const paused = (resourceType: string, url: string) => ({
  ...{ requestId: url, networkId: url, frameId: 'f', resourceType },
  request: { url, method: 'GET', headers: {} },
});

async function tabOf(options: Partial<TabOptions> = {}) {
  const browser = new FakeBrowser();
  const tab = await Tab.open(browser.as(), { ...OPTIONS, ...options });
  return { browser, tab };
}

test('a tab opens with a tall page, a small window, a paused clock, and each request held', async () => {
  const { browser } = await tabOf();
  const [, mobile] = [browser.contexts, (await tabOf({ agentKind: 'mobile' })).browser.contexts];
  const all = { userAgent: 'bot', serviceWorkers: 'block', acceptDownloads: false };
  expect(browser.contexts).toEqual([{ ...all, viewport: { width: 1024, height: 10_000 }, isMobile: false }]);
  expect(mobile).toEqual([{ ...all, viewport: { width: 412, height: 10_000 }, isMobile: true }]);
  expect(browser.sent).toEqual([
    ['Browser.getWindowForTarget', {}],
    ['Browser.setWindowBounds', { windowId: 7, bounds: { width: 400, height: 300 } }],
    ['Page.getFrameTree', {}],
    ['Page.enable', {}],
    ['Page.addScriptToEvaluateOnNewDocument', { source: expect.stringContaining('requestAnimationFrame') }],
    ['Fetch.enable', { patterns: [{ urlPattern: '*' }] }],
    ['Network.enable', { maxTotalBufferSize: 0, maxResourceBufferSize: 0 }],
    ['Emulation.setVirtualTimePolicy', { policy: 'pause' }],
  ]);
});

test('a page gets five seconds of its clock, and what it stored is removed', async () => {
  const { browser, tab } = await tabOf();
  browser.frames = ['https://a.example/', 'https://b.example/frame', 'about:blank'];
  expect(await tab.render(MAIN)).toEqual({
    html: SHOWN.html,
    place: { url: SHOWN.url, base: SHOWN.base },
    scriptRedirect: null,
    resources: [],
    warnings: [],
  });
  expect([browser.visited, browser.budgets, tab.pages]).toEqual([[MAIN.url], [200, 3800, 1000], 1]);
  const removed = browser.sent.filter(([method]) => /clear/.test(method));
  expect(removed).toEqual([
    ['Network.clearBrowserCookies', {}],
    ['Storage.clearDataForOrigin', { origin: 'https://a.example', storageTypes: 'all' }],
    ['Storage.clearDataForOrigin', { origin: 'https://b.example', storageTypes: 'all' }],
  ]);
  await tab.render(MAIN);
  expect(tab.pages).toBe(2);
});

test('a page with workers passes its time in small parts while it has them', async () => {
  const { browser, tab } = await tabOf();
  browser.workers = [true, true, false, true];
  await tab.render(MAIN);
  expect(browser.budgets).toEqual([200, 100, 100, 3600, 100, 900]);
});

test('requests of the page are answered and recorded, also those that the browser has kept', async () => {
  const { browser, tab } = await tabOf({
    resources: {
      get: async (_url: string, _headers: unknown, onTurn: () => void) => {
        onTurn();
        return { status: 200, headers: [], body: Buffer.from('four'), isDenied: false, error: null };
      },
    } as never,
  });
  const [cdp] = browser.sessions;
  cdp?.emit('Fetch.requestPaused', paused('Document', MAIN.url));
  cdp?.emit('Network.requestWillBeSent', { requestId: '0', request: { url: MAIN.url } });
  cdp?.emit('Network.requestServedFromCache', { requestId: '0' });
  await turn();
  expect(browser.sent.at(-1)?.[0]).toBe('Emulation.setVirtualTimePolicy');
  browser.onGoto = async () => {
    cdp?.emit('Fetch.requestPaused', paused('Document', MAIN.url));
    await turn();
    const url = 'https://a.example/a.js';
    if (browser.visited.length === 1) cdp?.emit('Fetch.requestPaused', paused('Script', url));
    cdp?.emit('Network.requestWillBeSent', { requestId: '1', request: { url } });
    await turn();
    cdp?.emit('Network.requestServedFromCache', { requestId: '1' });
    cdp?.emit('Fetch.requestPaused', paused('Document', 'https://a.example/next'));
  };
  const rendered = await tab.render(MAIN);
  expect(rendered.scriptRedirect).toBe('https://a.example/next');
  expect(rendered.resources.map(({ url, size }) => [url, size])).toEqual([['https://a.example/a.js', 4]]);
  expect((await tab.render(MAIN)).resources).toEqual(rendered.resources);
});

test('a document at the limit of characters is said to be cut', async () => {
  const { browser, tab } = await tabOf();
  browser.shown = { html: 'x'.repeat(MOST_CHARACTERS - 1) };
  expect((await tab.render(MAIN)).warnings).toEqual([]);
  browser.shown = { html: 'x'.repeat(MOST_CHARACTERS) };
  expect((await tab.render(MAIN)).warnings).toEqual(['render_size_limit']);
});

test('a page that is replaced, fails or crashes has its warning', async () => {
  const replaced = await tabOf();
  replaced.browser.shown = { url: 'about:blank' };
  await expect(replaced.tab.render(MAIN)).rejects.toMatchObject({ warning: 'render_navigated' });
  const failed = await tabOf();
  const cause = new Error('no such page');
  failed.browser.onGoto = () => Promise.reject(cause);
  await expect(failed.tab.render(MAIN)).rejects.toMatchObject({ warning: 'render_failed', cause });
  for (const event of ['crash', 'close']) {
    const { browser, tab } = await tabOf();
    browser.onGoto = () => new Promise(() => {});
    const work = tab.render(MAIN);
    browser.pages[0]?.emit(event);
    await expect(work).rejects.toMatchObject({ warning: 'render_crashed' });
  }
});

test('a dialog is dismissed, and a tab is closed also if the browser is gone', async () => {
  const { browser, tab } = await tabOf();
  const dismiss = vi.fn(() => Promise.reject(new Error('no dialog')));
  browser.pages[0]?.emit('dialog', { dismiss });
  await turn();
  expect(dismiss).toHaveBeenCalledOnce();
  expect([await tab.close(), browser.closedTabs]).toEqual([true, 1]);
});

test('a page has 20 seconds without, and 180 with its waits for turns', async () => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
  onTestFinished(() => void vi.useRealTimers());
  for (const [isWaiting, seconds] of [
    [false, 20],
    [true, 180],
  ] as const) {
    const { browser, tab } = await tabOf();
    let warning: string | undefined;
    browser.onGoto = async () => {
      browser.sessions[0]?.emit('Fetch.requestPaused', paused('Document', MAIN.url));
      if (isWaiting)
        browser.sessions[0]?.emit('Fetch.requestPaused', paused('Script', 'https://a.example/a'));
      await new Promise(() => {});
    };
    const work = tab.render(MAIN).catch((error) => {
      warning = error.warning;
    });
    await turn();
    await vi.advanceTimersByTimeAsync(1000 * seconds - 100);
    expect(warning).toBeUndefined();
    await vi.advanceTimersByTimeAsync(100);
    await work;
    expect([warning, vi.getTimerCount()]).toEqual(['render_timeout', 0]);
  }
});
