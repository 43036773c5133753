import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { Ajv } from 'ajv';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import type { FoundIssue } from '../../../src/app/answers/explore/issues/found-issue.ts';
import { documentSchemas } from '../../../src/app/cli/reports/documents.ts';
import { type Sandbox, startSandbox } from '../../../src/service/sandbox/start-sandbox.ts';
import { crawlhouse, projectFolder } from '../../support/project.ts';

const PROGRAM = join(import.meta.dirname, '../../..', 'src', 'app', 'cli', 'main.ts');

let sandbox: Sandbox;
let parent: string;
let folder: string;
beforeAll(async () => {
  sandbox = await startSandbox({ generate: ['projects=2,crawls=3,pages=60,links=80,columns=700,seed=5'] });
  parent = await mkdtemp(join(tmpdir(), 'crawlhouse-issues-'));
  folder = await projectFolder(parent);
  expect((await crawlhouse(folder, sandbox, ['run', '--quiet'])).status).toBe(0);
});
afterAll(async () => {
  await sandbox?.close();
  await rm(parent, { recursive: true, force: true });
});

const issues = async (...more: readonly string[]): Promise<readonly FoundIssue[]> =>
  JSON.parse((await crawlhouse(folder, null, ['issues', ...more, '--json'])).stdout);
const rows = async (sql: string): Promise<readonly Record<string, unknown>[]> =>
  JSON.parse((await crawlhouse(folder, null, ['query', sql, '--json'])).stdout);

test('each page that has or had an issue is counted once, and unread pages are not fixed', async () => {
  const found = await issues();
  expect(found.length).toBeGreaterThan(20);
  // Counted page by page: `read` are pages that the later crawl read, or that are gone or lead elsewhere for good.
  const counted = await rows(`
    WITH page AS (
      SELECT crawls.crawl_id, issue, here.url, bool_or(here.crawl_id = crawls.crawl_id) AS is_now,
        bool_or(here.crawl_id = crawls.previous_crawl_id) AS was,
        bool_or(coalesce(pages.observation, '') IN ('read', 'gone') OR moved.url IS NOT NULL) AS is_read
      FROM mart.crawls AS crawls
      JOIN mart.page_issues AS here ON here.crawl_id IN (crawls.crawl_id, crawls.previous_crawl_id)
      LEFT JOIN mart.pages AS pages ON pages.crawl_id = crawls.crawl_id AND pages.url = here.url
      LEFT JOIN mart.page_comparison AS moved
        ON moved.crawl_id = crawls.crawl_id AND moved.url = here.url AND moved.comparison IN ('moved', 'merged')
      WHERE crawls.is_main GROUP BY ALL)
    SELECT crawl_id, issue, count_if(is_now) AS pages, count_if(was) AS previous, count_if(was AND NOT is_now AND is_read) AS read
    FROM page GROUP BY ALL`);
  const by = new Map(counted.map((row) => [`${row.crawl_id} ${row.issue}`, row]));
  for (const { crawl_id, issue, pages, new: added, fixed, missing, remaining, unseen } of found) {
    const row = by.get(`${crawl_id} ${issue}`);
    expect([issue, pages]).toEqual([issue, row?.pages]);
    if (added === null || fixed === null || missing === null || remaining === null || unseen === null)
      continue;
    expect([issue, added + remaining + unseen, fixed + missing + remaining]).toEqual([
      issue,
      row?.pages,
      row?.previous,
    ]);
    expect(fixed, issue).toBeLessThanOrEqual(Number(row?.read));
  }
  for (const change of ['new', 'fixed', 'missing'] as const)
    expect([change, found.some((one) => Number(one[change]) > 0)]).toEqual([change, true]);
});

test('projects and crawls are named as elsewhere, and unknown names are refused', async () => {
  const [first] = await issues();
  const own = await issues('--project', first?.project ?? '');
  expect(new Set(own.map((one) => one.crawl_id))).toEqual(new Set([first?.crawl_id]));
  expect(await issues('--project', first?.project ?? '', '--crawl', 'latest')).toEqual(own);
  const earlier = await issues('--project', first?.project ?? '', '--crawl', '-2');
  // The first crawl of all: there is nothing to compare it with.
  expect([...new Set(earlier.map((one) => one.new))]).toEqual([null]);
  const later = ['--project', first?.project ?? '', '--crawl', '2999-01-01'];
  const near = await crawlhouse(folder, null, ['issues', ...later, '--json']);
  expect([JSON.parse(near.stdout), near.stderr]).toEqual([
    own,
    expect.stringContaining(
      `no crawl ended on 2999-01-01; using the nearest earlier crawl, ${first?.crawl_id} of`,
    ),
  ]);
  // A drop takes no crawl but the one that is named.
  const drop = await crawlhouse(folder, null, ['drop', '--crawl', '2999-01-01', '--yes']);
  expect([drop.status, drop.stderr]).toEqual([2, expect.stringMatching(/2999-01-01/)]);
  for (const flag of ['--project', '--crawl']) {
    const refused = await crawlhouse(folder, null, ['issues', flag, 'nobody']);
    expect([refused.status, refused.stderr]).toEqual([2, expect.stringMatching(/no (project|crawl) nobody/)]);
  }
});

test('issues prints the crawl, its issues by subject with sums, and how many have no pages', async () => {
  const [first] = await issues();
  const { stdout } = await crawlhouse(folder, null, ['issues', '--project', first?.project ?? '']);
  const lines = stdout.split('\n');
  expect(lines[0]).toMatch(/^\S.*, crawl of \d{4}-\d\d-\d\d \d\d:\d\d UTC \(\S+\), compared with \d{4}-/);
  expect(lines[1]).toMatch(
    /^\d+ issues: \d+ high, \d+ medium, \d+ low(; and \d+ issues? with only fixed or missing pages)?$/,
  );
  expect(lines[2]).toMatch(/^Issue +Severity +Name +Pages +New +Fixed( +Missing)?/);
  const heads = lines.filter((line) => / · \d+ issues?/.test(line));
  expect(heads.length).toBeGreaterThan(5);
  for (const head of heads)
    expect(head).toMatch(/^[A-Z][a-zA-Z ]+ · \d+ issues?(, \d+ without pages)? +(\d|-)/);
  expect(lines[3]).toBe(heads[0]);
  expect(stdout).toMatch(/^\d+ issues on no page/m);
});

test('a segment has at most as many pages of an issue as the site, and an unknown segment is refused', async () => {
  const [first] = await issues();
  const own = ['--project', first?.project ?? ''];
  const all = new Map((await issues(...own)).map((one) => [one.issue, one.pages]));
  const [largest] = await rows(
    `SELECT segmentation, segment FROM mart.crawl_segments
     WHERE crawl_id = '${first?.crawl_id}' AND segmentation <> '(site)' ORDER BY pages DESC, segmentation LIMIT 1`,
  );
  const { segment, segmentation } = largest as Readonly<Record<string, string>>;
  const part = ['--segment', String(segment), '--segmentation', String(segmentation)];
  const found = await issues(...own, ...part);
  expect(found.length).toBeGreaterThan(0);
  for (const { issue, pages } of found) expect(pages, issue).toBeLessThanOrEqual(all.get(issue) ?? 0);
  const refused = await crawlhouse(folder, null, ['issues', ...own, '--segment', 'nothing']);
  expect([refused.status, refused.stderr]).toEqual([2, expect.stringContaining('has no segment nothing')]);
});

interface Pages {
  readonly total: number;
  readonly rows: readonly Record<string, unknown>[];
}
const pages = async (...more: readonly string[]): Promise<Pages> =>
  JSON.parse((await crawlhouse(folder, null, ['pages', ...more, '--json'])).stdout);

test('the missing pages of an issue are listed, each with its reason', async () => {
  const one = (await issues()).find(({ missing }) => Number(missing) > 0);
  const asked = ['--project', one?.project ?? '', '--issue', one?.issue ?? '', '--change', 'missing'];
  const { total, rows } = await pages(...asked, '--limit', '5');
  expect([total, rows.length]).toEqual([one?.missing, Math.min(5, Number(one?.missing))]);
  for (const { reason } of rows) expect(reason).toMatch(/^[a-z_]+$/);
});

test('the list of an issue has as many pages as the issue counts', async () => {
  const found = await issues();
  const [first] = found;
  const own = found.filter(({ crawl_id, pages }) => crawl_id === first?.crawl_id && pages > 0);
  for (const one of own.slice(0, 6)) {
    const { total, rows } = await pages('--project', one.project, '--issue', one.issue, '--limit', '5');
    expect([one.issue, total, rows.length]).toEqual([one.issue, one.pages, Math.min(5, one.pages)]);
    for (const row of rows) expect(row.why).toMatch(/\S/);
  }
});

test('all conditions on columns apply, and columns are shown in the given order', async () => {
  const [first] = await issues();
  const project = ['--project', first?.project ?? ''];
  const where = ['--where', 'depth < 3 OR depth IS NULL', '--where', 'word_count > 10 -- words'];
  const { total, rows: found } = await pages(...project, ...where, '--sort', 'word_count desc');
  const [counted] = await rows(
    `SELECT count(*) AS pages FROM mart.pages WHERE crawl_id = '${first?.crawl_id}' AND (depth < 3 OR depth IS NULL) AND word_count > 10`,
  );
  expect(total).toBe(counted?.pages);
  const words = found.map((row) => Number(row.word_count));
  expect([words, words.length > 1]).toEqual([words.toSorted((a, b) => b - a), true]);
});

test.each([
  [['--where', 'true) OR (true'], '--where: true) OR (true is not a single condition'],
  [['--where', '1=1) UNION SELECT 1 --'], 'is not a single condition'],
  [['--where', 'true THEN 1 WHEN true'], 'is not a single condition'],
  [['--where', 'true; SELECT 1'], 'is not a single condition'],
  [['--where', 'true ORDER BY 1'], 'is not a single condition'],
  [['--where', 'dept > 3'], '"depth"'],
  [['--where', 'depth > 1e999'], 'a number that is too large'],
  [['--where', 'url IN (SELECT url FROM nowhere)'], 'Table with name nowhere does not exist'],
  [['--issue', 'cleint_error'], 'did you mean client_error?'],
  [['--sort', 'dpth desc'], 'did you mean depth?'],
  [['--limit', '0'], 'write a number from 1'],
  [[], '2 projects: name one'],
])('pages %j is refused, with the right form', async (args, said) => {
  const [first] = await issues();
  const project = args.length === 0 ? [] : ['--project', first?.project ?? ''];
  const refused = await crawlhouse(folder, null, ['pages', ...project, ...args]);
  expect([refused.status, refused.stderr]).toEqual([2, expect.stringContaining(said)]);
});

test('an assistant goes from an issue to its pages', async () => {
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [PROGRAM, 'mcp', '--project-dir', folder],
    env: { PATH: process.env.PATH ?? '' },
  });
  const client = new Client({ name: 'test', version: '1.0.0' });
  await client.connect(transport);
  onTestFinished(() => client.close());
  const call = async (name: string, given: Record<string, unknown>) => {
    const { content } = await client.callTool({ name, arguments: given });
    const [only] = content as unknown as [{ text: string }];
    return JSON.parse(only.text);
  };
  const [first] = await issues();
  const { crawls } = await call('list_issues', { project: first?.project });
  const [issue] = crawls[0].issues.rows;
  expect(first).toEqual({ ...issue, ignored: 0, tickets: [] });
  const found = await call('find_pages', { project: first?.project, issue: issue.issue });
  expect([found.total, found.rows.length]).toEqual([issue.pages, Math.min(20, issue.pages)]);
  const wrong = await call('find_pages', { project: first?.project, where: ['dept = 1'] });
  expect(wrong.error.message).toContain('"depth"');
});

test('each issue has its tickets with state and owner, and the pages that they ignore', async () => {
  const [first] = (await issues()).filter(({ pages }) => pages > 1);
  const project = first?.project ?? '';
  const ticket = (id: string, more: string): string =>
    `  - { id: ${id}, project: ${project}, issue: ${first?.issue}, crawl: ${first?.crawl_id}, ${more},
      created_at: 2026-01-01T00:00:00Z, changed_at: 2026-01-01T00:00:00Z }\n`;
  const [page] = (await pages('--project', project, '--issue', String(first?.issue), '--limit', '1')).rows;
  const path = join(folder, 'tickets.yaml');
  onTestFinished(async () => {
    await rm(path);
    await crawlhouse(folder, null, ['transform', '--quiet']);
  });
  await writeFile(
    path,
    `tickets:\n${ticket('t1', `state: ignored, until: 2999-01-01, urls: ["${page?.url}"]`)}${ticket('t2', 'owner: Ada, state: open, due: 2026-01-02')}`,
  );
  const own = async () => (await issues('--project', project)).find(({ issue }) => issue === first?.issue);
  const t1 = { id: 't1', owner: null, state: 'ignored', effective_state: null };
  const t2 = { id: 't2', owner: 'Ada', state: 'open', effective_state: null };
  // Before the next run, only the file knows the tickets.
  expect(await own()).toEqual({ ...first, ignored: 0, tickets: [t1, t2] });
  expect((await crawlhouse(folder, null, ['transform', '--quiet'])).status).toBe(0);
  expect(await own()).toEqual({
    ...first,
    ignored: 1,
    tickets: [
      { ...t1, effective_state: 'ignored' },
      { ...t2, effective_state: 'overdue' },
    ],
  });
  const fits = new Ajv({ strict: true, allowUnionTypes: true }).compile(
    documentSchemas()['issues.schema.json'] as object,
  );
  expect([fits(await issues()), fits.errors]).toEqual([true, null]);
  const { stdout } = await crawlhouse(folder, null, ['issues', '--project', project]);
  expect(stdout).toMatch(/^Issue .* Pages +Ignored +To fix +New .* Tickets$/m);
  const [line] = stdout.split('\n').filter((one) => one.includes(` ${first?.issue} `));
  expect(line).toMatch(
    new RegExp(`  ${first?.pages} +1 +${Number(first?.pages) - 1} .* ignored; overdue: Ada$`),
  );
});

test('each command reports which crawl it used for a day, and refuses text that only looks like a day', async () => {
  const [crawl] = await rows('SELECT project_id, url FROM mart.pages LIMIT 1');
  const project = ['--project', String(crawl?.project_id)];
  const commands: readonly (readonly [before: readonly string[], after: readonly string[]])[] = [
    [['pages', ...project, '--limit', '1', '--crawl'], []],
    [['issues', ...project, '--crawl'], []],
    [['url', String(crawl?.url), ...project, '--crawl'], []],
    [['report', ...project, '--output', join(parent, 'report.html'), '--crawl'], []],
    [['sitemap', ...project, '--output', join(parent, 'sitemaps'), '--crawl'], []],
    [['query', '--question', 'q05', '-p', `project=${crawl?.project_id}`, '-p'], []],
    [['compare'], ['latest', ...project]],
    [['drop', '--plan', '--crawl'], []],
    [['status'], []],
  ];
  for (const [before, after] of commands) {
    const ask = async (day: string) => {
      const word = before.at(-1) === '-p' ? `crawl=${day}` : day;
      return await crawlhouse(folder, null, [...before, word, ...after]);
    };
    const name = before[0] ?? '';
    const isOfAll = ['drop', 'status'].includes(name);
    const noted = isOfAll
      ? 'names a crawl in each of'
      : 'no crawl ended on 2999-01-01; using the nearest earlier crawl';
    expect([name, (await ask('2999-01-01')).stderr]).toEqual([name, expect.stringContaining(noted)]);
    for (const day of ['2026-11-31'])
      expect([name, await ask(day)]).toEqual([
        name,
        expect.objectContaining({ status: 2, stderr: expect.stringContaining('not a calendar day') }),
      ]);
  }
});
