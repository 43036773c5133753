import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Comparison } from '../../../src/app/answers/explore/compare/read-compare.ts';
import type { RulesAnswer } from '../../../src/app/answers/explore/compare/rules/read-rules.ts';
import type { QueryProcess } from '../../../src/app/answers/query/query-process.ts';
import { capture, type Outcome } from '../../app/cli/capture.ts';
import { at, dataset, pagesOf, type Row, type Sites } from '../../questions/sites/sites.ts';
import { publishedSites } from '../../support/published-sites.ts';
import { sharedFolder } from '../../support/temporary.ts';

/** A shop with two crawls, and its preview on another host, where each page but two has one fault. */
const OLD = 'https://www.shop.example';
const NEW = 'https://preview.shop.example:8443';
const PATHS = [
  '/',
  '/same',
  '/noindex',
  '/canonical',
  '/blocked',
  '/quiet',
  '/gone',
  '/error',
  '/moved',
  '/title',
];

const whole = (host: string, path: string): Row =>
  pagesOf(host)(path, {
    depth: 1,
    title: `Page ${path}`,
    meta_robots_index: true,
    robots_txt_denied: false,
    rel_canonical: host + path,
    canonical_evaluation: 'matching',
  });
const unanswered = { status_code: null, title: null, rel_canonical: null, canonical_evaluation: null };
const FAULTS: Readonly<Record<string, Row>> = {
  '/noindex': { meta_robots_index: false },
  '/canonical': { rel_canonical: null, canonical_evaluation: 'not_set' },
  '/blocked': {
    ...unanswered,
    robots_txt_denied: true,
    fetched: false,
    fetch_status: 'unfetched_robots_denied',
  },
  '/quiet': {
    ...unanswered,
    robots_txt_denied: true,
    fetched: false,
    fetch_status: 'unfetched_robots_denied',
  },
  '/gone': { status_code: 404 },
  '/error': { status_code: 500 },
  '/moved': { status_code: 301, redirect_location: `${NEW}/` },
  '/title': { title: '' },
};
const crawl = (id: string, projectId: string, pages: readonly Row[], day: string) => ({
  ...{ id, projectId, status: 'done', endReason: 'ok', config: { id: `c-${projectId}`, name: 'Web' } },
  endedAt: at(`2026-03-${day}T03:00:00Z`),
  createdAt: at(`2026-03-${day}T02:00:00Z`),
  pages: dataset(pages, { also: ['redirect_location', 'fetch_status'] }),
});
const clicks = (path: string, count: number): Row => {
  return { url: OLD + path, date: '2026-03-01', query: null, clicks: count, impressions: 100, position: 3 };
};
const preview = PATHS.map((path) => ({ ...whole(NEW, path), ...FAULTS[path] }));
const SITES: Sites = {
  projects: [
    {
      ...{ id: 'p-shop', name: 'www.shop.example', startUrl: `${OLD}/` },
      ranking: dataset([clicks('/blocked', 40), clicks('/noindex', 7), clicks('/same', 1)]),
    },
    { id: 'p-preview', name: 'preview.shop.example', startUrl: `${NEW}/` },
  ],
  crawls: [
    crawl(
      'shop-1',
      'p-shop',
      [...PATHS, '/unread'].map((path) => whole(OLD, path)),
      '02',
    ),
    crawl(
      'shop-2',
      'p-shop',
      [...PATHS, '/unread'].map((path) => whole(OLD, path)),
      '09',
    ),
    crawl('preview-1', 'p-preview', [...preview, { ...whole(NEW, '/added'), status_code: 404 }], '10'),
    crawl(
      'preview-2',
      'p-preview',
      PATHS.map((path) => whole(NEW, path)),
      '11',
    ),
    crawl('apart', 'p-preview', [whole(NEW, '/nothing/alike')], '12'),
  ],
};

const folder = sharedFolder();
let warehouse: QueryProcess;
beforeAll(async () => {
  await writeFile(join(folder, 'schedules.yaml'), 'schedules: []\n');
  await writeFile(join(folder, 'crawlhouse.yaml'), '{}\n');
  warehouse = await publishedSites(folder, SITES);
});
afterAll(() => warehouse?.[Symbol.asyncDispose]());

const compare = (...argv: readonly string[]): Promise<Outcome> =>
  capture('compare', ...argv, '--project-dir', folder);
const BROKEN = ['www.shop.example/latest', 'preview-1'];
async function rulesOf(...argv: readonly string[]): Promise<{ code: number | null } & RulesAnswer> {
  const { code, stdout } = await compare(...argv, '--json');
  const { rules } = JSON.parse(stdout) as Comparison & { readonly rules: RulesAnswer };
  return { code, ...rules };
}

test('each rule finds the pages that it is about, matched by path, with what they were and are', async () => {
  const { code, rules, ...answer } = await rulesOf(...BROKEN, '--fail-on', 'all');
  expect(code).toBe(4);
  expect(answer).toEqual({
    ...{ matched_by: 'path', from_origin: OLD, to_origin: NEW, broken: 7 },
    ...{ matched: 7, not_read_before: 1, not_read_after: 4 },
  });
  const found = rules.map(({ rule, findings }) => [
    rule,
    ...findings.map(({ url, url_before, before, after, clicks }) => {
      expect([null, url.replace(NEW, OLD)]).toContain(url_before);
      return [url.replace(NEW, ''), before, after, clicks];
    }),
  ]);
  expect(found).toEqual([
    ['new-noindex', ['/noindex', 'no noindex', 'noindex', 7]],
    ['lost-canonical', ['/canonical', `${OLD}/canonical`, 'no canonical', null]],
    ['blocked-with-clicks', ['/blocked', 'allowed', 'blocked by robots.txt', 40]],
    ['new-404', ['/added', null, '404', null], ['/gone', '200', '404', null]],
    ['new-5xx', ['/error', '200', '500', null]],
    ['new-redirect', ['/moved', '200', `301 to ${NEW}/`, null]],
    ['lost-title', ['/title', 'Page /title', 'no title', null]],
  ]);
});

test('without a broken rule the exit code is 0, and rules without data are not checked', async () => {
  const same = await rulesOf('shop-1', 'shop-2', '--fail-on', 'all');
  expect([same.code, same.matched_by, same.matched, same.broken]).toEqual([0, 'url', 11, 0]);
  const { code, rules } = await rulesOf('preview-2', 'preview-1', '--fail-on', 'blocked-with-clicks');
  expect([code, rules]).toMatchObject([0, [{ status: 'unknown', found: null, why: /has no search data$/ }]]);
});

test('a file sets how many new issues, lost pages and clicks are allowed', async () => {
  const file = join(folder, 'rules.yaml');
  await writeFile(
    file,
    'new: { noindex: 1, missing_canonical: 0 }\nlost: { indexable_pages: 2, clicks_at_risk: 46 }\n',
  );
  const { code, rules } = await rulesOf(...BROKEN, '--fail-on', file);
  expect([code, ...rules.map(({ rule, status, found, most }) => [rule, status, found, most])]).toEqual([
    4,
    ['new.noindex', 'passed', 1, 1],
    ['new.missing_canonical', 'broken', 1, 0],
    ['lost.indexable_pages', 'broken', 5, 2],
    ['lost.clicks_at_risk', 'broken', 47, 46],
  ]);
});

test('text, Markdown, SARIF and JUnit name each finding, before and now', async () => {
  const outputs = [];
  for (const format of ['table', 'markdown', 'sarif', 'junit'])
    outputs.push({ format, ...(await compare(...BROKEN, '--fail-on', 'all', '--format', format)) });
  for (const { code, stdout, format } of outputs) {
    expect([format, code]).toEqual([format, 4]);
    for (const path of [
      '/noindex',
      '/canonical',
      '/blocked',
      '/gone',
      '/added',
      '/error',
      '/moved',
      '/title',
    ])
      expect(stdout).toContain(`${NEW}${path}`);
    expect(stdout).toContain('Pages are matched by path');
    expect(stdout).not.toContain(`${NEW}/unread`);
  }
  const [table, markdown, sarif, junit] = outputs.map(({ stdout }) => stdout);
  expect(table).toContain('7 read in both crawls, 4 not read in the second, 1 not read in the first.');
  expect(markdown).toMatch(/^### crawlhouse compare: 7 of 7 rules broken\n/);
  const { version, runs } = JSON.parse(sarif ?? '');
  expect([version, runs[0].results.length, runs[0].tool.driver.rules.length]).toEqual(['2.1.0', 8, 7]);
  expect(junit).toContain('tests="7" failures="7" errors="0" skipped="0"');
});

test.each([
  [[...BROKEN, '--fail-on', 'new-4O4'], 2, 'did you mean new-404?'],
  [[...BROKEN, '--fail-on', 'none.yaml'], 2, 'none.yaml cannot be read'],
  [[...BROKEN, '--fail-on', 'all', '--part', 'pages'], 2, '--fail-on and --part cannot be combined'],
  [[...BROKEN, '--format', 'sarif'], 2, '--format sarif needs --fail-on'],
  [['shop-2', 'apart', '--fail-on', 'all'], 2, 'read no page in common'],
  [BROKEN.with(0, 'shop-2'), 2, 'but preview-1 is a crawl of preview.shop.example'],
])('%j is a usage error', async (argv, status, message) => {
  const { code, stderr } = await compare(...argv);
  expect([code, stderr]).toEqual([status, expect.stringContaining(message)]);
});
