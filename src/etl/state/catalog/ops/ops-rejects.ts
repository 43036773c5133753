import { join } from 'node:path';
import { type Connection, parquetFiles } from '../../../../core/duckdb/duckdb.ts';
import type { Manifest } from '../../../project/model/manifest.ts';
import { exactRows } from './ops-rows.ts';

/** Characters of a shown value. */
const MOST_LETTERS = 1000;

/** Replaces the unit's entries in `ops.rejects` by those of its reject files. */
export async function recordRejects(
  connection: Connection,
  { folder, manifest }: { readonly folder: string; readonly manifest: Manifest },
  runId: string,
): Promise<void> {
  const { name, unit, rejects } = manifest;
  await connection.run('DELETE FROM ops.rejects WHERE unit = ?', [name]);
  if (rejects.length === 0) return;
  await connection.run(
    `INSERT INTO ops.rejects
     SELECT ?, ?, file, line, field, value, reason, ?, now() FROM ${parquetFiles(rejects.map(({ file }) => join(folder, file)))}`,
    [name, unit.dataset, runId],
  );
}

export interface Reject {
  readonly file: string | null;
  readonly line: number | bigint | null;
  /** Null for the whole line. */
  readonly field: string | null;
  /** Its first characters. */
  readonly value: string | null;
  readonly reason: string | null;
}

/** Returns the rejects of a unit's last attempt, in the order of its files. */
export async function rejectsOf(
  connection: Connection,
  unit: string,
  { limit, offset }: { readonly limit: number; readonly offset: number },
): Promise<Reject[]> {
  return await exactRows(
    connection,
    `SELECT file, line, field, left(value, ${MOST_LETTERS}) AS value, reason FROM ops.rejects WHERE unit = ?
     ORDER BY file, line, field LIMIT ${limit} OFFSET ${offset}`,
    [unit],
  );
}

export async function countRejects(connection: Connection, unit: string): Promise<number> {
  return Number(await connection.scalar('SELECT count(*) FROM ops.rejects WHERE unit = ?', [unit]));
}
