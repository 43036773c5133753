import { gzipSync } from 'node:zlib';
import { AxeBuilder } from '@axe-core/playwright';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Console, serveConsole } from '../../src/app/console/server/serve-console.ts';
import { silentLogger } from '../../src/core/logs/logger.ts';
import { projectWithWarehouse } from '../app/console/project-with-warehouse.ts';
import { sharedFolder } from '../support/temporary.ts';
import { CHROMIUM, MISSING, openTab, startChromium } from './chromium.ts';

const folder = sharedFolder();
let served: Console;
let browser: Browser;
let session = { url: '', cookie: '' };
/** What the editor may weigh, compressed; no other page loads it. */
const MOST_BYTES = 150_000;

if (CHROMIUM === undefined) console.warn(MISSING);

describe.skipIf(CHROMIUM === undefined)('editor of /ask', () => {
  beforeAll(async () => {
    const settings = await projectWithWarehouse(folder);
    served = await serveConsole(settings, '127.0.0.1:0', silentLogger, new AbortController().signal);
    const signedIn = await fetch(served.newLink() ?? '', { redirect: 'manual' });
    session = { url: served.url, cookie: (signedIn.headers.get('set-cookie') ?? '').split(';')[0] ?? '' };
    browser = await startChromium();
  });
  afterAll(async () => {
    await browser?.close();
    await served?.[Symbol.asyncDispose]();
  });

  test.for(['light', 'dark'] as const)(
    'completes tables and columns, and runs by Ctrl+Enter, %s',
    async (colorScheme) => {
      await using opened = await openTab(browser, session, { colorScheme });
      const { tab, complaints } = opened;
      await tab.goto(`${served.url}/ask`, { waitUntil: 'networkidle' });
      await tab.getByText('SQL: one read-only statement').click();
      await tab.keyboard.type('select * from mart.pa');
      await tab.locator('.cm-tooltip-autocomplete li', { hasText: 'pages' }).click();
      await tab.keyboard.type(' where sta');
      await tab.locator('.cm-tooltip-autocomplete li', { hasText: 'status' }).first().waitFor();
      await tab.keyboard.type('tus = 404 limit 3');
      await tab.keyboard.press('Escape');
      // The list of completions is closed: axe does not see that the editor steers it.
      const { violations } = await new AxeBuilder({ page: tab }).analyze();
      expect(violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(' ')}`)).toEqual(
        [],
      );
      await tab.keyboard.press('Control+Enter');
      await tab.waitForURL(/run=1/);
      expect(await tab.locator('.answer tbody tr').count()).toBe(3);
      expect(await tab.locator('#sql').inputValue()).toBe(
        'select * from mart.pages where status = 404 limit 3',
      );
      expect(complaints).toEqual([]);
    },
  );

  test('Escape then Tab leaves the editor', async () => {
    await using opened = await openTab(browser, session);
    const { tab } = opened;
    await tab.goto(`${served.url}/ask`, { waitUntil: 'networkidle' });
    await tab.getByText('SQL: one read-only statement').click();
    await tab.keyboard.press('Tab');
    expect(await tab.evaluate('document.activeElement.shadowRoot !== null')).toBe(true);
    await tab.keyboard.press('Escape');
    await tab.keyboard.press('Tab');
    expect(await tab.evaluate('document.activeElement.textContent')).toBe('Run');
  });

  test('without scripts, the textarea is the editor', async () => {
    await using opened = await openTab(browser, session, { javaScriptEnabled: false });
    const { tab } = opened;
    await tab.goto(`${served.url}/ask`);
    await tab.getByLabel('SQL: one read-only statement').fill('SELECT 41 + 1 AS n');
    await tab.getByRole('button', { name: 'Run' }).click();
    expect(await tab.locator('.answer td').allTextContents()).toEqual(['42']);
  });

  test(`the editor has at most ${MOST_BYTES / 1000} kB, and only /ask loads it`, async () => {
    await using opened = await openTab(browser, session);
    const { tab } = opened;
    const loaded: Promise<[string, number]>[] = [];
    tab.on('response', (response) => {
      if (response.url().endsWith('.js'))
        loaded.push(
          response.body().then((body) => [new URL(response.url()).pathname, gzipSync(body).length]),
        );
    });
    await tab.goto(served.url, { waitUntil: 'networkidle' });
    expect((await Promise.all(loaded)).map(([path]) => path)).toEqual(['/assets/console.js']);
    await tab.goto(`${served.url}/ask`, { waitUntil: 'networkidle' });
    const [, editor] = (await Promise.all(loaded)).find(([path]) => path.startsWith('/assets/editor-')) ?? [];
    console.info(`the editor: ${editor} bytes`);
    expect(editor).toBeGreaterThan(10_000);
    expect(editor).toBeLessThanOrEqual(MOST_BYTES);
  });
});
