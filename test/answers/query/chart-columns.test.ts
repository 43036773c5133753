import { afterAll, beforeAll, expect, test } from 'vitest';
import { chartColumns, isDimension } from '../../../src/answers/query/chart-columns.ts';
import { drawChart } from '../../../src/answers/query/draw-chart.ts';
import { bindParameters } from '../../../src/answers/query/parameters.ts';
import { isNumber } from '../../../src/people/console/desk/column-types.ts';
import { bindQuestion } from '../../../src/pipeline/transform/questions/bind-question.ts';
import { loadQuestions, type Question } from '../../../src/pipeline/transform/questions/questions.ts';
import { sqlFolder } from '../../../src/project/sql/models/sql-folders.ts';
import { openWarehouse, type TestWarehouse } from '../../pipeline/transform/test-warehouse.ts';
import { ALL_SITES } from '../../questions/sites/all-sites.ts';
import { buildModels, loadSites, SQL } from '../../questions/sites/load-sites.ts';

/** The columns of rows of one shape. */
function columnsOf(rows: readonly Readonly<Record<string, string | number | null>>[]) {
  return Object.keys(rows[0] ?? {}).map((name) => ({
    name,
    isNumber: rows.some((row) => typeof row[name] === 'number'),
    texts: rows.map((row) => (row[name] === null ? null : String(row[name]))),
  }));
}

test('codes, identifiers and depths tell rows apart; counts and averages are drawn', () => {
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

test('a column that is the same in every row neither labels nor is drawn', () => {
  const rows = [1, 2, 3].map((depth) => ({
    project: 'Shop',
    depth,
    pages: 10 * depth,
    orphans: 0,
    unknown: null,
  }));
  expect(chartColumns(columnsOf(rows))).toEqual({ labels: ['depth'], measure: 'pages' });
  expect(drawChart('bar', rows, 60).split('\n')[0]).toBe('pages by depth');
});

test('as many columns label as tell the rows apart', () => {
  const row = (ended_at: string, crawl_id: string, status_code: number) => ({
    ended_at,
    crawl_id,
    status_code,
    pages: status_code,
  });
  const several = [row('d1', 'c1', 200), row('d1', 'c1', 404), row('d2', 'c2', 200)];
  expect(chartColumns(columnsOf(several)).labels).toEqual(['ended_at', 'status_code']);
  expect(chartColumns(columnsOf(several.slice(0, 2))).labels).toEqual(['status_code']);
  const pages = [1, 2].map((n) => ({ project: `p${n}`, url: `u${n}`, clicks: n }));
  expect(chartColumns(columnsOf(pages)).labels).toEqual(['project']);
  const findings = ['a', 'b', 'c'].map((url, n) => ({ severity: n > 1 ? 'low' : 'high', url, clicks: n }));
  expect(chartColumns(columnsOf(findings)).labels).toEqual(['url']);
});

let warehouse: TestWarehouse;
let questions: readonly Question[];

beforeAll(async () => {
  warehouse = await openWarehouse();
  await loadSites(warehouse.connection, ALL_SITES);
  await buildModels(warehouse.connection, SQL);
  questions = await loadQuestions([sqlFolder(SQL)]);
}, 120_000);
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
  'no saved question, asked with %o, is drawn by a constant label or a code',
  async (given) => {
    const titles: Record<string, string> = {};
    for (const question of questions) {
      const takes = Object.keys(given).every((name) => question.parameters.some((one) => one.name === name));
      const rows = takes ? await answer(question, given) : [];
      const [first] = rows;
      if (first === undefined) continue;
      const distinct = (name: string, among = rows) =>
        new Set(among.map((row) => JSON.stringify(row[name]))).size;
      const drawable = Object.keys(first).filter(
        (name) => rows.some((row) => typeof row[name] === 'number') && !isDimension(name),
      );
      if (drawable.length === 0) {
        expect(() => drawChart('bar', rows, 100), question.name).toThrow(
          'no column of the result has numbers to draw',
        );
        continue;
      }
      const [title = ''] = drawChart('bar', rows, 100).split('\n');
      const [measure = '', labels] = title.split(' by ');
      titles[question.name] = title;
      const known = (name: string) =>
        distinct(
          name,
          rows.filter((row) => row[name] !== null),
        );
      expect(measure, question.name).toBe(drawable.findLast((name) => known(name) > 1) ?? drawable.at(-1));
      for (const label of labels?.split(', ') ?? [])
        expect(distinct(label), `${question.name}: ${label}`).toBeGreaterThan(1);
      if (rows.length > 1 && labels === undefined)
        expect(
          Object.keys(first).filter((name) => distinct(name) > 1 && !drawable.includes(name)),
          question.name,
        ).toEqual([]);
    }
    expect(Object.keys(titles).length).toBeGreaterThan(8);
  },
);
