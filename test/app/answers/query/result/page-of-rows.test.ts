import { expect, test } from 'vitest';
import {
  asRelation,
  pageStatement,
  placeOf,
} from '../../../../../src/app/answers/query/result/page-of-rows.ts';

const COLUMNS = ['url', 'Clicks'];
const FROM = "FROM system.main.query('SELECT 1') AS answer(c0, c1)";

test.each([
  [{}, `SELECT c0, c1 ${FROM}`, ['url', 'Clicks']],
  [{ columns: ['clicks'] }, `SELECT c1 ${FROM}`, ['Clicks']],
  [{ columns: [] }, `SELECT  ${FROM}`, []],
  [{ limit: 5 }, `SELECT c0, c1 ${FROM} LIMIT 5 OFFSET 0`, ['url', 'Clicks']],
  [{ limit: 5, offset: 10 }, `SELECT c0, c1 ${FROM} LIMIT 5 OFFSET 10`, ['url', 'Clicks']],
  [
    { sort: { column: 'url', descending: true } },
    `SELECT c0, c1 ${FROM} ORDER BY c0 DESC NULLS LAST, answer`,
    ['url', 'Clicks'],
  ],
  [
    { sort: { column: 'CLICKS', descending: false } },
    `SELECT c0, c1 ${FROM} ORDER BY c1 ASC NULLS LAST, answer`,
    ['url', 'Clicks'],
  ],
  [{ count: true, sort: { column: 'url', descending: true }, limit: 5 }, `SELECT count(*) ${FROM}`, ['rows']],
] as const)('the page %j of a result is read by its statement', (page, sql, names) => {
  expect(pageStatement('SELECT 1', COLUMNS, [], page)).toEqual({ sql, names, values: {} });
});

test('a filter searches one column or all, with its text as a value', () => {
  const { sql, values } = pageStatement('SELECT 1', COLUMNS, [], { count: true, filter: { text: "it's" } });
  expect(sql).toMatch(
    / WHERE contains\(lower\(concat_ws\(chr\(31\), \*COLUMNS\(\*\)\)\), lower\(\$(\w+)\)\)$/,
  );
  expect(Object.values(values)).toEqual(["it's"]);
  const one = pageStatement('SELECT 1', COLUMNS, [], { filter: { text: 'a', column: 'Clicks' } });
  expect(one.sql).toContain(' WHERE contains(lower(CAST(c1 AS VARCHAR)), lower($');
});

test('a statement around a SELECT names its parameters', () => {
  expect(asRelation('SELECT 1', [])[0]).toBe('');
  expect(asRelation('SELECT $1, $crawl', ['1', 'crawl'])[0]).toBe(
    'WITH "crawlhouse parameters" AS (SELECT $1, $"crawl") ',
  );
});

test('a column is found by its exact name first, then in any case', () => {
  expect(['A', 'a', 'B'].map((name) => placeOf(['a', 'A', 'b'], name))).toEqual([1, 0, 2]);
  expect(() => placeOf(COLUMNS, 'click')).toThrow('the result has no column "click"');
});
