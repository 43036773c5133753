import { expect, test } from 'vitest';
import {
  boundCondition,
  columnsOfCondition,
  conditionWords,
  familyOf,
  parameterName,
  sortOf,
  unknownColumn,
} from '../../../../../src/app/answers/explore/pages/page-conditions.ts';
import type { Condition } from '../../../../../src/app/answers/explore/pages/page-filter.ts';
import type { CatalogReader } from '../../../../../src/etl/state/catalog/catalog.ts';

const TYPES = new Map([
  ['url', 'VARCHAR'],
  ['depth', 'BIGINT'],
  ['small', 'UTINYINT'],
  ['rank', 'DOUBLE'],
  ['ok', 'BOOLEAN'],
  ['day', 'DATE'],
  ['time', 'TIMESTAMP WITH TIME ZONE'],
  ['names', 'VARCHAR[]'],
  ['sizes', 'BIGINT[]'],
  ['shape', 'STRUCT(a BIGINT)'],
]);
const bound = (column: string, operator: string, value: string) =>
  boundCondition({ column, operator, value } as Condition, TYPES, 'p');

test.each([
  ['BIGINT', 'number'],
  ['UTINYINT', 'number'],
  ['DECIMAL(38,0)', 'number'],
  ['INTEGER', 'number'],
  ['DOUBLE', 'number'],
  ['DATE', 'time'],
  ['TIMESTAMP WITH TIME ZONE', 'time'],
  ['BOOLEAN', 'boolean'],
  ['VARCHAR', 'text'],
  ['VARCHAR[]', 'list'],
  ['STRUCT(a BIGINT)', 'other'],
])('%s is a %s', (type, family) => {
  expect(familyOf(type)).toBe(family);
});

test.each([
  ['depth', 'eq', '4', 'pages.depth = CAST($p AS BIGINT)'],
  ['depth', 'gt', '4.5', 'pages.depth > CAST($p AS DOUBLE)'],
  ['depth', 'ne', '-4', 'pages.depth IS DISTINCT FROM CAST($p AS BIGINT)'],
  ['rank', 'gte', '1', 'pages."rank" >= CAST($p AS DOUBLE)'],
  ['day', 'lt', '2026-02-01', 'pages."day" < CAST($p AS DATE)'],
  ['time', 'lte', '2026-02-01', 'pages."time" <= CAST($p AS TIMESTAMP WITH TIME ZONE)'],
  ['url', 'in', 'a,b', 'pages.url IN (CAST($p AS VARCHAR), CAST($p_2 AS VARCHAR))'],
  ['url', 'contains', 'a,b', 'strpos(lower(pages.url), lower(CAST($p AS VARCHAR))) > 0'],
  ['url', 'not_contains', 'a', 'coalesce(strpos(lower(pages.url), lower(CAST($p AS VARCHAR))), 0) = 0'],
  ['url', 'starts', 'a', 'starts_with(pages.url, CAST($p AS VARCHAR))'],
  [
    'url',
    'ends',
    'a😀',
    'length(pages.url) >= 2 AND substr(pages.url, length(pages.url) - 1) = CAST($p AS VARCHAR)',
  ],
  ['ok', 'is', 'true', 'pages.ok'],
  ['ok', 'is', 'false', 'NOT pages.ok'],
  ['depth', 'is', 'null', 'pages."depth" IS NULL'],
  ['shape', 'is', 'not_null', 'pages.shape IS NOT NULL'],
])('%s %s %s is SQL with a parameter', (column, operator, value, sql) => {
  const plain = (text: string) => text.replaceAll('"', '');
  expect(plain(bound(column, operator, value).sql)).toBe(plain(sql));
});

test('a value is bound, and a list contains it as text or as a number', () => {
  expect([...bound('url', 'in', 'a,b').values]).toEqual([
    ['p', 'a'],
    ['p_2', 'b'],
  ]);
  expect([...bound('url', 'eq', 'a,b').values]).toEqual([['p', 'a,b']]);
  expect(bound('names', 'has', '7').sql).toContain('|| CAST($p AS VARCHAR) ||');
  expect(bound('sizes', 'has', '7').sql).toContain('|| CAST(CAST($p AS BIGINT) AS VARCHAR) ||');
  expect(bound('sizes', 'has', '7.0').sql).toContain('|| CAST(CAST($p AS DOUBLE) AS VARCHAR) ||');
  expect(bound('ok', 'is', 'true').values.size).toBe(0);
});

test.each([
  ['x', 'eq', '1', 'pages have no column x'],
  ['url', 'gt', '1', 'url: the operator gt does not work with VARCHAR'],
  ['ok', 'contains', '1', 'ok: the operator contains does not work with BOOLEAN'],
  ['shape', 'eq', '1', 'shape: the operator eq does not work with STRUCT(a BIGINT)'],
  ['url', 'is', 'true', 'url: the operator is does not accept true'],
  ['ok', 'is', 'toString', 'ok: the operator is does not accept toString'],
  ['depth', 'eq', 'many', "depth: 'many' is not a number"],
  ['sizes', 'has', 'many', "sizes: 'many' is not a number"],
  ['day', 'eq', 'soon', "day: 'soon' is not a time"],
  ['small', 'eq', '256', 'small: 256 is beyond UTINYINT, 0 to 255'],
  ['small', 'eq', '-1', 'small: -1 is beyond UTINYINT, 0 to 255'],
  [
    'depth',
    'eq',
    '9223372036854775808',
    /^depth: 9223372036854775808 is beyond BIGINT, -9223372036854775808/,
  ],
])('%s %s %s is refused', (column, operator, value, message) => {
  expect(() => bound(column, operator, value)).toThrow(message);
});

test('the bounds of a type are values of it', () => {
  for (const [column, value] of [
    ['small', '0'],
    ['small', '255'],
    ['small', '+7'],
    ['depth', '9223372036854775807'],
    ['depth', '-9223372036854775808'],
  ] as const)
    expect(bound(column, 'eq', value).values.get('p')).toBe(value);
});

test('the hint of a refused operator names those that work', () => {
  const hints = (column: string, operator: string, value: string): unknown => {
    try {
      return bound(column, operator, value);
    } catch (error) {
      return (error as { hint: string }).hint;
    }
  };
  expect(hints('names', 'eq', 'a')).toBe('operators of names: has, is');
  expect(hints('ok', 'is', 'maybe')).toBe('is:null, is:not_null, is:true, is:false');
  expect(hints('url', 'is', 'maybe')).toBe('is:null, is:not_null');
  expect(hints('depth', 'eq', 'a')).toMatch(/^as in depth=eq:/);
  expect(hints('sizes', 'has', 'a')).toMatch(/^as in sizes=has:/);
});

test('pages are sorted by a column that exists, NULLs last', () => {
  const types = new Map([...TYPES, ['inrank_decimal', 'DOUBLE']]);
  expect(sortOf(undefined, types)).toEqual({
    column: 'inrank_decimal',
    sql: '"inrank_decimal" DESC NULLS LAST',
  });
  expect(sortOf(' url ', types).sql).toBe('"url" ASC NULLS LAST');
  expect(sortOf('url DESC', types).sql).toBe('"url" DESC NULLS LAST');
  expect(() => sortOf('urk', types)).toThrow('--sort: mart.pages has no column urk');
  expect(() => sortOf('a b c', types)).toThrow('--sort: mart.pages has no column a b c');
  expect(unknownColumn('urk', ['url'])).toMatchObject({ hint: expect.stringContaining('url') });
});

test('a condition has words, and a parameter a free name', () => {
  expect(conditionWords({ column: 'depth', operator: 'gte', value: 'a_b' })).toMatch(/ at least a b$/);
  expect(parameterName('depth', 1, new Map())).toBe('depth');
  expect(parameterName('depth', 1, new Map([['depth', 1]]))).toBe('depth_2x');
  expect(parameterName('a b', 0, new Map())).toBe('value');
});

/** A reader whose parser returns these trees, one after the other. */
function parser(...trees: object[]): CatalogReader {
  return { rows: async () => [{ tree: JSON.stringify(trees.shift()) }] };
}
const signal = new AbortController().signal;
const node = (more: object = {}) => ({
  statements: [
    {
      node: {
        type: 'SELECT_NODE',
        from_table: { type: 'EMPTY' },
        modifiers: [],
        group_expressions: [],
        having: null,
        qualify: null,
        where_clause: {
          class: 'COMPARISON',
          left: { class: 'COLUMN_REF', column_names: ['pages', 'depth'] },
        },
        ...more,
      },
    },
  ],
});

test('the columns of a condition are those that its tree names', async () => {
  expect(await columnsOfCondition(parser(node(), node()), 'pages.depth > 1', signal)).toEqual(['depth']);
});

test.each([
  [{ error: true, error_message: 'syntax error' }, node(), 'syntax error; as in'],
  [node(), { error: true, error_message: 'it ends' }, 'it ends; as in'],
  [{ statements: [...node().statements, ...node().statements] }, node(), "as in --where 'status_code = 404'"],
  [node({ type: 'SET_OPERATION_NODE' }), node(), 'as in'],
  [node({ from_table: { type: 'BASE_TABLE' } }), node(), 'as in'],
  [node({ modifiers: [{}] }), node(), 'as in'],
  [node({ group_expressions: [{}] }), node(), 'as in'],
  [node({ having: {} }), node(), 'as in'],
  [node({ qualify: {} }), node(), 'as in'],
])('anything but one condition is refused: %#', async (first, second, hint) => {
  await expect(columnsOfCondition(parser(first, second), 'x', signal)).rejects.toMatchObject({
    message: '--where: x is not a single condition',
    hint: expect.stringMatching(new RegExp(`^${hint}`)),
  });
});
