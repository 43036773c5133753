import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Settings } from '../config/settings.ts';
import { type Connection, Database, ident, text } from '../core/duckdb.ts';
import { removeStaleWal } from '../warehouse/remove-stale-wal.ts';
import { CATALOG } from '../warehouse/schema.ts';

/** Reads from the published warehouse, also while a run is on; undefined when there is none yet. */
export async function readPublished<T>(
  settings: Settings,
  read: (connection: Connection) => Promise<T>,
): Promise<T | undefined> {
  if (!existsSync(settings.warehouse)) return undefined;
  await using database = await Database.open({
    memoryLimit: settings.memory_limit,
    threads: settings.threads,
    tempDirectory: join(settings.state_dir, 'spill'),
  });
  await removeStaleWal(settings.warehouse);
  const connection = await database.connect();
  await connection.run(`ATTACH ${text(settings.warehouse)} AS ${ident(CATALOG)} (READ_ONLY)`);
  await connection.run(`USE ${ident(CATALOG)}`);
  return await read(connection);
}
