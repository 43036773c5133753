import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ident } from '../../../../../src/core/duckdb/duckdb.ts';
import { type Issue, loadIssues } from '../../../../../src/etl/project/sql/models/load-issues.ts';
import { loadModels } from '../../../../../src/etl/project/sql/models/load-models.ts';
import { sqlFolder } from '../../../../../src/etl/project/sql/models/sql-folders.ts';
import { planModels } from '../../../../../src/etl/project/sql/plan/plan-models.ts';
import {
  expectBadModel,
  loadFiles,
  modelText,
  withSqlFiles,
} from '../../../pipeline/transform/model-files.ts';
import { openWarehouse, type TestWarehouse } from '../../../pipeline/transform/test-warehouse.ts';
import { casePages, createPages, findIn, pageColumns } from './issue-cases.ts';

const SQL = sqlFolder(join(import.meta.dirname, '../../../../../sql'));
const issues = await loadIssues([SQL]);
const scans = issues.filter(({ scan }) => scan !== null);

let warehouse: TestWarehouse;
let columns: Readonly<Record<string, string>>;
beforeAll(async () => {
  warehouse = await openWarehouse();
  const plan = await planModels({ connection: warehouse.connection, models: await loadModels([SQL]) });
  columns = pageColumns(plan);
  await warehouse.connection.run('CREATE SCHEMA IF NOT EXISTS mart');
  // Where an issue looks for the other page of a relation, it finds none.
  for (const { model, outputs } of plan) {
    const empty = [...outputs].map(([name, type]) => `${ident(name)} ${type}`);
    await warehouse.connection.run(`CREATE TABLE ${model.name} (${empty.join(', ')})`);
  }
});
afterAll(() => warehouse[Symbol.asyncDispose]());

async function texts(some: readonly Issue[]): Promise<Record<string, string>> {
  const read = some.map(async ({ name }) => [
    `issues/${name}.sql`,
    await readFile(join(SQL.path, 'issues', `${name}.sql`), 'utf8'),
  ]);
  return Object.fromEntries(await Promise.all(read));
}

const findings = (issue: Issue): Promise<Record<string, unknown>[]> => findIn(warehouse.connection, issue);

describe('each issue with cases', () => {
  beforeAll(() => createPages(warehouse.connection, columns, issues.flatMap(casePages)));
  test.each(issues.filter(({ cases }) => cases !== undefined))(
    '$name: matches its cases, and no others',
    async (issue) => {
      const pages = casePages(issue);
      const rows = (await findings(issue)).filter(({ crawl_id: id }) =>
        String(id).startsWith(`${issue.name} `),
      );
      expect(rows.map((row) => row.crawl_id)).toEqual(
        pages
          .map(({ crawl_id: id }) => String(id))
          .filter((id) => id.endsWith(' has'))
          .sort(),
      );
      for (const { why } of rows) expect(why, 'what was found').toMatch(/\S/);
    },
  );
});

describe('the fix matches the reason why a page is not indexable', () => {
  const FITS: Readonly<Record<string, readonly (readonly [issue: string, fix: RegExp])[]>> = {
    robots_denied: [
      ['robots_denied', /^Allow the page in robots\.txt/],
      ['robots_denied_in_sitemap', /^Make robots\.txt .* allow the page.*from the sitemap/],
      ['robots_denied_with_demand', /^Allow the page in robots\.txt/],
    ],
    no_answer: [['no_answer', /host responds/]],
    redirect: [
      ['linked_redirect', /final URL/],
      ['redirect_in_sitemap', /^Remove the redirect from the sitemap/],
    ],
    client_error: [
      ['client_error', /status 200 or redirect it/],
      ['error_in_sitemap', /status 200/],
    ],
    server_error: [
      ['server_error', /^Find the cause of the failure/],
      ['error_in_sitemap', /status 200/],
    ],
    other_status: [['other_status', /status 200/]],
    noindex: [
      ['noindex', /noindex/],
      ['noindex_in_sitemap', /from the sitemap, or remove noindex/],
      ['demand_not_indexable', /noindex/],
    ],
    canonicalised: [
      ['canonicalised', /canonical/],
      ['canonicalised_in_sitemap', /from the sitemap, or give it a self-referencing canonical/],
      ['demand_not_indexable', /canonical/],
    ],
    service: [['service_not_indexable', /^Check the page/]],
  };
  const STATUS: Readonly<Record<string, number>> = {
    redirect: 308,
    client_error: 404,
    server_error: 503,
    other_status: 204,
    noindex: 200,
    canonicalised: 200,
    service: 200,
  };
  const decides = issues.filter(({ evidence, sql }) => {
    return (
      evidence.includes('non_indexable_reason') || /is_robots_denied|non_indexable_reason (=|IN)/.test(sql)
    );
  });
  test.each(Object.entries(FITS))('%s', async (reason, fits) => {
    await createPages(warehouse.connection, columns, [
      {
        crawl_id: 'c',
        project_id: 'p',
        url: 'u',
        nb_inlinks: 1,
        sitemaps_file_origin: ['a.xml'],
        non_indexable_reason: reason,
        is_indexable: false,
        status_code: STATUS[reason],
        is_robots_denied: reason === 'robots_denied',
      },
    ]);
    await warehouse.connection.run(`CREATE OR REPLACE TABLE mart.crawls AS
        SELECT 'c' AS crawl_id, 'p' AS project_id, NULL AS previous_crawl_id, NULL AS crawl_config_id, 1 AS crawl_number, now() AS ended_at, true AS is_latest, false AS is_list;
      CREATE OR REPLACE TABLE mart.page_demand AS SELECT 'c' AS crawl_id, 'u' AS url, 9 AS impressions;
      CREATE OR REPLACE TABLE mart.page_hits AS SELECT 'c' AS crawl_id, 'u' AS url, 9 AS search_bot_hits;
      CREATE OR REPLACE TABLE mart.crawl_budget AS SELECT 'c' AS crawl_id, 'u' AS url, 9 AS non_indexable_hits`);
    const found: [string, string][] = [];
    for (const issue of decides) if ((await findings(issue)).length > 0) found.push([issue.name, issue.fix]);
    const expected = [...fits, ['bots_on_non_indexable', /^Remove the page from sitemaps/] as const];
    expect(Object.fromEntries(found)).toEqual(
      Object.fromEntries(expected.map(([name, fix]) => [name, expect.stringMatching(fix)])),
    );
  });
});

test('names its evidence as columns of mart.pages, fields of another dataset, hits or demand', () => {
  for (const { name, evidence } of issues)
    expect([
      name,
      evidence.filter(
        (one) => !Object.hasOwn(columns, one) && !/^(crawl_[a-z_]+|page_(hits|demand))\.[a-z_]+$/.test(one),
      ),
    ]).toEqual([name, []]);
});

test('no evidence is a column missing from every export, because the issue would never be known', async () => {
  const told = await readFile(join(SQL.path, 'crawl_pages/crawl_columns.sql'), 'utf8');
  const pages = await readFile(join(SQL.path, 'crawl_pages/pages.sql'), 'utf8');
  const fields = pages.slice(pages.indexOf('\nreads:\n'));
  const isTold = (column: string): boolean =>
    new RegExp(`^    ${column}:`, 'm').test(fields) || told.includes(`('${column}', '`);
  expect(['title_width', 'title_length', 'is_indexable'].map(isTold)).toEqual([false, true, true]);
  for (const { name, evidence } of issues)
    expect([name, evidence.filter((one) => !one.includes('.') && !isTold(one))]).toEqual([name, []]);
});

test('one pass over the pages finds the same as each file alone', async () => {
  const pages = scans.flatMap(casePages);
  await createPages(warehouse.connection, columns, pages);
  const [model] = await loadFiles({
    ...(await texts(scans)),
    'mart/all.sql': modelText('all', {
      columns: ['crawl_id', 'issue', 'why', 'related_url'],
      sql: 'SELECT crawl_id, issue, why, related_url FROM issues.found AS found',
    }),
  });
  const together = await warehouse.connection.jsonRows(`SELECT * FROM (${model?.sql}) ORDER BY ALL`);
  const alone: object[] = [];
  for (const issue of scans)
    for (const row of await findings(issue))
      alone.push({ crawl_id: row.crawl_id, issue: issue.name, why: row.why, related_url: row.related_url });
  const inOrder = (rows: readonly unknown[]): string[] => rows.map((row) => JSON.stringify(row)).sort();
  expect(inOrder(together)).toEqual(inOrder(alone));
  expect(alone.length).toBeGreaterThan(scans.length);
  expect(alone.filter((row) => 'related_url' in row && row.related_url !== null).length).toBeGreaterThan(0);
});

const HEADER = `title: T
severity: low
category: links
definition: D
source: https://example.org/
why_it_matters: W
fix: F
owner: content
evidence: [depth]
cases: {has: [{depth: 9}], has_not: [{depth: 8}]}`;
const issueText = (sql: string, header = HEADER): string => `/*\n${header}\n*/\n${sql}\n`;
const SCAN = "SELECT crawl_id, project_id, url, 'deep' AS why FROM mart.pages WHERE depth > 8";
const FOUND = modelText('found', {
  columns: ['crawl_id', 'issue'],
  sql: 'SELECT crawl_id, issue FROM issues.found AS found',
});
const PAGES = modelText('pages', {
  columns: ['crawl_id', 'project_id', 'url', 'depth'],
  sql: "SELECT 'c' AS crawl_id, 'p' AS project_id, 'u' AS url, 9 AS depth",
});

test.each([
  [
    'an OR and a comment',
    "SELECT crawl_id, project_id, url, 'a' AS why FROM mart.pages WHERE depth > 8 OR depth < 0 -- end",
    true,
  ],
  [
    'words in texts and brackets',
    "SELECT crawl_id, project_id, url, 'from' AS why FROM mart.pages WHERE (depth > (SELECT 8 LIMIT 1))",
    true,
  ],
  ['an order', `${SCAN} ORDER BY url`, false],
  ['a union', `${SCAN} UNION ALL ${SCAN}`, false],
  [
    'a join',
    "SELECT pages.crawl_id, pages.project_id, pages.url, 'a' AS why FROM mart.pages AS pages JOIN mart.pages AS other USING (url)",
    false,
  ],
  ['other columns', "SELECT url, crawl_id, project_id, 'a' AS why FROM mart.pages WHERE true", false],
])('a condition on pages is distinguished from other SELECTs: %s', async (_, sql, isScan) => {
  await withSqlFiles({ 'issues/deep.sql': issueText(sql) }, async (folder) => {
    const [issue] = await loadIssues([sqlFolder(folder)]);
    expect(issue?.scan !== null).toBe(isScan);
  });
});

test('text with the separator stays one finding, and empty text too', async () => {
  await createPages(warehouse.connection, columns, [{ crawl_id: 'c', url: 'u', depth: 9 }]);
  const [model] = await loadFiles({
    'issues/parted.sql': issueText(
      "SELECT crawl_id, project_id, url, 'a' || chr(31) || 'b c' AS why FROM mart.pages WHERE depth > 8",
    ),
    'issues/silent.sql': issueText(
      'SELECT crawl_id, project_id, url, title AS why FROM mart.pages WHERE depth > 8',
    ),
    'mart/all.sql': modelText('all', {
      columns: ['issue', 'why'],
      sql: 'SELECT issue, why FROM issues.found AS found',
    }),
  });
  expect(await warehouse.connection.jsonRows(`SELECT * FROM (${model?.sql}) ORDER BY ALL`)).toEqual([
    { issue: 'parted', why: 'a b c' },
    { issue: 'silent', why: '' },
  ]);
});

describe('an issue of a relation names the other URL', () => {
  const PARTS = 'crawl_id, project_id, url';
  test.each([
    ['a scan', `SELECT ${PARTS}, 'a' AS why, title AS related_url FROM mart.pages WHERE depth > 8`, true],
    [
      'an expression',
      `SELECT ${PARTS}, 'a' AS why, replace(title, ',', ' AS why ,') AS related_url FROM mart.pages WHERE true`,
      true,
    ],
    [
      'a SELECT of its own',
      `SELECT ${PARTS}, 'a' AS why, title AS related_url FROM mart.pages WHERE depth > 8 ORDER BY url`,
      false,
    ],
    [
      'a column of a subquery',
      `SELECT * , one.related_url FROM (SELECT ${PARTS}, 'a' AS why, title AS related_url FROM mart.pages WHERE depth > 8) AS one`,
      false,
    ],
  ])('%s', async (_, sql, isScan) => {
    await createPages(warehouse.connection, columns, [
      { crawl_id: 'c', url: 'u', depth: 9, title: `v${String.fromCharCode(31)},${String.fromCharCode(30)}` },
      { crawl_id: 'c', url: 'w', depth: 9, title: 'w' },
      { crawl_id: 'c', url: 'x', depth: 9 },
    ]);
    await withSqlFiles({ 'issues/deep.sql': issueText(sql) }, async (folder) => {
      const [issue] = await loadIssues([sqlFolder(folder)]);
      expect([issue?.isRelation, issue?.scan !== null]).toEqual([true, isScan]);
    });
    const [model] = await loadFiles({
      'issues/deep.sql': issueText(sql),
      'issues/single.sql': issueText(SCAN),
      'mart/all.sql': modelText('all', {
        columns: ['issue', 'url', 'related_url'],
        sql: 'SELECT issue, url, related_url FROM issues.found AS found',
      }),
    });
    const found = await warehouse.connection.jsonRows(`SELECT * FROM (${model?.sql}) ORDER BY ALL`);
    expect(found.map(({ issue, url, related_url: other }) => [issue, url, other])).toEqual([
      ['deep', 'u', expect.stringMatching(/^v/)],
      ['deep', 'w', null],
      ['deep', 'x', null],
      ...['u', 'w', 'x'].map((url) => ['single', url, null]),
    ]);
  });
});

test('a project replaces an issue by a file with its name, and without issues nothing is found', async () => {
  const own = { 'issues/slow.sql': issueText(SCAN) };
  await withSqlFiles(own, async (folder) => {
    const both = await loadIssues([SQL, sqlFolder(folder)]);
    expect([both.length, both.find(({ name }) => name === 'slow')?.title]).toEqual([issues.length, 'T']);
  });
  // One that alone reads a model, too.
  await withSqlFiles({ 'issues/orphan.sql': issueText(SCAN) }, async (folder) => {
    await using empty = await openWarehouse();
    const models = await loadModels([SQL, sqlFolder(folder)]);
    const plan = await planModels({ connection: empty.connection, models });
    const found = plan.find(({ model }) => model.name === 'mart.page_issues');
    expect([found?.models.has('mart.pages'), found?.models.has('mart.orphans')]).toEqual([true, false]);
  });
  const [model] = await loadFiles({ 'mart/found.sql': FOUND });
  expect(await warehouse.connection.jsonRows(model?.sql ?? '')).toEqual([]);
});

test('an issue with the former key mended_by gets that owner', async () => {
  const own = {
    'issues/deep.sql': issueText(SCAN, HEADER.replace('owner: content', 'mended_by: server')),
    'issues/flat.sql': issueText(SCAN, HEADER.replace('owner: content', 'owner: server')),
  };
  await withSqlFiles(own, async (folder) => {
    const [deep, flat] = await loadIssues([sqlFolder(folder)]);
    expect(deep).not.toHaveProperty('mended_by');
    expect([deep?.owner, flat?.owner]).toEqual(['server', 'server']);
  });
});

describe('an error names the file of the issue', () => {
  const planned = async (issue: string): Promise<unknown> => {
    const models = await loadFiles({
      'issues/deep.sql': issue,
      'mart/found.sql': FOUND,
      'mart/pages.sql': PAGES,
    });
    await using empty = await openWarehouse();
    return await planModels({ connection: empty.connection, models });
  };
  test('a missing key is refused', () =>
    expectBadModel(
      planned(issueText(SCAN, HEADER.replace('fix: F\n', ''))),
      'sql/issues/deep.sql:2: fix is missing',
    ));
  test('an unknown severity is refused', () =>
    expectBadModel(
      planned(issueText(SCAN, HEADER.replace('low', 'huge'))),
      expect.stringMatching(/^sql\/issues\/deep\.sql:3: severity: /),
      'allowed values: high, medium, low',
    ));
  test('an unknown owner is refused', () =>
    expectBadModel(
      planned(issueText(SCAN, HEADER.replace('owner: content', 'owner: somebody'))),
      expect.stringMatching(/^sql\/issues\/deep\.sql:9: owner: /),
      'allowed values: content, template, server',
    ));
  test('a former key next to its current one is refused', () =>
    expectBadModel(
      planned(issueText(SCAN, HEADER.replace('owner: content', 'owner: content\nmended_by: content'))),
      'sql/issues/deep.sql:10: mended_by is the former name of owner, and both are given',
      'remove mended_by',
    ));
  test('an unknown owner under the former key is refused', () =>
    expectBadModel(
      planned(issueText(SCAN, HEADER.replace('owner: content', 'mended_by: somebody'))),
      expect.stringMatching(/^sql\/issues\/deep\.sql:9: owner: /),
      'allowed values: content, template, server',
    ));
  test('a condition without cases is refused', () =>
    expectBadModel(
      planned(issueText(SCAN, HEADER.replace(/\ncases.*$/, ''))),
      'sql/issues/deep.sql:1: a condition on mart.pages has cases',
    ));
  test('an unknown column is refused', () =>
    expectBadModel(
      planned(issueText(SCAN.replace('depth', 'deepth'))),
      expect.stringMatching(/^sql\/issues\/deep\.sql:13: .*deepth/),
    ));
  test('brackets that would close those of the model are refused', () =>
    expectBadModel(
      planned(issueText(`${SCAN}) OR (true`)),
      expect.stringMatching(/^sql\/issues\/deep\.sql:13: /),
    ));
  test('a SELECT without why is refused', () =>
    expectBadModel(
      planned(issueText('SELECT crawl_id, project_id, url FROM mart.pages')),
      'sql/issues/deep.sql:13: the SELECT returns no column why',
    ));
});
