import { createWriteStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import { z } from 'zod';
import type { ExportFormat } from '../../../client/resources/data-exports.ts';
import { type Connection, text } from '../../../core/duckdb/duckdb.ts';
import { makeFolder } from '../../../core/files/make-folder.ts';
import { typedRows } from '../../../core/text/typed-rows.ts';
import type { Column } from '../../fields/column.ts';
import type { StoredDataset } from '../../resources/resources.ts';
import { sourceOf } from '../../rows/dataset-query.ts';
import { CELL_BYTES, csvHeader, csvLine, jsonLine, streamLines } from '../../rows/export-lines.ts';
import type { ServiceRows } from '../../rows/service-rows.ts';
import { parquetColumns } from './parquet-columns.ts';

const RowIds = z.strictObject({ first: z.bigint(), last: z.bigint() });

export interface WrittenFormat {
  readonly format: ExportFormat;
  readonly delimiter: string;
  readonly gzip: boolean;
  /** The least number of files, if there are as many rows; one file if there are none. */
  readonly objects: number;
}

export interface WrittenFile {
  readonly path: string;
  readonly size: number;
  readonly rows: number;
}

/** Rows of a Parquet row group. DuckDB holds one for each of its threads. */
const ROW_GROUP = 20_480;
/** The most cells of a Parquet file with larger row groups: all of it must fit into memory. */
const MOST_CELLS = 2_000_000;

/** Writes a dataset's columns to files in `dir`, in the order of its rows; every CSV file begins with the header. */
export async function writeFiles(
  rows: ServiceRows,
  dataset: StoredDataset,
  written: WrittenFormat,
  dir: string,
  signal: AbortSignal,
): Promise<WrittenFile[]> {
  makeFolder(dir);
  const { table, columns } = dataset;
  const source = `FROM ${sourceOf(dataset)}`;
  const slices = table === undefined ? [''] : await sliceRows(rows, source, columns.length, written);
  const { format } = written;
  const select =
    format === 'parquet'
      ? await rows.use((connection) => parquetColumns(connection, source, columns, signal))
      : undefined;
  const files: WrittenFile[] = [];
  for (const slice of slices) {
    const path = join(dir, String(files.length + 1));
    const sliced = `${source} ${slice}`;
    if (format !== 'parquet') await writeLines(rows, { source: sliced, columns }, written, path, signal);
    else {
      const options = `FORMAT parquet, COMPRESSION snappy, ROW_GROUP_SIZE ${ROW_GROUP}`;
      const copy = `COPY (SELECT ${select} ${sliced}) TO ${text(path)} (${options})`;
      await rows.use((connection) => connection.run(copy, [], signal));
    }
    const count = await rows.use((connection) => connection.scalar(`SELECT count(*) ${sliced}`, [], signal));
    files.push({ path, rows: Number(count), size: (await stat(path)).size });
  }
  return files;
}

/**
 * Conditions that cut the rows into runs of about the same number. They use `rowid`, which DuckDB finds without reading
 * earlier rows.
 */
async function sliceRows(
  rows: ServiceRows,
  source: string,
  columns: number,
  { format, objects }: WrittenFormat,
): Promise<string[]> {
  const sql = `SELECT coalesce(min(rowid), 0) AS first, coalesce(max(rowid), -1) AS last ${source}`;
  const [row] = await rows.use(async (connection) => typedRows(RowIds, await connection.rows(sql)));
  const [first, end] = [Number(row?.first ?? 0), Number(row?.last ?? -1) + 1];
  const bounds = sliceBounds(
    first,
    end,
    format === 'parquet' ? Math.max(objects, filesFor(end - first, columns)) : objects,
  );
  return bounds.map(([from, to]) => `WHERE rowid >= ${from} AND rowid < ${to}`);
}

/** Returns the number of Parquet files for a number of rows. */
export function filesFor(rows: number, columns: number): number {
  return ROW_GROUP * columns <= MOST_CELLS ? 1 : Math.ceil((rows * columns) / MOST_CELLS);
}

/**
 * Runs of rows from `first` to before `end`, as even as possible: the requested number, at most one per row, at least
 * one.
 */
export function sliceBounds(first: number, end: number, slices: number): [from: number, to: number][] {
  const count = Math.max(1, Math.min(slices, end - first));
  const bound = (index: number): number => first + Math.floor(((end - first) * index) / count);
  return Array.from({ length: count }, (_, index) => [bound(index), bound(index + 1)]);
}

/**
 * Writes rows as CSV with its header, or as JSONL, with the lines of the streamed export. Rows are streamed, because
 * COPY would keep whole row groups of lines in memory.
 */
async function writeLines(
  rows: ServiceRows,
  { source, columns }: { readonly source: string; readonly columns: readonly Column[] },
  { format, delimiter, gzip }: WrittenFormat,
  path: string,
  signal: AbortSignal,
): Promise<void> {
  const line = format === 'csv' ? csvLine(columns, '\n', delimiter) : jsonLine(columns, '\n');
  const header = format === 'csv' ? `${csvHeader(columns, delimiter)}\n` : '';
  const lines = async function* (connection: Connection): AsyncGenerator<Buffer> {
    yield Buffer.from(header);
    yield* streamLines(connection, `SELECT ${line} AS line ${source}`, [], columns.length * CELL_BYTES);
  };
  const bytes = Readable.from(rows.stream(lines, signal, columns.length), { objectMode: false });
  const file = createWriteStream(path);
  if (gzip) await pipeline(bytes, createGzip({ level: 1 }), file, { signal });
  else await pipeline(bytes, file, { signal });
}
