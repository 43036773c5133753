import { expect, test } from 'vitest';
import type { ComparedCrawl } from '../../../../../../src/app/answers/explore/compare/compared-crawls.ts';
import { failRules, RULE_NAMES } from '../../../../../../src/app/answers/explore/compare/rules/fail-rules.ts';
import { readRules } from '../../../../../../src/app/answers/explore/compare/rules/read-rules.ts';
import {
  rulesJunit,
  rulesMarkdown,
  rulesSarif,
} from '../../../../../../src/app/answers/explore/compare/rules/rule-reports.ts';
import { fakeWarehouse } from '../../fake-warehouse.ts';

const noFile = (): Promise<string> => Promise.reject(new Error('no file'));
const crawl = (crawl_id: string): ComparedCrawl => ({
  ...{ crawl_id, project_id: 'p', project: 'a|b', crawl_number: 1, crawl_config_id: null },
  ...{ crawl_config_name: null, ended_at: '2026-03-09T03:00:00Z', is_complete: true, scope_note: null },
});
const compared = { from: crawl('c1'), to: crawl('c2') };
const COLUMNS = ['status_code', 'is_noindex', 'canonical_kind', 'is_robots_denied', 'title'];
const told = COLUMNS.map((column_name) => {
  return { column_name, part: column_name, crawl_id: 'c1', crawls: 2 };
});
const GONE = {
  ...{ url: 'https://b.example/<x>', url_before: 'https://a.example/<x>', before: '200', after: '404' },
  ...{ clicks: 3, all_pages: 1, all_clicks: 3 },
};
const FOUND = {
  'starts.origin': [{ origin: 'https://a.example', is_start: true, pages: 2 }],
  'AS matched': [{ matched: 2, not_read_before: 1, not_read_after: 0 }],
  'mart.crawl_columns AS told': told,
  'AS days': [{ days: 0 }],
  'NOT IN (404, 410)': [GONE],
};
const check = async (rules: string, more: Readonly<Record<string, readonly object[]>> = {}) =>
  readRules(
    fakeWarehouse({ ...more, ...FOUND, ...more }).warehouse,
    compared,
    await failRules(rules, noFile),
    new AbortController().signal,
  );

test.each([
  ['all', RULE_NAMES.slice(0, -1)],
  ['new-404, lost-title', ['new-404', 'lost-title']],
  ['new-404,all', ['new-404', ...RULE_NAMES.slice(0, -1).filter((name) => name !== 'new-404')]],
])('--fail-on %s means each rule once', async (text, names) => {
  expect((await failRules(text, noFile)).map(({ name }) => name)).toEqual(names);
});

test('a file sets limits of new issues and of losses', async () => {
  const file = async (): Promise<string> => 'new: { thin: 2 }\nlost: { clicks_at_risk: 10 }\n';
  expect(await failRules('rules.yaml', file)).toMatchObject([
    { name: 'new.thin', most: 2, counts: 'pages', issue: 'thin' },
    { name: 'lost.clicks_at_risk', most: 10, counts: 'clicks' },
  ]);
});

test.each([[''], ['# new: { thin: 0 }\n'], ['new: {}\nlost: {}\n']])(
  'a file without a rule is refused: %j',
  async (text) => {
    await expect(failRules('rules.yaml', async () => text)).rejects.toMatchObject({
      code: 'bad_settings',
      message: 'rules.yaml names no rule',
    });
  },
);

test.each([
  ['new: { thin: -1 }', 'rules.yaml:1: new.thin'],
  ['lost: { pages: 1 }', 'unknown key lost.pages'],
])('a file with %s is refused', async (text, message) => {
  await expect(failRules('rules.yaml', async () => text)).rejects.toThrow(message);
});

test.each([['new-4O4'], [''], ['new-404,']])('--fail-on %j is refused', async (text) => {
  await expect(failRules(text, noFile)).rejects.toThrow('there is no rule');
});

test('a rule is broken by a page, passes without one, and is unknown without the data', async () => {
  const { broken, rules, ...answer } = await check('all');
  expect([broken, answer.matched_by]).toEqual([1, 'url']);
  const states = rules.map(({ rule, status, why }) => [rule, status, why]);
  expect(states).toContainEqual(['new-404', 'broken', null]);
  expect(states).toContainEqual(['lost-title', 'passed', null]);
  expect(states).toContainEqual([
    'blocked-with-clicks',
    'unknown',
    'crawl 1 of 2026-03-09 has no search data',
  ]);
  const lacking = await check('lost-title', { 'mart.crawl_columns AS told': told.slice(0, -1) });
  expect(lacking.rules).toMatchObject([{ status: 'unknown', found: null, why: /lacks title$/ }]);
});

test('a rule about an issue that is disabled for a project is not checked', async () => {
  const rules = await failRules('rules.yaml', async () => 'new: { thin: 0 }');
  const to = { ...compared.to, project_id: 'q', project: 'preview' };
  const enabledFor = async (...projects: readonly string[]) => {
    const enabled = projects.map((project_id) => ({ project_id }));
    const { warehouse } = fakeWarehouse({ 'AS enabled': enabled, 'AS is_sampled': [], ...FOUND });
    const answer = await readRules(warehouse, { ...compared, to }, rules, new AbortController().signal);
    return answer.rules.map(({ status, found, why }) => [status, found, why]);
  };
  expect(await enabledFor('p')).toEqual([['unknown', null, 'the issue is disabled for preview']]);
  expect(await enabledFor('q')).toEqual([['unknown', null, 'the issue is disabled for a|b']]);
  expect(await enabledFor('p', 'q')).toEqual([['passed', 0, null]]);
});

test('crawls without a page in common are an error, not a success', async () => {
  const none = [{ matched: 0, not_read_before: 5, not_read_after: 5 }];
  await expect(check('all', { 'AS matched': none })).rejects.toThrow('no page in common');
});

test('reports escape what a website wrote, and name each finding with before and now', async () => {
  const answer = await check('new-404,blocked-with-clicks');
  const markdown = rulesMarkdown(compared, answer);
  expect(markdown).toContain('### crawlhouse compare: 1 of 2 rules broken');
  expect(markdown).toMatch(/^\| https:\/\/b\.example\/&lt;x&gt; +\| 200 +\| 404 +\| 3 +\|$/m);
  expect(markdown).toContain(String.raw`a\|b`);
  const junit = rulesJunit(compared, answer);
  expect(junit).toContain('tests="2" failures="1" errors="0" skipped="1"');
  expect(junit).toContain('https://b.example/&lt;x&gt;: before: 200; now: 404');
  expect(await rulesSarif(answer)).toMatchObject({
    version: '2.1.0',
    runs: [{ results: [{ ruleId: 'new-404', ruleIndex: 0, level: 'error' }] }],
  });
});

test.each([
  ['https://b.example/', 'b.example/'],
  ['https://b.example:8443/a b?x=1&f[c]=|', 'b.example%3A8443/a%20b?x=1&f%5Bc%5D=%7C'],
  ['http://[::1]/a:b', '%5B%3A%3A1%5D/a:b'],
  ['https://b example/', 'https%3A%2F%2Fb%20example%2F'],
])('code scanning gets %s as a reference without a scheme', async (url, uri) => {
  const answer = await check('new-404', { 'NOT IN (404, 410)': [{ ...GONE, url }] });
  expect(await rulesSarif(answer)).toMatchObject({
    runs: [
      {
        results: [
          {
            message: { text: `The page now returns 404 or 410: ${url} (before: 200; now: 404)` },
            locations: [{ physicalLocation: { artifactLocation: { uri } } }],
            properties: { url },
          },
        ],
      },
    ],
  });
});
