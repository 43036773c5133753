import { expect, test } from 'vitest';
import { parseOql } from '../../../../../src/client/oql/parse-oql.ts';
import { oqlCondition } from '../../../../../src/etl/project/sql/segments/oql-condition.ts';

const COLUMNS = new Map([
  ['title', 'VARCHAR'],
  ['depth', 'BIGINT'],
  ['fetched', 'BOOLEAN'],
  ['day', 'DATE'],
  ['at', 'TIMESTAMP WITH TIME ZONE'],
  ['sources', 'VARCHAR[]'],
  ['prices', 'DOUBLE[]'],
  ['raw', 'JSON'],
]);

const written = (tree: unknown): string => oqlCondition(parseOql(tree), COLUMNS);

test.each([
  [['title', 'has_value', ''], '"title" IS NOT NULL'],
  [['title', 'has_no_value', ''], 'NOT coalesce("title" IS NOT NULL, false)'],
  [['raw', 'has_value', ''], '"raw" IS NOT NULL'],
  [
    ['sources', 'has_value', ''],
    `(array_length("sources") > 0 AND array_to_string("sources", ',') IS NOT NULL)`,
  ],
  [['title', 'equals', "it's"], `"title" = 'it''s'`],
  [['title', 'not_equals', 'a'], `NOT coalesce("title" = 'a', false)`],
  [['title', 'contains', 'a', { ci: true }], `strpos(lower("title"), lower('a')) > 0`],
  [['title', 'startswith', 'a'], `starts_with("title", 'a')`],
  [
    ['title', 'endswith', 'ab'],
    `(length("title") >= length('ab') AND substr("title", length("title") - length('ab') + 1) = 'ab')`,
  ],
  [['title', 'contains', 'a.b', { regex: true }], `regexp_matches("title", '(a.b)')`],
  [['title', 'equals', 'a.b', { regex: true, ci: true }], `regexp_matches("title", '(?i)^(a.b)$')`],
  [['title', 'startswith', '(?i)a', { regex: true }], `regexp_matches("title", '(?i)^(a)')`],
  [['title', 'endswith', 'a', { regex: true }], `regexp_matches("title", '(a)$')`],
  [['depth', 'equals', 3], '"depth" = 3'],
  [['depth', 'gt', -3], '"depth" > -3'],
  [['depth', 'gte', 0.5], `"depth" >= CAST('0.5' AS DOUBLE)`],
  [['depth', 'lt', 1e17], '"depth" < 100000000000000000'],
  [['depth', 'lte', 1e18], `"depth" <= CAST('1000000000000000000' AS DECIMAL(38, 0))`],
  [['depth', 'equals', 1e21], `"depth" = CAST('1000000000000000000000' AS DECIMAL(38, 0))`],
  [['depth', 'equals', 1e40], `"depth" = CAST('${BigInt(1e40)}' AS DOUBLE)`],
  [['depth', 'between', [1, 2]], '("depth" >= 1 AND "depth" < 2)'],
  [['fetched', 'equals', true], '"fetched" = true'],
  [['fetched', 'not_equals', 'false'], 'NOT coalesce("fetched" = false, false)'],
  [['day', 'gte', '2026/01/31'], `"day" >= CAST('2026-01-31' AS DATE)`],
  [['at', 'lt', '2026/01/31'], `"at" < TIMESTAMPTZ '2026-01-31 00:00:00+00:00'`],
  [['at', 'equals', '2026/01/31 12:30:00 UTC'], `"at" = TIMESTAMPTZ '2026-01-31 12:30:00+00:00'`],
  [
    ['sources', 'contains', 'a'],
    `(array_length("sources") > 0 AND strpos(chr(31) || array_to_string("sources", chr(31)) || chr(31), 'a') > 0)`,
  ],
  [
    ['sources', 'equals', 'a', { ci: true }],
    `(array_length("sources") > 0 AND strpos(lower(chr(31) || array_to_string("sources", chr(31)) || chr(31)), lower(chr(31) || 'a' || chr(31))) > 0)`,
  ],
  [
    ['sources', 'startswith', 'a'],
    `(array_length("sources") > 0 AND strpos(chr(31) || array_to_string("sources", chr(31)) || chr(31), chr(31) || 'a') > 0)`,
  ],
  [
    ['sources', 'endswith', 'a'],
    `(array_length("sources") > 0 AND strpos(chr(31) || array_to_string("sources", chr(31)) || chr(31), 'a' || chr(31)) > 0)`,
  ],
  [
    ['sources', 'equals', 'a', { regex: true }],
    `page_key IN (SELECT pages.page_key FROM mart.pages AS pages CROSS JOIN UNNEST(pages."sources") AS items(item) WHERE regexp_matches(items.item, '^(a)$'))`,
  ],
  [
    ['prices', 'not_equals', 1],
    `NOT coalesce(page_key IN (SELECT pages.page_key FROM mart.pages AS pages CROSS JOIN UNNEST(pages."prices") AS items(item) WHERE items.item = 1), false)`,
  ],
] as const)('%j', (field, sql) => {
  expect(written({ field })).toBe(sql);
});

test('conditions are joined in brackets, and an empty list holds for all or for none', () => {
  const a = { field: ['depth', 'equals', 1] };
  const b = { field: ['fetched', 'equals', false] };
  expect(written({ and: [a, { or: [a, b] }] })).toBe('("depth" = 1 AND ("depth" = 1 OR "fetched" = false))');
  expect(written({ or: [{ and: [] }, { or: [] }] })).toBe('(true OR false)');
});

test.each([
  [['depth', 'endswith', '1'], 'endswith on depth, which is BIGINT, is for texts'],
  [['title', 'between', ['a', 'b']], 'between on title, which is VARCHAR, is for numbers and times'],
  [['depth', 'between', [1, 'a']], 'between on depth, which is BIGINT, accepts a number'],
  [['prices', 'gt', '1'], 'gt on prices, which is DOUBLE[], accepts a number'],
  [['day', 'equals', 20260131], 'equals on day, which is DATE, accepts a day, as in 2026-01-31'],
  [['raw', 'equals', 'a'], 'equals on raw, which is JSON, can only have a value or none'],
  [
    ['day', 'equals', 'a', { regex: true }],
    'equals on day, which is DATE, does not accept a regular expression',
  ],
  [
    ['title', 'equals', '(?i)(?i)(?i)a', { regex: true, ci: true }],
    'equals on title, which is VARCHAR, does not accept this regular expression: ',
  ],
] as const)('%j is refused', (field, message) => {
  expect(() => written({ field })).toThrow(message);
});

test('a regular expression may have 1,000 characters, and (?i) of its own beside the option', () => {
  const pattern = 'a'.repeat(1000);
  expect(written({ field: ['title', 'contains', pattern, { regex: true }] })).toBe(
    `regexp_matches("title", '(${pattern})')`,
  );
  expect(written({ field: ['title', 'contains', '(?i)a', { regex: true, ci: true }] })).toBe(
    `regexp_matches("title", '(?i)(a)')`,
  );
});
