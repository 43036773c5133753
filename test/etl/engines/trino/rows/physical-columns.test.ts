import { expect, test } from 'vitest';
import {
  columnSql,
  laterTypeOf,
  physicalColumns,
} from '../../../../../src/etl/engines/trino/rows/write-load.ts';

/** Where the values of a column go, and how they are read. */
function stored(
  type: string,
  columns: Readonly<Record<string, string>>,
  name = 'n',
): readonly [string, string] {
  const [column] = physicalColumns(new Map([[name, type]]), new Map(Object.entries(columns)));
  return column ? [column.target, columnSql(column, 'd')] : ['', ''];
}

test('a column keeps its name while its type is the first', () => {
  expect(stored('BIGINT', {})).toEqual(['n', 'd."n"']);
  expect(stored('BIGINT', { n: 'bigint' })).toEqual(['n', 'd."n"']);
});

test('values of a later type use another column, and earlier values are cast', () => {
  const wide = '_as decimal(38,0): n';
  expect(stored('DECIMAL(38,0)', { n: 'bigint' })).toEqual([
    wide,
    `coalesce(d."${wide}", CAST(d."n" AS decimal(38,0))) AS "n"`,
  ]);
  const list = '_as array(decimal(38,0)): n';
  const as = 'AS array(decimal(38,0)))';
  expect(stored('DECIMAL(38,0)[]', { n: 'bigint', [wide]: 'decimal(38,0)' })).toEqual([
    list,
    `coalesce(d."${list}", CAST(CASE WHEN d."n" IS NOT NULL THEN ARRAY[d."n"] END ${as}, CAST(CASE WHEN d."${wide}" IS NOT NULL THEN ARRAY[d."${wide}"] END ${as}) AS "n"`,
  ]);
});

test('a column is not confused with one whose name has the same ending', () => {
  const columns = { n: 'bigint', 'x: n': 'bigint', '_as double: x: n': 'double' };
  expect(stored('BIGINT', columns)).toEqual(['n', 'd."n"']);
  expect(laterTypeOf('_as double: x: n')).toBe('x: n');
});

test('a model column may have the name of a column that every stored table has', () => {
  const load = { _load_id: 'varchar', '_as varchar: _load_id': 'varchar' };
  for (const known of [{}, { _load_id: 'varchar' }, load]) {
    const [column] = physicalColumns(new Map([['_load_id', 'VARCHAR']]), new Map(Object.entries(known)), [
      '_load_id',
    ]);
    expect(column).toMatchObject({ target: '_as varchar: _load_id', former: [] });
    expect(column && columnSql(column, 'd')).toBe('d."_as varchar: _load_id" AS "_load_id"');
  }
});

test('a type that Trino has no column for is refused', () => {
  expect(() => stored('STRUCT(a INTEGER)', {})).toThrow('Trino has no column for the type STRUCT(a INTEGER)');
});
