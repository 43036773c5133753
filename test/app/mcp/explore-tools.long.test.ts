import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { QueryProcess } from '../../../src/app/answers/query/query-process.ts';
import { publishedSites } from '../../support/published-sites.ts';
import { sharedFolder } from '../../support/temporary.ts';
import { STORY, url } from '../answers/explore/story-site.ts';
import '../../support/process-timeout.ts';

const PROGRAM = join(import.meta.dirname, '../../..', 'src', 'app', 'cli', 'main.ts');
const folder = sharedFolder();
const client = new Client({ name: 'test', version: '1.0.0' });
let warehouse: QueryProcess;
beforeAll(async () => {
  await writeFile(join(folder, 'schedules.yaml'), 'schedules: []\n');
  await writeFile(join(folder, 'crawlhouse.yaml'), '{}\n');
  warehouse = await publishedSites(folder, STORY);
  await client.connect(
    new StdioClientTransport({
      command: process.execPath,
      args: [PROGRAM, 'mcp', '--project-dir', folder],
      env: { PATH: process.env.PATH ?? '' },
    }),
  );
});
afterAll(async () => {
  await client.close();
  await warehouse?.[Symbol.asyncDispose]();
});

async function call(name: string, given: Record<string, unknown>) {
  const { content } = await client.callTool({ name, arguments: given });
  const [only] = content as unknown as [{ text: string }];
  return JSON.parse(only.text);
}

test('issues and pages are paged, each part with the cursor of the next', async () => {
  const first = await call('list_issues', { project: 'Shop', limit: 2 });
  const [{ issues }] = first.crawls;
  expect([issues.total, issues.rows.length, issues.next_cursor]).toEqual([7, 2, '2']);
  const rest = await call('list_issues', { project: 'Shop', cursor: '2' });
  expect([rest.crawls[0].issues.rows.length, rest.crawls[0].issues.next_cursor]).toEqual([5, undefined]);
  const pages = await call('find_pages', { project: 'Shop', limit: 5, cursor: '5' });
  expect([pages.total, pages.rows.length, pages.next_cursor, pages.units.depth]).toEqual([
    7,
    2,
    undefined,
    'clicks from the start',
  ]);
});

test('the issues of all projects are paged by project, the most severe few of each', async () => {
  const all = await call('list_issues', {});
  const rows = all.crawls.map((crawl: { issues: { rows: unknown[] } }) => crawl.issues.rows.length);
  expect([all.total, rows.length, Math.max(...rows), all.next_cursor]).toEqual([2, 2, 3, undefined]);
  expect(all.crawls.find(({ project }: { project: string }) => project === 'Shop').issues.total).toBe(7);
  const one = await call('list_issues', { limit: 1 });
  expect([one.crawls.length, one.next_cursor]).toEqual([1, '1']);
  const rest = await call('list_issues', { limit: 1, cursor: one.next_cursor });
  expect([rest.crawls.length, rest.next_cursor]).toEqual([1, undefined]);
  expect(rest.crawls[0].project).not.toBe(one.crawls[0].project);
});

test('an empty list of pages distinguishes no match from unknown data', async () => {
  const none = await call('find_pages', { project: 'Shop', where: ['depth > 99'] });
  expect([none.total, none.why]).toEqual([0, 'no page fits']);
  const unknown = await call('find_pages', { project: 'Shop', issue: 'missing_h1' });
  expect(unknown.why).toBe('unknown: the fields, hits or search results that show the issue are not loaded');
});

test('get_url returns a summary, one part in full, and similar URLs for an unknown URL', async () => {
  const story = await call('get_url', { url: url('/lamps/red'), limit: 2 });
  expect(story.page).toMatchObject({ status_code: 301, is_indexable: false });
  expect(story.page).not.toHaveProperty('title');
  expect(story.inlinks).toMatchObject({ total: 3, rows: [{}, {}], next_cursor: '2' });
  expect([story.demand.clicks, story.demand.days, story.empty.canonical]).toEqual([
    6,
    undefined,
    'the crawl found no canonical of this page',
  ]);
  const part = await call('get_url', { url: url('/lamps/red'), part: 'inlinks', limit: 2, cursor: '2' });
  expect([part.total, part.rows.map(({ anchor }: { anchor: string }) => anchor)]).toEqual([3, ['sponsored']]);
  const days = await call('get_url', { url: url('/lamps/red'), part: 'demand' });
  expect(days.rows.length).toBe(3);
  const none = await call('get_url', { url: url('/lamps/blue'), part: 'hits' });
  expect([none.rows, none.why]).toEqual([[], expect.stringContaining('contain no request for this page')]);
  const unknown = await call('get_url', { url: url('/lamps/rde'), project: 'Shop' });
  expect([unknown.is_known, unknown.near[0]]).toEqual([false, url('/lamps/red')]);
});

test('compare_crawls returns changes, and what cannot be compared', async () => {
  const { kpis, issues, pages } = await call('compare_crawls', {
    project: 'Shop',
    from: 'previous',
    to: 'latest',
    limit: 3,
  });
  expect(kpis[0]).toMatchObject({ title: 'pages', before: 5, after: 7, change: 2 });
  expect([issues.total, issues.rows.length, issues.next_cursor]).toEqual([8, 3, '3']);
  expect(pages.find(({ change }: { change: string }) => change === 'h1').why).toContain('lacks h1');
});

test('issues, pages and comparisons accept a segment, and an unknown segment is refused with the choices', async () => {
  const asked = { project: 'Shop', segment: '/lamps/' };
  const whole = await call('list_issues', { project: 'Shop' });
  const [crawl] = (await call('list_issues', asked)).crawls;
  expect([crawl.segmentation, crawl.segment]).toEqual(['(directory)', '/lamps/']);
  expect(crawl.issues.total).toBeGreaterThan(1);
  const pages = (rows: { issue: string; pages: number }[], issue: string) =>
    rows.find((one) => one.issue === issue)?.pages;
  for (const { issue, pages: count } of crawl.issues.rows) {
    expect(count).toBeLessThanOrEqual(pages(whole.crawls[0].issues.rows, issue) ?? Number.NaN);
    expect((await call('find_pages', { ...asked, issue })).total, issue).toBe(count);
  }
  const { kpis, segment } = await call('compare_crawls', { ...asked, from: 'previous', to: 'latest' });
  expect([segment, kpis[0].after]).toEqual(['/lamps/', (await call('find_pages', asked)).total]);
  for (const [name, more] of Object.entries({
    list_issues: {},
    compare_crawls: { from: '-1', to: 'latest' },
  })) {
    const { error } = await call(name, { ...asked, ...more, segment: '/lmps/' });
    expect([error.code, error.hint], name).toEqual([
      'usage',
      expect.stringMatching(/^did you mean \/lamps\/\? segments: .*\/lamps\/[^;]*$/),
    ]);
  }
});

test('a table is found by its short name, and an unknown one is refused with similar names', async () => {
  const found = await call('describe_table', { table: 'pages' });
  expect(found.name).toBe('mart.pages');
  expect(await call('describe_table', { table: 'page' })).toContain('did you mean mart.pages');
});

test('an assistant reads the definitions and the dictionary, and finds the review prompts by name', async () => {
  const { resources } = await client.listResources();
  expect(resources.map(({ uri }) => uri)).toEqual(['crawlhouse://definitions', 'crawlhouse://dictionary']);
  const [definitions, dictionary] = await Promise.all(
    resources.map(async ({ uri }) => JSON.stringify(await client.readResource({ uri }))),
  );
  expect(definitions).toContain('orphan');
  expect(dictionary).toContain('## mart.pages');
  const { prompts } = await client.listPrompts();
  expect(prompts.map(({ name }) => name)).toEqual(['weekly_review', 'migration_check']);
  const review = await client.getPrompt({ name: 'weekly_review', arguments: { project: 'Shop' } });
  expect(JSON.stringify(review)).toContain('the project Shop');
  const tools = new Set((await client.listTools()).tools.map(({ name }) => name));
  const check = { project: 'Shop', from: '-1', to: 'latest' };
  const migration = await client.getPrompt({ name: 'migration_check', arguments: check });
  for (const [name] of JSON.stringify([review, migration]).matchAll(/\b[a-z]+_[a-z]+(?= )/g))
    expect([name, tools.has(name) || name === 'status_code']).toEqual([name, true]);
});

test('cursors of find_pages visit every page once in each order, and an invalid cursor is reported', async () => {
  const sorts = [undefined, 'url', 'url desc', 'depth', 'depth desc', 'title desc', 'inrank', 'is_indexable'];
  for (const sort of sorts) {
    const asked = { project: 'Shop', ...(sort !== undefined && { sort }) };
    const whole = await call('find_pages', { ...asked, limit: 100 });
    const urls: string[] = [];
    let cursor: string | undefined;
    do {
      const part = await call('find_pages', { ...asked, limit: 2, ...(cursor !== undefined && { cursor }) });
      urls.push(...part.rows.map((row: { url: string }) => row.url));
      expect([part.total, part.rows.length <= 2]).toEqual([whole.total, true]);
      cursor = part.next_cursor;
    } while (cursor !== undefined && urls.length <= whole.total);
    expect(urls, sort).toEqual(whole.rows.map((row: { url: string }) => row.url));
    const by = await call('find_pages', { ...asked, limit: 2, cursor: '3' });
    expect(by.rows.map((row: { url: string }) => row.url)).toEqual(urls.slice(3, 5));
  }
  const gone = `after:${Buffer.from('https://elsewhere.example/').toString('base64url')}`;
  for (const [tool, wrong] of [
    ['find_pages', gone],
    ['find_pages', '7'],
    ['find_pages', '999999999'],
    ['list_issues', '7'],
  ] as const)
    expect((await call(tool, { project: 'Shop', cursor: wrong })).error, `${tool} ${wrong}`).toMatchObject({
      code: 'usage',
      message: expect.stringMatching(/^the cursor is after /),
    });
});
