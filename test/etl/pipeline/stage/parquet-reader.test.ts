import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { text } from '../../../../src/core/duckdb/duckdb.ts';
import { parquetRows } from '../../../../src/core/duckdb/parquet-rows.ts';
import { stagingConnections } from '../../../../src/etl/pipeline/stage/macros.ts';
import { PackageBuilder, type PackageContent } from '../../../../src/etl/pipeline/stage/package-builder.ts';
import type { Field } from '../../../../src/etl/project/model/field.ts';
import { writeForeignParquet } from '../../../support/foreign-parquet.ts';
import { packageFingerprint } from '../../../support/package-fingerprint.ts';
import { temporaryConnection, temporaryFolder } from '../../../support/temporary.ts';

const signal = new AbortController().signal;

const VALUES = "COLUMNS(name -> name <> '_row_hash')";

interface Staged extends PackageContent {
  readonly folder: string;
  readonly raw: string;
  readonly rows: Record<string, unknown>[];
  readonly rejectRows: Record<string, unknown>[];
}

/** Stages a Parquet file that `write` makes. */
async function stage(write: (path: string) => Promise<unknown>, requested: Field[]): Promise<Staged> {
  const folder = await temporaryFolder();
  const raw = join(folder, 'pages.parquet');
  await write(raw);
  const connection = await temporaryConnection(folder);
  await mkdir(join(folder, 'package'));
  const builder = await PackageBuilder.create(
    stagingConnections(async () => connection),
    join(folder, 'package'),
    requested,
  );
  const rows = await parquetRows(raw, 'pages.parquet');
  const part = {
    path: raw,
    format: 'parquet',
    file: 'pages.parquet',
    firstLine: 1,
    rows,
    header: null,
  } as const;
  await builder.addPart({ ...part, delimiter: null }, signal);
  const staged = await builder.finish(null, signal);
  const files = staged.parts.map(({ file }) => join(folder, 'package', file));
  expect(staged.fingerprint.sum).toBe(await packageFingerprint(connection, files, staged.columns));
  const read = async (files: readonly string[]): Promise<Record<string, unknown>[]> => {
    if (files.length === 0) return [];
    const paths = files.map((file) => text(join(folder, 'package', file))).join(', ');
    return connection.jsonRows(`SELECT ${VALUES} FROM read_parquet([${paths}])`);
  };
  return {
    ...staged,
    folder: join(folder, 'package'),
    raw,
    rows: await read(staged.parts.map((one) => one.file)),
    rejectRows: await read(staged.rejects.map((one) => one.file)),
  };
}

function sql(select: string, compression = 'zstd') {
  return async (path: string): Promise<void> => {
    const connection = await temporaryConnection(await temporaryFolder());
    await connection.run(`COPY (${select}) TO ${text(path)} (FORMAT parquet, COMPRESSION ${compression})`);
  };
}

const field = (name: string, type: string, arity: 'one' | 'many' = 'one'): Field => ({ name, type, arity });

test('a file whose columns match the schema is used unconverted', async () => {
  const staged = await stage(
    sql(`SELECT 'https://x/' AS url, 9007199254740993 AS depth, 0.1::DOUBLE AS ratio, ['a', NULL, ''] AS sources,
      DATE '2026-01-31' AS day, TIMESTAMPTZ '2026-01-31 10:00:00+00' AS fetched_at, '{"a": 1}'::JSON AS item`),
    [
      field('url', 'string'),
      field('depth', 'natural'),
      field('ratio', 'float'),
      field('sources', 'string', 'many'),
      field('day', 'date'),
      field('fetched_at', 'datetime'),
      field('item', 'object'),
    ],
  );
  expect(await readFile(join(staged.folder, staged.parts[0]?.file ?? ''))).toEqual(
    await readFile(staged.raw),
  );
  expect(staged).toMatchObject({ staged: 1, rejected: 0 });
  expect(staged.rows).toMatchObject([
    { depth: '9007199254740993', sources: ['a', null, ''], day: '2026-01-31' },
  ]);
});

test('other lossless types are converted by value', async () => {
  const staged = await stage(
    sql(`SELECT 7::INTEGER AS depth, 3112553.0::DOUBLE AS hits, '0.25' AS ratio, 'True' AS fetched, 'a' AS sources,
      '2026/01/31 10:00:00 UTC' AS fetched_at, TIMESTAMP '2026-01-31 10:00:00' AS seen_at, '["b"]' AS tags,
      {a: 1} AS item`),
    [
      field('depth', 'natural'),
      field('hits', 'natural'),
      field('ratio', 'float'),
      field('fetched', 'bool'),
      field('sources', 'string', 'many'),
      field('fetched_at', 'datetime'),
      field('seen_at', 'datetime'),
      field('tags', 'string', 'many'),
      field('item', 'object'),
    ],
  );
  expect(staged.columns.map((column) => column.sql_type)).toEqual([
    'BIGINT',
    'BIGINT',
    'DOUBLE',
    'BOOLEAN',
    'VARCHAR[]',
    'TIMESTAMP WITH TIME ZONE',
    'TIMESTAMP WITH TIME ZONE',
    'VARCHAR[]',
    'JSON',
  ]);
  expect(staged.rows).toMatchObject([
    { depth: '7', hits: '3112553', ratio: 0.25, fetched: true, sources: ['a'], tags: ['b'] },
  ]);
  expect(staged.rows[0]?.fetched_at).toEqual(staged.rows[0]?.seen_at);
});

test('a value that does not fit its type is a reject with its row, and other rows are staged', async () => {
  const staged = await stage(
    sql("SELECT * FROM (VALUES ('u1', 1.0), ('u2', 3.7), ('u3', NULL)) AS t(url, depth)"),
    [field('url', 'string'), field('depth', 'natural')],
  );
  expect(staged).toMatchObject({ staged: 2, rejected: 1 });
  expect(staged.rejectRows).toMatchObject([
    {
      file: 'pages.parquet',
      line: '2',
      field: 'depth',
      value: '3.7',
      reason: expect.stringContaining('whole'),
    },
  ]);
});

test('an integer beyond 2^63 widens its column in Parquet', async () => {
  const staged = await stage(sql('SELECT 9223372036854775808::DECIMAL(20,0) AS simhash'), [
    field('simhash', 'natural'),
  ]);
  expect(staged.columns).toMatchObject([{ sql_type: 'DECIMAL(38,0)' }]);
  expect(staged.rows).toEqual([{ simhash: '9223372036854775808' }]);
});

test('files of other Parquet writers are staged equally', async () => {
  const staged = await stage(
    (path) =>
      writeForeignParquet(path, { url: 'UTF8', depth: 'INT64', ratio: 'DOUBLE', fetched: 'BOOLEAN' }, [
        { url: 'https://x/', depth: 3, ratio: 0.5, fetched: true },
        { url: '', depth: null, ratio: null, fetched: null },
      ]),
    [field('url', 'string'), field('depth', 'natural'), field('ratio', 'float'), field('fetched', 'bool')],
  );
  expect(staged.rows).toEqual([
    { url: 'https://x/', depth: '3', ratio: 0.5, fetched: true },
    { url: '', depth: null, ratio: null, fetched: null },
  ]);
});

test('a time without a zone is UTC and keeps microseconds; nanoseconds are not truncated', async () => {
  const staged = await stage(
    sql(`SELECT * FROM (VALUES
      (TIMESTAMP '2026-01-31 10:00:00.123456', TIMESTAMP_NS '2026-01-31 10:00:00.123456000'),
      (TIMESTAMP '2026-01-31 10:00:00', TIMESTAMP_NS '2026-01-31 10:00:00.123456789')) AS t(seen_at, sent_at)`),
    [field('seen_at', 'datetime'), field('sent_at', 'datetime')],
  );
  expect(staged.rows).toEqual([
    { seen_at: '2026-01-31 10:00:00.123456+00', sent_at: '2026-01-31 10:00:00.123456+00' },
  ]);
  expect(staged.rejectRows).toMatchObject([
    { line: '2', field: 'sent_at', value: '2026-01-31 10:00:00.123456789' },
  ]);
});

test('infinite dates, times and numbers, and NaN, are rejects, also in a file with matching types', async () => {
  const staged = await stage(
    sql(`SELECT i::BIGINT AS id, * EXCLUDE (i) FROM (VALUES
      (1, DATE '2026-01-31', TIMESTAMPTZ '2026-01-31 10:00:00+00', 0.5::DOUBLE, ['0.5'::DOUBLE]),
      (2, DATE 'infinity', TIMESTAMPTZ '2026-01-31 10:00:00+00', 0.5::DOUBLE, [0.5::DOUBLE]),
      (3, DATE '2026-01-31', TIMESTAMPTZ '-infinity', 0.5::DOUBLE, [0.5::DOUBLE]),
      (4, DATE '2026-01-31', TIMESTAMPTZ '2026-01-31 10:00:00+00', 'nan'::DOUBLE, [0.5::DOUBLE]),
      (5, DATE '2026-01-31', TIMESTAMPTZ '2026-01-31 10:00:00+00', 'inf'::DOUBLE, [0.5::DOUBLE]),
      (6, DATE '2026-01-31', TIMESTAMPTZ '2026-01-31 10:00:00+00', 0.5, ['0.5'::DOUBLE, 'nan'::DOUBLE])
    ) AS t(i, day, seen_at, ratio, ratios)`),
    [
      field('id', 'natural'),
      field('day', 'date'),
      field('seen_at', 'datetime'),
      field('ratio', 'float'),
      field('ratios', 'float', 'many'),
    ],
  );
  expect(staged.rows.map((row) => row.id)).toEqual(['1']);
  expect(staged.rejectRows.map(({ line, field, value }) => [line, field, value])).toEqual([
    ['2', 'day', 'infinity'],
    ['3', 'seen_at', '-infinity'],
    ['4', 'ratio', 'nan'],
    ['5', 'ratio', 'inf'],
    ['6', 'ratios', '[0.5, nan]'],
  ]);
});

test('bytes are text if they are valid UTF-8, else a reject', async () => {
  const staged = await stage(
    sql(
      `SELECT * FROM (VALUES (1::BIGINT, encode('café')), (2, '\\xFF\\xFE'::BLOB), (3, NULL)) AS t(id, title)`,
    ),
    [field('id', 'natural'), field('title', 'string')],
  );
  expect(staged.rows).toEqual([
    { id: '1', title: 'café' },
    { id: '3', title: null },
  ]);
  expect(staged.rejectRows).toMatchObject([
    { line: '2', field: 'title', value: '\\xFF\\xFE', reason: 'is not text (string)' },
  ]);
});

test('an integer beyond 2^53 in a double column is a reject, and a float keeps its value', async () => {
  const staged = await stage(
    sql('SELECT * FROM (VALUES (12::DOUBLE, 0.1::FLOAT), (9007199254740992, 0.5)) AS t(hits, ratio)'),
    [field('hits', 'natural'), field('ratio', 'float')],
  );
  expect(staged.rows).toEqual([{ hits: '12', ratio: Math.fround(0.1) }]);
  expect(staged.rejectRows).toMatchObject([{ line: '2', field: 'hits' }]);
});

test('a text column with invalid UTF-8 is refused with its name and value', async () => {
  const staging = stage(
    async (path) => {
      // DuckDB writes no such file. Uncompressed the text stands in it as it is.
      await sql("SELECT 1::BIGINT AS id, 'x' AS url, 'abcQQQQ' AS title", 'uncompressed')(path);
      const bytes = await readFile(path);
      for (let at = bytes.indexOf('QQQQ'); at !== -1; at = bytes.indexOf('QQQQ', at + 1))
        bytes.fill(0xff, at, at + 4);
      await writeFile(path, bytes);
    },
    [field('id', 'natural'), field('url', 'string'), field('title', 'string')],
  );
  await expect(staging).rejects.toMatchObject({
    code: 'rejected_values',
    message: expect.stringMatching(/pages\.parquet.*title.*abc\\xFF\\xFF\\xFF\\xFF/),
  });
});

test('damaged bytes behind an intact footer refuse the file, so that it is downloaded again', async () => {
  const connection = await temporaryConnection(await temporaryFolder());
  const damaged = async (path: string): Promise<void> => {
    await connection.run(`COPY (SELECT range AS id FROM range(1000)) TO ${text(path)} (FORMAT parquet)`);
    const bytes = await readFile(path);
    await writeFile(path, bytes.fill(0xff, 4, 200));
  };
  const staged = stage(damaged, [{ name: 'id', type: 'natural', arity: 'one' }]);
  await expect(staged).rejects.toMatchObject({
    code: 'cut_short',
    message: expect.stringMatching(/^pages\.parquet is not a readable Parquet file: \w/),
  });
});
