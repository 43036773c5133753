import { afterAll, beforeAll, expect, test } from 'vitest';
import { countIssues } from '../../src/answers/report/crawl-answers.ts';
import { explainEmpty } from '../../src/pipeline/transform/questions/question-needs.ts';
import { loadQuestions, type Question } from '../../src/pipeline/transform/questions/questions.ts';
import { sqlFolder } from '../../src/project/sql/models/sql-folders.ts';
import { openWarehouse, type TestWarehouse } from '../pipeline/transform/test-warehouse.ts';
import { ANSWERS } from '../questions/answers/answers.ts';
import { factsOf } from '../questions/answers/facts.ts';
import { byBytes } from '../questions/answers/values.ts';
import { casesOf, compareQuestion } from '../questions/compare-question.ts';
import { ALL_SITES } from '../questions/sites/all-sites.ts';
import { CASES } from '../questions/sites/cases.ts';
import { buildModels, loadSites, SQL } from '../questions/sites/load-sites.ts';
import type { Row } from '../questions/sites/sites.ts';

const questions = await loadQuestions([sqlFolder(SQL)]);
const facts = factsOf(ALL_SITES);
let warehouse: TestWarehouse;

test('the sites are as many and as strange as they should be', () => {
  const urls = new Set(facts.crawls.flatMap(({ allPages }) => allPages.map(({ url }) => url)));
  expect(facts.projects.length).toBeGreaterThanOrEqual(8);
  expect(facts.crawls.length).toBeGreaterThanOrEqual(20);
  expect(urls.size).toBeGreaterThanOrEqual(120);
  expect(Object.keys(ANSWERS).toSorted()).toEqual(questions.map(({ name }) => name).toSorted());
});

for (const question of questions) {
  test(`${question.name} has the answer of plain code, with and without parameters`, async () => {
    const cases = casesOf(question, CASES);
    expect(await compareQuestion(warehouse.connection, question, facts, cases)).toEqual([]);
    const rows = ANSWERS[question.name]?.rows(facts, { numbers: {} }) ?? [];
    expect(rows.length).toBeGreaterThan(0);
  });
}

test('the issues of a crawl are those of question 32, each with its page of the highest priority', async () => {
  const { inner } = warehouse.connection;
  const counted = await inner.runAndReadAll(countIssues('issue, crawl_id', 'true'));
  const crawls = facts.crawls.filter(({ isLatest }) => isLatest);
  const found = crawls.flatMap(
    ({ id }) => ANSWERS.q32_what_to_do_first?.rows(facts, { crawl: id, numbers: {} }) ?? [],
  );
  const expected = [...Map.groupBy(found, ({ issue, crawl_id }) => `${issue} ${crawl_id}`).values()].map(
    (of) => {
      const most = Math.max(...of.map(({ priority }) => Number(priority)));
      const best = of.filter(({ priority }) => Number(priority) === most).map(({ url }) => String(url));
      const { issue, crawl_id, severity } = of[0] ?? {};
      return { issue, crawl_id, severity, pages: String(of.length), example: best.toSorted(byBytes)[0] };
    },
  );
  expect(expected.length).toBeGreaterThan(50);
  const byName = (a: object, b: object): number => byBytes(JSON.stringify(a), JSON.stringify(b));
  expect(counted.getRowObjectsJson().toSorted(byName)).toEqual(expected.toSorted(byName));
});

test('no project that has rows of a question is said to lack what the question needs', async () => {
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
      if (!why?.startsWith('Nothing fits;')) lacks.push(`${question.name}, ${id}: ${why}`);
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
