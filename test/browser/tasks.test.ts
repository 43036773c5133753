import { readFile } from 'node:fs/promises';
import type { Browser, Download, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Console, serveConsole } from '../../src/app/console/server/serve-console.ts';
import { loadSettings } from '../../src/app/settings/load-settings.ts';
import { silentLogger } from '../../src/core/logs/logger.ts';
import type { Settings } from '../../src/etl/project/settings/settings.ts';
import { startSandbox } from '../../src/service/sandbox/start-sandbox.ts';
import { environmentOf, projectFolder, runProject } from '../support/project.ts';
import { sharedFolder } from '../support/temporary.ts';
import { CHROMIUM, MISSING, openTab, startChromium } from './chromium.ts';

const GENERATE =
  'projects=1,crawls=3,pages=200,links=1200,columns=120,log_days=3,events=100,ranking_days=60,seed=6';
const MOST_CLICKS = 3;
/** The overview, which lists even the only site. */
const START = '/?all=1';
/** What to do first. */
const FIRST = 'table:has(.weight)';
/** On a machine that works for others: what many openings of the first page take there. */
const MOST_SECONDS = 2;
const MOST_OPENINGS = 20;

const folder = sharedFolder();
let settings: Settings;
let served: Console;
let browser: Browser;
let cookie = '';

if (CHROMIUM === undefined) console.warn(MISSING);

/** A person who begins at the overview, whose clicks are counted, and who waits for what they lead to. */
class Person {
  readonly tab: Page;
  clicks = 0;
  seconds = 0;

  constructor(tab: Page) {
    this.tab = tab;
  }

  click(name: string | RegExp, within = 'main'): Promise<void> {
    return this.#do(async () => {
      await this.tab.locator(within).getByRole('link', { name }).first().click();
      await this.tab.waitForLoadState();
    });
  }

  search(text: string): Promise<void> {
    return this.#do(async () => {
      await this.tab.keyboard.press('/');
      await this.tab.keyboard.type(text);
      await this.tab.keyboard.press('Enter');
      await this.tab.waitForURL(/\/search\?/);
    });
  }

  async download(within: string, name: string): Promise<Download> {
    // The last one has the names of columns.
    const link = this.tab.locator('main').getByText(within).getByRole('link', { name }).last();
    const [download] = await this.#do(() => Promise.all([this.tab.waitForEvent('download'), link.click()]));
    return download;
  }

  choose(label: string, option: string | { index: number }): Promise<void> {
    return this.#do(async () => {
      const left = this.tab.waitForEvent('framenavigated');
      await this.tab.getByLabel(label).selectOption(option);
      await left;
      await this.tab.waitForLoadState();
    });
  }

  async #do<T>(act: () => Promise<T>): Promise<T> {
    const began = performance.now();
    const done = await act();
    this.clicks++;
    this.seconds += (performance.now() - began) / 1000;
    return done;
  }

  /** The rows of a table, cell by cell. */
  async rows(label: string): Promise<string[][]> {
    const lines = this.tab.getByRole('region', { name: label, exact: true }).locator('tbody tr');
    await lines.first().waitFor();
    return Promise.all((await lines.all()).map((line) => line.locator('th, td').allInnerTexts()));
  }

  /** The cells of a column of a table. */
  async column(label: string, name: string): Promise<string[]> {
    const table = this.tab.getByRole('region', { name: label, exact: true });
    const heads = await table.locator('thead th').allInnerTexts();
    expect(heads).toContain(name);
    return (await this.rows(label)).map((cells) => cells[heads.indexOf(name)]?.trim() ?? '');
  }
}

describe.skipIf(CHROMIUM === undefined)('a user in a hurry', () => {
  beforeAll(async () => {
    const sandbox = await startSandbox({ generate: [GENERATE] });
    const project = await projectFolder(folder);
    const { report } = await runProject(project, sandbox, {});
    expect(report.status).toBe('done');
    settings = await loadSettings(project, environmentOf(sandbox));
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
    const began = performance.now();
    await opened.tab.goto(served.url + START);
    const opening = (performance.now() - began) / 1000;
    const person = new Person(opened.tab);
    await task(person);
    expect(opened.complaints).toEqual([]);
    console.info(
      `${person.clicks} clicks, ${person.seconds.toFixed(1)} s, ${opening.toFixed(2)} to open: ${expect.getState().currentTestName}`,
    );
    expect(person.clicks).toBeLessThanOrEqual(MOST_CLICKS);
    expect(person.seconds).toBeLessThan(Math.max(MOST_SECONDS, MOST_OPENINGS * opening));
  }

  const site = '.site h2';

  test('sees on the first screen what to do first, why, and on which pages', () =>
    does(async (person) => {
      // The console opens its only site.
      await person.tab.goto(served.url);
      const name = await person.tab.locator('h1').last().textContent();
      const [first = []] = await person.rows(`Table: What to do first of ${name}`);
      const [issue = '', , mended, pages = ''] = first;
      expect([mended, pages]).toEqual([expect.stringMatching(/\w/), expect.stringMatching(/^[\d,]+$/)]);
      const place = await person.tab.locator(`${FIRST} tbody tr`).first().boundingBox();
      expect((place?.y ?? Infinity) + (place?.height ?? 0)).toBeLessThan(900);
      expect(await person.tab.getByText('Priority, 0 to 100: weight of the severity').count()).toBe(1);
      await person.click(issue.split('\n')[0] ?? '', FIRST);
      const heading = person.tab.locator('main h2').first();
      expect((await heading.textContent())?.trim()).toMatch(new RegExp(`^${pages} pages?: `));
      expect(await person.tab.locator('main .notice').first().textContent()).toContain('To do:');
    }));

  test('sees on which segments search engines waste requests', () =>
    does(async (person) => {
      await person.click(/./, site);
      await person.click('Logs and demand');
      for (const caption of ['what search engines requested', '(engines|udget).*by segment']) {
        const figure = person.tab.locator(`figure:has(figcaption:text-matches("${caption}"))`);
        const rows = figure.locator('tbody tr:visible');
        await rows.first().waitFor();
        for (const row of await rows.allInnerTexts()) expect(row).toMatch(/\D\d/);
      }
    }));

  test('compares the last two crawls, figure by figure', () =>
    does(async (person) => {
      await person.click(/./, site);
      await person.click('Compare');
      const figures = await person.rows('Table: Figures');
      expect(figures[0]?.slice(0, 2)).toEqual(['pages', expect.stringMatching(/^[\d,]+$/)]);
      expect((await person.rows('Table: Issues')).length).toBeGreaterThan(0);
    }));

  test('finds a page by a part of its URL', () =>
    does(async (person) => {
      await person.search('roducts');
      const links = person.tab.locator('.found a');
      await links.first().waitFor();
      const found = await links.allInnerTexts();
      expect(found.length).toBeGreaterThan(0);
      for (const url of found) expect(url).toContain('roducts');
    }));

  test('opens the report, sees what to do first, and prints every issue', () =>
    does(async (person) => {
      await person.click(/./, site);
      await person.click('Report');
      expect(await person.tab.title()).toMatch(/: crawl report$/);
      const place = await person.tab.locator(`${FIRST} tbody tr`).first().boundingBox();
      expect((place?.y ?? Infinity) + (place?.height ?? 0)).toBeLessThan(900);
      await person.tab.emulateMedia({ media: 'print' });
      const issues = person.tab.locator('details.all tbody tr');
      expect(await issues.count()).toBeGreaterThan(0);
      expect(await issues.filter({ visible: true }).count()).toBe(await issues.count());
    }));

  test('opens the report of an earlier crawl from its page, whose links lead back into the console', () =>
    does(async (person) => {
      await person.click(/./, site);
      await person.click(/^Crawl 2 /);
      await person.click('Report');
      expect(person.tab.url()).toContain('/report?crawl=');
      const facts = await person.tab.locator('section .facts').first().textContent();
      const links = person.tab.locator('table a');
      expect(await links.first().getAttribute('href')).toMatch(/^\/projects\/[^/]+\/pages\?crawl=/);
      await person.tab.goBack();
      const day = /Ended (\d{4}-\d\d-\d\d)/.exec(
        (await person.tab.locator('.facts').first().textContent()) ?? '',
      );
      expect(facts).toContain(`crawl of ${day?.[1]}`);
    }));

  test('gets a report only after sign-in, without scripts, and only of existing projects', async () => {
    const ask = (path: string, headers = {}) => fetch(served.url + path, { headers, redirect: 'manual' });
    const path = (await (await ask(START, { cookie })).text()).match(/\/projects\/[^/"]+/)?.[0] ?? '';
    const stranger = await ask(`${path}/report`);
    expect([stranger.status, stranger.headers.get('location')]).toEqual([
      302,
      expect.stringContaining('/sign-in'),
    ]);
    const { status, headers } = await ask(`${path}/report`, { cookie });
    expect([status, headers.get('cache-control')]).toEqual([200, 'no-store']);
    expect(headers.get('content-security-policy')).toMatch(
      /^default-src 'none'; style-src 'unsafe-inline'; img-src data:;/,
    );
    for (const [none, why] of Object.entries({
      '/projects/nobody/report': 'has no project nobody',
      [`${path}/report?crawl=nothing`]: 'nothing',
    })) {
      const answer = await ask(none, { cookie });
      expect([answer.status, await answer.text()]).toEqual([404, expect.stringContaining(why)]);
    }
  });

  test('sees which pages gained or lost indexability since the previous crawl, and why', () =>
    does(async (person) => {
      await person.click(/./, site);
      await person.click('Compare');
      const compared = await person.rows('Table: Pages');
      const changed = compared.find(([what]) => what === 'indexability changed');
      await person.click(changed?.[1] ?? '', 'main tr:has(th:text-is("indexability changed"))');
      const rows = await person.rows('Table: Pages');
      expect(rows.length).toBe(Number(changed?.[1]));
      const lost = rows.filter(([, before]) => before === 'true');
      expect(lost.length).toBeGreaterThan(0);
      for (const [, , after, reason] of lost)
        expect([after, reason]).toEqual(['false', expect.stringMatching(/^\w+$/)]);
      const gained = rows.filter((row) => !lost.includes(row));
      expect(gained.length).toBeGreaterThan(0);
      for (const [, before, after, reason] of gained)
        expect([before, after, reason]).toEqual(['false', 'true', '–']);
    }));

  test('downloads all links to a missing page as a file', () =>
    does(async (person) => {
      await person.click(/./, site);
      await person.click(/^[\d,]+$/, '.strip > div:has(dt:text-is("Errors"))');
      const download = await person.download('Download all links to them', 'CSV');
      expect(download.suggestedFilename()).toMatch(/^[\w.-]+-pages-\d{4}-\d\d-\d\d-inlinks\.csv$/);
      const [head, ...lines] = (await readFile(await download.path(), 'utf8')).trim().split('\n');
      expect(head).toBe('source,target,anchor,position,follow,status_code');
      expect(lines.length).toBeGreaterThan(0);
      expect(lines.filter((line) => !/,[45]\d\d\r?$/.test(line))).toEqual([]);
    }));

  test('sees what a URL looked like in each crawl', () =>
    does(async (person) => {
      await person.search('/products/');
      await person.click(/^https:/);
      const rows = await person.rows('Table: History');
      expect(rows.length).toBe(3);
      expect(rows.some(([, status]) => status === '200')).toBe(true);
    }));

  test('sees which issues are new since a deployment', () =>
    does(async (person) => {
      const figure = '.site .kpis > div:has(dt:text-is("New findings"))';
      const count = (await person.tab.locator(figure).first().locator('strong').textContent()) ?? '';
      await person.click(/./, figure);
      const changed = person.tab.getByLabel('change').locator('option:checked');
      expect(await changed.textContent()).toBe('new, fixed or missing pages');
      const news = await person.column('Table: Issues', 'New');
      expect(news.some((cell) => /[1-9]/.test(cell))).toBe(true);
      expect(count).toMatch(/^[\d,]+$/);
    }));

  test('reads why an issue matters next to the list, without scripts, and keeps the list position', async () => {
    for (const width of [1440, 768, 390]) {
      const options = { viewport: { width, height: 900 }, javaScriptEnabled: false };
      await using opened = await openTab(browser, { url: served.url, cookie }, options);
      const { tab } = opened;
      await tab.goto(served.url + START);
      await tab.locator(site).getByRole('link').first().click();
      await tab.getByRole('link', { name: 'Issues', exact: true }).click();
      const address = tab.url();
      const issues = tab.locator('details.beside');
      await issues.nth(3).locator('summary').click();
      await issues.nth(8).locator('summary').click();
      // One panel at a time, in sight, and no other page.
      expect(await tab.locator('.opened:visible').count()).toBe(1);
      const panel = issues.nth(8).locator('.opened');
      expect(await panel.getByRole('heading', { name: 'To do' }).isVisible()).toBe(true);
      expect(tab.url()).toBe(address);
      const box = await panel.boundingBox();
      expect((box?.x ?? 0) + (box?.width ?? Number.NaN)).toBeLessThanOrEqual(width);
      if (width >= 1280) expect(box?.x).toBeGreaterThan(width / 2);
      // The choices stay in sight.
      await tab.locator('tbody tr').last().scrollIntoViewIfNeeded();
      const choices = await tab.getByLabel('severity').boundingBox();
      expect(choices?.y).toBeGreaterThanOrEqual(0);
      expect(choices?.y).toBeLessThan(100);
      expect(await tab.locator('main').textContent()).not.toMatch(/titles_and_headings|structured_data/);
      expect(opened.complaints).toEqual([]);
    }
  });

  test('sees the issues of a segment, whose figures lead to its pages', () =>
    does(async (person) => {
      await person.click(/^Issues/, '.site');
      await person.choose('segment', { index: 1 });
      expect(person.tab.url()).toMatch(/segment=/);
      const [, pages = ''] = await person.column('Table: Issues', 'Pages');
      await person.click(pages, 'tbody tr:nth-child(2)');
      expect(await person.tab.locator('main h2').first().textContent()).toMatch(new RegExp(`^${pages} page`));
      expect(await person.tab.locator('.chips').textContent()).toContain('segment ');
    }));

  test('chooses by keyboard: arrows submit nothing, Enter does, and going back restores the choice', async () => {
    await using opened = await openTab(browser, { url: served.url, cookie });
    const { tab } = opened;
    await tab.goto(served.url + START);
    await tab
      .locator('.site')
      .getByRole('link', { name: /^Issues/ })
      .click();
    const address = tab.url();
    const choice = tab.getByLabel('severity');
    const button = tab.getByRole('button', { name: 'Show' });
    await choice.waitFor();
    // The script of the page hides it.
    await button.waitFor({ state: 'hidden' });
    await choice.focus();
    await tab.keyboard.press('ArrowDown');
    await tab.keyboard.press('ArrowDown');
    expect(await choice.inputValue()).toBe('medium');
    await button.waitFor();
    expect(tab.url()).toBe(address);
    await tab.keyboard.press('Enter');
    await tab.waitForURL(/severity=medium/);
    await tab.goBack();
    await expect.poll(() => choice.inputValue()).toBe('');
    expect(opened.complaints).toEqual([]);
  });

  test('gets the same result from the button without scripts', async () => {
    await using opened = await openTab(browser, { url: served.url, cookie }, { javaScriptEnabled: false });
    const { tab } = opened;
    await tab.goto(`${served.url}/runs`);
    await tab.getByLabel('status').selectOption('done');
    expect(new URL(tab.url()).search).toBe('');
    await tab.getByRole('button', { name: 'Show' }).click();
    await tab.waitForURL(/status=done/);
    expect(opened.complaints).toEqual([]);
  });

  test('sees the pages that lost the most clicks, and what changed on them', () =>
    does(async (person) => {
      await person.click(/./, site);
      await person.click('Logs and demand');
      await person.click(/^https:/, 'figure:has(figcaption:text("lost the most clicks"))');
      expect(await person.tab.getByRole('heading', { name: 'History' }).isVisible()).toBe(true);
    }));
});
