import { randomUUID } from 'node:crypto';
import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { ident, text } from '../../core/duckdb.ts';
import { literal } from './literal.ts';
import { fileType, type PhysicalColumn } from './physical-columns.ts';
import type { PointerTable } from './pointer-table.ts';
import type { TrinoPlace } from './trino-place.ts';

/** Rows that are to be stored. */
interface StoredRows {
  /** The table of Trino that gets them, and its folder in the bucket. */
  readonly stored: string;
  readonly folder: string;
  readonly columns: readonly PhysicalColumn[];
  /** DuckDB's SQL of the values, by column, of the unit of each row, and what stands after FROM. */
  readonly values: ReadonlyMap<string, string>;
  readonly unit: string;
  readonly from: string;
  /** In the path of the file, for people. */
  readonly name: string;
}

/** The folder of a relation in the bucket. */
export function folderOf({ folder }: Pick<TrinoPlace, 'folder'>, relation: string): string {
  return `${folder}/${relation.replace('.', '/')}`;
}

/**
 * Brings rows into the bucket and registers them. Nobody sees them before a pointer names the load.
 *
 * @returns the load, null for no rows; and their number
 */
export async function writeLoad(
  { connection, temporary, objects, bucket }: TrinoPlace,
  pointers: PointerTable,
  { stored, folder, columns, values, unit, from, name }: StoredRows,
  signal: AbortSignal | undefined,
): Promise<{ readonly load: string | null; readonly written: bigint }> {
  const load = randomUUID();
  const selected = columns.flatMap(({ name, target, own }) => {
    const sql = values.get(name);
    return sql === undefined ? [] : [`CAST(${sql} AS ${fileType(own)}) AS ${ident(target)}`];
  });
  await mkdir(temporary, { recursive: true });
  const file = join(temporary, `${load}.parquet`);
  try {
    const select = `SELECT ${[`${unit} AS _unit`, `${text(load)} AS _load_id`, ...selected].join(', ')}`;
    const copy = `COPY (${select} FROM ${from}) TO ${text(file)} (FORMAT parquet, COMPRESSION zstd)`;
    const written = await connection.run(copy, [], signal);
    if (written === 0n) return { load: null, written };
    // Below `data`, so that Iceberg removes it once no snapshot needs it.
    const key = `${folder}/data/unit=${name.replaceAll('/', '.')}/${load}.parquet`;
    await objects.put(key, file, signal ?? new AbortController().signal);
    const location = literal(`s3://${bucket}/${key}`);
    await pointers.run(
      `ALTER TABLE ${stored} EXECUTE add_files(location => ${location}, format => 'PARQUET')`,
      signal,
    );
    return { load, written };
  } finally {
    await rm(file, { force: true });
  }
}
