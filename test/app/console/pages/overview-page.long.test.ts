import { join } from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import type { Connection } from '../../../../src/core/duckdb/duckdb.ts';
import type { Settings } from '../../../../src/etl/project/settings/settings.ts';
import { consoleProject, HOSTILE, ledgerUnit } from '../../../support/console-project.ts';
import { type OpenConsole, openConsole } from '../../../support/open-console.ts';
import { sharedFolder } from '../../../support/temporary.ts';

const folder = sharedFolder();
/** Besides those that a test looks at. */
const OTHERS = 3000;
let settings: Settings;

const FAILED = { code: 'cut_short' as const, message: 'it ended early', hint: 'run again' };

/** The tables of the sites that a SELECT gives with their names. */
const tablesOf =
  (projects: string) =>
  async (connection: Connection): Promise<void> => {
    await connection.run(`CREATE TABLE mart.projects AS ${projects}`);
    // Each has 14 weekly crawls, but `new` has one; the last one of `cut` is not complete.
    await connection.run(`CREATE TABLE mart.crawls AS
      SELECT project_id, project_id || '-' || number AS crawl_id, project_name, number AS crawl_number,
        'web' AS crawl_config_id, TIMESTAMPTZ '2026-06-01 06:00:00Z' + INTERVAL (7 * number) DAY AS ended_at,
        CASE WHEN project_id = 'cut' AND number = 14 THEN 'max_url_reached' ELSE 'ok' END AS end_reason,
        NOT (project_id = 'cut' AND number = 14) AS is_comparable, CAST(NULL AS VARCHAR) AS scope_note,
        true AS has_pages, 1000 AS pages,
        NOT (project_id = 'cut' AND number = 14) AS is_in_trends,
        number = CASE project_id WHEN 'new' THEN 1 WHEN 'cut' THEN 13 ELSE 14 END AS is_main,
        CASE WHEN number > 1 THEN project_id || '-' || (number - 1) END AS previous_crawl_id
      FROM mart.projects CROSS JOIN range(1, 15) AS t(number) WHERE project_id <> 'new' OR number = 1`);
    await connection.run(`CREATE TABLE mart.crawl_kpis AS
      SELECT crawl_id, '(site)' AS segmentation, CASE WHEN crawl_number > 1 THEN 0 END AS pages_change,
        CASE WHEN crawl_number = 14 AND project_id = 'sunk' THEN 700 ELSE 900 END AS indexable_pages,
        CASE WHEN crawl_number > 1 THEN CASE WHEN crawl_number = 14 AND project_id = 'sunk' THEN -200 ELSE 0 END END
          AS indexable_pages_change,
        5 AS error_pages, CASE WHEN crawl_number > 1 THEN 0 END AS error_pages_change,
        CASE WHEN crawl_number > 7 THEN crawl_number * 100 END AS clicks,
        CASE WHEN crawl_number > 7 THEN crawl_number * 120 END AS all_clicks,
        CASE WHEN crawl_number > 8 THEN 28 ELSE 21 END AS ranking_days,
        CAST(ended_at AS DATE) - 28 AS ranking_from_date, CAST(ended_at AS DATE) - 1 AS ranking_to_date,
        CASE WHEN project_id = 'calm' AND crawl_number > 9 THEN 100 END AS clicks_change,
        CASE WHEN project_id <> 'calm' THEN 'days with search results: 28, of the previous crawl: 21' END AS clicks_change_reason
      FROM mart.crawls`);
    await connection.run(`CREATE TABLE mart.issue_changes AS
      SELECT crawl_id, issue, CASE WHEN crawl_number > 1 THEN crawl_number END AS new_pages,
        CASE WHEN crawl_number > 1 THEN 1 END AS fixed_pages,
        CASE WHEN crawl_number > 1 THEN CAST(project_id = 'sunk' AS INTEGER) END AS missing_pages,
        CASE WHEN crawl_number > 1 THEN 2 END AS unseen_pages
      FROM mart.crawls CROSS JOIN (VALUES ('thin'), ('slow')) AS t(issue)
      UNION ALL SELECT crawl_id, 'wasted', NULL, NULL, NULL, NULL FROM mart.crawls`);
    await connection.run(`CREATE TABLE mart.issue_priorities AS
      SELECT 'sunk-14' AS crawl_id, '(site)' AS segmentation, '(site)' AS segment, *, 'high' AS severity,
        'template' AS owner, 'template' AS mended_by, new_pages AS pages, new_clicks AS clicks,
        CAST(NULL AS BIGINT) AS search_bot_hits, 'https://sunk.example/' AS example, 'Fix it' AS fix
      FROM (VALUES ('slow', 'Slow', 90, 7, 3), ('became_non_indexable', 'Became non-indexable', 80, 38, 1240),
        ('noindex', 'Noindex', 70, 38, 1240), ('thin', 'Thin', 60, 0, 0))
        AS t(issue, title, priority, new_pages, new_clicks)`);
    await connection.run(`CREATE TABLE mart.page_issue_changes AS
      SELECT 'sunk-14' AS crawl_id, 'https://sunk.example/' || n AS url, issue,
        CASE WHEN n < 38 THEN 'new' ELSE 'remaining' END AS change
      FROM (VALUES ('became_non_indexable', 38), ('noindex', 45)) AS t(issue, most) CROSS JOIN range(45) AS r(n)
      WHERE n < most`);
    await connection.run(`CREATE TABLE mart.crawl_segments AS
      SELECT crawl_id, segmentation, '(site)' AS segment, ranking_days, ranking_from_date, ranking_to_date,
        CAST(NULL AS DATE) AS log_from_date, CAST(NULL AS DATE) AS log_to_date FROM mart.crawl_kpis`);
  };

beforeAll(async () => {
  settings = await consoleProject(
    folder,
    tablesOf(`SELECT * FROM (VALUES ('calm', 'Calm'), ('sunk', 'Sunk'), ('broken', '${HOSTILE.replaceAll("'", "''")}'), ('cut', 'Cut'), ('new', 'New'))
        AS t(project_id, project_name)
      UNION ALL SELECT 'other-' || i, 'Other ' || i FROM range(${OTHERS}) AS t(i)`),
    {
      units: [
        ledgerUnit('crawl_links/broken-14', {
          source: { kind: 'crawl', id: 'broken-14', project_id: 'broken' },
          status: 'failed',
          error: FAILED,
          failures: 2,
          attempts: 3,
        }),
      ],
    },
  );
});

async function json(ask: OpenConsole['ask'], path: string) {
  return JSON.parse(await (await ask(path)).text());
}

test('sites that need attention come first: marked sites, then those with the largest losses', async () => {
  const { ask } = await openConsole(settings);
  const overview = await json(ask, '/index.json');
  const [broken, cut, sunk] = overview.sites;
  expect(overview.sites.slice(0, 3).map(({ project_id }: { project_id: string }) => project_id)).toEqual([
    'broken',
    'cut',
    'sunk',
  ]);
  expect(broken.marks).toMatchObject([{ kind: 'bad' }]);
  expect(cut.marks).toEqual([
    {
      kind: 'warn',
      text: 'Crawl 14 · 2026-09-07 ended early: max url reached. The figures are of the previous crawl.',
    },
  ]);
  expect([cut.crawl_id, cut.last_crawl_id]).toEqual(['cut-13', 'cut-14']);
  expect([sunk.indexable_pages, sunk.indexable_pages_change, sunk.marks]).toEqual([700, -200, []]);
  expect(overview).toMatchObject({ total: OTHERS + 5, marked: 2, problem: null, live: null });
  expect(overview.incidents).toHaveLength(1);

  const page = await (await ask('/')).text();
  expect(page.indexOf('Sunk')).toBeGreaterThan(page.indexOf('ended early'));
  expect(page).toContain('One incident is open');
  expect(page).toContain('href="/operations"');
  expect(page).not.toContain('<script>alert');
  expect(page).not.toMatch(/ style="|<style|Disk/);
});

test('a figure shows its change since the previous crawl, or why it has none', async () => {
  const { ask } = await openConsole(settings);
  const [calm] = (await json(ask, '/index.json?name=calm')).sites;
  expect(calm).toMatchObject({ clicks: 1400, clicks_change: 100, new_issues: 28, fixed_issues: 2 });
  const site = async (name: string): Promise<string> => {
    const page = await (await ask(`/?name=${name}`)).text();
    return /<li class="site.*<\/li>/s.exec(page)?.[0] ?? '';
  };
  expect(await site('calm')).toMatch(
    /Clicks on crawled pages<\/dt><dd><strong>1,400<\/strong> <span class="good">\+100<\/span><details><summary>2026-08-10 to 2026-09-06<\/summary><p>of <a [^>]*>1,680<\/a> on all URLs</,
  );
  expect(await site('calm')).toContain('<small>2 fixed</small>');
  expect(await site('sunk')).toContain('<small>2 fixed, 2 missing</small>');
  expect(await site('sunk')).toMatch(
    /Indexable pages<\/dt><dd><a href="[^"]*"><strong>700<\/strong><\/a> <span class="bad">−200</,
  );
  expect(await site('sunk')).toContain(
    '<summary>change unknown</summary><p>days with search results: 28, of the previous crawl: 21</p>',
  );
  const fresh = await site('new');
  expect(fresh.match(/no previous crawl/g)).toHaveLength(4);
  expect(fresh).toContain('no search results');
});

test('a site shows its two most important changes by clicks, or why they are unknown', async () => {
  const { ask } = await openConsole(settings);
  const site = async (name: string) => (await json(ask, `/index.json?name=${name}&wait=1`)).sites[0];
  expect((await site('sunk')).changes).toEqual([
    {
      issue: 'became_non_indexable',
      title: 'Became non-indexable',
      also: ['Noindex'],
      pages: 38,
      clicks: 1240,
      days: 28,
    },
    { issue: 'slow', title: 'Slow', also: [], pages: 7, clicks: 3, days: 28 },
  ]);
  expect(await site('calm')).toMatchObject({ changes: [], changes_reason: null });
  expect(await site('new')).toMatchObject({ changes: null, changes_reason: 'no previous crawl' });
  expect(await (await ask('/?name=calm&wait=1')).text()).toContain(
    'No compared issue has new pages. Unknown: 1 issue that was not compared, 4 findings on pages or sitemaps that the previous crawl did not read.',
  );
  const page = await (await ask('/?name=sunk&wait=1')).text();
  expect(page).toContain(
    'Became non-indexable (also: Noindex) on <a href="/projects/sunk/pages?crawl=sunk-14&amp;issue=became_non_indexable&amp;change=new&amp;sort=clicks+desc">38 pages</a>: 1,240 clicks in 28 days</li>',
  );
});

test('the trend shows the last twelve complete crawls, with clicks only over equally many days', async () => {
  const { ask } = await openConsole(settings);
  const trend = async (name: string) => (await json(ask, `/index.json?name=${name}`)).sites[0].trend;
  const calm = await trend('calm');
  expect(calm).toHaveLength(12);
  expect(calm[0]).toMatchObject({ ended_at: '2026-06-22T06:00:00Z', clicks: null, new_issues: 6 });
  expect(calm.at(-1)).toMatchObject({ ended_at: '2026-09-07T06:00:00Z', clicks: 1400, new_issues: 28 });
  expect(calm.filter(({ clicks }: { clicks: unknown }) => clicks !== null)).toHaveLength(6);
  expect((await trend('cut')).at(-1).ended_at).toBe('2026-08-31T06:00:00Z');
});

test('thousands of projects are paged, and found by name', async () => {
  const { ask } = await openConsole(settings);
  const second = await json(ask, '/index.json?page=2');
  expect(second.sites).toHaveLength(25);
  expect(second.paging).toEqual({ page: 2, pages: 121, total: OTHERS + 5 });
  expect((await json(ask, '/index.json?name=OTHER-2999')).sites).toMatchObject([
    { project_id: 'other-2999' },
  ]);
  expect(await (await ask('/?name=nothing')).text()).toContain('No project matches this name.');
});

test('a single site opens directly, and all=1 lists it', async () => {
  const { ask } = await openConsole(
    await consoleProject(
      join(folder, 'one'),
      tablesOf(`SELECT 'new' AS project_id, 'Shop' AS project_name`),
      {},
    ),
  );
  // The first reading may take longer than a page waits for its status.
  expect(await (await ask('/?all=1')).text()).toContain('<h2><a href="/projects/new">Shop</a></h2>');
  const opened = await ask('/');
  expect([opened.status, opened.headers.get('location')]).toEqual([302, '/projects/new']);
  expect((await ask('/index.json')).status).toBe(200);
});

test('without the site models, the page shows the command that builds them', async () => {
  const { ask } = await openConsole(await consoleProject(join(folder, 'bare'), async () => {}, {}));
  expect(await (await ask('/')).text()).toContain('crawlhouse transform builds them');
});
