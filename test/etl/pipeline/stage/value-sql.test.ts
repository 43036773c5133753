import { expect, test } from 'vitest';
import { brokenSql, valueSql } from '../../../../src/etl/pipeline/stage/value-sql.ts';

const sqlOf = (type: string, as = 'string', arity: 'one' | 'many' = 'one') => {
  const given = {
    field: { name: 'a', type: as, arity },
    source: 'a',
    widened: false,
    numbers: 'sent',
  } as const;
  const conversion = { ...given, format: 'parquet', type } as const;
  return [valueSql(conversion), brokenSql(conversion)] as const;
};

test.each([
  ['VARCHAR', 'to_text("a")'],
  ['BLOB', 'to_text(TRY(decode("a")))'],
  ['DATE', 'CASE WHEN isfinite("a") THEN CAST("a" AS VARCHAR) END'],
  ['TIMESTAMP', 'strftime("a", \'%Y/%m/%d %H:%M:%S\')'],
  ['TIMESTAMP WITH TIME ZONE', "strftime(timezone('UTC', \"a\"), '%Y/%m/%d %H:%M:%S')"],
  ['FLOAT', 'CAST(CAST("a" AS DOUBLE) AS VARCHAR)'],
  ['BIGINT', 'to_text(CAST("a" AS VARCHAR))'],
  ['STRUCT(b INTEGER)', 'CAST(to_json("a") AS VARCHAR)'],
])('the text of a Parquet value of type %s', (type, sql) => {
  expect(sqlOf(type)[0]).toContain(sql);
});

test('a value without a text is broken; a text never is', () => {
  expect(sqlOf('TIMESTAMP')[1]).toContain('"a" IS NOT NULL AND');
  expect(sqlOf('VARCHAR')[1]).toBeNull();
  expect(sqlOf('INTEGER')[1]).toBeNull();
});
