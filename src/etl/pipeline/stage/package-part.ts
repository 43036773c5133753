import { z } from 'zod';
import { type Connection, ident, parquetFiles, text, withoutOptimizer } from '../../../core/duckdb/duckdb.ts';
import { typedRows } from '../../../core/text/typed-rows.ts';
import type { PackageColumn } from '../../project/model/manifest.ts';
import { hashSumSql, rowHashSql } from '../../state/catalog/fingerprint.ts';
import { foreignRowSql } from './foreign-rows.ts';
import { type PackageColumns, ROW_HASH } from './package-columns.ts';
import type { UsualSql } from './value-sql.ts';

const PartRow = z.strictObject({
  n: z.bigint(),
  fingerprint: z.string(),
  foreign: z.boolean(),
  broken: z.boolean(),
});

/** Rows per Parquet row group. It bounds the memory for writing 750 columns. */
const ROW_GROUP_ROWS = 20_480;

/** The results of reading a package's part once. */
export interface PartFacts {
  readonly rows: number;
  /** The columns at that moment. Other parts may add more meanwhile. */
  readonly columns: readonly PackageColumn[];
  /** The sum of the hashes of its rows. */
  readonly fingerprint: bigint;
  /** Whether some row cannot be a requested row. */
  readonly foreign: boolean;
  /** Whether some value is invalid in a package, such as NaN. */
  readonly broken: boolean;
}

interface WriteOptions {
  readonly output: string;
  /** The requested fields, to find rows that were not requested. */
  readonly asked?: PackageColumns | undefined;
  /** Whether each row has a mark (`usualRowSql`). */
  readonly isMarked?: boolean;
}

/**
 * Writes rows to a part, each with its hash from before the encoder, and reads the hashes back. The publication
 * compares their sum with the table, which verifies encoder, insert and copy together.
 */
export async function writePart(
  connection: Connection,
  select: string,
  columns: readonly PackageColumn[],
  { output, asked, isMarked = false }: WriteOptions,
  signal: AbortSignal,
): Promise<PartFacts> {
  const own = isMarked ? `* EXCLUDE (${ROW_HASH})` : '*';
  const copy = `COPY (SELECT ${own}, ${hashSql(columns, { asked, isMarked })} AS ${ROW_HASH} FROM (${select})) TO ${text(output)}
    (FORMAT parquet, COMPRESSION zstd, COMPRESSION_LEVEL 1, ROW_GROUP_SIZE ${ROW_GROUP_ROWS})`;
  await withoutOptimizer(connection, () => connection.run(copy, [], signal));
  return readPart(connection, output, columns, { hash: ROW_HASH }, signal);
}

/**
 * Reads a part once: either every value, or only the hashes that `writePart` wrote.
 *
 * @param hash SQL of a row's hash
 * @param brokenChecks SQL that is true for an invalid value
 */
export async function readPart(
  connection: Connection,
  path: string,
  columns: readonly PackageColumn[],
  { hash = hashSql(columns), brokenChecks = [] }: { hash?: string; brokenChecks?: readonly string[] },
  signal: AbortSignal,
): Promise<PartFacts> {
  const [row] = typedRows(
    PartRow,
    await connection.rows(
      `SELECT count(*) AS n, ${hashSumSql('hash')} AS fingerprint, count(*) > count(hash) AS "foreign",
         coalesce(bool_or(broken), false) AS broken
       FROM (SELECT ${hash} AS hash, ${brokenChecks.join(' OR ') || 'false'} AS broken FROM ${parquetFiles([path])})`,
      [],
      signal,
    ),
  );
  if (!row) throw new Error(`${path}: an aggregate returned no row`);
  return { ...row, rows: Number(row.n), columns, fingerprint: BigInt(row.fingerprint) };
}

/** Returns SQL of a row's mark for `writePart`: whether all its values have the usual spelling. */
export function usualRowSql(values: readonly UsualSql[]): string {
  const unusual = values.flatMap((value) => (value.unusual === null ? [] : [`(${value.unusual})`]));
  return `CASE WHEN ${unusual.join(' OR ') || 'false'} THEN false ELSE true END AS ${ROW_HASH}`;
}

/**
 * Returns SQL of a row's hash. A row that cannot be a requested row has no hash, and neither does a row without the
 * mark.
 */
export function hashSql(
  columns: readonly PackageColumn[],
  { asked, isMarked }: Pick<WriteOptions, 'asked' | 'isMarked'> = {},
): string {
  const hash = rowHashSql(
    columns.map(({ column, sql_type }) => ({ column, sql: `CAST(${ident(column)} AS ${sql_type})` })),
  );
  const foreign = !asked || asked.shown === 'unknown' ? null : foreignRowSql(columns, asked.asked);
  const conditions = [...(isMarked ? [ROW_HASH] : []), ...(foreign === null ? [] : [`NOT (${foreign})`])];
  return conditions.length > 0 ? `CASE WHEN ${conditions.join(' AND ')} THEN ${hash} END` : hash;
}
