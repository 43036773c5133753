import { rm } from 'node:fs/promises';

/**
 * Removes a write-ahead log that lies beside a published warehouse. A publication has none: this one comes from a program
 * that wrote to the file, or to a former one of this name, and DuckDB would replay it into what lies there now.
 */
export async function removeStaleWal(publishedPath: string): Promise<void> {
  await rm(`${publishedPath}.wal`, { force: true });
}
