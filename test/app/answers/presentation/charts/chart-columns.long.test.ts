import { afterAll, beforeAll, expect, test } from 'vitest';
import { answerChart } from '../../../../../src/app/answers/presentation/charts/answer-chart.ts';
import { plainChart } from '../../../../../src/app/answers/presentation/charts/chart-columns.ts';
import { chartFigures } from '../../../../../src/app/answers/presentation/charts/chart-figures.ts';
import { drawChart } from '../../../../../src/app/answers/presentation/charts/draw-chart.ts';
import { isDimension } from '../../../../../src/app/answers/presentation/value-text.ts';
import { bindParameters } from '../../../../../src/app/answers/query/parameters.ts';
import { isNumber } from '../../../../../src/core/duckdb/type-families.ts';
import { sqlFolder } from '../../../../../src/etl/project/sql/models/sql-folders.ts';
import { bindQuestion } from '../../../../../src/etl/project/sql/questions/bind-question.ts';
import { chartProblem } from '../../../../../src/etl/project/sql/questions/question-chart.ts';
import { loadQuestions, type Question } from '../../../../../src/etl/project/sql/questions/questions.ts';
import { openWarehouse, type TestWarehouse } from '../../../../etl/pipeline/transform/test-warehouse.ts';
import { ALL_SITES } from '../../../../questions/sites/all-sites.ts';
import { buildModels, loadSites, SQL } from '../../../../questions/sites/load-sites.ts';

/** The columns of rows of one shape. */
function columnsOf(rows: readonly Readonly<Record<string, string | number | null>>[]) {
  return Object.keys(rows[0] ?? {}).map((name) => ({
    name,
    isNumber: rows.some((row) => typeof row[name] === 'number'),
    texts: rows.map((row) => (row[name] === null ? null : String(row[name]))),
  }));
}

test('codes, identifiers and depths identify rows; counts and averages are measures', () => {
  for (const name of [
    'status_code',
    'depth',
    'depth_before',
    'crawl_number',
    'id',
    'hop',
    'days',
    'log_days',
    'inrank',
  ])
    expect([name, isDimension(name)]).toEqual([name, true]);
  for (const name of [
    'pages',
    'average_depth',
    'clicks',
    'hops',
    'pages_percent',
    'load_time',
    'days_to_bot',
    'max_depth',
  ])
    expect([name, isDimension(name)]).toEqual([name, false]);
});

test('default charts plot the first measure by the first text or time, never constants, codes or identifiers', () => {
  const rows = [1, 2, 3].map((depth) => ({
    project: 'Shop',
    crawl_id: `c${depth}`,
    ended_at: `2026-11-0${depth}`,
    orphans: 0,
    unknown: null,
    status_code: 200 + depth,
    pages: 10 * depth,
    clicks: depth,
  }));
  expect(plainChart(columnsOf(rows))).toEqual({
    kind: 'bar',
    x: 'ended_at',
    y: ['pages'],
    colour: null,
    each: [],
    only: null,
  });
  expect(plainChart(columnsOf([1, 2].map((depth) => ({ depth, pages: depth }))))).toMatchObject({
    x: 'depth',
    y: ['pages'],
  });
  for (const none of [[{ url: 'a' }, { url: 'b' }], [{ status_code: 200 }, { status_code: 404 }], []])
    expect(plainChart(columnsOf(none as never[]))).toBeNull();
});

let warehouse: TestWarehouse;
let questions: readonly Question[];

beforeAll(async () => {
  warehouse = await openWarehouse();
  await loadSites(warehouse.connection, ALL_SITES);
  await buildModels(warehouse.connection, SQL);
  questions = await loadQuestions([sqlFolder(SQL)]);
});
afterAll(() => warehouse?.[Symbol.asyncDispose]());

/** The first rows of an answer, its numbers as numbers. */
async function answer(question: Question, given: Readonly<Record<string, string>>) {
  const { inner } = warehouse.connection;
  const { sql, parameters } = bindQuestion(question, new Map(Object.entries(given)));
  const result = await inner.runAndReadAll(sql, { ...(await bindParameters(inner, sql, parameters)) });
  const numbers = result.columnNames().filter((_, index) => isNumber(String(result.columnType(index))));
  const rows = result.getRowObjectsJson().slice(0, 200);
  return rows.map((row) =>
    Object.fromEntries(
      Object.entries(row).map(([name, value]) => [
        name,
        numbers.includes(name) && value !== null ? Number(value) : value,
      ]),
    ),
  );
}

test.each([{}, { project: 'p-a' }, { project: 'p-l' }, { crawl: 'a2' }])(
  'every saved question, with %o, is drawn as declared, and never adds up values without a sum',
  async (given) => {
    const drawn: string[] = [];
    for (const question of questions) {
      const takes = Object.keys(given).every((name) => question.parameters.some((one) => one.name === name));
      if (!takes || question.chart === null) continue;
      const rows = await answer(question, given);
      const { figures } = chartFigures(question.chart, rows);
      expect(
        figures.flatMap(({ problem }) => problem ?? []),
        question.name,
      ).toEqual([]);
      for (const figure of figures) {
        const text = answerChart(question.chart, figure)?.text ?? '';
        expect(text, question.name).not.toMatch(/NaN|undefined|Infinity|<style|\sstyle=/);
        if (text !== '') drawn.push(question.name);
      }
      if (rows.length === 0 || question.chart.kind === 'scatter') continue;
      expect(drawChart('own', rows, question.chart, 100), question.name).not.toMatch(
        /NaN|undefined|Infinity/,
      );
    }
    expect(new Set(drawn).size).toBeGreaterThan(8);
  },
);

test('charts over time leave out crawls that ended early', async () => {
  const { inner } = warehouse.connection;
  const cut = await inner.runAndReadAll(
    'SELECT crawl_id FROM mart.crawls WHERE NOT is_in_trends AND has_pages AND NOT is_complete',
  );
  const ids = new Set(cut.getRows().flat().map(String));
  const ofTime = questions.filter(({ chart }) => chart?.x === 'ended_at' || chart?.kind === 'funnel');
  expect(ofTime.length).toBeGreaterThan(5);
  const leftOut: string[] = [];
  for (const { chart, ...question } of ofTime) {
    if (chart === null) continue;
    const rows = await answer({ ...question, chart }, {});
    const cuts = rows.filter(({ crawl_id }) => ids.has(String(crawl_id)));
    expect([question.name, chart.only, cuts.some((row) => row.is_in_trends)]).toEqual([
      question.name,
      'is_in_trends',
      false,
    ]);
    leftOut.push(...chartFigures(chart, rows).figures.flatMap((one) => one.leftOut ?? one.problem ?? []));
  }
  expect(leftOut).toContain('1 crawl that is not in trends is left out');
});

test('the result of each question contains the columns of its chart', async () => {
  for (const question of questions) {
    if (question.chart === null) continue;
    const prepared = await warehouse.connection.inner.prepare(bindQuestion(question).sql);
    const columns = Array.from({ length: prepared.columnCount }, (_, place) => ({
      name: prepared.columnName(place),
      type: String(prepared.columnType(place)),
    }));
    expect([question.name, chartProblem(question.chart, columns)]).toEqual([question.name, null]);
  }
  expect(questions.filter(({ chart }) => chart === null).map(({ name }) => name.slice(0, 3))).toEqual([
    'q15',
    'q23',
    'q34',
  ]);
});
