import { type Connection, ident, parquetFiles } from '../../src/core/duckdb/duckdb.ts';
import type { PackageColumn } from '../../src/etl/project/model/manifest.ts';
import { fingerprintSql } from '../../src/etl/state/catalog/fingerprint.ts';

/** The fingerprint of a finished package, from its files. */
export async function packageFingerprint(
  connection: Connection,
  paths: readonly string[],
  columns: readonly PackageColumn[],
): Promise<unknown> {
  if (paths.length === 0) return '0';
  const values = columns.map(({ column }) => ({ column, sql: ident(column) }));
  return connection.scalar(`SELECT ${fingerprintSql(values)} FROM ${parquetFiles(paths)}`);
}
