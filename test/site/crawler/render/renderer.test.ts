import { setImmediate as turn } from 'node:timers/promises';
import { beforeEach, expect, test, vi } from 'vitest';
import type { CrawlSettings } from '../../../../src/site/crawler/crawl-settings.ts';
import type { FetchedAnswer } from '../../../../src/site/crawler/fetch/fetcher.ts';
import { Renderer } from '../../../../src/site/crawler/render/renderer.ts';
import { fetched as fetchedOf } from '../../../support/fetched-page.ts';
import { FakeBrowser, SHOWN } from './fake-browser.ts';

const shared = vi.hoisted(() => ({
  launch: async (_profile: string, _options: object): Promise<unknown> => null,
  endedAt: Number.NEGATIVE_INFINITY,
}));
vi.mock('../../../../src/site/crawler/render/find-browser.ts', () => ({
  findBrowser: async (path: string) => ({
    path,
    chromium: {
      launchPersistentContext: (profile: string, options: object) => shared.launch(profile, options),
    },
  }),
}));
vi.mock('../../../../src/site/crawler/render/memory-watch.ts', () => ({
  MemoryWatch: class {
    endedAt = shared.endedAt;
    async [Symbol.asyncDispose]() {}
  },
}));

const SETTINGS = {
  rendering: {},
  headers: { 'user-agent': 'bot' },
  agentKind: 'web',
} as never as CrawlSettings;
const fetched = (...given: Parameters<typeof fetchedOf>) =>
  ({ ...fetchedOf(...given), isBrokenOff: false }) as FetchedAnswer;
const PAGE = fetched('<p>page');
let browsers: FakeBrowser[] = [];
let launched: Record<string, unknown>[] = [];
/** Called with each new browser. */
let onLaunch = (_browser: FakeBrowser): void => {};

beforeEach(() => {
  [browsers, launched, shared.endedAt] = [[], [], Number.NEGATIVE_INFINITY];
  onLaunch = () => {};
  shared.launch = async (profile, options) => {
    launched.push({ profile, ...options });
    const browser = new FakeBrowser();
    browsers.push(browser);
    onLaunch(browser);
    return { browser: () => browser };
  };
});

async function rendererOf(options: object = {}, stop = new AbortController()) {
  const all = { browser: '/bin/chromium', bytes: 1000, tabs: 1, ...options };
  const renderer = await Renderer.forCrawl(SETTINGS, all, { signal: stop.signal } as never);
  if (renderer === null) throw new Error('the crawl needs a renderer');
  return renderer;
}

test('a crawl without rendering needs no browser', async () => {
  const { rendering: _, ...settings } = SETTINGS;
  expect(await Renderer.forCrawl(settings, { bytes: 1 }, {} as never)).toBeNull();
});

test('only pages of HTML are rendered, in one browser', async () => {
  await using renderer = await rendererOf();
  for (const answer of [
    fetched('<p>gone', { statusCode: 404 }),
    fetched('%PDF-1.7'),
    fetched('', { statusCode: null }),
  ])
    expect(await renderer.render(answer)).toBeNull();
  expect(launched).toEqual([]);
  for (let page = 0; page < 2; page++) expect((await renderer.render(PAGE))?.html).toBe(SHOWN.html);
  expect(launched).toMatchObject([
    {
      executablePath: '/bin/chromium',
      chromiumSandbox: process.getuid?.() !== 0,
      ...{ handleSIGINT: false, handleSIGTERM: false, handleSIGHUP: false, timeout: 60_000 },
    },
  ]);
  expect(launched[0]?.profile).toBe(`${launched[0]?.artifactsDir}/profile`);
  expect([browsers[0]?.contexts.length, browsers[0]?.contexts[0]]).toEqual([
    1,
    expect.objectContaining({ userAgent: 'bot' }),
  ]);
});

test('a tab renders forty pages; another one follows it', async () => {
  await using renderer = await rendererOf();
  for (let page = 1; page <= 40; page++) await renderer.render(PAGE);
  const [browser] = browsers;
  expect([browser?.contexts.length, browser?.closedTabs]).toEqual([1, 1]);
  await renderer.render(PAGE);
  expect([browser?.contexts.length, browser?.closedTabs]).toEqual([2, 1]);
});

test('pages wait for a tab, and the renderer is busy with two for each', async () => {
  await using renderer = await rendererOf();
  const go = Promise.withResolvers<void>();
  onLaunch = (browser) => {
    browser.onGoto = () => go.promise;
  };
  const first = renderer.render(PAGE);
  expect([renderer.pending, renderer.isBusy]).toEqual([1, false]);
  const second = renderer.render(PAGE);
  expect([renderer.pending, renderer.isBusy]).toEqual([2, true]);
  go.resolve();
  await Promise.all([first, second]);
  expect([renderer.pending, browsers[0]?.contexts.length]).toEqual([0, 1]);
});

test('a page that breaks its tab loses its content, and the tab is closed', async () => {
  for (const [endedAt, warning] of [
    [Number.NEGATIVE_INFINITY, 'render_crashed'],
    [performance.now(), 'render_memory'],
  ] as const) {
    shared.endedAt = endedAt;
    await using renderer = await rendererOf();
    onLaunch = (browser) => {
      browser.onGoto = async () => {
        browser.pages.at(-1)?.emit('crash');
        await new Promise(() => {});
      };
    };
    const lost = { html: null, scriptRedirect: null, resources: [], warnings: [warning] };
    expect(await renderer.render(PAGE)).toEqual(lost);
    expect(browsers.at(-1)?.closedTabs).toBe(1);
  }
  shared.endedAt = performance.now();
  await using renderer = await rendererOf();
  onLaunch = (browser) => {
    browser.onGoto = () => Promise.reject(new Error('a fault of the page'));
  };
  expect((await renderer.render(PAGE))?.warnings).toEqual(['render_failed']);
  onLaunch = (browser) => {
    browser.onOpen = () => Promise.reject(new Error('no tab'));
  };
  shared.endedAt = Number.NEGATIVE_INFINITY;
  await using other = await rendererOf();
  expect((await other.render(PAGE))?.warnings).toEqual(['render_crashed']);
});

test('a page gets three browsers', async () => {
  await using renderer = await rendererOf();
  const breaks = (browser: FakeBrowser): void => {
    browser.onGoto = async () => {
      await browser.close();
      throw new Error('no browser');
    };
  };
  onLaunch = breaks;
  expect((await renderer.render(PAGE))?.warnings).toEqual(['render_failed']);
  expect(browsers).toHaveLength(3);
  onLaunch = (browser) => void (browsers.length < 6 && breaks(browser));
  expect((await renderer.render(PAGE))?.html).toBe(SHOWN.html);
  expect(browsers).toHaveLength(6);
  // Tabs of a browser that has ended are not used.
  await browsers[5]?.close();
  expect((await renderer.render(PAGE))?.html).toBe(SHOWN.html);
  expect(browsers).toHaveLength(7);
});

test('the end of a crawl ends the browser', async () => {
  const stop = new AbortController();
  const renderer = await rendererOf({}, stop);
  await renderer.render(PAGE);
  stop.abort();
  await turn();
  expect(browsers[0]?.connected).toBe(false);
  await expect(renderer.render(PAGE)).rejects.toThrow('the renderer is closed');
  const other = new AbortController();
  const removed = vi.spyOn(other.signal, 'removeEventListener');
  await (await rendererOf({}, other))[Symbol.asyncDispose]();
  expect(removed).toHaveBeenCalledWith('abort', expect.any(Function));
});

test('a page of a browser that is being closed has no warning', async () => {
  const renderer = await rendererOf();
  onLaunch = (browser) => {
    browser.onGoto = async () => {
      await renderer[Symbol.asyncDispose]();
      throw new Error('closed');
    };
  };
  await expect(renderer.render(PAGE)).rejects.toMatchObject({ warning: 'render_failed' });
  expect(browsers).toHaveLength(1);
});

test('a browser that does not start is named', async () => {
  await using renderer = await rendererOf();
  const cause = new Error('no libnss3');
  const { launch } = shared;
  shared.launch = () => Promise.reject(cause);
  await expect(renderer.render(PAGE)).rejects.toMatchObject({
    code: 'missing_feature',
    message: 'pages cannot be rendered: /bin/chromium does not start',
    cause,
  });
  expect(renderer.pending).toBe(0);
  shared.launch = async () => ({ browser: () => null });
  const ended = await rendererOf();
  await expect(ended.render(PAGE)).rejects.toMatchObject({ cause: { message: 'the browser has ended' } });
  await ended[Symbol.asyncDispose]();
  shared.launch = launch;
});
