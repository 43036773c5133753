import { type Connection, table } from '../../src/core/duckdb/duckdb.ts';

/** Gives the `ops` tables of a warehouse the names that version 9 had. */
export async function toVersion9(connection: Connection, catalog = 'warehouse'): Promise<void> {
  const of = (name: string): string => table(catalog, 'ops', name);
  for (const statement of [
    `ALTER TABLE ${of('loads')} RENAME COLUMN pinned TO kept`,
    `ALTER TABLE ${of('model_partitions')} RENAME COLUMN partition_key TO piece`,
    `ALTER TABLE ${of('model_partitions')} RENAME TO model_pieces`,
    `ALTER TABLE ${of('model_pieces')} DROP COLUMN load_id`,
    `DROP TABLE ${of('tombstones')}`,
    `UPDATE ${of('publication')} SET version = 9`,
  ])
    await connection.run(statement);
}
