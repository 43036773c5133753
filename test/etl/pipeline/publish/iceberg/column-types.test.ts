import { join } from 'node:path';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { ident, text } from '../../../../../src/core/duckdb/duckdb.ts';
import { tableColumns } from '../../../../../src/core/duckdb/table-columns.ts';
import {
  columnType,
  fieldIds,
  storedType,
} from '../../../../../src/etl/pipeline/publish/iceberg/column-types.ts';
import { newMetadata, withColumns } from '../../../../../src/etl/pipeline/publish/iceberg/table-metadata.ts';
import { testSeed } from '../../../../support/random.ts';
import { runs } from '../../../../support/runs.ts';
import { temporaryConnection, temporaryFolder } from '../../../../support/temporary.ts';

interface Made {
  /** As SQL. */
  readonly type: string;
  /** As the Parquet file has it. */
  readonly stored: string;
}

const SCALARS: readonly (readonly [type: string, stored: string])[] = [
  ...['BOOLEAN', 'INTEGER', 'BIGINT', 'FLOAT', 'DOUBLE', 'DATE', 'BLOB', 'VARCHAR', 'TIMESTAMP'].map(
    (type) => [type, type] as const,
  ),
  ...['TINYINT', 'SMALLINT', 'UTINYINT', 'USMALLINT'].map((type) => [type, 'INTEGER'] as const),
  ['UINTEGER', 'BIGINT'],
  ['UBIGINT', 'DECIMAL(20,0)'],
  ['HUGEINT', 'DECIMAL(38,0)'],
  ['DECIMAL(18,3)', 'DECIMAL(18,3)'],
  ['TIMESTAMPTZ', 'TIMESTAMP WITH TIME ZONE'],
  ['TIMESTAMP_NS', 'TIMESTAMP'],
  ...['TIME', 'UUID', 'JSON', 'INTERVAL', 'BIT'].map((type) => [type, 'VARCHAR'] as const),
  [`ENUM('a, (b', 'it''s ]', '"')`, 'VARCHAR'],
];
const NAMES = ['a', 'b c', 'd"e', 'f, g', 'h)', '[i]', "j'k", 'STRUCT(', 'key', 'ü'];

const { any: types } = fc.letrec<{ any: Made }>((tie) => ({
  any: fc.oneof(
    { maxDepth: 4, withCrossShrink: true },
    fc.constantFrom(...SCALARS).map(([type, stored]): Made => ({ type, stored })),
    tie('any').map(({ type, stored }): Made => ({ type: `${type}[]`, stored: `${stored}[]` })),
    tie('any').map(({ type, stored }): Made => ({ type: `${type}[2]`, stored: `${stored}[]` })),
    fc
      .tuple(tie('any'), tie('any'))
      .map(
        ([key, value]): Made => ({
          type: `MAP(${key.type}, ${value.type})`,
          stored: `MAP(${key.stored}, ${value.stored})`,
        }),
      ),
    fc
      .tuple(fc.uniqueArray(fc.constantFrom(...NAMES), { minLength: 1, maxLength: 4 }), fc.array(tie('any')))
      .map(([names, of]): Made => {
        const fields = names.map((name, index) => [ident(name), of[index % of.length] ?? INTEGER] as const);
        return {
          type: `STRUCT(${fields.map(([name, { type }]) => `${name} ${type}`).join(', ')})`,
          stored: `STRUCT(${fields.map(([name, { stored }]) => `${name} ${stored}`).join(', ')})`,
        };
      }),
  ),
}));
const INTEGER: Made = { type: 'INTEGER', stored: 'INTEGER' };

test('every DuckDB type maps to its Iceberg type, with a number for each field', async () => {
  const folder = await temporaryFolder();
  const connection = await temporaryConnection(folder);
  await connection.run('CREATE SCHEMA mart');
  await fc.assert(
    fc.asyncProperty(types, async ({ type, stored }) => {
      await connection.run(`CREATE OR REPLACE TABLE mart.made (id BIGINT, c ${type})`);
      const columns = (await tableColumns(connection, ['mart'])).get('mart.made') ?? [];
      const read = storedType(columnType(columns[1]?.type ?? ''));
      await connection.run(`CREATE OR REPLACE TABLE mart.expected (id BIGINT, c ${stored})`);
      const file = join(folder, 'made.parquet');
      const schema = withColumns(newMetadata('here'), columns).schemas[0];
      await connection.run(
        `COPY (SELECT id, CAST(c AS ${read}) AS c FROM mart.made) TO ${text(file)}
         (FORMAT parquet, FIELD_IDS ${fieldIds(schema?.fields ?? [])})`,
      );
      const described = (from: string) =>
        connection.rows(`SELECT column_name, column_type FROM (DESCRIBE ${from})`);
      expect(await described(`FROM read_parquet(${text(file)})`)).toEqual(
        await described('FROM mart.expected'),
      );
      const numbers = await connection.rows<{ n: bigint; ids: bigint; most: bigint }>(
        `SELECT count(*) AS n, count(DISTINCT field_id) AS ids, max(field_id) AS most FROM parquet_schema(${text(file)})
         WHERE field_id IS NOT NULL`,
      );
      const ids = [...JSON.stringify(schema).matchAll(/"(?:element-|key-|value-)?id":(\d+)/g)].length;
      expect(numbers).toEqual([{ n: BigInt(ids), ids: BigInt(ids), most: BigInt(ids) }]);
    }),
    { seed: testSeed(), numRuns: runs(100) },
  );
});

test('a column keeps its number while its name and type stay, and no number is reused', () => {
  const columns = (...of: readonly [string, string][]) => of.map(([name, type]) => ({ name, type }));
  const first = withColumns(newMetadata('here'), columns(['a', 'BIGINT'], ['b', 'VARCHAR[]']));
  expect(withColumns(first, columns(['a', 'BIGINT'], ['b', 'JSON[]']))).toBe(first);
  const second = withColumns(first, columns(['b', 'VARCHAR[]'], ['c', 'DATE'], ['a', 'VARCHAR']));
  const numbers = second.schemas.map(({ fields }) => fields.map(({ name, id }) => [name, id]));
  expect(numbers).toEqual([
    [
      ['a', 1],
      ['b', 2],
    ],
    [
      ['b', 2],
      ['c', 4],
      ['a', 5],
    ],
  ]);
  expect(second['last-column-id']).toBe(5);
});
