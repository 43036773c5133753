import { expect, test } from 'vitest';
import { applyChange } from './change.ts';
import { changesOf } from './mutants.ts';
import { resultOf, survivorOf } from './report.ts';

const mutantsOf = (sql: string): string[] =>
  changesOf(sql).map((change) => applyChange(sql, change).replaceAll(/\s+/g, ' ').trim());

test('a condition is mutated by removing each operand, all of them, and by swapping each operator', () => {
  expect(mutantsOf('SELECT a FROM t WHERE b <= 10 AND c OR d IS NULL')).toEqual([
    'SELECT a FROM t WHERE c OR d IS NULL',
    'SELECT a FROM t WHERE true',
    'SELECT a FROM t WHERE b < 10 AND c OR d IS NULL',
    'SELECT a FROM t WHERE b <= 11 AND c OR d IS NULL',
    'SELECT a FROM t WHERE b <= 9 AND c OR d IS NULL',
    'SELECT a FROM t WHERE b <= 10 OR c OR d IS NULL',
    'SELECT a FROM t WHERE b <= 10 OR d IS NULL',
    'SELECT a FROM t WHERE b <= 10 AND c AND d IS NULL',
    'SELECT a FROM t WHERE b <= 10 AND c',
    'SELECT a FROM t WHERE b <= 10 AND c OR d IS NOT NULL',
  ]);
});

test('the AND of BETWEEN is not an operator, and a single condition becomes true', () => {
  expect(mutantsOf('SELECT a FROM t JOIN u ON b BETWEEN c AND d')).toEqual([
    'SELECT a FROM t JOIN u ON true',
  ]);
});

test.each([
  ['SELECT min(a)', ['SELECT max(a)']],
  ['SELECT count(DISTINCT a)', ['SELECT count( a)']],
  ['SELECT a - b', ['SELECT a + b']],
  ['SELECT -a', []],
  ['SELECT CAST(a AS DECIMAL(38, 9))', []],
  ['SELECT DISTINCT a', ['SELECT a']],
  ['SELECT coalesce(a, b, c)', ['SELECT coalesce(a)']],
  ["SELECT 'it''s'", ["SELECT 'it''s!'"]],
  ["SELECT INTERVAL '27' DAY", ["SELECT INTERVAL '28' DAY"]],
  ['SELECT a FROM t LEFT JOIN u USING (b)', ['SELECT a FROM t JOIN u USING (b)']],
  ['SELECT left(a, b)', []],
  ['SELECT a UNION ALL SELECT b', ['SELECT a UNION SELECT b']],
  ['SELECT a IS DISTINCT FROM b', ['SELECT a <> b']],
  ['SELECT a IS NOT DISTINCT FROM b', ['SELECT a = b']],
  ['SELECT NOT EXISTS (SELECT 1 FROM t)', ['SELECT EXISTS (SELECT 1 FROM t)']],
  ['SELECT count(a)', ['SELECT count(*)']],
  ['SELECT count(a.b)', ['SELECT count(*)']],
  ['SELECT count(*), count()', []],
  ['SELECT a FROM t ORDER BY a', ['SELECT a FROM t ORDER BY a DESC']],
  ['SELECT a FROM t ORDER BY a DESC', ['SELECT a FROM t ORDER BY a ASC']],
  [
    'SELECT a FROM t ORDER BY f(a, b), c NULLS LAST LIMIT $d',
    [
      'SELECT a FROM t ORDER BY c NULLS LAST LIMIT $d',
      'SELECT a FROM t ORDER BY f(a, b) DESC, c NULLS LAST LIMIT $d',
      'SELECT a FROM t ORDER BY f(a, b) LIMIT $d',
      'SELECT a FROM t ORDER BY f(a, b), c DESC NULLS LAST LIMIT $d',
      'SELECT a FROM t ORDER BY f(a, b), c NULLS FIRST LIMIT $d',
    ],
  ],
  [
    'SELECT f() OVER (PARTITION BY a, b ORDER BY c ROWS d) FROM t GROUP BY e',
    [
      'SELECT f() OVER (PARTITION BY b ORDER BY c ROWS d) FROM t GROUP BY e',
      'SELECT f() OVER (PARTITION BY a ORDER BY c ROWS d) FROM t GROUP BY e',
      'SELECT f() OVER (PARTITION BY a, b ORDER BY c DESC ROWS d) FROM t GROUP BY e',
    ],
  ],
  ['SELECT count(CASE WHEN a THEN 1 END)', ['SELECT count(CASE WHEN true THEN 1 END)']],
  [
    'SELECT count(DISTINCT CASE WHEN a THEN 1 END)',
    ['SELECT count( CASE WHEN a THEN 1 END)', 'SELECT count(DISTINCT CASE WHEN true THEN 1 END)'],
  ],
  ['SELECT "a = 1", $limit -- b = 2\n/* \'c\' */ FROM t', []],
])('%s has the mutants %j', (sql, expected) => {
  expect(mutantsOf(sql)).toEqual(expected);
});

test('a surviving mutant is named by its line and change, and counts unless it is equivalent', () => {
  const sql = 'SELECT a\nFROM t\nWHERE b > 0\n  AND c';
  const survivors = changesOf(sql).map((change) => survivorOf(sql, 10, change));
  expect(survivors.map(({ line, change }) => `${line}: ${change}`)).toEqual([
    '12: WHERE [b > 0 AND → ]c',
    '12: WHERE [b > 0 AND c → true]',
    '12: WHERE b [> → >=] 0',
    '12: WHERE b > [0 → 1]',
    '12: WHERE b > [0 → -1]',
    '13: [AND → OR] c',
    '13: [AND c → ]',
  ]);
  const known = [{ changes: ['WHERE b > [0 → -1]', 'WHERE b > [0 → 7]'], reason: 'b is never negative' }];
  const { result, stale } = resultOf(survivors.slice(3, 5), 7, known);
  expect(result).toEqual({
    mutants: 9,
    caught: 7,
    equivalent: 1,
    ratio: 0.875,
    survivors: [{ line: 12, change: 'WHERE b > [0 → 1]' }],
  });
  expect(stale).toEqual(['WHERE b > [0 → 7]']);
});
