import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { dataTests } from '../../../../../src/etl/project/sql/models/data-tests.ts';
import { loadModels } from '../../../../../src/etl/project/sql/models/load-models.ts';
import { ModelHeader } from '../../../../../src/etl/project/sql/models/model-header.ts';
import { sqlFolder } from '../../../../../src/etl/project/sql/models/sql-folders.ts';
import { loadQuestions } from '../../../../../src/etl/project/sql/questions/questions.ts';
import { FUNCTIONS } from '../../../../../src/etl/project/sql/text/portable-functions.ts';
import { findNonPortable } from '../../../../../src/etl/project/sql/text/portable-sql.ts';
import { gaps } from '../../../../support/gaps.ts';
import { FUNCTION_CASES } from '../../../../trino/functions.ts';
import { openWarehouse, type TestWarehouse } from '../../../pipeline/transform/test-warehouse.ts';

let warehouse: TestWarehouse;
beforeAll(async () => {
  warehouse = await openWarehouse();
});
afterAll(() => warehouse[Symbol.asyncDispose]());

const findings = (sql: string) =>
  findNonPortable(warehouse.connection, sql, { file: 'sql/mart/a.sql', line: 1 });

/** A rule, SQL that breaks it, and the portable form of the same. */
const RULES: readonly (readonly [rule: string, bad: string, good: string])[] = [
  ['SELECT comes first', 'WITH t AS (FROM u) SELECT a FROM t', 'WITH t AS (SELECT a FROM u) SELECT a FROM t'],
  [
    'no MATERIALIZED',
    'WITH t AS MATERIALIZED (SELECT 1 AS a) SELECT a FROM t',
    'WITH t AS (SELECT 1 AS a) SELECT a FROM t',
  ],
  ['no IS TRUE', 'SELECT a FROM t WHERE b IS NOT TRUE', 'SELECT a FROM t WHERE NOT coalesce(b, false)'],
  ['no ::', 'SELECT a::DATE AS a FROM t', 'SELECT CAST(a AS DATE) AS a FROM t'],
  ['no date_part', "SELECT date_part('year', a) FROM t", 'SELECT extract(YEAR FROM a) FROM t'],
  ['FILTER has WHERE', 'SELECT sum(a) FILTER (a > 1) FROM t', 'SELECT sum(a) FILTER (WHERE a > 1) FROM t'],
  [
    'OFFSET comes before LIMIT',
    'SELECT a FROM t ORDER BY a LIMIT 10 OFFSET 20',
    'SELECT a FROM t ORDER BY a OFFSET 20 LIMIT 10',
  ],
  [
    'INTERVAL of a text',
    'SELECT a FROM t WHERE b > c - INTERVAL 28 DAY',
    "SELECT a FROM t WHERE b > c - INTERVAL '28' DAY",
  ],
  ['no EXCLUDE, REPLACE, COLUMNS or ALL', 'SELECT * EXCLUDE (a) FROM t', 'SELECT *, a AS b FROM t'],
  [
    'no EXCLUDE, REPLACE, COLUMNS or ALL',
    'SELECT * REPLACE (a + 1 AS a) FROM t',
    'SELECT t.*, a + 1 AS b FROM t',
  ],
  ['no EXCLUDE, REPLACE, COLUMNS or ALL', "SELECT COLUMNS('a.*') FROM t", 'SELECT a1, a2 FROM t'],
  ['no EXCLUDE, REPLACE, COLUMNS or ALL', 'SELECT a FROM t ORDER BY ALL', 'SELECT a FROM t ORDER BY a'],
  ['no GROUP BY ALL', 'SELECT a, count(*) FROM t GROUP BY ALL', 'SELECT a, count(*) FROM t GROUP BY a'],
  [
    'no alias in GROUP BY, WHERE, HAVING',
    'SELECT lower(a) AS b, count(*) FROM t GROUP BY b',
    'SELECT lower(a) AS a, b AS b, count(*) FROM t GROUP BY lower(a), b',
  ],
  [
    'no alias in GROUP BY, WHERE, HAVING',
    'SELECT a + 1 AS b FROM t WHERE b > 1',
    'SELECT a + 1 AS b FROM t WHERE t.b > 1 AND a IN (SELECT b FROM u)',
  ],
  [
    'no alias in GROUP BY, WHERE, HAVING',
    'SELECT a, count(*) AS n FROM t GROUP BY a HAVING n > 1',
    'SELECT a, count(*) AS n FROM t GROUP BY a HAVING count(*) > 1 ORDER BY n',
  ],
  [
    'no QUALIFY',
    'SELECT a FROM t QUALIFY row_number() OVER (ORDER BY a) = 1',
    'SELECT a FROM (SELECT a, row_number() OVER (ORDER BY a) AS place FROM t) AS ranked WHERE place = 1',
  ],
  [
    'no PIVOT or UNPIVOT',
    'SELECT a FROM (UNPIVOT t ON b, c) AS turned',
    'SELECT a, CASE n WHEN 1 THEN b ELSE c END FROM t CROSS JOIN (VALUES (1), (2)) AS x(n)',
  ],
  ['no sample', 'SELECT a FROM t TABLESAMPLE 10%', 'SELECT a FROM t WHERE a % 10 = 0'],
  ['no DISTINCT ON', 'SELECT DISTINCT ON (a) a, b FROM t', 'SELECT DISTINCT a, b FROM t'],
  [
    'no ANTI JOIN',
    'SELECT a FROM t ANTI JOIN u USING (a)',
    'SELECT a FROM t WHERE NOT EXISTS (SELECT 1 FROM u WHERE u.a = t.a)',
  ],
  [
    'no SEMI JOIN',
    'SELECT a FROM t SEMI JOIN u ON u.a = t.a',
    'SELECT a FROM t WHERE a IN (SELECT a FROM u)',
  ],
  [
    'no ASOF JOIN',
    'SELECT t.a FROM t ASOF JOIN u ON u.a <= t.a',
    'SELECT t.a FROM t LEFT JOIN u ON u.a <= t.a',
  ],
  ['no POSITIONAL JOIN', 'SELECT t.a FROM t POSITIONAL JOIN u', 'SELECT t.a FROM t CROSS JOIN u'],
  ['no l[n]', 'SELECT l[1] FROM t', 'SELECT list_extract(l, 1) FROM t'],
  ['no l[n]', 'SELECT l[1:2] FROM t', 'SELECT ARRAY[list_extract(l, 1), list_extract(l, 2)] FROM t'],
  ['UNNEST stands in FROM', 'SELECT unnest(l) FROM t', 'SELECT x FROM t CROSS JOIN UNNEST(l) AS a(x)'],
  ['no cast to JSON', 'SELECT CAST(a AS JSON) FROM t', 'SELECT CAST(a AS VARCHAR[]) FROM t'],
  [
    'no FILTER of a lone column',
    'SELECT count(*) FILTER (WHERE b) FROM t',
    'SELECT count(*) FILTER (WHERE b > 1) FROM t',
  ],
  [
    'max_by leaves out NULLs',
    'SELECT max_by(a, b) FROM t',
    'SELECT max_by(a, b) FILTER (WHERE a IS NOT NULL) FROM t',
  ],
  [
    'max_by leaves out NULLs',
    'SELECT max_by(a, b) FILTER (WHERE b IS NOT NULL) FROM t',
    'SELECT max_by(t.a, ROW(b, c)) FILTER (WHERE t.a IS NOT NULL) FROM t',
  ],
  ['a division is of DOUBLE', 'SELECT a / b FROM t', 'SELECT 100 * CAST(a AS DOUBLE) / b FROM t'],
  ['a division is of DOUBLE', 'SELECT sum(a) / count(*) FROM t', 'SELECT 1e0 / b FROM t'],
  [
    'greatest as both engines have it',
    'SELECT greatest(a, 1) FROM t',
    'SELECT greatest(coalesce(a, 0), 1) FROM t',
  ],
  ['least as both engines have it', 'SELECT least(1, NULL) FROM t', 'SELECT least(1, 2) FROM t'],
  [
    'date_diff as both engines have it',
    "SELECT date_diff('month', a, b) FROM t",
    "SELECT date_diff('day', a, b) FROM t",
  ],
  [
    'date_part as both engines have it',
    'SELECT extract(DOW FROM a) FROM t',
    'SELECT extract(WEEK FROM a) FROM t',
  ],
  [
    'date_trunc as both engines have it',
    "SELECT date_trunc('decade', a) FROM t",
    "SELECT date_trunc('month', a) FROM t",
  ],
  [
    'regexp_replace as both engines have it',
    "SELECT regexp_replace(a, '/', '') FROM t",
    "SELECT regexp_replace(a, '/$', '') FROM t",
  ],
  ['substr as both engines have it', 'SELECT substr(a, 0, 2) FROM t', 'SELECT substr(a, 1, 2) FROM t'],
  ['no median', 'SELECT median(a) FROM t', 'SELECT avg(a) FROM t'],
  ['no list_value', 'SELECT [a] FROM t', 'SELECT ARRAY[a], CAST(ARRAY[] AS VARCHAR[]) FROM t'],
  [
    'no list_apply',
    'SELECT [x + 1 FOR x IN l] FROM t',
    'SELECT array_agg(x + 1) FROM t CROSS JOIN UNNEST(l) AS a(x)',
  ],
  ['no struct_pack', "SELECT {'a': 1} FROM t", 'SELECT ROW(1) FROM t'],
  ['no //', 'SELECT a // 2 FROM t', 'SELECT floor(CAST(a AS DOUBLE) / 2) FROM t'],
  ['no cast to INT', 'SELECT CAST(a AS INT) FROM t', 'SELECT CAST(a AS INTEGER) FROM t'],
  ['no cast to STRING', 'SELECT CAST(a AS STRING) FROM t', 'SELECT CAST(a AS VARCHAR) FROM t'],
  [
    'no cast to NUMERIC(10,2)',
    'SELECT CAST(a AS NUMERIC(10,2)) FROM t',
    'SELECT CAST(a AS DECIMAL(10, 2)) FROM t',
  ],
  [
    'no cast to DECIMAL',
    'SELECT TRY_CAST(a AS DECIMAL) FROM t',
    'SELECT TRY_CAST(a AS DECIMAL(18, 3)) FROM t',
  ],
  ['no INT', "SELECT INT '5' FROM t", "SELECT DATE '2026-01-31' FROM t"],
  [
    'a time with its zone',
    "SELECT TIMESTAMPTZ '2026-01-31 00:00:00' FROM t",
    "SELECT TIMESTAMPTZ '2026-01-31 00:00:00+00:00' FROM t",
  ],
  ['no trunc', 'SELECT trunc(a) FROM t', 'SELECT trunc FROM t'],
  ['no to_days', 'SELECT a - to_days(5) FROM t', "SELECT a - INTERVAL '5' DAY FROM t"],
  ['no ->', "SELECT a->'x' FROM t", "SELECT json_extract_string(a, '$.x') FROM t"],
  ['no ->>', "SELECT a ->> 'x' FROM t", 'SELECT a - -1 FROM t WHERE a>-1'],
  ['no ifnull', 'SELECT ifnull(a, b) FROM t', 'SELECT coalesce(a, b) FROM t'],
  ['no if', 'SELECT if(a, b, c) FROM t', 'SELECT CASE WHEN a THEN b ELSE c END FROM t'],
  ['no ==', 'SELECT a == b FROM t', 'SELECT a = b FROM t'],
  ['no ~~', "SELECT a ~~ 'x' FROM t", "SELECT a LIKE 'x' FROM t"],
  ['no 1_000', 'SELECT 1_000 FROM t', 'SELECT 1000 FROM t'],
  ["no text like E'…", "SELECT E'a\\n' FROM t", "SELECT 'a' || chr(10) FROM t"],
  ['no text like $$…', 'SELECT $$a$$ FROM t', "SELECT 'a' FROM t"],
  [
    'no IGNORE NULLS',
    'SELECT lag(a IGNORE NULLS) OVER (ORDER BY b) FROM t',
    'SELECT lag(a) OVER (ORDER BY b) FROM t WHERE a IS NOT NULL',
  ],
  [
    'no EXCLUDE in a window',
    'SELECT sum(a) OVER (ORDER BY b ROWS BETWEEN 1 PRECEDING AND CURRENT ROW EXCLUDE TIES) FROM t',
    'SELECT sum(a) OVER (ORDER BY b ROWS BETWEEN 1 PRECEDING AND CURRENT ROW) FROM t',
  ],
  ['no LIMIT of a share', 'SELECT a FROM t LIMIT 10%', 'SELECT a FROM t LIMIT 10'],
  ['LIMIT and OFFSET of a number', 'SELECT a FROM t LIMIT 5 + 5', 'SELECT a FROM t LIMIT $n'],
  ['no FETCH', 'SELECT a FROM t FETCH FIRST 5 ROWS ONLY', 'SELECT a FROM t LIMIT 5'],
  [
    'no UNION BY NAME',
    'SELECT a FROM t UNION BY NAME SELECT a FROM u',
    'SELECT a FROM t UNION SELECT a FROM u',
  ],
  ['SELECT comes first', 'SELECT a FROM t UNION ALL FROM u', 'SELECT a FROM t UNION ALL SELECT a FROM u'],
  ['no NATURAL JOIN', 'SELECT a FROM t NATURAL JOIN u', 'SELECT a FROM t JOIN u USING (a)'],
  ['no comma at the end', 'SELECT a, FROM t', 'SELECT a FROM t'],
  ['a name is no text', "SELECT a AS 'b' FROM t", 'SELECT a AS "b" FROM t'],
  ['no skip without quotes', 'SELECT skip FROM t', 'SELECT "skip" FROM t'],
  [
    'no comparison of rows or lists',
    'SELECT a FROM t WHERE (a, b) = (1, 2)',
    'SELECT a FROM t WHERE a = 1 AND b = 2',
  ],
  ['% as both engines have it', 'SELECT a % b FROM t', 'SELECT a % nullif(b, 0) FROM t'],
  ['replace as both engines have it', 'SELECT replace(a, b, c) FROM t', "SELECT replace(a, 'x', c) FROM t"],
  [
    'regexp_matches as both engines have it',
    "SELECT regexp_matches(a, '(?=x)') FROM t",
    "SELECT regexp_matches(a, '^x') FROM t",
  ],
  ['regexp_matches as both engines have it', 'SELECT regexp_matches(a, b) FROM t', 'SELECT a = b FROM t'],
  [
    'regexp_replace as both engines have it',
    "SELECT regexp_replace(a, '^a|b', '') FROM t",
    "SELECT regexp_replace(a, '^a|^b', '') FROM t",
  ],
  [
    'regexp_replace as both engines have it',
    "SELECT regexp_replace(a, '(a)', '\\1', 'g') FROM t",
    "SELECT regexp_replace(a, '(a)', 'b', 'g') FROM t",
  ],
];

test.each(RULES)('%s: %s', async (rule, bad, good) => {
  expect((await findings(bad)).map((finding) => finding.rule)).toContain(rule);
  expect(await findings(good)).toEqual([]);
});

test('a finding shows file, line and the portable form', async () => {
  const sql = '\nSELECT \'QUALIFY ä\', list(a)\nFROM t -- ::\nQUALIFY "IS TRUE" = 1';
  const found = await findNonPortable(warehouse.connection, sql, { file: 'sql/mart/a.sql', line: 10 });
  expect(found).toEqual([
    { file: 'sql/mart/a.sql', line: 11, rule: 'no list', instead: 'array_agg(x ORDER BY x)' },
    {
      file: 'sql/mart/a.sql',
      line: 13,
      rule: 'no QUALIFY',
      instead: 'WHERE around a subquery with the window',
    },
  ]);
});

test('rules apply in subqueries, WITH and UNION, once per line', async () => {
  const sql = `WITH t AS (SELECT median(a), median(b) FROM u)
SELECT (SELECT len(a) FROM u) FROM t
UNION ALL
SELECT mode(a) FROM t`;
  expect((await findings(sql)).map(({ line, rule }) => `${line} ${rule}`)).toEqual([
    '1 no median',
    '2 no len',
    '4 no mode',
  ]);
});

test('each portable function has test values for both engines, in portable SQL', async () => {
  const found = gaps(FUNCTIONS.keys(), FUNCTION_CASES.keys(), {
    adds: 'a portable function',
    missing: (name) => `${name} has no values in test/trino/functions.ts`,
    extra: (name) => `test/trino/functions.ts has values of ${name}, which is no portable function`,
  });
  expect(found).toEqual([]);
  for (const one of [...FUNCTION_CASES.values()].flat())
    expect([one, await findings(`SELECT ${one}`)]).toEqual([one, []]);
});

test('a function without a rule is not portable', async () => {
  const [finding] = await findings('SELECT bit_count(a) FROM t');
  expect(finding?.rule).toBe('no bit_count');
  expect(finding?.instead).toMatch(/^one of count, .*, strpos, /);
});

test('each kind of data test is portable', async () => {
  const header = ModelHeader.parse({
    name: 'mart.a',
    kind: 'table',
    description: 'A.',
    grain: ['a', 'b'],
    columns: { a: 'A.', b: 'B.' },
    tests: [
      { accepted_values: { column: 'a', values: ['x', 1] } },
      { relationships: { column: 'a', to: 'mart.b', field: 'c' } },
      { row_count: { between: [1, 2] } },
      { freshness: { column: 'b', within: '36 hours' } },
    ],
  });
  const found = await Promise.all(
    dataTests(header).flatMap(({ sql, rows, wholeRows }) => [sql, rows, wholeRows ?? rows].map(findings)),
  );
  expect(found.flat()).toEqual([]);
});

test('the shipped models, questions and data tests are portable', async () => {
  const folders = [sqlFolder(join(import.meta.dirname, '../../../../../sql'))];
  const models = await loadModels(folders);
  const questions = await loadQuestions(folders);
  expect(models.length + questions.length).toBeGreaterThan(60);
  const places = models.flatMap((model) => {
    const partitions = model.incremental
      ? [
          {
            sql: model.incremental.partitions,
            file: model.file,
            line: model.lineOf(['incremental', 'partitions']),
          },
        ]
      : [];
    const tests = model.tests.flatMap(({ sql, rows, wholeRows, path }) =>
      [sql, rows, wholeRows ?? rows].map((one) => ({ sql: one, file: model.file, line: model.lineOf(path) })),
    );
    return [{ sql: model.sql, file: model.file, line: model.sqlLine }, ...partitions, ...tests];
  });
  const found = [];
  for (const { sql, file, line } of [
    ...places,
    ...questions.map(({ sqlLine, ...rest }) => ({ ...rest, line: sqlLine })),
  ]) {
    found.push(...(await findNonPortable(warehouse.connection, sql, { file, line })));
  }
  expect(found).toEqual([]);
});
