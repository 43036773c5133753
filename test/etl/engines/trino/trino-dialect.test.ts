import { expect, test } from 'vitest';
import {
  TrinoDialect,
  translateModel,
  translateSql,
  trinoType,
} from '../../../../src/etl/engines/trino/trino-dialect.ts';

test.each([
  ['array_length(l)', 'cardinality(l)'],
  [
    "array_to_string(l, ', ')",
    'element_at(transform(ARRAY[l], list -> CASE WHEN cardinality(list) = 0 OR any_match(list, item -> item IS NOT NULL) ' +
      "THEN array_join(list,  ', ') END), 1)",
  ],
  [
    "json_extract_string(c, '$.id')",
    "coalesce(json_extract_scalar(c, '$.id'), nullif(json_format(json_extract(c, '$.id')), 'null'))",
  ],
  ['list_extract(l, 3)', 'element_at(l, 3)'],
  ['list_extract(l, 0)', 'element_at(l, nullif( 0, 0))'],
  ['array_distinct(l)', 'array_distinct(filter(l, item -> item IS NOT NULL))'],
  ['ceil(n) + floor(m)', 'ceil(CAST(n AS double)) + floor(CAST(m AS double))'],
  ["date_diff('hour', a, b)", "date_diff('hour', a, b)"],
  ['ln(n)', "CASE WHEN n <= 0 THEN fail('no logarithm of zero or less') ELSE ln(n) END"],
  ['nfc_normalize(a)', 'normalize(a)'],
  ['regexp_matches(a, p)', 'regexp_like(a, p)'],
  ['f(a[1], hash(b[2], (c)))', 'f(a[1], xxhash64(to_utf8(json_format(CAST(ROW(b[2], (c)) AS JSON)))))'],
  ['timestamptz ', 'timestamptz '],
  ['list_extract(l, n)', 'element_at(l, nullif( n, 0))'],
  [
    'to_timestamp(CAST(ms AS DOUBLE) / 1000)',
    'CAST(from_unixtime_nanos(CAST(round((CAST(ms AS double) / 1000) * 1e6) AS decimal(38, 0)) * 1000) AS timestamp(6) with time zone)',
  ],
  ["date_diff('day', a, b)", "date_diff('day', date_trunc('day',  a), date_trunc('day',  b))"],
  ['upper(a)', "upper(replace(a, 'ß', 'ẞ'))"],
  ["regexp_matches(a, 'x$')", "regexp_like(a, 'x(?![\\x{0}-\\x{10ffff}])')"],
  ["regexp_replace(a, '(?i)^k''', '')", "regexp_replace(a, '^[kK\\x{212a}][\\x{27}]', '')"],
  ['hash(a, b) IN (1)', 'xxhash64(to_utf8(json_format(CAST(ROW(a, b) AS JSON)))) IN (1)'],
  ["split_part(u, '#', 1)", "split_part(u, '#', 1)"],
  ["split_part(u, '/', 3)", "coalesce(split_part(u, '/', 3), CASE WHEN u IS NOT NULL THEN '' END)"],
  ["TRIM ( replace(a, ',', '(') )", "trim(BOTH ' ' FROM  replace(a, ',', '(') )"],
  ["trim(a, '/')", "trim(BOTH '/' FROM a)"],
  ["TIMESTAMPTZ '1970-01-01 00:00:00+00:00'", "TIMESTAMP '1970-01-01 00:00:00+00:00'"],
  ['CAST(ARRAY[] AS VARCHAR[])', 'CAST(ARRAY[] AS array(varchar))'],
  ['TRY_CAST(a AS TIMESTAMPTZ)', 'TRY_CAST(a AS timestamp(6) with time zone)'],
  [
    'CAST(array_length(CAST(a AS BIGINT[])) AS DECIMAL(38, 9))',
    'CAST(cardinality(CAST(a AS array(bigint))) AS decimal(38, 9))',
  ],
])('%s becomes %s', (sql, expected) => {
  expect(translateSql(sql)).toBe(expected);
});

test('text, names and lines stay, comments and the final semicolon are removed', () => {
  const sql = `SELECT 'trim(a) --' AS "hash(a)", t.trim, hash AS split_part -- trim(a)
  /* array_length(l)
     /* 'it''s' */ */ , text AS json
FROM t AS x (hash);`;
  expect(translateSql(sql)).toBe(`SELECT 'trim(a) --' AS "hash(a)", t.trim, hash AS split_part${'  '}
${'   '}
 , text AS json
FROM t AS x (hash)`);
});

test('a translated call keeps the lines of its arguments', () => {
  expect(translateSql('array_length /* of */ (\n  -- one\n  trim(a)\n)')).toBe(
    "cardinality(\n   \n  trim(BOTH ' ' FROM a)\n)",
  );
});

test('a model outputs the types that it has in DuckDB', () => {
  const outputs = new Map([
    ['a', 'BIGINT'],
    ['b "c"', 'TIMESTAMP WITH TIME ZONE'],
  ]);
  expect(translateModel('SELECT a, "b ""c""" FROM mart.t -- t', outputs)).toBe(
    'SELECT CAST("a" AS bigint) AS "a", CAST("b ""c""" AS timestamp(6) with time zone) AS "b ""c""" ' +
      'FROM (SELECT a, "b ""c""" FROM mart.t  \n) AS model',
  );
});

test.each([
  ['varchar', 'varchar'],
  ['JSON', 'varchar'],
  ['HUGEINT', 'decimal(38,0)'],
  ['DECIMAL(38, 9)', 'decimal(38, 9)'],
  ['BIGINT[][]', 'array(array(bigint))'],
])('the type %s is %s', (type, expected) => {
  expect(trinoType(type)).toBe(expected);
});

test('a type without a column in Trino is refused', () => {
  expect(() => trinoType('STRUCT(a BIGINT)')).toThrow('Trino has no column for the type STRUCT(a BIGINT)');
});

test('a search compares the texts of columns, with lists and doubles as JSON', () => {
  const dialect = new TrinoDialect('p_');
  const columns = [
    { name: '"a"', type: 'VARCHAR' },
    { name: '"b"', type: 'VARCHAR[]' },
    { name: '"c"', type: 'DOUBLE' },
  ];
  expect(dialect.contains(columns, "it's")).toBe(
    'strpos(lower(concat_ws(chr(31), ARRAY[CAST("a" AS varchar), json_format(CAST("b" AS JSON)), ' +
      `json_format(CAST("c" AS JSON))])), lower('it''s')) > 0`,
  );
  expect([dialect.reader('mart.pages'), dialect.slice(20, 10)]).toEqual([
    '"p_mart"."pages"',
    'OFFSET 20 LIMIT 10',
  ]);
});
