import { expect, test } from 'vitest';
import { columnsOf } from '../../../src/service/fields/column.ts';
import { datasetQuery, sourceOf } from '../../../src/service/rows/dataset-query.ts';
import { csvHeader, csvLine, jsonLine } from '../../../src/service/rows/export-lines.ts';

const field = (name: string, type: string, more: object = {}) => ({ name, type, arity: 'one', ...more });
const FIELDS = [
  field('url', 'string'),
  field('depth', 'natural'),
  field('shape', 'object'),
  field('hidden', 'string', { can_display: false }),
  field('loose', 'string', { can_sort: false }),
] as unknown as Parameters<typeof columnsOf>[0];
const columns = columnsOf(FIELDS);
const query = (body: object, table: string | undefined = 'rows_1') =>
  datasetQuery({ table, columns }, body as Parameters<typeof datasetQuery>[1]);
const names = (body: object) => query(body).columns.map((column) => column.field.name);

test('a query selects its fields in their order; without fields, those that can be displayed', () => {
  expect(names({ fields: ['depth', 'url'] })).toEqual(['depth', 'url']);
  expect(names({})).toEqual(['url', 'depth', 'shape', 'loose']);
});

test.each([
  [{ fields: ['url', 'x'] }, 'fields[1]: there is no field "x"'],
  [{ fields: ['hidden'] }, "fields[0]: hidden can't be displayed"],
  [{ fields: ['url', 'url'] }, 'fields[1]: url appears twice'],
  [{ sort: [{ field: 'x', order: 'asc' }] }, 'sort[0].field: there is no field "x"'],
  [{ sort: [{ field: 'loose', order: 'asc' }] }, "sort[0].field: loose can't be sorted by"],
  [{ oql: { field: ['x', 'equals', 'a'] } }, 'oql.field[0]'],
])('%j is refused', (body, message) => {
  expect(() => query(body)).toThrow(message);
});

test('the problems of names have their kinds', () => {
  const kinds = (body: object) => {
    try {
      query(body);
      return null;
    } catch (error) {
      return (error as { fields: { type: string }[] }).fields.map(({ type }) => type);
    }
  };
  const sort = ['x', 'loose'].map((field) => ({ field, order: 'asc' }));
  expect(kinds({ sort })).toEqual(['unknown_field', 'not_sortable']);
  expect(kinds({ fields: ['x', 'hidden', 'url', 'url'] })).toEqual([
    'unknown_field',
    'not_displayable',
    'duplicate',
  ]);
});

test('rows are ordered as requested, then as stored', () => {
  expect(query({}).order).toBe('');
  expect(query({ sort: [] }).order).toBe('');
  expect(query({ sort: [{ field: 'depth', order: 'desc' }] }).order).toBe(
    'ORDER BY c1 DESC NULLS LAST, rowid',
  );
  expect(query({ sort: [{ field: 'shape', order: 'asc' }] }).order).toMatch(
    /^ORDER BY TRY_CAST\(.* AS DOUBLE\) ASC NULLS LAST, CASE .* ASC NULLS LAST, json_extract_string.* ASC NULLS LAST, rowid$/,
  );
});

test('a dataset without a table has columns and no rows', () => {
  const { table, source } = datasetQuery({ table: undefined, columns }, {});
  expect([table, source]).toEqual([undefined, undefined]);
  expect(query({ oql: null }).source).toMatch(/^FROM .*rows_1.* WHERE true$/);
  expect(query({ oql: null }).oql).toBeUndefined();
  expect(query({ oql: { field: ['depth', 'gt', 1] } }).source).toMatch(/WHERE .*c1 >/);
  expect(sourceOf({ table: undefined, columns: [] })).toBe('(SELECT 1 WHERE false)');
  expect(sourceOf({ table: undefined, columns: columns.slice(0, 2) })).toBe(
    '(SELECT CAST(NULL AS VARCHAR) AS c0, CAST(NULL AS BIGINT) AS c1 WHERE false)',
  );
  expect(sourceOf({ table: 'rows_1', columns })).toContain('rows_1');
});

test('the header of a CSV quotes only names that need it', () => {
  const named = (...all: string[]) =>
    columnsOf(all.map((name) => field(name, 'string')) as unknown as typeof FIELDS);
  expect(csvHeader(named('a', 'b c', 'd;e', 'f"g', 'h\ni', ''))).toBe('a;b c;"d;e";"f""g";"h\ni";""');
  expect(csvHeader(named('a;b', 'c,d'), ',')).toBe('a;b,"c,d"');
});

test('a line is one expression of its cells', () => {
  const two = columns.slice(0, 2);
  expect(csvLine(two.slice(1), '\n')).toBe("concat(CAST(c1 AS VARCHAR), '' || chr(10))");
  expect(csvLine([columns[1], columns[1]] as typeof columns, '')).toBe(
    "concat(CAST(c1 AS VARCHAR), ';', CAST(c1 AS VARCHAR), '')",
  );
  expect(jsonLine(two, '')).toBe(
    `concat('{', '"url":', coalesce(CAST(to_json(c0) AS VARCHAR), 'null'), ',"depth":', coalesce(CAST(c1 AS VARCHAR), 'null'), '}')`,
  );
});
