import { randomUUID } from 'node:crypto';
import { rm, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { ident, text } from '../../../../core/duckdb/duckdb.ts';
import { CrawlhouseError } from '../../../../core/errors/errors.ts';
import { makeFolder } from '../../../../core/files/make-folder.ts';
import type { PreparedLoad, StoredValue } from '../../../project/model/prepared-load.ts';
import type { RowFiles } from '../../engine.ts';
import type { PreparedRows } from '../../row-store.ts';
import type { TrinoAddress } from '../client/address.ts';
import { literal } from '../client/literal.ts';
import { TrinoFailure } from '../client/trino-error.ts';
import { trinoType } from '../trino-dialect.ts';
import type { TrinoPlace } from '../trino-place.ts';
import type { PointerTable } from './pointer-table.ts';

const NOT_THE_FILE: readonly string[] = ['PERMISSION_DENIED', 'USER_CANCELED', 'ADMINISTRATIVELY_KILLED'];

interface StoredRows {
  /** The table of Trino for the rows, and its folder in the bucket. */
  readonly stored: string;
  readonly folder: string;
  readonly columns: readonly PhysicalColumn[];
  /** DuckDB's SQL: the values by column, the unit of each row, and the content of FROM. */
  readonly values: ReadonlyMap<string, string>;
  readonly unit: string;
  readonly from: string;
  /** Part of the file's path, for people. */
  readonly name: string;
  readonly prepared?: PreparedRows | undefined;
}

export function folderOf({ folder }: Pick<TrinoPlace, 'folder'>, relation: string): string {
  return `${folder}/${relation.replace('.', '/')}`;
}

/** Returns the values in a file of rows besides the unit and the load. */
export function storedValues(
  columns: readonly PhysicalColumn[],
  values: ReadonlyMap<string, string>,
): StoredValue[] {
  return columns.flatMap(({ name, target, own }) => {
    const sql = values.get(name);
    return sql === undefined ? [] : [{ target, type: fileType(own), sql }];
  });
}

/**
 * Uploads rows to the bucket and registers them. The rows are invisible until a pointer names the load. Rows that are
 * already in the bucket are registered if their file matches what would be written. If Trino refuses the file, the rows
 * are written again under another load, which is safe even if the file was registered after all.
 *
 * @returns the load, null for no rows; and their number
 */
export async function writeLoad(
  place: TrinoPlace,
  pointers: PointerTable,
  { stored, columns, values, prepared, ...rows }: StoredRows,
  signal: AbortSignal | undefined,
): Promise<{ readonly load: string | null; readonly written: bigint }> {
  const register = (location: string): Promise<bigint> =>
    pointers.run(
      `ALTER TABLE ${stored} EXECUTE add_files(location => ${literal(location)}, format => 'PARQUET')`,
      signal,
    );
  const own = storedValues(columns, values);
  let refused: CrawlhouseError | undefined;
  if (prepared && isOfNow(prepared.load, own, locationOf(place.bucket, rows, prepared.load.load))) {
    const { load, location, rows: written } = prepared.load;
    try {
      await register(location);
      return { load, written: BigInt(written) };
    } catch (error) {
      if (!isForTheFile(error)) throw error;
      refused = error;
    }
  }
  await prepared?.bringParts(refused);
  const put = await putRows(place, { ...rows, values: own }, signal);
  if (put === null) return { load: null, written: 0n };
  await register(put.location);
  return { load: put.load, written: BigInt(put.rows) };
}

/** Returns whether a statement failed in Trino for another reason than missing rights or an operator's kill. */
function isForTheFile(error: unknown): error is CrawlhouseError {
  if (!(error instanceof CrawlhouseError && error.cause instanceof TrinoFailure)) return false;
  return !NOT_THE_FILE.includes(error.cause.errorName);
}

/** Returns whether the file of a prepared load matches what would be written now. */
function isOfNow(load: PreparedLoad, values: readonly StoredValue[], location: string): boolean {
  const inOrder = (some: readonly StoredValue[]): string =>
    JSON.stringify(
      some
        .map(({ target, type, sql }) => [target, type, sql])
        .sort(([one = ''], [other = '']) => (one < other ? -1 : 1)),
    );
  return load.location === location && inOrder(load.values) === inOrder(values);
}

/**
 * Writes rows to one Parquet file with a unique name, and uploads it to the bucket.
 *
 * @returns null for no rows
 */
async function putRows(
  {
    connection,
    temporary,
    objects,
    bucket,
  }: Pick<TrinoPlace, 'connection' | 'temporary' | 'objects' | 'bucket'>,
  {
    values,
    unit,
    from,
    ...key
  }: Pick<StoredRows, 'folder' | 'name' | 'unit' | 'from'> & { readonly values: readonly StoredValue[] },
  signal: AbortSignal | undefined,
): Promise<Pick<PreparedLoad, 'load' | 'location' | 'rows' | 'bytes'> | null> {
  const load = randomUUID();
  const file = join(temporary, `${load}.parquet`);
  makeFolder(dirname(file));
  try {
    const columns = values.map(({ target, type, sql }) => `CAST(${sql} AS ${type}) AS ${ident(target)}`);
    const select = `SELECT ${[`${unit} AS _unit`, `${text(load)} AS _load_id`, ...columns].join(', ')}`;
    const copy = `COPY (${select} FROM ${from}) TO ${text(file)} (FORMAT parquet, COMPRESSION zstd)`;
    const written = await connection.run(copy, [], signal);
    if (written === 0n) return null;
    const { size } = await stat(file);
    await objects.put(keyOf(key, load), file, signal ?? new AbortController().signal);
    return { load, location: locationOf(bucket, key, load), rows: Number(written), bytes: size };
  } finally {
    await rm(file, { force: true });
  }
}

/** Returns a key below `data`, so that Iceberg removes the file once no snapshot needs it. */
function keyOf({ folder, name }: Pick<StoredRows, 'folder' | 'name'>, load: string): string {
  return `${folder}/data/unit=${name.replaceAll('/', '.')}/${load}.parquet`;
}

function locationOf(bucket: string, rows: Pick<StoredRows, 'folder' | 'name'>, load: string): string {
  return `s3://${bucket}/${keyOf(rows, load)}`;
}

/** Writes files of rows to the bucket. The run registers a file if it still matches what the run would write. */
export function trinoFiles(
  { bucket, folder }: TrinoAddress,
  place: Pick<TrinoPlace, 'objects' | 'connection' | 'temporary'>,
): RowFiles {
  return {
    async put({ relation, name, unit, from, types, stored, values: given }, signal) {
      const values = storedValues(physicalColumns(types, stored), given);
      const rows = { folder: folderOf({ folder }, relation), name, unit, from, values };
      const put = await putRows({ ...place, bucket }, rows, signal);
      return put && { ...put, values };
    },
    [Symbol.asyncDispose]: () => place.objects[Symbol.asyncDispose](),
  };
}

/**
 * Returns the DuckDB type for a column in a file. `add_files` accepts any other without an error, but no query can read
 * it.
 */
function fileType(type: string): string {
  // Parquet has no HUGEINT; DuckDB writes it as DOUBLE.
  return { JSON: 'VARCHAR', HUGEINT: 'DECIMAL(38,0)' }[type] ?? type;
}

/**
 * The stored columns of a column's values. Iceberg changes no type: a widened column has a stored column for each type
 * that it has had, and a file fills one of them.
 */
export interface PhysicalColumn {
  readonly name: string;
  /** Its current type in DuckDB. */
  readonly own: string;
  /** Type of the column in Trino. */
  readonly type: string;
  /** The stored column for values of this type. */
  readonly target: string;
  /** Columns of former types, with these types. */
  readonly former: readonly (readonly [name: string, type: string])[];
}

/**
 * @param types the columns with their types in DuckDB
 * @param stored the columns of the stored table with their types, in its order
 * @param reserved names of stored columns that contain no values of a column
 */
export function physicalColumns(
  types: ReadonlyMap<string, string>,
  stored: ReadonlyMap<string, string>,
  reserved: readonly string[] = [],
): PhysicalColumn[] {
  return [...types].map(([name, own]) => {
    const type = trinoType(own);
    const isFree = !reserved.includes(name);
    const target = isFree && (stored.get(name) ?? type) === type ? name : `_as ${type}: ${name}`;
    const all = [...stored].filter(([one]) => (isFree && one === name) || laterTypeOf(one) === name);
    return { name, own, type, target, former: all.filter(([one]) => one !== target) };
  });
}

/** Returns the column whose later type a stored column is for; undefined for a first type. */
export function laterTypeOf(stored: string): string | undefined {
  // No type has a colon. Columns of the service never begin with `_`.
  return /^_as [^:]+: ([\s\S]+)$/.exec(stored)?.[1];
}

/** Returns SQL of a column's value, from whichever stored column contains it. */
export function columnSql({ name, type, target, former }: PhysicalColumn, from: string): string {
  const own = `${from}.${ident(target)}`;
  if (former.length === 0) return target === name ? own : `${own} AS ${ident(name)}`;
  const others = former.map(([column, was]) => {
    const value = `${from}.${ident(column)}`;
    const isLifted = type.startsWith('array(') && !was.startsWith('array(');
    return `CAST(${isLifted ? `CASE WHEN ${value} IS NOT NULL THEN ARRAY[${value}] END` : value} AS ${type})`;
  });
  return `coalesce(${[own, ...others].join(', ')}) AS ${ident(name)}`;
}
