import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Connection } from '../../../src/core/duckdb/duckdb.ts';
import { silentLogger } from '../../../src/core/logs/logger.ts';
import type { Settings } from '../../../src/etl/project/settings/settings.ts';
import { loadModels } from '../../../src/etl/project/sql/models/load-models.ts';
import { sqlFolder } from '../../../src/etl/project/sql/models/sql-folders.ts';
import { STORY } from '../../app/answers/explore/story-site.ts';
import { loadSites, SQL } from '../../questions/sites/load-sites.ts';
import * as logs from '../../questions/sites/log-sites.ts';
import * as losses from '../../questions/sites/loss-sites.ts';
import * as search from '../../questions/sites/search-sites.ts';
import { consoleProject } from '../../support/console-project.ts';
import { type OpenConsole, openConsole } from '../../support/open-console.ts';
import { crawlhouse } from '../../support/project.ts';
import { ALL_ROUNDS, roundSeed } from '../../support/random.ts';
import { runModels } from '../../support/run-models.ts';
import { fillWarehouse } from '../../support/synthetic-warehouse.ts';
import { sharedFolder } from '../../support/temporary.ts';

/**
 * One number for one thing: what several screens say of one project is the same on all of them. A figure has a name
 * here, and each screen that shows it says it.
 */

type Row = Readonly<Record<string, unknown>>;
type Rows = readonly Row[];

/** What screens say of a figure: `screen: value`. */
class Said {
  readonly #said = new Map<string, Map<string, string>>();

  say(screen: string, figure: string, value: unknown): void {
    if (value === undefined) return;
    const by = this.#said.get(figure) ?? new Map<string, string>();
    by.set(screen, value === null ? 'unknown' : String(Math.round(Number(value) * 1e6) / 1e6));
    this.#said.set(figure, by);
  }

  get shared(): readonly (readonly [string, ReadonlyMap<string, string>])[] {
    return [...this.#said].filter(([, by]) => by.size > 1);
  }

  get different(): string[] {
    return this.shared
      .filter(([, by]) => new Set(by.values()).size > 1)
      .map(
        ([figure, by]) => `${figure}: ${[...by].map(([screen, value]) => `${screen} ${value}`).join(', ')}`,
      );
  }
}

const rowsOf = (answer: unknown): Rows => (answer as { readonly rows?: Rows } | undefined)?.rows ?? [];
const sumOf = (rows: Rows, name: string): number => rows.reduce((sum, row) => sum + Number(row[name]), 0);
const KPIS = [
  'pages',
  'indexable_pages',
  'error_pages',
  'redirect_pages',
  'duplicate_pages',
  'orphan_pages',
  'clicks',
  'impressions',
  'search_bot_hits',
];

function sayKpis(said: Said, screen: string, row: Row | undefined): void {
  for (const name of KPIS.flatMap((kpi) => [kpi, `${kpi}_change`])) said.say(screen, name, row?.[name]);
}

function sayIssues(said: Said, screen: string, issues: Rows): void {
  for (const one of issues)
    for (const of of ['pages', 'new', 'fixed', 'missing'])
      said.say(screen, `issue ${one.issue}: ${of}`, one[of]);
}

/** What each screen of a project and its main crawl says. */
async function hear(said: Said, { ask }: OpenConsole, site: Row, report: Row | undefined): Promise<void> {
  const read = async (path: string): Promise<Row> => {
    const response = await ask(`${path}${path.includes('?') ? '&' : '?'}wait=1`);
    return response.status === 200 ? ((await response.json()) as Row) : {};
  };
  const [project, crawl_id] = [`/projects/${site.project_id}`, String(site.crawl_id)];
  sayKpis(said, 'overview', site);
  const own = await read(`${project}.json`);
  sayKpis(
    said,
    'project',
    rowsOf(own.trend).find((row) => row.crawl_id === crawl_id),
  );
  const crawl = await read(`/crawls/${crawl_id}.json`);
  sayKpis(said, 'crawl', rowsOf(crawl.figures)[0]);
  sayIssues(said, 'crawl', (crawl.issues ?? []) as Rows);
  for (const { change, pages } of rowsOf(crawl.changes)) said.say('crawl', `change ${change}`, pages);
  const [funnel] = rowsOf(crawl.funnel);
  said.say('funnel', 'pages', funnel?.known);
  said.say('funnel', 'indexable_pages', funnel?.indexable);
  said.say('statuses', 'pages', sumOf(rowsOf(crawl.statuses), 'pages'));
  sayIssues(said, 'issues', ((await read(`${project}/issues.json`)).issues ?? []) as Rows);
  const { comparison } = (await read(
    `${project}/compare.json?to=${crawl_id}&from=${site.previous_crawl_id}`,
  )) as { readonly comparison?: Readonly<Record<'kpis' | 'issues' | 'pages', Rows>> | null };
  for (const { kpi, after, change } of comparison?.kpis ?? []) {
    said.say('compare', String(kpi), after);
    said.say('compare', `${kpi}_change`, change);
  }
  for (const one of comparison?.issues ?? []) {
    said.say('compare', `issue ${one.issue}: new`, one.new);
    said.say('compare', `issue ${one.issue}: fixed`, one.fixed);
    said.say('compare', `issue ${one.issue}: missing`, one.missing);
  }
  for (const { change, pages } of comparison?.pages ?? []) {
    if (pages === null) continue;
    // A change that no page has is no row of the questions.
    if (Number(pages) > 0) said.say('compare', `change ${change}`, pages);
    const list = await read(
      `${project}/pages.json?crawl=${crawl_id}&change=${change}&since=${site.previous_crawl_id}`,
    );
    if (Number(pages) > 0) said.say('pages', `change ${change}`, list.total);
  }
  const last = ((report?.trend ?? []) as Rows).find((row) => row.crawl_id === crawl_id);
  sayKpis(said, 'report', last);
  sayIssues(said, 'report', (report?.issues ?? []) as Rows);
  for (const { change, pages } of (report?.changes ?? []) as Rows)
    said.say('report', `change ${change}`, pages);
  await hearTraffic(said, read, { project, crawl_id });
}

/** Hits of search engines: all of them, and those on pages of the crawl. */
async function hearTraffic(
  said: Said,
  read: (path: string) => Promise<Row>,
  { project, crawl_id }: { readonly project: string; readonly crawl_id: string },
): Promise<void> {
  const demand = await read(`${project}/demand.json`);
  const wasted = rowsOf(demand.wasted);
  if (wasted.length > 0) {
    said.say('crawl budget', 'hits of search engines', sumOf(wasted, 'hits'));
    const engines = rowsOf(demand.engines).filter(({ engine }) => engine !== 'unverified');
    said.say('search engines', 'hits of search engines', sumOf(engines, 'hits'));
  }
  const budget = rowsOf(demand.budget);
  if (budget.length > 0 && budget.length < 15 && budget.every((row) => row.search_bot_hits !== null)) {
    const hits = sumOf(budget, 'search_bot_hits');
    said.say('budget by segment', 'hits of search engines', hits);
    said.say('budget by segment', 'search_bot_hits', hits - sumOf(budget, 'uncrawled_hits'));
  }
  const columns = ['url', 'clicks', 'impressions', 'nb_inlinks'];
  const list = (await read(
    `${project}/pages.json?crawl=${crawl_id}&sort=clicks+desc&${columns.map((name) => `columns=${name}`).join('&')}`,
  )) as { readonly columns?: readonly { readonly name: string }[]; readonly rows?: readonly unknown[][] };
  const names = (list.columns ?? []).map(({ name }) => name);
  for (const values of (list.rows ?? []).slice(0, 3)) {
    const row: Row = Object.fromEntries(names.map((name, place) => [name, values[place]]));
    const story = await read(
      `${project}/url.json?crawl=${crawl_id}&url=${encodeURIComponent(String(row.url))}`,
    );
    const { page, demand: shown } = story as Readonly<Record<'page' | 'demand', Row | null>>;
    for (const name of ['clicks', 'impressions']) {
      said.say('pages', `${name} of ${row.url}`, row[name]);
      said.say('URL', `${name} of ${row.url}`, shown === null ? null : shown?.[name]);
    }
    said.say('pages', `inlinks of ${row.url}`, row.nb_inlinks);
    said.say('URL', `inlinks of ${row.url}`, page?.nb_inlinks);
  }
}

async function build(connection: Connection): Promise<void> {
  const models = await loadModels([sqlFolder(SQL)]);
  await runModels({ connection, models, changed: 'all', runId: 'run', logger: silentLogger });
}

const sites = (some: typeof STORY) => async (connection: Connection) => {
  await loadSites(connection, some);
  await build(connection);
};

const WAREHOUSES: Readonly<Record<string, (connection: Connection) => Promise<void>>> = {
  'generated sites': async (connection) => {
    await fillWarehouse(connection, {
      projects: 1,
      crawls: 2,
      pages: 400,
      links: 900,
      days: 35,
      hits: 900,
      rankings: 900,
    });
    await build(connection);
  },
  'sites with logs and search results': sites({
    projects: [logs, search].flatMap(({ PROJECTS }) => PROJECTS),
    crawls: [logs, search].flatMap(({ CRAWLS }) => CRAWLS),
  }),
  'sites that a deployment broke': sites({
    projects: [...STORY.projects, ...losses.PROJECTS],
    crawls: [...STORY.crawls, ...losses.CRAWLS],
  }),
};
const names = Object.keys(WAREHOUSES);
/** Projects that are heard of one warehouse. */
const MOST_PROJECTS = ALL_ROUNDS ? 100 : 4;

describe.for(ALL_ROUNDS ? names : names.slice(roundSeed() % 3).slice(0, 1))('of %s', (name) => {
  const folder = sharedFolder();
  const closing: (() => PromiseLike<void>)[] = [];
  let settings: Settings;
  let console_: OpenConsole;

  beforeAll(async () => {
    settings = await consoleProject(folder, WAREHOUSES[name] ?? build, { withQuestions: true });
    console_ = await openConsole(settings, (close) => closing.push(close));
  });
  afterAll(async () => {
    for (const close of closing) await close();
  });

  test('a figure on several screens is the same number on all of them', async () => {
    const { sites } = (await (await console_.ask('/index.json?wait=1')).json()) as { readonly sites: Rows };
    const { stdout } = await crawlhouse(settings.projectDir, null, ['report', '--json']);
    const reports = (JSON.parse(stdout) as { readonly projects: Rows }).projects;
    const different: string[] = [];
    let shared = 0;
    for (const site of sites.filter(({ crawl_id }) => crawl_id !== null).slice(0, MOST_PROJECTS)) {
      const said = new Said();
      await hear(
        said,
        console_,
        site,
        reports.find(({ crawl_id }) => crawl_id === site.crawl_id),
      );
      shared += said.shared.length;
      different.push(...said.different.map((one) => `${site.project_name}: ${one}`));
    }
    expect(different).toEqual([]);
    expect(shared).toBeGreaterThan(20);
    console.info(`${name}: ${shared} figures on two screens or more`);
  });
});
