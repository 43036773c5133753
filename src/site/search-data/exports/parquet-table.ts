import { mkdtemp, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { z } from 'zod';
import { type Connection, Database, ident, parquetFiles, text } from '../../../core/duckdb/duckdb.ts';
import { StreamedRows } from '../../../core/duckdb/streamed-rows.ts';
import { CrawlhouseError } from '../../../core/errors/errors.ts';
import { countText } from '../../../core/text/amounts.ts';
import { typedRows } from '../../../core/text/typed-rows.ts';
import type { PlausibleTime } from '../../../core/time/plausible-days.ts';
import type { DemandRecord, DemandTable } from '../demand-row.ts';
import { makeRecord } from '../make-record.ts';
import { otherReport } from './figure-names.ts';
import { dimensionsOf, isBulk, namedCells, namedColumns } from './named-columns.ts';

const RowsOfFile = z.strictObject({ rows: z.bigint() });

const OPTIONS = { memoryLimit: '300MB', threads: 2 } as const;
/** No URL and no query is longer, in bytes. */
const LONGEST_TEXT = 65_536;
/** Maximum rows per byte. Rows of search results differ, so many rows need more bytes. */
const MOST_ROWS_A_BYTE = 4;
const FEW_ROWS = 1_000_000;

/**
 * Reads a Parquet file of the bulk data export.
 *
 * @throws CrawlhouseError `usage` for a file that is not Parquet, or has other columns
 */
export async function parquetTable(
  path: string,
  range: PlausibleTime,
  signal: AbortSignal,
): Promise<{ readonly table: DemandTable; readonly isBulk: boolean }> {
  await using stack = new AsyncDisposableStack();
  const connection = await connected(stack);
  const sql = `DESCRIBE SELECT * FROM ${parquetFiles([path])}`;
  const found = await connection.rows(sql, [], signal).catch((cause: unknown) => {
    throw unreadable(path, cause);
  });
  await refuseBomb(connection, path, signal);
  const header = found.map(({ column_name }) => String(column_name));
  const types = found.map(({ column_type }) => String(column_type));
  const columns = namedColumns(header);
  const other = isBulk(header) ? undefined : otherReport(header);
  if (other !== undefined)
    throw new CrawlhouseError(
      'usage',
      `${path} is a table of ${other.report}, according to its column ${JSON.stringify(other.column)}`,
    );
  if (columns === undefined) {
    throw new CrawlhouseError(
      'usage',
      `${path} has the columns ${header.join(', ')}: it is not a table of search results`,
      { hint: 'the bulk data export contains data_date, url, query, clicks, impressions and sum_position' },
    );
  }
  const dimensions = dimensionsOf(columns);
  return {
    isBulk: isBulk(header),
    table: {
      place: path,
      dimensions,
      async *records(until): AsyncGenerator<DemandRecord> {
        let row = 0;
        const counts = [columns.clicks, columns.impressions];
        const texts = header.map((name, at) =>
          textSql(ident(name), counts.includes(at) ? types[at] : undefined),
        );
        for await (const cells of textRows(path, texts, until))
          yield makeRecord(namedCells(cells, columns), dimensions, { place: path, line: ++row, range });
      },
    },
  };
}

/** Refuses a file that expands to too many rows, because even a small file may contain any number of equal rows. */
async function refuseBomb(connection: Connection, path: string, signal: AbortSignal): Promise<void> {
  const [found] = typedRows(
    RowsOfFile,
    await connection.rows(
      `SELECT CAST(coalesce(sum(num_rows), 0) AS BIGINT) AS rows FROM parquet_file_metadata(${text(path)})`,
      [],
      signal,
    ),
  );
  const [rows, { size }] = [Number(found?.rows ?? 0), await stat(path)];
  if (rows > FEW_ROWS && rows > size * MOST_ROWS_A_BYTE)
    throw unreadable(
      path,
      `it has ${countText(rows)} rows in ${countText(size)} bytes, which search results never have`,
    );
}

/**
 * Returns a value as text. A fraction in a count gets an exponent, because `1.234` would be read as 1,234, as in
 * tables.
 *
 * @param type of a count; undefined for another column
 */
function textSql(value: string, type: string | undefined): string {
  if (type === undefined || !/^(?:DOUBLE|FLOAT|DECIMAL)/.test(type)) return `CAST(${value} AS VARCHAR)`;
  const whole = `CAST(CAST(${value} AS DECIMAL(38, 0)) AS VARCHAR)`;
  const fraction = `format('{:e}', CAST(${value} AS DOUBLE))`;
  return `CASE WHEN abs(${value}) < 1e18 AND ${value} = trunc(${value}) THEN ${whole} ELSE ${fraction} END`;
}

async function* textRows(
  path: string,
  texts: readonly string[],
  signal: AbortSignal,
): AsyncGenerator<readonly (string | null)[]> {
  try {
    await using stack = new AsyncDisposableStack();
    const connection = await connected(stack);
    const rows = await StreamedRows.open(
      connection.inner,
      `SELECT ${texts.map(notTooLong).join(', ')} FROM ${parquetFiles([path])}`,
    );
    for await (const chunk of rows.chunks()) {
      signal.throwIfAborted();
      const vectors = texts.map((_, index) => chunk.getColumnVector(index));
      for (let row = 0; row < chunk.rowCount; row++)
        yield vectors.map((vector) => vector.getItem(row) as string | null);
    }
  } catch (cause) {
    signal.throwIfAborted();
    throw unreadable(path, cause);
  }
}

/** Returns a connection to a separate database, which is closed and removed with the stack. */
async function connected(stack: AsyncDisposableStack): Promise<Connection> {
  const folder = await mkdtemp(join(tmpdir(), 'crawlhouse-demand-'));
  stack.defer(() => rm(folder, { recursive: true, force: true }));
  const database = stack.use(await Database.open({ ...OPTIONS, tempDirectory: folder }));
  return stack.use(await database.connect());
}

/** Returns SQL that rejects a value that is too long, because one value of a dictionary may occur in very many rows. */
function notTooLong(value: string): string {
  const refusal = text(`a value is longer than ${countText(LONGEST_TEXT)} bytes`);
  return `CASE WHEN strlen(${value}) > ${LONGEST_TEXT} THEN error(${refusal}) ELSE ${value} END`;
}

function unreadable(path: string, cause: unknown): CrawlhouseError {
  const why = cause instanceof Error ? cause.message.split('\n')[0] : String(cause);
  return new CrawlhouseError('usage', `${path} is not a readable Parquet file: ${why}`, { cause });
}
