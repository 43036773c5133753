import { readFile } from 'node:fs/promises';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { silentLogger } from '../../src/core/logs/logger.ts';
import { type Console, serveConsole } from '../../src/people/console/server/serve-console.ts';
import { loadSettings } from '../../src/people/settings/load-settings.ts';
import { startSandbox } from '../../src/service/local/sandbox/start-sandbox.ts';
import { environmentOf, projectFolder, runProject } from '../support/project.ts';
import { sharedFolder } from '../support/temporary.ts';
import { CHROMIUM, MISSING, openTab, startChromium } from './chromium.ts';

const GENERATE =
  'projects=1,crawls=3,pages=200,links=1200,columns=120,log_days=3,events=100,ranking_days=60,seed=5';
/** What people who come from other tools are used to. */
const MOST_CLICKS = 4;

const folder = sharedFolder();
let served: Console;
let browser: Browser;
let cookie = '';

if (CHROMIUM === undefined) console.warn(MISSING);

/** A person who begins at the overview, and whose clicks are counted. */
class Person {
  readonly tab: Page;
  clicks = 0;

  constructor(tab: Page) {
    this.tab = tab;
  }

  async click(name: string | RegExp, within = 'main'): Promise<void> {
    this.clicks++;
    await this.tab.locator(within).getByRole('link', { name }).first().click();
    await this.tab.waitForLoadState();
  }

  async search(text: string): Promise<void> {
    this.clicks++;
    await this.tab.keyboard.press('/');
    await this.tab.keyboard.type(text);
    await this.tab.keyboard.press('Enter');
    await this.tab.waitForURL(/\/search\?/);
  }

  /** The rows of a table, cell by cell. */
  async rows(label: string): Promise<string[][]> {
    const lines = this.tab.getByRole('region', { name: `Table: ${label}`, exact: true }).locator('tbody tr');
    return Promise.all((await lines.all()).map((line) => line.locator('th, td').allInnerTexts()));
  }
}

describe.skipIf(CHROMIUM === undefined)('a person in a hurry', () => {
  beforeAll(async () => {
    const sandbox = await startSandbox({ generate: [GENERATE] });
    const project = await projectFolder(folder);
    const { report } = await runProject(project, sandbox, {});
    expect(report.status).toBe('done');
    const settings = await loadSettings(project, environmentOf(sandbox));
    await sandbox.close();
    served = await serveConsole(settings, '127.0.0.1:0', silentLogger, new AbortController().signal);
    const signedIn = await fetch(served.newLink() ?? '', { redirect: 'manual' });
    [cookie = ''] = (signedIn.headers.get('set-cookie') ?? '').split(';');
    browser = await startChromium();
  });
  afterAll(async () => {
    await browser?.close();
    await served?.[Symbol.asyncDispose]();
  });

  /** Does a task from the overview on, in few clicks and without a complaint of the browser. */
  async function does(task: (person: Person) => Promise<void>): Promise<void> {
    await using opened = await openTab(browser, { url: served.url, cookie });
    await opened.tab.goto(served.url);
    const person = new Person(opened.tab);
    await task(person);
    expect(opened.complaints).toEqual([]);
    expect(person.clicks).toBeLessThanOrEqual(MOST_CLICKS);
  }

  const site = '.site h2';

  test('sees which pages lost indexability since the crawl before, and why', () =>
    does(async (person) => {
      await person.click(/./, site);
      await person.click('Compare');
      const [, , , , changed] = await person.rows('Pages');
      await person.click(changed?.[1] ?? '', 'main table:has(th:text-is("indexability changed"))');
      await person.click('before', 'thead');
      const rows = await person.rows('Pages');
      expect(rows.length).toBe(Number(changed?.[1]));
      const lost = rows.filter(([, before]) => before === 'true');
      expect(lost.length).toBeGreaterThan(0);
      for (const [, , after, reason] of lost)
        expect([after, reason]).toEqual(['false', expect.stringMatching(/^\w+$/)]);
    }));

  test('gets all links to a page that is not there as a file for the developer', () =>
    does(async (person) => {
      await person.click(/./, site);
      await person.click(/^[\d,]+$/, '.strip > div:has(dt:text-is("Errors"))');
      const all = person.tab.getByText('Download all links to them').getByRole('link', { name: 'CSV' });
      person.clicks++;
      const [download] = await Promise.all([person.tab.waitForEvent('download'), all.click()]);
      expect(download.suggestedFilename()).toMatch(/^[\w.-]+-pages-\d{4}-\d\d-\d\d-inlinks\.csv$/);
      const [head, ...lines] = (await readFile(await download.path(), 'utf8')).trim().split('\n');
      expect(head).toBe('source,target,anchor,position,follow,status_code');
      expect(lines.length).toBeGreaterThan(0);
      expect(lines.filter((line) => !/,[45]\d\d\r?$/.test(line))).toEqual([]);
      expect(person.clicks).toBe(3);
    }));

  test('sees what a URL looked like in each crawl', () =>
    does(async (person) => {
      await person.search('/products/');
      await person.click(/^https:/);
      const rows = await person.rows('History');
      expect(rows.length).toBe(3);
      expect(rows.some(([, status]) => status === '200')).toBe(true);
    }));

  test('sees which issues are new since a deployment', () =>
    does(async (person) => {
      await person.click(/./, site);
      await person.click('Issues');
      await person.tab.getByLabel('change').selectOption('new or fixed pages');
      person.clicks++;
      await person.tab.getByRole('button', { name: 'Show' }).click();
      await person.tab.waitForURL(/changed=1/);
      const rows = await person.rows('Issues');
      expect(rows.length).toBeGreaterThan(0);
    }));

  test('sees the pages that lost most clicks, and what changed on them', () =>
    does(async (person) => {
      await person.click(/./, site);
      await person.click('Logs and demand');
      await person.click(/^https:/, 'figure:has(figcaption:text("lost the most clicks"))');
      expect(await person.tab.getByRole('heading', { name: 'History' }).isVisible()).toBe(true);
    }));
});
