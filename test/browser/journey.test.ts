import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { expect, onTestFinished, test } from 'vitest';
import { readXlsx } from '../support/read-xlsx.ts';
import { serveFolder } from '../support/serve-folder.ts';
import { temporaryFolder } from '../support/temporary.ts';
import { CHROMIUM, MISSING, openTab, startChromium } from './chromium.ts';

const MAIN = join(import.meta.dirname, '..', '..', 'src', 'app', 'cli', 'main.ts');
/** A folder for screenshots: JOURNEY_PICTURES=docs/images */
const PICTURES = process.env.JOURNEY_PICTURES;

if (CHROMIUM === undefined) console.warn(MISSING);

/** A website with a broken link, a page without a title, and a folder. */
async function website(): Promise<string> {
  const folder = await temporaryFolder();
  const words = 'A page about good shoes, and how to choose them for long walks. '.repeat(20);
  const pages: Readonly<Record<string, string>> = {
    'index.html':
      '<title>Shoes</title><h1>Shoes</h1><a href="/guides/">Guides</a><a href="/gone.html">Old</a>',
    'guides/index.html': '<title>Guides</title><h1>Guides</h1><a href="/guides/one.html">One</a>',
    'guides/one.html': '<h1>One</h1><a href="/">Home</a>',
  };
  await mkdir(join(folder, 'guides'));
  for (const [name, page] of Object.entries(pages))
    await writeFile(join(folder, name), `<!doctype html><html lang="en">${page}<p>${words}</p></html>`);
  return serveFolder(folder);
}

/** Starts `crawlhouse console` in an empty folder, and returns the sign-in link that it prints. */
async function consoleIn(folder: string): Promise<string> {
  const child = spawn(process.execPath, [MAIN, 'console', '--port', '0'], {
    cwd: folder,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  onTestFinished(async () => {
    const ended = once(child, 'exit');
    child.kill('SIGTERM');
    await ended;
  });
  for await (const line of createInterface({ input: child.stdout }))
    if (line.startsWith('http://')) return line.trim();
  throw new Error('the console printed no link');
}

test.skipIf(CHROMIUM === undefined)(
  'a user gets from an empty folder to a workbook without a terminal',
  async () => {
    const site = await website();
    const folder = await temporaryFolder();
    const link = await consoleIn(folder);
    await using browser = await startChromium();
    await using opened = await openTab(browser, { url: link, cookie: '' });
    const { tab, complaints } = opened;
    const main = tab.locator('main');
    const picture = async (name: string): Promise<void> => {
      if (PICTURES !== undefined) await tab.screenshot({ path: join(PICTURES, `console-${name}.png`) });
    };
    const press = (name: string | RegExp): Promise<void> =>
      main
        .getByRole('button', { name, exact: typeof name === 'string' })
        .first()
        .click();
    const project = (): string => new URL(tab.url()).pathname.split('/').slice(0, 3).join('/');

    // 1. The first screen of an empty project: check a website, crawl it, read the report.
    await tab.goto(link);
    await main.getByLabel('address of the website').fill(site);
    await press('Check');
    await main.getByRole('button', { name: 'Crawl', exact: true }).waitFor();
    await picture('start');
    await press('Crawl');
    await tab.waitForURL(/\/crawling/);
    await main.getByRole('link', { name: 'Report', exact: true }).waitFor({ timeout: 120_000 });
    await picture('crawling');
    await main.getByRole('link', { name: 'Project', exact: true }).click();
    await tab.waitForURL(/\/projects\//);
    const own = project();
    const open = (path: string) => tab.goto(new URL(own + path, link).href);

    // 2. Crawl settings, with a test of one URL before they are saved.
    await open('/settings');
    await main.getByLabel('URL', { exact: true }).fill(`${site}/guides/one.html`);
    await press('Test before saving');
    await main.getByText('robots.txt').first().waitFor();
    await picture('settings');
    await press('Save');
    expect(await main.textContent()).not.toContain('was not');

    // 3. A schedule.
    await tab.goto(new URL('/schedules', link).href);
    await main.getByLabel('Name', { exact: true }).fill('weekly');
    await main.getByLabel('Website to crawl first, if any').fill(site);
    await main.getByLabel('every week on').check();
    await press('Add the schedule');
    await main.getByText('weekly').first().waitFor();
    await picture('schedules');
    expect(await readFile(join(folder, 'schedules.yaml'), 'utf8')).toContain('weekly');

    // 4. A log file.
    const day = new Date().toISOString().slice(0, 10).split('-').reverse();
    const month = new Date().toLocaleString('en-US', { month: 'short', timeZone: 'UTC' });
    const line = `66.249.66.1 - - [${day[0]}/${month}/${day[2]}:00:00:01 +0000] "GET /guides/ HTTP/1.1" 200 512 "-" "Googlebot/2.1"\n`;
    await tab.goto(new URL('/uploads', link).href);
    await main
      .getByLabel('Files, at most', { exact: false })
      .setInputFiles({ name: 'access.log', mimeType: 'text/plain', buffer: Buffer.from(line.repeat(3)) });
    await press('Upload');
    await main.getByRole('button', { name: 'Add', exact: true }).waitFor();
    await picture('uploads');
    await press('Add');
    await tab.waitForURL(/\/do\/actions\/|\/runs\/|\/uploads/);

    // 5. Segments, counted before they are saved.
    await open('/segments');
    await main.getByLabel('Name', { exact: true }).fill('template');
    await main.getByLabel('segment', { exact: true }).first().fill('guides');
    await main.getByLabel('condition').first().fill('/guides/');
    await press('Count pages');
    await main.getByRole('region', { name: 'Pages by segment' }).waitFor();
    await picture('segments');
    await press('Save in segments.yaml');
    await main.getByText('Saved in segments.yaml').waitFor();

    // 6. A ticket for an issue.
    await open('/issues?wait=1');
    await main.getByText('Make a ticket').click();
    await main.getByLabel('owner').first().fill('Ada');
    await press('Make the ticket');
    await open('/tickets');
    expect(await main.textContent()).toContain('Ada');
    await picture('tickets');

    // 7. A workbook, which another program reads.
    await open('/issues?wait=1');
    const [download] = await Promise.all([
      tab.waitForEvent('download'),
      main.getByRole('link', { name: 'Excel workbook' }).click(),
    ]);
    const sheets = readXlsx(await readFile(await download.path()));
    expect(sheets.map(({ name }) => name).slice(0, 2)).toEqual(['Summary', 'Issues']);
    expect(JSON.stringify(sheets)).toContain('/gone.html');

    // 8. The structure of the website.
    await open('/structure?wait=1');
    await main.getByText('guides').first().waitFor();
    await picture('structure');

    // 9. The overview opens the only site; 10. Compare asks what people want to know.
    await tab.goto(new URL('/', link).href);
    await tab.waitForURL(new RegExp(own));
    await open('/compare');
    expect(await main.textContent()).toContain('What do you want to know?');
    expect(complaints).toEqual([]);
  },
  300_000,
);
