import { beforeAll, expect, test } from 'vitest';
import { loadSettings } from '../../../src/app/settings/load-settings.ts';
import type { Settings } from '../../../src/etl/project/settings/settings.ts';
import { startSandbox } from '../../../src/service/sandbox/start-sandbox.ts';
import { type OpenConsole, openConsole } from '../../support/open-console.ts';
import { environmentOf, projectFolder, runProject } from '../../support/project.ts';
import { sharedFolder } from '../../support/temporary.ts';

const FIGURES = ['hits', 'wasted', 'budget', 'engines', 'ai', 'clicks', 'segments', 'losses', 'fresh'];
const folder = sharedFolder();
let settings: Settings;
let logged: string;
let bare: string;

async function json(ask: OpenConsole['ask'], path: string) {
  return JSON.parse(await (await ask(path)).text());
}

const sum = (rows: readonly Record<string, number>[], name: string): number =>
  rows.reduce((all, row) => all + (row[name] ?? 0), 0);

beforeAll(async () => {
  await using sandbox = await startSandbox({
    generate: [
      'projects=1,crawls=3,pages=200,links=600,columns=90,log_days=6,events=900,ranking_days=60,seed=5',
      'projects=1,crawls=2,pages=50,links=100,columns=90,seed=6',
      'projects=1,crawls=0,ranking_days=2,seed=7',
    ],
  });
  const project = await projectFolder(folder);
  const pipelines = ['crawl_pages', 'crawl_links', 'projects', 'crawls', 'log_events', 'ranking_performance'];
  const { report } = await runProject(project, sandbox, { pipelines });
  const loaded = report.units.find(({ dataset, status }) => dataset === 'log_events' && status === 'loaded');
  const pages = report.units.filter(({ dataset }) => dataset === 'crawl_pages');
  logged = loaded?.source.project_id ?? '';
  bare = pages.find(({ source }) => source.project_id !== logged)?.source.project_id ?? '';
  settings = await loadSettings(project, environmentOf(sandbox));
});

test('logs and demand of a project add up to the loaded rows', async () => {
  const { ask } = await openConsole(settings);
  const demand = await json(ask, `/projects/${logged}/demand.json?wait=1`);
  for (const figure of FIGURES) expect(demand[figure], figure).toMatchObject({ state: 'read', error: null });
  expect([demand.log_days, demand.ranking_days]).toEqual([6, 60]);
  expect(demand.hits.rows.at(-1).day).toBe(demand.last_log_day);
  expect(demand.clicks.rows.at(-1).day).toBe(demand.last_ranking_day);

  const { rows } = await json(
    ask,
    `/ask.json?run=1&sql=${encodeURIComponent(
      `SELECT (SELECT CAST(sum(hits) AS BIGINT) FROM mart.bot_hits WHERE project_id = '${logged}'),
         (SELECT CAST(sum(clicks) AS BIGINT) FROM mart.ranking_performance WHERE project_id = '${logged}')`,
    )}`,
  );
  expect([sum(demand.hits.rows, 'hits'), sum(demand.clicks.rows, 'clicks')]).toEqual(rows[0]);

  const page = await (await ask(`/projects/${logged}/demand?wait=1`)).text();
  expect(page).toContain('aria-current="page">Logs and demand</a>');
  expect(page).toContain('Log files: 6 days');
  expect(page).toContain('/ask?run=1&amp;sql=');
  expect(page).not.toMatch(/ style="|<style/);
});

test('every figure follows the selected segment, and links keep it', async () => {
  const { ask } = await openConsole(settings);
  const whole = await json(ask, `/projects/${logged}/demand.json?wait=1`);
  const named = whole.budget.rows.filter(({ segment }: { segment: string | null }) => segment !== null);
  expect(named.length).toBeGreaterThan(1);
  const all = sum(whole.wasted.rows, 'hits');
  expect(sum(whole.budget.rows, 'search_bot_hits')).toBe(all);

  const [row] = named;
  const path = `/projects/${logged}/demand`;
  const name = `(directory):${row.segment}`;
  const query = `segment=${encodeURIComponent(row.segment)}`;
  const one = await json(ask, `${path}.json?wait=1&${query}`);
  for (const figure of FIGURES)
    expect(one[figure], figure).toMatchObject({ state: 'read', error: null, ignored: [] });
  expect(one.budget.rows).toEqual([{ ...row, segments: 1 }]);
  expect(row.search_bot_hits).toBeGreaterThan(0);
  expect(row.search_bot_hits).toBeLessThan(all);
  expect(sum(one.wasted.rows, 'hits')).toBe(row.search_bot_hits);
  const search = one.hits.rows.filter(({ family }: { family: string }) => /google|bing|search/.test(family));
  expect(sum(search, 'hits')).toBe(row.search_bot_hits);
  expect(sum(one.clicks.rows, 'clicks')).toBeLessThan(sum(whole.clicks.rows, 'clicks'));
  expect(one.segments.rows).toEqual([
    whole.segments.rows.find(({ segment }: { segment: string }) => segment === row.segment),
  ]);

  const page = await (await ask(`${path}?wait=1&${query}`)).text();
  expect(page).toContain(`<option value="${name}" selected>`);
  expect(page).toContain(new URLSearchParams({ 'param.segment': name }).toString());
  const [, list = ''] =
    /href="(\/projects\/[^"]*\/pages\?[^"]*search_bot_hits=gt%3A0[^"]*)"/.exec(page) ?? [];
  const pages = await json(ask, list.replaceAll('&amp;', '&').replace('/pages?', '/pages.json?'));
  expect(pages.total).toBeGreaterThan(0);
  const unknown = await (await ask(`${path}?wait=1&segment=nowhere`)).text();
  expect(unknown).toContain('The last crawl has no segment nowhere.');
});

test('a project without log files and search results says so, instead of showing zeros', async () => {
  const { ask } = await openConsole(settings);
  const demand = await json(ask, `/projects/${bare}/demand.json?wait=1`);
  for (const figure of FIGURES) expect(demand[figure].rows, figure).toEqual([]);
  const page = await (await ask(`/projects/${bare}/demand?wait=1`)).text();
  for (const what of ['log files', 'search results'])
    expect(page.split(`No ${what} are loaded`), what).toHaveLength(2);
  expect(page).not.toContain('The question needs');
  expect((await ask('/projects/nobody/demand')).status).toBe(404);
});

test('a project without crawls shows only the tabs with content', async () => {
  const { ask } = await openConsole(settings);
  const { projects } = await json(ask, '/projects.json');
  const [empty] = projects.filter(({ crawls }: { crawls: number }) => crawls === 0);
  const tabs = async (project: string) => {
    const page = await (await ask(`/projects/${project}/demand?wait=1`)).text();
    const [, list = ''] =
      /<nav[^>]*aria-label="Pages of the project"[^>]*>([\s\S]*?)<\/nav>/.exec(page) ?? [];
    return [...list.matchAll(/<a [^>]*>([^<]*)</g)].map(([, name]) => name);
  };
  expect(await tabs(empty.project_id)).toEqual(['Overview', 'Tickets', 'Logs and demand', 'Crawl settings']);
  expect(await tabs(bare)).toEqual([
    'Overview',
    'Issues',
    'Pages',
    'Structure',
    'Tickets',
    'Logs and demand',
    'Compare',
    'Migration',
    'Segments',
    'Report',
    'Crawl settings',
  ]);
});
