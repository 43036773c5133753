import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import type { QueryProcess } from '../../../src/app/answers/query/query-process.ts';
import { Access } from '../../../src/app/console/access/access.ts';
import { loadSettings } from '../../../src/app/settings/load-settings.ts';
import { STORY, url } from '../../app/answers/explore/story-site.ts';
import { capture, type Outcome } from '../../app/cli/capture.ts';
import { publishedSites } from '../../support/published-sites.ts';
import { sharedFolder } from '../../support/temporary.ts';

const folder = sharedFolder();
let warehouse: QueryProcess;
beforeAll(async () => {
  await writeFile(join(folder, 'schedules.yaml'), 'schedules: []\n');
  await writeFile(join(folder, 'crawlhouse.yaml'), '{}\n');
  warehouse = await publishedSites(folder, STORY);
});
afterAll(() => warehouse?.[Symbol.asyncDispose]());

const run = (...argv: readonly string[]): Promise<Outcome> => capture(...argv, '--project-dir', folder);
const ok = async (...argv: readonly string[]): Promise<string> => {
  const { code, stdout, stderr } = await run(...argv);
  expect([code, stderr]).toEqual([0, expect.not.stringContaining('Error')]);
  return stdout;
};

test('url prints the page, then each part with its first rows or why it has none', async () => {
  const stdout = await ok('url', url('/lamps/red'));
  expect(stdout).toContain(
    'https://shop.example/lamps/red\nShop, crawl 4 of 2026-03-16 03:00 UTC (shop-3)\n',
  );
  expect(stdout).toMatch(/^HTTP status +301$/m);
  expect(stdout).toMatch(/^Leads to +https:\/\/shop\.example\/lamps\/crimson \(status 200, 1 hop\)$/m);
  expect(stdout).toMatch(/^Link to a redirect +low +HTTP status 301 .* Change the links to the final URL$/m);
  expect(stdout).toMatch(/^2026-03-05 +not in it \(incomplete\)/m);
  expect(stdout).toContain('Inlinks: 3\n');
  expect(stdout).toContain('Outlinks\nThe crawl found no link on this page.\n');
  expect(stdout).toContain('6 clicks and 40 impressions in search results from 2026-03-08 to 2026-03-10.\n');
  const other = await ok('url', 'https://blog.example/');
  expect(other).toContain('Visits\nThe project has no log files.\n');
});

test('the JSON of url and compare contains what the contract names', async () => {
  const story = JSON.parse(await ok('url', url('/lamps/red'), '--json'));
  for (const name of ['url', 'page', 'history', 'inlinks', 'outlinks', 'issues', 'hits', 'demand'])
    expect(story).toHaveProperty(name);
  const comparison = JSON.parse(await ok('compare', 'previous', 'latest', '--project', 'Shop', '--json'));
  expect(Object.keys(comparison)).toEqual(expect.arrayContaining(['kpis', 'issues', 'pages']));
});

test('sitemap lists the indexable pages of a crawl, with the day of the crawl that found them new or changed', async () => {
  const output = join(folder, 'sitemaps');
  const stdout = await ok('sitemap', '--project', 'Shop', '--crawl', 'shop-2', '--output', output);
  expect(stdout).toContain('sitemap-index.xml: 5 URLs in 1 file');
  const xml = gunzipSync(await readFile(join(output, 'shop.example', 'sitemap-1.xml.gz'))).toString();
  expect(xml.match(/<url>.*<\/url>/g)).toEqual([
    `<url><loc>${url('/')}</loc></url>`,
    ...['/deep', '/lamps/azure', '/lamps/blue', '/lamps/red'].map(
      (path) => `<url><loc>${url(path)}</loc><lastmod>2026-03-09</lastmod></url>`,
    ),
  ]);
  const { code, stderr } = await run('sitemap', '--output', output);
  expect([code, stderr]).toEqual([2, expect.stringContaining('name one')]);
});

test('one part of url or compare prints as rows in any format', async () => {
  const csv = await ok('url', url('/lamps/red'), '--part', 'inlinks', '--format', 'csv', '--limit', '1');
  expect(csv).toBe(
    'links,origin,anchor,follow,link_position,status_code,is_indexable,depth\n1,https://shop.example/,Lamp,true,,200,true,0\n',
  );
  const lines = (await ok('compare', 'shop-2', 'shop-3', '--part', 'pages', '--format', 'jsonl')).split('\n');
  expect(JSON.parse(lines[0] ?? '')).toEqual({
    change: 'added',
    title: 'pages added',
    pages: 1,
    reasons: [],
    why: null,
  });
  const part = ['compare', 'shop-2', 'shop-3', '--part', 'pages'];
  expect(await ok(...part)).toMatch(
    /^Change +Title +Pages +Reasons +Found\nadded +pages added +1 +\[\] +-$/m,
  );
  expect(await ok(...part, '--names', 'columns')).toMatch(/^change +title +pages +reasons +why$/m);
});

test('issues and pages are rows in any format, and a truncated list says so', async () => {
  const issues = JSON.parse(await ok('issues', '--project', 'Shop', '--format', 'json'));
  expect(issues).toEqual(JSON.parse(await ok('issues', '--project', 'Shop', '--json')));
  const { stdout, stderr } = await run('pages', '--project', 'Shop', '--format', 'csv', '--limit', '2');
  expect([stdout.split('\n').length, stderr]).toEqual([4, '2 of 7 pages; --limit 7 gives all\n']);
  expect(await ok('pages', '--project', 'Shop', '--format', 'markdown')).toContain('| --- |');
  const people = ['pages', '--project', 'Shop', '--names', 'people', '--limit', '1'];
  expect(await ok(...people, '--format', 'csv')).toMatch(
    /^URL,Status code,Indexability,Crawl depth,Inlinks,/,
  );
  expect(await ok(...people.with(4, 'columns'))).toMatch(/^url +status_code +is_indexable/m);
  expect(JSON.parse(await ok(...people, '--json')).rows[0]).toHaveProperty('nb_inlinks');
});

test('a crawl that ended early is compared with none, and not called the first one', async () => {
  const stdout = await ok('issues', '--project', 'Shop', '--crawl', 'shop-cut');
  expect(stdout).toMatch(/^Shop, crawl of 2026-03-05 03:00 UTC \(shop-cut\), compared with none$/m);
  // Each answer about it says what it did not cover.
  const note = 'The crawl stopped at its limit of URLs. Other pages were not requested.';
  expect(stdout).toContain(`\n${note}\n`);
  const crawl = ['--project', 'Shop', '--crawl', 'shop-cut'];
  expect(await ok('pages', ...crawl)).toContain(`\n${note}\n`);
  expect(await ok('url', url('/'), ...crawl)).toContain(`${note}\n`);
  expect(await ok('compare', 'shop-cut', 'shop-3')).toContain(`crawl 2 of 2026-03-05: ${note}\n`);
  const question = ['query', '--question', 'q04_indexability_funnel', '-p', 'project=Shop'];
  const { stderr } = await run(...question, '-p', 'crawl=shop-cut');
  expect(stderr).toContain(`Shop, Crawl 2 · 2026-03-05: ${note}\n`);
  expect((await run(...question)).stderr).not.toContain(note);
});

test('compare shows both crawls, the change of each figure, and why one is not compared', async () => {
  const stdout = await ok('compare', '-1', 'latest', '--project', 'Shop');
  expect(stdout).toContain('Shop: crawl 3 of 2026-03-09 (shop-2) and crawl 4 of 2026-03-16 (shop-3)\n');
  expect(stdout).toMatch(/^pages +5 +7 +\+2$/m);
  expect(stdout).toMatch(
    /^clicks on crawled pages \(days to 2026-03-10\) +15 +15 +-\n +not compared: search results of the same days/m,
  );
  expect(stdout).toMatch(/^H1 changed +-\n +the export of crawl 4 of 2026-03-16 lacks h1$/m);
});

test.each([
  [['url'], 'no URL is named'],
  [['url', url('/lamps/rde'), '--project', 'Shop'], 'did you mean'],
  [['url', 'https://shop.example/lamps/red', '--format', 'csv'], '--part history, --part issues'],
  [['url', 'https://shop.example/lamps/red', '--part', 'inlink'], 'did you mean inlinks?'],
  [['url', 'https://shop.example/lamps/red', '--limit', '0'], 'write a number from 1'],
  [['compare', 'latest'], 'compare needs two crawls'],
  [['compare', 'shop-3', 'shop-3'], 'both names refer to the crawl shop-3'],
  [['issues', '--format', 'parquet'], 'values: table, csv'],
  [['issues', '--project', 'Shop', '--open'], 'no console is running'],
])('%j is a usage error that shows the right form', async (argv, said) => {
  const { code, stderr } = await run(...argv);
  expect([code, stderr]).toEqual([2, expect.stringContaining(said)]);
});

test.each([
  [
    ['url', url('/lamps/red')],
    '/projects/p-shop/url?url=https%3A%2F%2Fshop.example%2Flamps%2Fred&crawl=shop-3',
  ],
  [['compare', 'shop-2', 'shop-3'], '/projects/p-shop/compare?from=shop-2&to=shop-3'],
  [['issues', '--project', 'Shop'], '/projects/p-shop/issues?crawl=shop-3'],
  [
    ['pages', '--project', 'Shop', '--filter', 'depth=gte:2', '--where', 'depth < 9'],
    '/projects/p-shop/pages?depth=gte%3A2&where=depth+%3C+9',
  ],
])('%j --open signs in to the console, at its page', async (argv, path) => {
  using access = new Access(await loadSettings(folder, {}));
  using _running = access.links.announce('http://127.0.0.1:9', true);
  const link = new URL((await ok(...argv, '--open')).trim());
  expect([link.pathname, link.searchParams.get('to')]).toEqual(['/sign-in', path]);
});

test('the screens of docs/explore.md match the output on a terminal of 100 columns', async () => {
  const page = await readFile(join(import.meta.dirname, '../../..', 'docs', 'explore.md'), 'utf8');
  const screens = [...page.matchAll(/^```\n\$ crawlhouse (.*)\n([\s\S]*?)^```$/gm)];
  expect(screens.length).toBe(4);
  const { isTTY, columns } = process.stdout;
  Object.assign(process.stdout, { isTTY: true, columns: 100 });
  onTestFinished(() => void Object.assign(process.stdout, { isTTY, columns }));
  for (const [, command = '', output = ''] of screens) {
    // A line `…` stands for lines that are left out.
    const parts = output.split(/^…\n/m).map(RegExp.escape);
    const expected = new RegExp(`^${parts.join('(?:.*\\n)*?')}$`);
    expect(await ok(...command.split(' '), '--no-color'), command).toMatch(expected);
  }
});
