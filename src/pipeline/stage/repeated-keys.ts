import { type Connection, ident, parquetFiles } from '../../core/duckdb/duckdb.ts';
import type { PackageColumn } from '../../project/model/manifest.ts';

/** Rows of a package that share the values of their key. */
export interface RepeatedKeys {
  readonly rows: number;
  readonly keys: number;
  /** The key of one of them, `url https://…`, and how many rows have it. */
  readonly example: string;
  readonly times: number;
}

/**
 * Whether rows of a staged package share the values of these fields. Pages of a list whose order is not total bring
 * some rows twice and others never, and every count agrees.
 *
 * @returns null when no two rows do
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
  const [found] = await connection.rows<{ rows: bigint; keys: bigint }>(
    `SELECT coalesce(CAST(sum(_times) AS BIGINT), 0) AS rows, count(*) AS keys FROM (${groups})`,
    [],
    signal,
  );
  if (!found || found.rows === found.keys) return null;
  const texts = named.map(({ column }, index) => `CAST(${ident(column)} AS VARCHAR) AS k${index}`).join(', ');
  const [most] = await connection.rows<Record<string, string | null> & { times: bigint }>(
    `SELECT ${texts}, _times AS times FROM (${groups}) ORDER BY _times DESC LIMIT 1`,
    [],
    signal,
  );
  const example = named.map(({ field }, index) => `${field} ${most?.[`k${index}`] ?? 'null'}`).join(', ');
  return {
    rows: Number(found.rows),
    keys: Number(found.keys),
    example,
    times: Number(most?.times ?? 0n),
  };
}
