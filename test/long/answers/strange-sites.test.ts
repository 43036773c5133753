import { afterAll, beforeAll, expect, test } from 'vitest';
import { explainEmpty } from '../../../src/app/answers/questions/explain-empty.ts';
import { firstThings } from '../../../src/app/answers/report/first-things.ts';
import { sqlFolder } from '../../../src/etl/project/sql/models/sql-folders.ts';
import { loadQuestions, type Question } from '../../../src/etl/project/sql/questions/questions.ts';
import { openWarehouse, type TestWarehouse } from '../../etl/pipeline/transform/test-warehouse.ts';
import { ANSWERS } from '../../questions/answers/answers.ts';
import { factsOf } from '../../questions/answers/facts.ts';
import { byBytes, sumOfAll } from '../../questions/answers/values.ts';
import { casesOf, compareQuestion } from '../../questions/compare-question.ts';
import { ALL_SITES } from '../../questions/sites/all-sites.ts';
import { CASES } from '../../questions/sites/cases.ts';
import { buildModels, loadSites, SQL } from '../../questions/sites/load-sites.ts';
import type { Row } from '../../questions/sites/sites.ts';
import { askQuestion } from '../../support/ask-question.ts';

const questions = await loadQuestions([sqlFolder(SQL)]);
const facts = factsOf(ALL_SITES);
let warehouse: TestWarehouse;

test('the test sites are as many and as unusual as intended', () => {
  const urls = new Set(facts.crawls.flatMap(({ allPages }) => allPages.map(({ url }) => url)));
  expect(facts.projects.length).toBeGreaterThanOrEqual(8);
  expect(facts.crawls.length).toBeGreaterThanOrEqual(20);
  expect(urls.size).toBeGreaterThanOrEqual(120);
});

for (const question of questions) {
  test(`${question.name} matches plain code, with and without parameters`, async () => {
    const cases = casesOf(question, CASES);
    expect(await compareQuestion(warehouse.connection, question, facts, cases)).toEqual([]);
    const rows = ANSWERS[question.name]?.rows(facts, { numbers: {} }) ?? [];
    expect(rows.length).toBeGreaterThan(0);
  });
}

test('what to do first has the pages, clicks, hits and examples of question 32', async () => {
  const { inner } = warehouse.connection;
  const condition = `found.segmentation = '(site)' AND found.crawl_id IN (SELECT crawl_id FROM mart.crawls WHERE is_latest)`;
  const read = (await inner.runAndReadAll(firstThings(condition))).getRowObjectsJson();
  const crawls = facts.crawls.filter(({ isLatest }) => isLatest);
  const actions = crawls.flatMap(
    ({ id }) => ANSWERS.q32_what_to_do_first?.rows(facts, { crawl: id, numbers: {} }) ?? [],
  );
  const sum = (of: readonly Row[], name: string): number =>
    of.reduce((all, one) => all + Number(one[name] ?? 0), 0);
  const expected = [...Map.groupBy(actions, ({ issue, crawl_id }) => `${issue} ${crawl_id}`).values()].map(
    (of) => {
      const before = (a: Row, b: Row): number =>
        Number(b.clicks) - Number(a.clicks) ||
        Number(b.search_bot_hits) - Number(a.search_bot_hits) ||
        Number(b.inrank_decimal) - Number(a.inrank_decimal) ||
        byBytes(String(a.url), String(b.url));
      const { issue, crawl_id, severity, url } = of.toSorted(before)[0] ?? {};
      const counts = {
        pages: of.length,
        clicks: sum(of, 'clicks'),
        search_bot_hits: sum(of, 'search_bot_hits'),
      };
      return { issue, crawl_id, severity, example: url, ...counts };
    },
  );
  // A page whose hits are not known makes those of the issue unknown.
  const told = read.map(({ issue, crawl_id, severity, example, pages, clicks, search_bot_hits: hits }) => {
    const same = expected.find((one) => one.issue === issue && one.crawl_id === crawl_id);
    const counts = { pages: Number(pages), clicks: Number(clicks) };
    return {
      issue,
      crawl_id,
      severity,
      example,
      ...counts,
      search_bot_hits: Number(hits ?? same?.search_bot_hits),
    };
  });
  expect(expected.length).toBeGreaterThan(50);
  const byName = (a: object, b: object): number => byBytes(JSON.stringify(a), JSON.stringify(b));
  expect(told.toSorted(byName)).toEqual(expected.toSorted(byName));
  expect(read.filter(({ search_bot_hits: hits }) => hits !== null).length).toBeGreaterThan(50);
  expect(read.every(({ priority }) => Number(priority) >= 0 && Number(priority) <= 100)).toBe(true);

  const urlsOf = Map.groupBy(actions, ({ issue, crawl_id }) => `${issue} ${crawl_id}`);
  const within = read.filter((row) => row.within !== null);
  for (const { crawl_id: crawl, issue, within: wider } of within) {
    const own = new Set(urlsOf.get(`${issue} ${crawl}`)?.map(({ url }) => url));
    for (const other of wider as string[]) {
      const whole = new Set(urlsOf.get(`${other} ${crawl}`)?.map(({ url }) => url));
      expect([other, own.isSubsetOf(whole)]).toEqual([other, true]);
    }
  }
  expect(new Set(within.map(({ issue }) => issue)).size).toBeGreaterThan(3);
  expect(within.every(({ issue, within: wider }) => !(wider as string[]).includes(String(issue)))).toBe(true);
  // A noindex page in a sitemap is one by its definition.
  const noindex = read.filter(({ issue }) => issue === 'noindex_in_sitemap');
  expect(noindex.length).toBeGreaterThan(0);
  for (const row of noindex) expect(row.within).toContain('noindex');
});

test('the crawl budgets of all segments, including no segment, add up to that of the site', async () => {
  const budget = ['search_bot_hits', 'indexable_hits', 'non_indexable_hits', 'untold_hits', 'uncrawled_hits'];
  const ask = async (name: string, given: Readonly<Record<string, string>>) => {
    const question = questions.find((one) => one.name === name) as Question;
    const rows = await askQuestion(warehouse.connection, question, given);
    return Map.groupBy(rows, ({ crawl_id }) => crawl_id);
  };
  const total = (rows: readonly Row[] | undefined, name: string): number | null =>
    sumOfAll((rows ?? []).map((row) => (row[name] === null ? null : Number(row[name]))));
  const q33 = 'q33_crawl_budget_by_segment';
  const sites = await ask(q33, { segmentation: '(site)' });
  const wasted = await ask('q17_wasted_crawl_budget', {});
  let known = 0;
  for (const [crawl, site] of sites) {
    const whole = total(site, 'search_bot_hits');
    if (whole === null) continue;
    known++;
    expect(total(wasted.get(crawl), 'hits')).toBe(whole);
    expect(budget.slice(1).reduce((sum, name) => sum + (total(site, name) ?? 0), 0)).toBe(whole);
  }
  expect(known).toBeGreaterThan(2);
  for (const segmentation of ['(directory)', 'kind', 'size'])
    for (const [crawl, rows] of await ask(q33, { segmentation, limit: '100000' }))
      for (const name of budget)
        expect.soft(total(rows, name), `${segmentation}, ${name}`).toBe(total(sites.get(crawl), name));
});

test('a project with rows of a question never reports missing needs', async () => {
  const { connection } = warehouse;
  const reader = {
    rows: async (sql: string, _: AbortSignal, parameters: ReadonlyMap<string, string | null> = new Map()) =>
      (await connection.inner.runAndReadAll(sql, Object.fromEntries(parameters))).getRowObjectsJson(),
  };
  const lacks: string[] = [];
  let asked = 0;
  for (const question of questions) {
    const rows = (ANSWERS[question.name]?.rows(facts, { numbers: defaultsOf(question) }) ?? []) as Row[];
    for (const { id, crawls } of facts.projects) {
      if (!rows.some((row) => row.project_id === id || crawls.some((one) => one.id === row.crawl_id)))
        continue;
      asked++;
      const parameters = new Map([['project', id]]);
      const why = await explainEmpty({ ...question, parameters }, reader, new AbortController().signal);
      if (!why?.startsWith('No rows match;')) lacks.push(`${question.name}, ${id}: ${why}`);
    }
  }
  expect(asked).toBeGreaterThan(100);
  expect(lacks).toEqual([]);
});

const defaultsOf = ({ parameters }: Question): Record<string, number> =>
  Object.fromEntries(
    parameters.flatMap(({ name, default: value }) => (value === null ? [] : [[name, Number(value)]])),
  );

beforeAll(async () => {
  warehouse = await openWarehouse();
  await loadSites(warehouse.connection, ALL_SITES);
  await buildModels(warehouse.connection, SQL);
});

afterAll(() => warehouse[Symbol.asyncDispose]());
