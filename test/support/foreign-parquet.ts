import { ParquetReader, ParquetSchema, ParquetWriter } from 'parquetjs-lite';

/** Writes rows with parquetjs-lite: a Parquet file that DuckDB had no part in. Every column may be null. */
export async function writeForeignParquet(
  path: string,
  types: Readonly<Record<string, string>>,
  rows: readonly Readonly<Record<string, unknown>>[],
): Promise<void> {
  const fields = Object.entries(types).map(([name, type]) => [
    name,
    { type, optional: true, compression: 'GZIP' },
  ]);
  const writer = await ParquetWriter.openFile(new ParquetSchema(Object.fromEntries(fields)), path);
  for (const row of rows) {
    await writer.appendRow(Object.fromEntries(Object.entries(row).filter(([, value]) => value !== null)));
  }
  await writer.close();
}

/** Reads a Parquet file with parquetjs-lite, which knows neither zstd nor the newer data pages. */
export async function readForeignParquet(path: string): Promise<Record<string, unknown>[]> {
  const reader = await ParquetReader.openFile(path);
  const cursor = reader.getCursor();
  const rows: Record<string, unknown>[] = [];
  for (let row = await cursor.next(); row; row = await cursor.next()) rows.push(row);
  await reader.close();
  return rows;
}
