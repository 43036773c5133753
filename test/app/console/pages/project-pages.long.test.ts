import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import { loadSettings } from '../../../../src/app/settings/load-settings.ts';
import type { Connection } from '../../../../src/core/duckdb/duckdb.ts';
import { localServiceFolder, type Settings } from '../../../../src/etl/project/settings/settings.ts';
import { consoleProject, HOSTILE, HUGE, ledgerUnit } from '../../../support/console-project.ts';
import { type OpenConsole, openConsole } from '../../../support/open-console.ts';
import { rawProjectFolder } from '../../../support/project.ts';
import { sharedFolder } from '../../../support/temporary.ts';

const REASON = 'days with log files: 1, of the previous crawl: 3';
const folder = sharedFolder();
let settings: Settings;

/** The tables of mart that the pages and their questions read, with as few columns as they need. */
async function fillMart(connection: Connection): Promise<void> {
  await connection.run(
    `CREATE TABLE mart.projects AS SELECT 'p' || i AS project_id,
       CASE i WHEN 1 THEN $1 WHEN 60 THEN NULL ELSE 'Shop ' || i END AS project_name, CASE i WHEN 2 THEN 'https://shop.example/' END AS start_url
     FROM range(1, 62) AS t(i)`,
    [HOSTILE],
  );
  await connection.run(
    `CREATE TABLE mart.crawls AS SELECT * REPLACE (CASE project_id WHEN 'p1' THEN $1 ELSE project_name END AS project_name)
     FROM (VALUES
       ('c1', 'p1', '', 'k1', 'weekly', 1, 'ok', TIMESTAMPTZ '2026-11-01 06:00:00Z', false, NULL, 10),
       ('c2', 'p1', '', 'k1', 'weekly', 2, 'ok', TIMESTAMPTZ '2026-11-08 06:00:00Z', true, 'c1', ${HUGE}),
       ('c2-cut', 'p1', '', 'k1', 'weekly', 3, 'max_url_reached', TIMESTAMPTZ '2026-11-15 06:00:00Z', false, NULL, 2),
       ('c3', 'p1', '', 'k2', $1, 1, 'user_requested', TIMESTAMPTZ '2026-11-09 06:00:00Z', false, NULL, 3),
       ('c4', 'p2', 'Shop 2', 'k3', 'weekly', 1, NULL, NULL, true, NULL, NULL))
     AS t(crawl_id, project_id, project_name, crawl_config_id, crawl_config_name, crawl_number, end_reason, ended_at,
       is_main, previous_crawl_id, pages)`,
    [HOSTILE],
  );
  await connection.run(`ALTER TABLE mart.crawls ADD COLUMN status VARCHAR DEFAULT 'done';
    ALTER TABLE mart.crawls ADD COLUMN created_at TIMESTAMPTZ; ALTER TABLE mart.crawls ADD COLUMN fetched_urls BIGINT;
    ALTER TABLE mart.crawls ADD COLUMN is_complete BOOLEAN; ALTER TABLE mart.crawls ADD COLUMN has_pages BOOLEAN;
    ALTER TABLE mart.crawls ADD COLUMN is_comparable BOOLEAN; ALTER TABLE mart.crawls ADD COLUMN scope_note VARCHAR;
    UPDATE mart.crawls SET is_complete = end_reason = 'ok', has_pages = pages IS NOT NULL;
    UPDATE mart.crawls SET is_comparable = is_complete,
      scope_note = CASE WHEN NOT is_complete THEN 'The crawl ended early.' END;
    ALTER TABLE mart.crawls ADD COLUMN is_in_trends BOOLEAN; ALTER TABLE mart.crawls ADD COLUMN is_latest BOOLEAN;
    UPDATE mart.crawls SET is_in_trends = pages IS NOT NULL AND crawl_id <> 'c2-cut', is_latest = crawl_id IN ('c2', 'c3')`);
  const figures = [
    'pages',
    'indexable_pages',
    'error_pages',
    'redirect_pages',
    'average_depth',
    'average_load_time',
  ]
    .concat([
      'average_word_count',
      'duplicate_pages',
      'orphan_pages',
      'clicks',
      'impressions',
      'search_bot_hits',
    ])
    .filter((name) => name !== 'pages')
    .map((name) => `5 AS ${name}, -1 AS ${name}_change`)
    .map((one) => one.replace(/(-?\d) AS (clicks\w*)/g, "CASE WHEN crawl_id <> 'c3' THEN $1 END AS $2"))
    .concat('2 AS ranking_days', '1 AS log_days', 'NULL AS clicks_change_reason')
    .concat("DATE '2026-01-01' AS ranking_from_date", "DATE '2026-01-28' AS ranking_to_date")
    .concat('NULL::DATE AS log_from_date', 'NULL::DATE AS log_to_date')
    .concat('9 AS all_clicks', '9 AS all_impressions', '5 AS all_search_bot_hits')
    .concat('NULL AS impressions_change_reason', `'${REASON}' AS search_bot_hits_change_reason`)
    .join(', ')
    .replace('-1 AS search_bot_hits_change', 'NULL::BIGINT AS search_bot_hits_change');
  await connection.run(`CREATE TABLE mart.crawl_kpis AS SELECT crawl_id, project_id, project_name, crawl_config_name,
      ended_at, segmentation, segment, pages, CASE crawl_id WHEN 'c2' THEN 4 END AS pages_change, ${figures}
    FROM mart.crawls, (VALUES ('(site)', '(site)'), ('(directory)', '/shop')) AS s(segmentation, segment)
    WHERE pages IS NOT NULL`);
  await connection.run(`CREATE TABLE mart.crawl_segments AS SELECT crawl_id, segmentation, segment, pages,
      ranking_from_date, ranking_to_date, log_from_date, log_to_date FROM mart.crawl_kpis`);
  await connection.run(`CREATE TABLE mart.status_codes_by_crawl AS SELECT crawl_id, 200 AS status_code,
      'ok' AS status_code_range, pages, 100.0 AS pages_percent FROM mart.crawls WHERE pages IS NOT NULL
      UNION ALL SELECT 'c2', NULL, NULL, 2, 10.0`);
  await connection.run(`CREATE TABLE mart.status_codes_by_segment AS SELECT crawl_id, '' AS segmentation, '' AS segment,
      status_code, status_code_range, pages, pages_percent FROM mart.status_codes_by_crawl LIMIT 0`);
  await connection.run(`CREATE TABLE mart.page_changes AS SELECT 'c2' AS crawl_id, 'c1' AS previous_crawl_id,
      'added' AS change, 'https://x.example/' || i AS url FROM range(7) AS t(i)`);
  await connection.run(
    `CREATE TABLE mart.page_segments AS SELECT NULL::VARCHAR AS crawl_id, NULL::VARCHAR AS url,
      NULL::VARCHAR AS page_key, NULL::VARCHAR AS segmentation, NULL::VARCHAR AS segment LIMIT 0`,
  );
  await connection.run(
    `CREATE TABLE mart.pages AS SELECT 'c2' AS crawl_id, $1 || i AS url, 'c2 ' || $1 || i AS page_key, CASE WHEN i < 8 THEN i % 3 END AS depth,
       '/shop' AS url_first_path, i / 2 AS inrank_decimal, 200 AS status_code, 'ok' AS status_code_range, NULL::VARCHAR AS non_indexable_reason,
       true AS fetched, i > 2 AS is_indexable, 'self' AS canonical_kind FROM range(10) AS t(i)`,
    [HOSTILE],
  );
  await connection.run(`CREATE TABLE mart.crawl_days AS SELECT 'c2' AS crawl_id, 'search' AS kind,
      DATE '2026-01-01' AS from_date, DATE '2026-01-28' AS to_date FROM range(2)`);
  await connection.run(`CREATE TABLE mart.ranking_days AS SELECT 'p1' AS project_id, day AS ranking_date
      FROM (VALUES (DATE '2025-12-03'), (DATE '2025-12-04'), (DATE '2025-12-31'), (DATE '2026-01-01')) AS t(day)`);
  await connection.run(
    `CREATE TABLE mart.ranking_performance AS SELECT project_id, ranking_date AS date, $1 || n AS url, 3 AS clicks
     FROM mart.ranking_days, (VALUES (1), (77)) AS t(n)`,
    [HOSTILE],
  );
  await connection.run(`CREATE TABLE mart.crawl_columns AS SELECT 'c2' AS crawl_id, 'crawl_pages' AS dataset, column_name, part
    FROM (VALUES ('fetched', 'fetched'), ('status_code', 'status_code'), ('is_indexable', 'status')) AS t(column_name, part)`);
  await connection.run(
    `CREATE TABLE mart.issues AS SELECT 'client_error' AS issue, 'Client error' AS title, 'high' AS severity, 1 AS weight,
       'availability' AS category, 'Mend it' AS fix`,
  );
  await connection.run(`CREATE TABLE mart.project_issues AS SELECT 'p1' AS project_id, * FROM mart.issues`);
  await connection.run(`CREATE TABLE mart.page_issues (crawl_id VARCHAR, url VARCHAR, issue VARCHAR)`);
  await connection.run(`CREATE TABLE mart.issue_changes AS SELECT 'c2' AS crawl_id, 'p1' AS project_id, 'client_error' AS issue, 3 AS pages,
      2 AS new_pages, 1 AS fixed_pages, 4 AS missing_pages, 1 AS remaining_pages, 0 AS unseen_pages`);
  await connection.run(
    `CREATE TABLE mart.page_actions AS SELECT 'c2' AS crawl_id, 'p1' AS project_id, $1 AS url, 'c2 ' || $1 AS page_key,
       '/shop' AS url_first_path, issue, title, severity, 90 AS priority FROM mart.issues`,
    [HOSTILE],
  );
  await connection.run(
    `CREATE TABLE mart.issue_priorities AS SELECT 'c2' AS crawl_id, segmentation, segment, issue, title, severity,
       'server' AS owner, 'server' AS mended_by, fix, 76 AS priority, 3 AS pages, 2 AS new_pages, 410 AS clicks, 40 AS new_clicks,
       NULL::BIGINT AS search_bot_hits, $1 AS example
     FROM mart.issues, (VALUES ('(site)', '(site)'), ('(directory)', '/shop')) AS s(segmentation, segment)`,
    [HOSTILE],
  );
}

beforeAll(async () => {
  settings = await consoleProject(folder, fillMart, {
    units: [ledgerUnit('crawl_pages/c2'), ledgerUnit('crawl_links/c2', { status: 'failed' })],
    withQuestions: true,
  });
});

async function json(ask: OpenConsole['ask'], path: string) {
  return JSON.parse(await (await ask(path)).text());
}

test('projects are filtered, sorted and paged by the server', async () => {
  const { ask } = await openConsole(settings);
  const first = await json(ask, '/projects.json');
  expect([first.total, first.paging, first.projects.length]).toEqual([
    61,
    { page: 1, pages: 2, total: 61 },
    50,
  ]);
  const names = async (path: string): Promise<(string | null)[]> =>
    (await json(ask, path)).projects.map((one: { project_name: string | null }) => one.project_name);
  expect(await names('/projects.json?name=SHOP+2&sort=project_name')).toEqual([
    'Shop 2',
    'Shop 20',
    'Shop 21',
    'Shop 22',
    'Shop 23',
    'Shop 24',
    'Shop 25',
    'Shop 26',
    'Shop 27',
    'Shop 28',
    'Shop 29',
  ]);
  // What is not known comes last, either way.
  expect((await names('/projects.json?page=2')).at(-1)).toBeNull();
  expect((await names('/projects.json?page=2&sort=-project_name')).at(-1)).toBeNull();
  expect((await names('/projects.json?sort=-pages'))[0]).toBe(HOSTILE);
  expect(await (await ask('/projects.json?sort=-pages')).text()).toContain(`"pages": ${HUGE}`);
  const page = await (await ask('/projects?sort=-pages')).text();
  expect(page).toContain('<th scope="col" class="number" aria-sort="descending">');
  expect(page).not.toContain('<script>alert');
  expect(await (await ask('/projects?name=nobody')).text()).toContain('No project matches this name.');
});

test('a project shows its charts, each with its table, SQL and command', async () => {
  const { ask } = await openConsole(settings);
  const project = await json(ask, '/projects/p1.json?wait=1');
  expect(project.configurations.map(({ crawl_config_id: id }: { crawl_config_id: string }) => id)).toEqual([
    'k1',
    'k2',
  ]);
  expect(project.crawls.map(({ crawl_id: id }: { crawl_id: string }) => id)).toEqual(['c2-cut', 'c2', 'c1']);
  expect(project.trend.rows.map(({ crawl_id: id }: { crawl_id: string }) => id)).toEqual(['c1', 'c2']);
  expect(project.changes.rows).toMatchObject([{ crawl_id: 'c2', change: 'added', pages: 7 }]);
  expect(project.funnel.rows).toMatchObject([{ known: 10, fetched: 10, indexable: 7, canonical: null }]);
  expect(project.depths.rows).toMatchObject([
    { depth: 0, pages: 3 },
    { depth: 1 },
    { depth: 2 },
    { depth: null, pages: 2 },
  ]);
  // On pages of the crawl, in the 28 days before its own.
  expect(project.clicks_before.rows).toEqual([{ days: 2, clicks: 6 }]);
  expect(project.findings.rows).toMatchObject([
    { issue: 'client_error', severity: 'high', pages: 3, clicks: 410 },
  ]);
  expect(project.trend.command).toBe('crawlhouse query --question q21_kpi_trend -p project=p1');
  expect(project.trend.sql).toContain('FROM mart.crawl_kpis');

  const notes =
    'notes:\n  - {date: 2026-11-05, project: p1, kind: deployment, text: "<b>New</b> templates"}\n';
  await writeFile(join(settings.projectDir, 'notes.yaml'), notes);
  const page = await (await ask('/projects/p1?wait=1')).text();
  expect(page).toContain('2026-11-05, deployment: &lt;b&gt;New&lt;/b&gt; templates</text>');
  expect(page).toContain('<h2>Notes</h2>');
  expect(page).toMatch(
    /The charts leave out <a href="\/crawls\/c2-cut"[^>]*>Crawl 3 · 2026-11-15<\/a> \(it ended early\)/,
  );
  expect(page.match(/<div role="(img|group)"/g)).toHaveLength(7);
  const places = ['<dl class="kpis strip">', '<figcaption>What to do first', '<div class="charts">'];
  expect(places.map((one) => page.indexOf(one))).toEqual(
    places.map((one) => page.indexOf(one)).toSorted((a, b) => a - b),
  );
  expect(page).toContain(
    '<strong>5</strong></a> <span class="bad">−1</span> <small>since <span class="day">2026-11-01</span></small>',
  );
  expect(page).toContain('<small>1 fixed, 4 missing</small>');
  expect(page).toContain(`<summary>change unknown</summary><p>${REASON}</p>`);
  expect(page).toMatch(/Without a value in these rows: ([^<]*, )?Bot hits\./);
  const other = await (await ask('/projects/p1?configuration=1&wait=1')).text();
  expect(other).toMatch(
    /<dt>Clicks on crawled pages<\/dt><dd><strong>–<\/strong> <details><summary>unknown<\/summary><p>unknown: no search results for its days</,
  );
  expect(other).toContain('No issue was found.');
  expect(page).toContain('href="/ask?question=q21_kpi_trend&amp;param.project=p1"');
  expect(page).not.toContain('<script>alert');
  expect(page).not.toMatch(/ style="|<style/);
});

test('a project is found by name, or by identifier if several have the name', async () => {
  const { ask } = await openConsole(settings);
  expect(await json(ask, '/projects/Shop%202.json?wait=1')).toMatchObject({
    project_id: 'p2',
    project_name: 'Shop 2',
  });
});

test('another configuration and a segment may be chosen', async () => {
  const { ask } = await openConsole(settings);
  const other = await json(ask, '/projects/p1.json?wait=1&configuration=1');
  expect(other.trend.rows.map(({ crawl_id: id }: { crawl_id: string }) => id)).toEqual(['c3']);
  const part = await json(ask, '/projects/p1.json?wait=1&segment=/shop');
  expect(part.trend.rows).toHaveLength(2);
  expect(part.statuses).toMatchObject({
    state: 'read',
    rows: [{ crawl_id: 'c2', status_code_range: 'ok', pages: 10 }],
  });
  expect(part.trend.command).toBe(
    "crawlhouse query --question q21_kpi_trend -p project=p1 -p 'segment=(directory):/shop'",
  );
  expect(await (await ask('/projects/p1?wait=1&segment=/shop')).text()).toContain(
    '<option value="(directory):/shop" selected>',
  );
});

test('a project without crawls shows what to do; an unknown one returns 404 with similar names', async () => {
  const { ask } = await openConsole(settings);
  expect(await (await ask('/projects/p9')).text()).toContain('<code>crawlhouse run --project p9</code>');
  const unknown = await ask('/projects/Shop%202a.json');
  expect(unknown.status).toBe(404);
  expect(await unknown.text()).toContain('Did you mean p2');
});

test('a crawl is titled by number and day, and starts with changes and problems', async () => {
  const { ask } = await openConsole({ ...settings, console_actions: false });
  const crawl = await json(ask, '/crawls/c2.json?wait=1');
  expect(crawl).toMatchObject({
    project_id: 'p1',
    crawl_number: 2,
    previous_crawl_id: 'c1',
    is_complete: true,
    before: { crawl_id: 'c1', crawl_number: 1 },
    after: { crawl_id: 'c2-cut' },
    issues: [{ issue: 'client_error', pages: 3, new: 2, fixed: 1, missing: 4 }],
  });
  expect(crawl.units).toMatchObject([
    { unit: 'crawl_links/c2', status: 'failed', loaded: null },
    { unit: 'crawl_pages/c2', status: 'published' },
  ]);
  const page = await (await ask('/crawls/c2?wait=1')).text();
  expect(page).toContain('<h1>Crawl 2 · 2026-11-08</h1>');
  expect(page).toContain('← <a href="/crawls/c1" title="c1">Crawl 1 · 2026-11-01</a>');
  expect(page).toContain('<figcaption>Against Crawl 1 · 2026-11-01</figcaption>');
  expect(page).toMatch(/<strong>9,007,199,254,740,993<\/strong><\/a> <span class="plain">\+4</);
  expect(page).toMatch(
    new RegExp(
      `Search bot hits on crawled pages</dt><dd><strong>5</strong> .*<summary>change unknown</summary><p>${REASON}</p><p>of 5 on all URLs<`,
    ),
  );
  expect(page).toContain(
    'href="/projects/p1/pages?crawl=c2&amp;issue=client_error&amp;change=new&amp;sort=priority+desc">2</a>',
  );
  expect(page).toContain('href="/projects/p1/pages?crawl=c2&amp;change=added">7</a>');
  expect(page).toContain('Changes of pages in Crawl 2 · 2026-11-08: most at Added, 7');
  expect(page).not.toContain('crawl_links/c2');
  const units = await (await ask('/crawls/c2?tab=units')).text();
  expect(units).toContain('href="/units/crawl_links/c2"');
  expect(units).toContain('<a href="/crawls/c2?tab=units" aria-current="page">Units</a>');
  const partial = await (await ask('/crawls/c3?wait=1')).text();
  expect(partial).toContain('<p class="notice">The crawl ended early.</p>');
  expect(partial).toContain('ended early</small>');
  expect(partial).not.toContain('<script>alert');
  const open = await (await ask('/crawls/c4?wait=1')).text();
  expect(open).toContain('Ended –.');
  expect(page + open).not.toContain('/do/plan');
  expect((await ask('/crawls/c9.json')).status).toBe(404);
});

test('an operator reloads or drops a crawl from its page', async () => {
  const { ask } = await openConsole(settings);
  const forms = async (crawl: string) =>
    [
      ...(await (await ask(`/crawls/${crawl}?tab=units`)).text()).matchAll(/<form [^>]*do.plan.*?<.form>/gs),
    ].map(([form]) =>
      [...form.matchAll(/name="(\w+)" value="([^"]*)"/g)].map(([, name, value]) => `${name}=${value}`),
    );
  const drop = ['action=drop', 'kind=crawl', 'name=c2'];
  expect(await forms('c2')).toEqual([
    ['action=backfill', 'crawl=c2', 'from=2026-11-08', 'to=2026-11-09', 'reload=on'],
    drop,
  ]);
  expect(await forms('c4')).toEqual([drop.with(2, 'name=c4')]);
});

test('only a folder that crawls websites offers to crawl one again', async () => {
  const { ask } = await openConsole({ ...settings, console_actions: true });
  const offers = async () => (await (await ask('/projects/p2')).text()).includes('>Crawl again</a>');
  expect(await offers()).toBe(false);
  await mkdir(localServiceFolder(settings), { recursive: true });
  expect(await offers()).toBe(true);
});

test('before the first publication, each page says so', async () => {
  const { ask } = await openConsole(await loadSettings(await rawProjectFolder(), {}));
  for (const path of ['/projects', '/projects/p1', '/crawls/c1']) {
    expect((await ask(`${path}.json`)).status, path).toBe(404);
    expect(await (await ask(path)).text(), path).toContain('once a crawl is published');
  }
});
