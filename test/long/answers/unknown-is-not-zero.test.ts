import { cp } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import { bindParameters } from '../../../src/app/answers/query/parameters.ts';
import { readSiteReport } from '../../../src/app/answers/report/read-site-report.ts';
import { loadSettings } from '../../../src/app/settings/load-settings.ts';
import { type Connection, Database, text } from '../../../src/core/duckdb/duckdb.ts';
import { silentLogger } from '../../../src/core/logs/logger.ts';
import { loadModels } from '../../../src/etl/project/sql/models/load-models.ts';
import { sqlFolder } from '../../../src/etl/project/sql/models/sql-folders.ts';
import { loadQuestions } from '../../../src/etl/project/sql/questions/questions.ts';
import { startSandbox } from '../../../src/service/sandbox/start-sandbox.ts';
import { askQuestion } from '../../support/ask-question.ts';
import { openConsole } from '../../support/open-console.ts';
import { projectFolder, runProject } from '../../support/project.ts';
import { ALL_ROUNDS, roundSeed } from '../../support/random.ts';
import { runModels } from '../../support/run-models.ts';
import { figuresOfDocument, figuresOfRows, takeAway } from '../../support/take-away.ts';
import { sharedFolder } from '../../support/temporary.ts';
import { threads } from '../../support/threads.ts';

/**
 * A figure whose data are not there is not known: with each dataset taken away in turn, nothing that was counted is 0
 * (nor false, nor an empty list), in models, questions, the report and the documents of the console.
 */

const folders = [sqlFolder(join(import.meta.dirname, '../../../sql'))];
const questions = await loadQuestions(folders);
const models = (await loadModels(folders)).map((model) => ({ ...model, tests: [] }));

/** What is taken away together; of the log files a day is told by its lines or by the service's counts. */
const SOURCES: Readonly<Record<string, readonly string[]>> = {
  links: ['crawl_links'],
  'log files': ['log_events', 'log_pages_days', 'log_pages_weeks', 'log_pages_months'],
  'search results': ['ranking_performance'],
  'structured data': ['crawl_structured_data'],
  clusters: ['crawl_clusters'],
  'lines of log files': ['log_events'],
  pages: ['crawl_pages'],
};
const names = Object.keys(SOURCES);
/** Two of them by the kept seed, with ALL_ROUNDS all. */
const chosen = ALL_ROUNDS
  ? names
  : names.map((_, n) => names[(n + roundSeed()) % names.length] ?? '').slice(0, 2);

/** Figures that tell what is loaded, and how many are not known: without it they are 0 and false, which is counted. */
const OF_LOADS =
  /has_(pages|links|clusters|structured_data)\||(log|ranking)_days\||\.(loaded|queryable|crawls|units)\||is_(latest|main|in_trends)\||\|(none|unknown)\|/;
/** Without a part of it a value is another number: the known ones count for more (docs/definitions.md#what-to-do-first). */
const OF_VALUE = /\|([a-z_.[\]]*\.)?(priority|page_value)\|/;
/** A subject sums up its issues that are known, and the list says so. */
const OF_KNOWN = /issues\.json\|subjects\[\]\./;
/** The service's counts of a day say the same in their own numbers. */
const OF_OTHERS: Readonly<Record<string, RegExp>> = {
  'lines of log files': /hits|\|wasted\.|\|engines\.|urls|budget/,
};

const UNKEYED: Readonly<Record<string, readonly string[]>> = {
  'mart.crawl_kpis': ['crawl_id', 'segmentation', 'segment'],
  'mart.page_actions': ['crawl_id', 'url', 'issue'],
  'mart.page_values': ['crawl_id', 'url'],
  'mart.pages_wide': ['crawl_id', 'url'],
  'mart.urls': ['project_id', 'url'],
};

const parent = sharedFolder();
let whole: string;
let screens: readonly string[];
let before: ReadonlyMap<string, unknown>;

beforeAll(async () => {
  const sandbox = await startSandbox({
    generate: [
      'projects=1,crawls=2,pages=100,links=400,columns=100,clusters=8,structured_data=30,log_days=9,events=300,ranking_days=9,seed=11',
    ],
  });
  whole = await projectFolder(parent);
  const { report } = await runProject(whole, sandbox);
  await sandbox.close();
  expect(report.status).toBe('done');
  screens = await inWarehouse(whole, screensOf);
  before = await figuresOf(whole);
});

async function inWarehouse<T>(folder: string, use: (connection: Connection) => Promise<T>): Promise<T> {
  const spill = join(parent, 'spill');
  await using database = await Database.open({
    memoryLimit: '400MB',
    threads: threads(),
    tempDirectory: spill,
  });
  const connection = await database.connect();
  await connection.run(`ATTACH ${text(join(folder, 'warehouse.duckdb'))} AS warehouse; USE warehouse`);
  const got = await use(connection);
  await connection.run('USE memory; DETACH warehouse');
  return got;
}

async function figuresOf(folder: string): Promise<ReadonlyMap<string, unknown>> {
  const found = await inWarehouse(folder, figuresOfTables);
  const settings = await loadSettings(folder, {});
  const closing: (() => PromiseLike<void>)[] = [];
  const { ask } = await openConsole(settings, (close) => closing.push(close));
  for (const path of screens) {
    const response = await ask(path);
    const document = response.status === 200 ? await response.json() : {};
    for (const [figure, value] of figuresOfDocument(path.split('?')[0] ?? '', document))
      found.set(figure, value);
  }
  for (const close of closing) await close();
  return found;
}

async function figuresOfTables(connection: Connection): Promise<Map<string, unknown>> {
  const figures = new Map<string, unknown>();
  const add = (some: ReadonlyMap<string, unknown>): void => {
    for (const [figure, value] of some) figures.set(figure, value);
  };
  for (const { name, grain } of models) {
    const key = grain ?? UNKEYED[name];
    if (key) add(figuresOfRows(name, await connection.jsonRows(`FROM ${name}`), key));
  }
  for (const question of questions)
    add(figuresOfRows(question.name, await askQuestion(connection, question)));
  const report = await readSiteReport(async (sql, given) => {
    const values = await bindParameters(connection.inner, sql, given);
    const result = await connection.inner.runAndReadAll(sql, { ...values });
    const types = result.columnTypes().map(String);
    const counts = new Set(result.columnNames().filter((_, at) => /INT|DECIMAL/.test(types[at] ?? '')));
    const value = (name: string, of: unknown): unknown => {
      if (!counts.has(name)) return of;
      return Array.isArray(of) ? of.map((one) => value(name, one)) : typeof of === 'string' ? Number(of) : of;
    };
    return result
      .getRowObjectsJson()
      .map((row) => Object.fromEntries(Object.entries(row).map(([name, of]) => [name, value(name, of)])));
  }, questions);
  add(figuresOfDocument('report', report));
  return figures;
}

/** The screens of a project, of its main crawl and of a page that has a path. */
async function screensOf(connection: Connection): Promise<string[]> {
  const [place] = await connection.jsonRows(
    `SELECT crawls.project_id, crawls.crawl_id, max_by(pages.url, pages.nb_inlinks) AS url
     FROM mart.crawls AS crawls JOIN mart.pages AS pages ON pages.crawl_id = crawls.crawl_id
     WHERE crawls.is_main AND pages.depth > 0 GROUP BY ALL`,
  );
  const project = `/projects/${place?.project_id}`;
  return [
    '/index.json',
    '/projects.json',
    `/crawls/${place?.crawl_id}.json`,
    `${project}.json`,
    ...['demand', 'issues', 'compare', 'pages'].map((part) => `${project}/${part}.json`),
    `${project}/url.json?url=${encodeURIComponent(String(place?.url))}`,
  ].map((path) => `${path}${path.includes('?') ? '&' : '?'}wait=1`);
}

const isNothing = (value: unknown): boolean =>
  value === false || /^"?(-?0(\.0+)?|\[\])"?$/.test(JSON.stringify(value) ?? '');
const isKnown = (value: unknown): boolean => value !== undefined && value !== null;
const isNumber = (value: unknown): boolean => /^"?-?\d+(\.\d+)?"?$/.test(JSON.stringify(value) ?? '');

test.for(chosen)('without %s no counted value is 0 or another number', async (source) => {
  const folder = join(parent, source.replaceAll(' ', '-'));
  await cp(whole, folder, { recursive: true });
  const datasets = SOURCES[source] ?? [];
  await inWarehouse(folder, async (connection) => {
    await takeAway(connection, datasets);
    const changed = new Set(datasets.map((dataset) => `raw.${dataset}`));
    await runModels({ connection, models, changed, runId: 'less', logger: silentLogger });
  });
  const after = await figuresOf(folder);
  const wrong = new Map<string, string>();
  const tried = new Set<string>();
  for (const [figure, value] of before) {
    const name = figure.split('|').slice(0, 2).join('.');
    tried.add(name);
    const now = after.get(figure);
    if (!after.has(figure) || JSON.stringify(now) === JSON.stringify(value)) continue;
    if (OF_LOADS.test(figure) || OF_KNOWN.test(figure) || OF_OTHERS[source]?.test(figure)) continue;
    // A page that has less inrank than all others is worth 0 without demand or hits; one whose inrank is not known is not.
    const isOfParts =
      OF_VALUE.test(figure) && isKnown(after.get(figure.replace(OF_VALUE, '|$1inrank_decimal|')));
    if (isNothing(now) ? !isOfParts : isNumber(value) && isNumber(now) && !OF_VALUE.test(figure))
      wrong.set(figure, `${figure}: ${JSON.stringify(value)} → ${JSON.stringify(now)}`);
  }
  expect([...wrong.values()]).toEqual([]);
  expect([...after].filter(([, value]) => /none (are|is) loaded/.test(String(value)))).toEqual([]);
  console.info(`without ${source}: ${tried.size} figures, ${before.size} values`);
});
