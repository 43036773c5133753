import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { loadSettings } from '../../../src/app/settings/load-settings.ts';
import { receiver } from '../../app/operations/alert/receiver.ts';
import { openConsole } from '../../support/open-console.ts';
import { crawlhouse, projectFolder, sandboxFor } from '../../support/project.ts';
import { temporaryFolder } from '../../support/temporary.ts';
import { importCrawl, watchedRun } from '../../support/watched-run.ts';

const FIELDS = [
  ['url', 'string', 'one'],
  ['url_first_path', 'string', 'one'],
  ['depth', 'natural', 'one'],
  ['status_code', 'natural', 'one'],
  ['fetch_status', 'string', 'one'],
  ['meta_robots', 'string', 'many'],
  ['rel_canonical', 'string', 'one'],
  ['title', 'string', 'one'],
];

/** A crawl of a shop of two categories, as a sandbox imports it. */
async function shopFolder(day: number, shoes: Readonly<Record<string, unknown>>): Promise<string> {
  const folder = join(await temporaryFolder(), `shop-2026-03-0${day}`);
  await mkdir(folder);
  const pages = ['shoes', 'bags'].flatMap((name) =>
    Array.from({ length: 8 }, (_, index) => ({
      url: `https://shop.example/${name}/${index}`,
      url_first_path: `/${name}/`,
      depth: 1,
      status_code: 200,
      title: `${name} ${index}`,
      ...(name === 'shoes' ? shoes : {}),
    })),
  );
  const start = {
    url: 'https://shop.example/',
    url_first_path: '/',
    depth: 0,
    status_code: 200,
    title: 'Shop',
  };
  await writeFile(
    join(folder, 'pages.jsonl'),
    [start, ...pages].map((one) => `${JSON.stringify(one)}\n`).join(''),
  );
  const fields = FIELDS.map(([name, type, arity]) => ({ name, type, arity }));
  await writeFile(join(folder, 'pages.fields.json'), JSON.stringify({ fields }));
  return folder;
}

const BLOCKED = { status_code: null, fetch_status: 'unfetched_robots_denied', title: null };

test('a directory blocked by robots.txt is an incident in status, overview and report until it is crawled again', async () => {
  const sandbox = await sandboxFor({});
  const folder = await projectFolder();
  const { url, received } = await receiver();
  const next = async (day: number, shoes: Readonly<Record<string, unknown>>) => {
    await importCrawl(sandbox, await shopFolder(day, shoes));
    const { exitCode } = await watchedRun(folder, sandbox, { webhook: url });
    expect(exitCode).toBe(0);
    return received.splice(0).map(({ event, title, since, until }) => ({ event, title, since, until }));
  };
  const incidents = async () =>
    JSON.parse((await crawlhouse(folder, sandbox, ['status', '--json'])).stdout).incidents;
  const environment = { CRAWLHOUSE_BASE_URL: sandbox.baseUrl, CRAWLHOUSE_ACCESS_TOKEN: sandbox.accessToken };
  const overview = async (): Promise<string> => {
    const { ask } = await openConsole(await loadSettings(folder, environment));
    return await (await ask('/?all=1')).text();
  };

  expect(await next(1, {})).toEqual([]);
  expect(await incidents()).toEqual([]);
  expect(await overview()).toContain('No incident is open');

  const title = 'shop: robots.txt now blocks 8 pages that were indexable';
  const alerts = await next(2, BLOCKED);
  expect(alerts).toMatchObject([{ event: 'change', title }]);
  expect(await incidents()).toMatchObject([
    {
      event: 'change',
      project: 'shop',
      change: 'robots_denied',
      segment: null,
      pages: 8,
      clicks: null,
      crawl: expect.any(String),
      opened_at: alerts[0]?.since,
      message: title,
    },
  ]);
  const page = await overview();
  expect(page).toContain(title);
  expect(page).not.toContain('No incident is open');
  expect((await crawlhouse(folder, sandbox, ['status'])).stdout).toContain(title);

  expect((await crawlhouse(folder, sandbox, ['report', '--output', 'report.html'])).status).toBe(0);
  const report = (await readFile(join(folder, 'report.html'), 'utf8')).replaceAll(/<[^>]+>/g, '');
  expect(report).toContain('Worse since 2026-03-01: robots.txt now blocks 8 pages that were indexable');
  expect(report).not.toContain('more indexable pages');

  const first = [
    'query',
    '--json',
    "SELECT issue, pages, new_pages FROM mart.issue_priorities WHERE segment = '(site)' ORDER BY priority DESC LIMIT 1",
  ];
  expect(JSON.parse((await crawlhouse(folder, sandbox, first)).stdout)).toEqual([
    { issue: 'became_non_indexable', pages: 8, new_pages: 8 },
  ]);

  // All pages are refused: nothing has become anything, and nothing is over.
  expect(await next(3, { status_code: 403, title: 'Just a moment' })).toEqual([]);
  expect(await incidents()).toMatchObject([{ change: 'robots_denied', pages: 8 }]);

  const [over, ...others] = await next(4, {});
  expect(others).toEqual([]);
  expect(over).toMatchObject({ event: 'recovery', title: `over: ${title}`, since: alerts[0]?.since });
  expect(over?.until).toEqual(expect.stringMatching(/^2026-03-04/));
  expect(await incidents()).toEqual([]);
});
