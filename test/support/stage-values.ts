import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { type Connection, ident, parquetFiles, text } from '../../src/core/duckdb/duckdb.ts';
import { parquetRows } from '../../src/core/duckdb/parquet-rows.ts';
import { writeParts } from '../../src/etl/pipeline/routes/download/write-parts.ts';
import { PackageBuilder } from '../../src/etl/pipeline/stage/package-builder.ts';
import { type Field, typeFamily } from '../../src/etl/project/model/field.ts';
import { packageFingerprint } from './package-fingerprint.ts';
import { stagingOn } from './staging-on.ts';
import { temporaryFolder } from './temporary.ts';

const signal = new AbortController().signal;

export interface StagedValues {
  /** Rows in a canonical text for each value, by `id`. */
  readonly rows: ReadonlyMap<number, Readonly<Record<string, string | null>>>;
  /** Fields of rejects, by line (of a Parquet file: by row). */
  readonly rejects: ReadonlyMap<number, ReadonlyMap<string | null, { value: string | null; reason: string }>>;
  /** Rows with a reject, as the package counts them. */
  readonly rejected: number;
}

/** Takes a CSV or JSON Lines text, or a Parquet file, through staging. The first field is the whole number `id`. */
export async function stageValues(
  connection: Connection,
  format: 'csv' | 'json' | 'parquet',
  content: string,
  fields: readonly Field[],
): Promise<StagedValues> {
  const folder = await temporaryFolder();
  await mkdir(join(folder, 'raw'));
  const builder = await PackageBuilder.create(stagingOn(connection), folder, fields);
  let header: readonly string[] | null = null;
  if (format === 'parquet') {
    const rows = await parquetRows(content, 'values.parquet');
    const part = { path: content, format, file: 'values.parquet', firstLine: 1, rows } as const;
    await builder.addPart({ ...part, header: null, delimiter: null }, signal);
  } else {
    const bytes = Readable.from([Buffer.from(content)]);
    const parts = writeParts(bytes, { folder: join(folder, 'raw'), format, file: 'values' });
    for (let next = await parts.next(); ; next = await parts.next()) {
      if (next.done) {
        header = next.value;
        break;
      }
      await builder.addPart(next.value, signal);
    }
  }
  const staged = await builder.finish(header, signal);
  const paths = staged.parts.map((part) => join(folder, part.file));
  const fingerprint = await packageFingerprint(connection, paths, staged.columns);
  if (staged.fingerprint.sum !== fingerprint) throw new Error('the parts hold other values than were hashed');
  const values = staged.columns.map((column) => `${canonicalSql(column)} AS ${ident(column.field)}`);
  // Where no line is JSON there are no columns.
  const rows =
    values.length === 0
      ? []
      : await connection.jsonRows(`SELECT ${values.join(', ')} FROM ${parquetFiles(paths)}`);
  const rejects = new Map<number, Map<string | null, { value: string | null; reason: string }>>();
  for (const { file } of staged.rejects) {
    const found = await connection.rows(`SELECT * FROM read_parquet(${text(join(folder, file))})`);
    for (const { line, field, value, reason } of found) {
      const of = rejects.get(Number(line)) ?? new Map();
      rejects.set(Number(line), of.set(field, { value, reason }));
    }
  }
  return {
    rows: new Map(rows.map((row) => [Number(row.id), row as Record<string, string | null>])),
    rejects,
    rejected: staged.rejected,
  };
}

/** SQL of a value as text that other texts can be held against: days and microseconds since 1970, doubles in full. */
function canonicalSql({ column, type, arity }: { column: string; type: string; arity: string }): string {
  const family = typeFamily(type);
  const of = (value: string): string => {
    if (family === 'real') return `format('{:.17e}', ${value})`;
    if (family === 'date')
      return `CASE WHEN isfinite(${value}) THEN CAST(${value} - DATE '1970-01-01' AS VARCHAR) WHEN ${value} IS NOT NULL THEN 'infinite' END`;
    if (family === 'datetime')
      return `CASE WHEN isfinite(${value}) THEN CAST(epoch_us(${value}) AS VARCHAR) WHEN ${value} IS NOT NULL THEN 'infinite' END`;
    return `CAST(${value} AS VARCHAR)`;
  };
  if (arity === 'one' || family === 'json') return of(ident(column));
  return `CAST(to_json(list_transform(${ident(column)}, lambda e: ${of('e')})) AS VARCHAR)`;
}
