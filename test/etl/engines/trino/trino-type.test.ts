import { expect, test } from 'vitest';
import { trinoType } from '../../../../src/etl/engines/trino/trino-dialect.ts';

test('DuckDB types map to Trino types, under any of their names', () => {
  const types = ['VARCHAR', 'JSON[]', 'HUGEINT', 'timestamptz', 'DATE[][]', 'DECIMAL(38,9)', 'text'];
  expect(types.map(trinoType)).toEqual([
    'varchar',
    'array(varchar)',
    'decimal(38,0)',
    'timestamp(6) with time zone',
    'array(array(date))',
    'decimal(38,9)',
    'varchar',
  ]);
});

test('a type that Trino has no column for is refused', () => {
  expect(() => trinoType('UNION(a INTEGER)')).toThrow('Trino has no column for the type UNION(a INTEGER)');
});
