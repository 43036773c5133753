import { type Connection, ident, parquetFiles } from '../../core/duckdb/duckdb.ts';
import type { PackageColumn } from '../../project/model/manifest.ts';
import { fingerprintSql } from '../../state/catalogue/fingerprint.ts';
import { foreignRowSql } from './foreign-rows.ts';
import type { PackageColumns } from './package-columns.ts';

/** The results of reading a package's part once. */
export interface PartFacts {
  readonly rows: number;
  /** The sum of the hashes of its rows. */
  readonly fingerprint: bigint;
  /** Some row can't be a requested row. */
  readonly foreign: boolean;
  /** Some value is none that a package may hold, such as NaN. */
  readonly broken: boolean;
}

/**
 * Reads every value of a part once.
 *
 * @param asked the requested fields, to find rows that were not requested
 * @param brokenChecks SQL that is true for a value that a package may not hold
 */
export async function readPart(
  connection: Connection,
  path: string,
  columns: readonly PackageColumn[],
  { asked, brokenChecks = [] }: { asked?: PackageColumns; brokenChecks?: readonly string[] },
  signal: AbortSignal,
): Promise<PartFacts> {
  const values = columns.map(({ column, sql_type }) => ({
    column,
    sql: `CAST(${ident(column)} AS ${sql_type})`,
  }));
  const foreign = !asked || asked.shown === 'unknown' ? null : foreignRowSql(columns, asked.asked);
  const some = (checks: readonly string[]): string =>
    checks.length === 0 ? 'false' : checks.map((check) => `coalesce(bool_or(${check}), false)`).join(' OR ');
  const [row] = await connection.rows<{ n: bigint; fingerprint: string; foreign: boolean; broken: boolean }>(
    `SELECT count(*) AS n, ${fingerprintSql(values)} AS fingerprint, ${some(foreign === null ? [] : [foreign])} AS "foreign",
       ${some(brokenChecks)} AS broken
     FROM ${parquetFiles([path])}`,
    [],
    signal,
  );
  if (!row) throw new Error(`${path}: an aggregate gave no row`);
  return {
    rows: Number(row.n),
    fingerprint: BigInt(row.fingerprint),
    foreign: row.foreign,
    broken: row.broken,
  };
}
