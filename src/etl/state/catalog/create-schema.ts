import type { Connection } from '../../../core/duckdb/duckdb.ts';
import { commentOpsTables, commentRawColumns, rawTables } from './comment-columns.ts';
import { MIGRATIONS, VERSION_1, WAREHOUSE_VERSION } from './schema.ts';

/**
 * Creates missing schemas and `ops` tables and migrates those of an earlier version, in one transaction. Then adds
 * comments to the columns that have none. The warehouse must be the connection's default.
 */
export async function createSchema(connection: Connection): Promise<void> {
  const isCurrent = await connection.transaction(async () => {
    await connection.run(VERSION_1.join(';'));
    const version = await connection.scalar('SELECT version FROM ops.publication');
    if (version === undefined)
      await connection.run('INSERT INTO ops.publication VALUES (NULL, NULL, NULL, false, 1)');
    const migrations = MIGRATIONS.slice(Number(version ?? 1) - 1);
    if (migrations.length === 0) return true;
    await connection.run(migrations.flat().join(';'));
    await commentOpsTables(connection);
    await connection.run('UPDATE ops.publication SET version = ?', [WAREHOUSE_VERSION]);
    return false;
  });
  if (isCurrent) return;
  for (const dataset of await rawTables(connection)) await commentRawColumns(connection, dataset, new Map());
}
