import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { PublishedWarehouse } from '../../src/query/query-warehouse.ts';
import { writeResult } from '../../src/query/write-result.ts';
import { type BoundQuestion, bindQuestion } from '../../src/transform/bind-question.ts';
import { loadQuestions, type Question } from '../../src/transform/questions.ts';
import { sqlFolder } from '../../src/transform/sql-folders.ts';
import { type Service, service } from '../sandbox/support.ts';
import { projectFolder, runProject, SHARED_DATA } from '../support/project.ts';
import { type Answer, q01, q02, q08, q09, q12, q14, q15 } from './answers-links.ts';
import { q04, q05, q06, q06ByCrawl, q07, q10, q11, q13, q20 } from './answers-pages.ts';
import { q21, q22, q23, q24, q29, q30, q32 } from './answers-sites.ts';
import { q25, q26, q27, q28, q31 } from './answers-trends.ts';
import { q03, q16, q17, q18, q19 } from './answers-visits.ts';
import { groups } from './plain.ts';
import { exportedRows, importedRows, type Row, readService, type ServiceData } from './service-data.ts';
import { shopFolders } from './shop.ts';

/** Every saved question, answered a second time by plain code over what the service holds. */
const ANSWERS: Readonly<Record<string, Answer>> = {
  ...{ q01_links_to_redirects_to_404: q01, q02_links_into_segments: q02, q03_orphan_pages: q03 },
  ...{ q04_indexability_funnel: q04, q05_status_codes_by_crawl: q05, q06_page_changes: q06 },
  ...{ q06_page_changes_by_crawl: q06ByCrawl, q07_pages_that_became_non_indexable: q07 },
  ...{ q08_404s_with_most_internal_links: q08, q09_redirect_chains_and_loops: q09 },
  ...{ q10_inrank_by_depth_and_segment: q10, q11_pages_that_lose_links_or_get_deeper: q11 },
  ...{ q12_sitemap_against_crawl: q12, q13_duplicate_titles_h1s_descriptions: q13 },
  ...{ q14_canonicals_to_bad_targets: q14, q15_hreflang_clusters_with_bad_members: q15 },
  ...{ q16_bot_hits_by_segment_depth_and_inrank: q16, q17_wasted_crawl_budget: q17 },
  ...{ q18_demand_that_is_not_met: q18, q19_under_linked_and_deep_pages_that_perform: q19 },
  q20_thin_slow_pages_by_segment: q20,
  ...{ q21_kpi_trend: q21, q22_non_indexability_reasons: q22, q23_redirect_map: q23 },
  ...{ q29_link_flow_between_segments: q29, q32_what_to_do_first: q32 },
  ...{ q25_freshness: q25, q26_crawl_frequency_by_engine: q26, q27_cannibalisation: q27 },
  ...{ q28_decay: q28, q31_ai_crawlers_by_page: q31 },
  ...{ q24_migration_check: q24, q30_web_vitals_and_structured_data_by_template: q30 },
};

/** Runs the pipeline on a service and holds every question against its second answer; gives how many rows each has. */
async function compare(
  it: Service,
  data: ServiceData,
  { pipelines, questions = /./ }: { pipelines?: readonly string[]; questions?: RegExp } = {},
): Promise<ReadonlyMap<string, number>> {
  const folder = await projectFolder();
  expect((await runProject(folder, it.sandbox, pipelines ? { pipelines } : {})).exitCode).toBe(0);
  using warehouse = await PublishedWarehouse.open({
    warehouse: join(folder, 'warehouse.duckdb'),
    memoryLimit: '400MB',
    threads: 2,
  });
  const rows = new Map<string, number>();
  for (const question of await loadQuestions([sqlFolder(join(folder, 'sql'))])) {
    if (!questions.test(question.name)) continue;
    const answer = ANSWERS[question.name];
    expect(answer, `${question.name} has no second answer`).toBeDefined();
    const found = await rowsOf(warehouse, bindQuestion(question));
    const expected = answer?.(data) ?? [];
    // The first rows that differ are enough to look at.
    const [left, right] = [sorted(found), sorted(expected)];
    expect.soft(without(left, right).slice(0, 3), `${question.name}: too much`).toEqual([]);
    expect.soft(without(right, left).slice(0, 3), `${question.name}: missing`).toEqual([]);
    expect.soft(left.length, question.name).toBe(right.length);
    rows.set(question.name, found.length);
    await compareParameters(warehouse, question, found);
  }
  return rows;
}

/** What the standard parameters of a question must leave of its rows, which have a `project_name` each. */
async function compareParameters(
  warehouse: PublishedWarehouse,
  question: Question,
  all: readonly Row[],
): Promise<void> {
  const names = question.parameters.map(({ name }) => name);
  const ask = (given: Readonly<Record<string, string>>): Promise<Row[]> =>
    rowsOf(warehouse, bindQuestion(question, new Map(Object.entries(given))));
  const project = String(all[0]?.project_name);
  const ofProject = all.filter((row) => row.project_name === project);
  if (names.includes('project'))
    expect.soft(await ask({ project }), `${question.name} project=${project}`).toEqual(ofProject);
  if (names.includes('limit')) {
    const first = [...groups(all, (row) => [row.project_name]).values()].flatMap((rows) => rows.slice(0, 2));
    expect.soft(sorted(await ask({ limit: '2' })), `${question.name} limit=2`).toEqual(sorted(first));
  }
  const crawl = String(all.at(-1)?.crawl_id);
  if (names.includes('crawl') && all.some((row) => row.crawl_id === crawl)) {
    const ofCrawl = all.filter((row) => row.crawl_id === crawl);
    expect.soft(await ask({ crawl }), `${question.name} crawl=${crawl}`).toEqual(ofCrawl);
  }
}

/** The rows as a program gets them: JSON. */
async function rowsOf(warehouse: PublishedWarehouse, { sql, parameters }: BoundQuestion): Promise<Row[]> {
  let text = '';
  const write = async (piece: string): Promise<void> => {
    text += piece;
  };
  const { signal } = new AbortController();
  await warehouse.ask(sql, signal, (result) => writeResult(result, { format: 'json' }, write), parameters);
  return JSON.parse(text) as Row[];
}

/** Rows as texts, whatever their order and that of their columns. */
function sorted(rows: readonly Row[]): string[] {
  const byName = ([a]: [string, unknown], [b]: [string, unknown]): number => (a < b ? -1 : 1);
  return rows.map((row) => JSON.stringify(Object.entries(row).toSorted(byName))).toSorted();
}

function without(rows: readonly string[], others: readonly string[]): string[] {
  const known = new Set(others);
  return rows.filter((row) => !known.has(row));
}

test('every question has the answer of plain code, on made crawls, logs and rankings', async () => {
  const it = await service({
    importDirs: await shopFolders(),
    generate: [
      'projects=2,crawls=3,pages=300,links=4000,columns=120,clusters=20,structured_data=200,log_days=6,events=3000,ranking_days=6,seed=11',
    ],
  });
  const rows = await compare(it, await readService(it, exportedRows(it)));
  const empty = [...rows].filter(([, count]) => count === 0).map(([name]) => name);
  expect(empty).toEqual([]);
});

test("bots are followed by the service's counts of days where lines are not loaded", async () => {
  const it = await service({
    generate: ['projects=2,crawls=2,pages=200,columns=60,log_days=5,events=2000,seed=12'],
  });
  const { projects, crawls } = await readService(it, exportedRows(it));
  const counted = projects.map((one) => ({ ...one, logEvents: [] }));
  const rows = await compare(
    it,
    { crawls, projects: counted },
    { pipelines: ['projects', 'crawls', 'crawl_pages', 'log_pages_days'], questions: /^q1[67]/ },
  );
  expect([...rows.values()].every((count) => count > 0)).toBe(true);
});

const FOLDERS = ['gov-sites-2025-01-09', 'gov-sites-2025-01-16', 'typo3-site', 'semicomplete-logs'];
const real = FOLDERS.map((name) => join(SHARED_DATA, name));

test.skipIf(!real.every((path) => existsSync(path)))(
  'every question has the answer of plain code over the files of real sites (skipped without ../shared/data)',
  async () => {
    const it = await service({ importDirs: real });
    const folderOf = (crawl: Row): string =>
      real.find((path) => path.endsWith(new Date(Number(crawl.ended_at)).toISOString().slice(0, 10))) ??
      join(SHARED_DATA, 'typo3-site');
    const rows = await compare(it, await readService(it, importedRows(folderOf)));
    expect(Object.fromEntries([...rows].filter(([, count]) => count > 0))).toMatchObject({
      q04_indexability_funnel: 3,
      q14_canonicals_to_bad_targets: 6,
    });
  },
);
