import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Connection, Database } from '../../src/core/duckdb/duckdb.ts';

/** A folder for the cases of a target. */
export function fuzzFolder(): { readonly folder: string; readonly close: () => Promise<void> } {
  const folder = mkdtempSync(join(tmpdir(), 'crawlhouse-fuzz-'));
  return { folder, close: async () => rmSync(folder, { recursive: true, force: true }) };
}

/** The same, with a database in memory. */
export async function fuzzDatabase(): Promise<{
  readonly folder: string;
  readonly connection: Connection;
  readonly close: () => Promise<void>;
}> {
  const { folder, close } = fuzzFolder();
  const options = { memoryLimit: '300MB', threads: 1, tempDirectory: join(folder, 'spill') };
  const database = await Database.open(options);
  return {
    folder,
    connection: await database.connect(),
    close: async () => {
      await database[Symbol.asyncDispose]();
      await close();
    },
  };
}
