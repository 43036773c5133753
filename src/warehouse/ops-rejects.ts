import { join } from 'node:path';
import { type Connection, parquetFiles } from '../core/duckdb.ts';
import type { Manifest } from '../model/manifest.ts';

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
