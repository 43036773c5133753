import { z } from 'zod';
import { type Connection, file, ident, parquetFiles, text } from '../../../core/duckdb/duckdb.ts';
import { typedRows } from '../../../core/text/typed-rows.ts';
import { typeFamily, WIDE_WHOLE } from '../../project/model/field.ts';
import type { PackageColumn, PackageNote } from '../../project/model/manifest.ts';

/** A Parquet file from another program may report NaN or infinity. */
const Told = z.custom<number>((value) => typeof value === 'number').nullable();
const ColumnRange = z.strictObject({ path: z.string(), low: Told, high: Told, bare: z.boolean() });

const Texts = z.record(z.string(), z.string().nullable());

const FoundValue = z.strictObject({ value: z.string() });

const KeyCounts = z.strictObject({ rows: z.bigint(), keys: z.bigint() });

/** Maximum recorded values outside an enum's list per field. */
const MOST_VALUES = 20;

/** A column with a range or list of values. */
interface Ranged {
  readonly column: PackageColumn;
  readonly from: number;
  readonly to: number | null;
}
interface Listed {
  readonly column: PackageColumn;
  readonly values: readonly string[];
}

/** Returns the range of a type's values (api-spec.md §2.14); null if it has none. */
function rangeOf(type: string): { readonly from: number; readonly to: number | null } | null {
  if (type === 'natural') return { from: 0, to: null };
  return type === 'percentage' ? { from: 0, to: 1 } : null;
}

/**
 * Returns the values of a staged package outside of its schema. Numbers are checked in the statistics of the Parquet
 * files, for which only the footers are read. Only the columns of enums are read.
 *
 * @param paths the package's parts
 * @param valuesOf the values that an enum lists; undefined if the service provides no list
 */
export async function packageNotes(
  connection: Connection,
  paths: readonly string[],
  columns: readonly PackageColumn[],
  valuesOf: (field: string) => readonly string[] | undefined,
  signal: AbortSignal,
): Promise<PackageNote[]> {
  if (paths.length === 0) return [];
  const ranged = columns.flatMap((column): Ranged[] => {
    const range = typeFamily(column.type) === 'json' ? null : rangeOf(column.type);
    return range ? [{ column, ...range }] : [];
  });
  const listed = columns.flatMap((column): Listed[] => {
    const values = column.type === 'enum' ? valuesOf(column.field) : undefined;
    return values ? [{ column, values }] : [];
  });
  const suspects = await suspectColumns(connection, paths, ranged, signal);
  return [
    ...(await rangeNotes(connection, paths, suspects, signal)),
    ...(await valueNotes(connection, paths, listed, signal)),
  ];
}

/** Returns the columns whose statistics show a value out of range, or no statistics. */
async function suspectColumns(
  connection: Connection,
  paths: readonly string[],
  ranged: readonly Ranged[],
  signal: AbortSignal,
): Promise<readonly Ranged[]> {
  if (ranged.length === 0) return [];
  // A list's values are below its column: `depths, list, element`.
  const rows = typedRows(
    ColumnRange,
    await connection.rows(
      `SELECT path_in_schema AS path, min(TRY_CAST(stats_min_value AS DOUBLE)) AS low,
         max(TRY_CAST(stats_max_value AS DOUBLE)) AS high,
         bool_or(stats_null_count IS DISTINCT FROM num_values
           AND (TRY_CAST(stats_min_value AS DOUBLE) IS NULL OR TRY_CAST(stats_max_value AS DOUBLE) IS NULL)) AS bare
       FROM parquet_metadata([${paths.map(file).join(', ')}]) GROUP BY ALL`,
      [],
      signal,
    ),
  );
  return ranged.filter(({ column, from, to }) => {
    // Decimals are bytes in the statistics.
    if (column.sql_type.startsWith(WIDE_WHOLE)) return true;
    const own = rows.filter(({ path }) => path === column.column || path.startsWith(`${column.column}, `));
    return own.some(
      ({ low, high, bare }) =>
        bare || (low !== null && low < from) || (to !== null && high !== null && high > to),
    );
  });
}

async function rangeNotes(
  connection: Connection,
  paths: readonly string[],
  suspects: readonly Ranged[],
  signal: AbortSignal,
): Promise<PackageNote[]> {
  if (suspects.length === 0) return [];
  const extremes = suspects.map(({ column }, index) => {
    const name = ident(column.column);
    const [low, high] = column.arity === 'many' ? [`list_min(${name})`, `list_max(${name})`] : [name, name];
    return `CAST(min(${low}) AS VARCHAR) AS low${index}, CAST(max(${high}) AS VARCHAR) AS high${index}`;
  });
  const [row] = typedRows(
    Texts,
    await connection.rows(
      `SELECT ${extremes.join(', ')} FROM ${parquetFiles(paths, { unionByName: true })}`,
      [],
      signal,
    ),
  );
  return suspects.flatMap(({ column: { field }, from, to }, index): PackageNote[] => {
    const before = to === null ? `>= ${from}` : `${from} to ${to}`;
    const isOut = (value: string | null | undefined): value is string =>
      value !== null && value !== undefined && (Number(value) < from || (to !== null && Number(value) > to));
    return [row?.[`low${index}`], row?.[`high${index}`]]
      .filter(isOut)
      .filter((value, at, all) => all.indexOf(value) === at)
      .map((after) => ({ field, change: 'out_of_range', before, after }));
  });
}

async function valueNotes(
  connection: Connection,
  paths: readonly string[],
  listed: readonly Listed[],
  signal: AbortSignal,
): Promise<PackageNote[]> {
  if (listed.length === 0) return [];
  // `list_contains` is evaluated once per value of the file's dictionary, four times as fast as IN (measured).
  const isListed = ({ column, values }: Listed): string => {
    const name = ident(column.column);
    const list = `[${values.map(text).join(', ')}]`;
    if (column.arity === 'one') return `list_contains(${list}, ${name})`;
    return `list_has_all(${list}, list_filter(${name}, lambda v: v IS NOT NULL))`;
  };
  const source = `${parquetFiles(paths, { unionByName: true })}`;
  const answers = listed.map((listed, index) => `bool_and(${isListed(listed)}) AS all${index}`);
  const [row] = await connection.rows(`SELECT ${answers.join(', ')} FROM ${source}`, [], signal);
  const notes: PackageNote[] = [];
  for (const one of listed.filter((_one, index) => row?.[`all${index}`] === false)) {
    const { column, values } = one;
    const value = column.arity === 'many' ? `unnest(${ident(column.column)})` : ident(column.column);
    // A limit, not a sort, because every row may have another value.
    const found = typedRows(
      FoundValue,
      await connection.rows(
        `SELECT DISTINCT value FROM (SELECT ${value} AS value FROM ${source} WHERE NOT ${isListed(one)})
         WHERE value NOT IN (${values.map(text).join(', ')}) LIMIT ${MOST_VALUES}`,
        [],
        signal,
      ),
    );
    const before = values.join(', ');
    const after = found.map((other) => other.value).sort();
    notes.push(
      ...after.map((other) => ({ field: column.field, change: 'enum_value', before, after: other }) as const),
    );
  }
  return notes;
}

/** Rows of a package with the same values of their key. */
export interface RepeatedKeys {
  readonly rows: number;
  readonly keys: number;
  /** One of the repeated keys, `url https://…`, and its number of rows. */
  readonly example: string;
  readonly times: number;
}

/**
 * Finds rows of a staged package with the same values of these fields. If the order of a list is not total, its pages
 * may contain some rows twice and others never, although every count agrees.
 *
 * @returns null when there are none
 */
export async function repeatedKeys(
  connection: Connection,
  paths: readonly string[],
  columns: readonly PackageColumn[],
  key: readonly string[],
  signal: AbortSignal,
): Promise<RepeatedKeys | null> {
  const named = columns.filter(({ field }) => key.includes(field));
  if (paths.length === 0 || named.length === 0) return null;
  const files = parquetFiles(paths, { unionByName: true });
  const names = named.map(({ column }) => ident(column)).join(', ');
  const groups = `SELECT ${names}, count(*) AS _times FROM ${files} GROUP BY ${names}`;
  const [found] = typedRows(
    KeyCounts,
    await connection.rows(
      `SELECT coalesce(CAST(sum(_times) AS BIGINT), 0) AS rows, count(*) AS keys FROM (${groups})`,
      [],
      signal,
    ),
  );
  if (!found || found.rows === found.keys) return null;
  const texts = named.map(({ column }, index) => `CAST(${ident(column)} AS VARCHAR) AS k${index}`).join(', ');
  const [most] = typedRows(
    Texts,
    await connection.rows(
      `SELECT ${texts}, CAST(_times AS VARCHAR) AS times FROM (${groups}) ORDER BY _times DESC LIMIT 1`,
      [],
      signal,
    ),
  );
  const example = named.map(({ field }, index) => `${field} ${most?.[`k${index}`] ?? 'null'}`).join(', ');
  return { rows: Number(found.rows), keys: Number(found.keys), example, times: Number(most?.times ?? 0) };
}
