import { join } from 'node:path';
import { expect, test } from 'vitest';
import { text } from '../../../../src/core/duckdb/duckdb.ts';
import { packageNotes, repeatedKeys } from '../../../../src/etl/pipeline/stage/package-notes.ts';
import type { PackageColumn, PackageNote } from '../../../../src/etl/project/model/manifest.ts';
import { writeForeignParquet } from '../../../support/foreign-parquet.ts';
import { temporaryConnection, temporaryFolder } from '../../../support/temporary.ts';

const signal = new AbortController().signal;
const LISTS: Readonly<Record<string, readonly string[]>> = {
  status: ['ok', 'redirect'],
  kinds: ['a', 'b'],
  "it's": ["it's"],
};

function column(field: string, type: string, sqlType: string, arity: 'one' | 'many' = 'one'): PackageColumn {
  return { field, type, arity, column: field, sql_type: sqlType };
}

/** The notes of parts that selects make. */
async function notesOf(
  selects: readonly string[],
  columns: readonly PackageColumn[],
): Promise<PackageNote[]> {
  const folder = await temporaryFolder();
  const connection = await temporaryConnection(folder);
  const paths = selects.map((_select, index) => join(folder, `part-${index}.parquet`));
  for (const [index, select] of selects.entries())
    await connection.run(`COPY (${select}) TO ${text(paths[index] ?? '')} (FORMAT parquet)`);
  return packageNotes(connection, paths, columns, (field) => LISTS[field], signal);
}

test('values within the schema leave no note', async () => {
  const select = `SELECT 0 AS clicks, 0.0 AS share, 1.0 AS ratio, 'ok' AS status, ['a', NULL, 'b'] AS kinds
    UNION ALL SELECT NULL, NULL, NULL, NULL, NULL UNION ALL SELECT 7, 1.0, -3.5, 'redirect', []`;
  const notes = await notesOf(
    [select],
    [
      column('clicks', 'natural', 'BIGINT'),
      column('share', 'percentage', 'DOUBLE'),
      column('ratio', 'ratio', 'DOUBLE'),
      column('status', 'enum', 'VARCHAR'),
      column('kinds', 'enum', 'VARCHAR[]', 'many'),
    ],
  );
  expect(notes).toEqual([]);
});

test('numbers outside of the range of their type are recorded, the extreme ones', async () => {
  const selects = [
    `SELECT -1::BIGINT AS clicks, 0.5::DOUBLE AS share, [1, -2]::BIGINT[] AS depths, -5::BIGINT AS "whole"`,
    `SELECT -3::BIGINT AS clicks, 1.7::DOUBLE AS share, NULL::BIGINT[] AS depths, 5::BIGINT AS "whole"
     UNION ALL SELECT 12, -0.25, [3], NULL`,
  ];
  const notes = await notesOf(selects, [
    column('clicks', 'natural', 'BIGINT'),
    column('share', 'percentage', 'DOUBLE'),
    column('depths', 'natural', 'BIGINT[]', 'many'),
    column('whole', 'integer', 'BIGINT'),
  ]);
  expect(notes).toEqual([
    { field: 'clicks', change: 'out_of_range', before: '>= 0', after: '-3' },
    { field: 'share', change: 'out_of_range', before: '0 to 1', after: '-0.25' },
    { field: 'share', change: 'out_of_range', before: '0 to 1', after: '1.7' },
    { field: 'depths', change: 'out_of_range', before: '>= 0', after: '-2' },
  ]);
});

test('integers beyond 2^63 are also checked against their range', async () => {
  const select = "SELECT CAST('-9223372036854775809' AS DECIMAL(38,0)) AS simhash";
  const [note] = await notesOf([select], [column('simhash', 'natural', 'DECIMAL(38,0)')]);
  expect(note).toMatchObject({ field: 'simhash', after: '-9223372036854775809' });
});

test('values outside of an enum are recorded once each, at most twenty', async () => {
  const selects = [
    `SELECT 'gone' AS status, ['a', 'c', NULL, 'c'] AS kinds, 'it''s' AS "it's"`,
    `SELECT 'gone' AS status, ['d'] AS kinds, 'its' AS "it's" UNION ALL SELECT '', NULL, NULL`,
  ];
  const columns = [
    column('status', 'enum', 'VARCHAR'),
    column('kinds', 'enum', 'VARCHAR[]', 'many'),
    column("it's", 'enum', 'VARCHAR'),
    column('free', 'enum', 'VARCHAR'),
  ];
  const notes = await notesOf(selects, columns.slice(0, 3));
  expect(notes.map(({ field, after }) => [field, after])).toEqual([
    ['status', ''],
    ['status', 'gone'],
    ['kinds', 'c'],
    ['kinds', 'd'],
    ["it's", 'its'],
  ]);
  expect(notes[0]).toMatchObject({ change: 'enum_value', before: 'ok, redirect' });
  const many = await notesOf(
    ["SELECT 'v' || i AS status, 'x' AS free FROM range(500) AS t(i)"],
    columns.slice(0, 1),
  );
  expect(many).toHaveLength(20);
  expect(await notesOf(["SELECT 'x' AS free"], columns.slice(3))).toEqual([]);
});

test('a file without statistics is read', async () => {
  const folder = await temporaryFolder();
  const connection = await temporaryConnection(folder);
  await writeForeignParquet(join(folder, 'foreign.parquet'), { clicks: 'INT64' }, [
    { clicks: 4 },
    { clicks: -4 },
  ]);
  const notes = await packageNotes(
    connection,
    [join(folder, 'foreign.parquet')],
    [column('clicks', 'natural', 'BIGINT')],
    () => undefined,
    signal,
  );
  expect(notes).toMatchObject([{ field: 'clicks', after: '-4' }]);
});

test('rows with the same key are counted, with the most repeated key as an example', async () => {
  const folder = await temporaryFolder();
  const connection = await temporaryConnection(folder);
  const paths = [0, 1].map((part) => join(folder, `keys-${part}.parquet`));
  const parts = ["('a', 1), ('b', NULL)", "('b', NULL), ('b', NULL), ('a', 2), ('c', 1), ('c', 1)"];
  for (const [index, rows] of parts.entries())
    await connection.run(
      `COPY (SELECT * FROM (VALUES ${rows}) AS t(url, day)) TO ${text(paths[index] ?? '')} (FORMAT parquet)`,
    );
  const columns = [column('url', 'string', 'VARCHAR'), column('day', 'integer', 'INTEGER')];
  const repeated = (files: readonly string[], key: readonly string[]) =>
    repeatedKeys(connection, files, columns, key, signal);
  expect(await repeated(paths, ['url', 'day'])).toEqual({
    rows: 7,
    keys: 4,
    example: 'url b, day null',
    times: 3,
  });
  expect(await repeated(paths.slice(0, 1), ['url'])).toBeNull();
  expect(await repeated([], ['url'])).toBeNull();
  expect(await repeated(paths, ['other'])).toBeNull();
});
