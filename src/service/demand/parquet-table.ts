import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Connection, Database, ident, parquetFiles } from '../../core/duckdb.ts';
import { CrawlhouseError } from '../../core/errors.ts';
import { StreamedRows } from '../../core/streamed-rows.ts';
import type { DemandRecord, DemandTable } from './demand-row.ts';
import { makeRecord } from './make-record.ts';
import { dimensionsOf, isBulk, namedCells, namedColumns } from './named-columns.ts';

const OPTIONS = { memoryLimit: '300MB', threads: 2 } as const;

/**
 * A Parquet file of the bulk data export.
 *
 * @throws CrawlhouseError `usage` for a file that is no Parquet, or has other columns
 */
export async function parquetTable(
  path: string,
  signal: AbortSignal,
): Promise<{ readonly table: DemandTable; readonly isBulk: boolean }> {
  const header: string[] = [];
  await withConnection(async (connection) => {
    const found = await orRefused(path, () =>
      connection.rows(`DESCRIBE SELECT * FROM ${parquetFiles([path])}`, [], signal),
    );
    header.push(...found.map(({ column_name }) => String(column_name)));
  });
  const columns = namedColumns(header);
  if (columns === undefined) {
    throw new CrawlhouseError(
      'usage',
      `${path} has the columns ${header.join(', ')}: no table of search results`,
      {
        hint: 'the bulk data export has data_date, url, query, clicks, impressions, sum_position',
      },
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
        for await (const cells of textRows(path, header, until))
          yield makeRecord(namedCells(cells, columns), dimensions, { place: path, line: ++row });
      },
    },
  };
}

/** The rows of the file, each value as a text. */
async function* textRows(
  path: string,
  header: readonly string[],
  signal: AbortSignal,
): AsyncGenerator<readonly (string | null)[]> {
  const folder = await mkdtemp(join(tmpdir(), 'crawlhouse-demand-'));
  try {
    await using database = await Database.open({ ...OPTIONS, tempDirectory: folder });
    using connection = await database.connect();
    const cells = header.map((name) => `CAST(${ident(name)} AS VARCHAR)`);
    const rows = await StreamedRows.open(
      connection.inner,
      `SELECT ${cells.join(', ')} FROM ${parquetFiles([path])}`,
    );
    for await (const chunk of rows.chunks()) {
      signal.throwIfAborted();
      const vectors = header.map((_, index) => chunk.getColumnVector(index));
      for (let row = 0; row < chunk.rowCount; row++)
        yield vectors.map((vector) => vector.getItem(row) as string | null);
    }
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function withConnection(work: (connection: Connection) => Promise<void>): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'crawlhouse-demand-'));
  try {
    await using database = await Database.open({ ...OPTIONS, tempDirectory: folder });
    using connection = await database.connect();
    await work(connection);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function orRefused<T>(path: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (cause) {
    const why = cause instanceof Error ? cause.message.split('\n')[0] : String(cause);
    throw new CrawlhouseError('usage', `${path} is no Parquet file that can be read: ${why}`, { cause });
  }
}
