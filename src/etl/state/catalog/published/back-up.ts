import { createWriteStream, existsSync } from 'node:fs';
import { open, rm, stat } from 'node:fs/promises';
import { pipeline } from 'node:stream/promises';
import { z } from 'zod';
import { damagedFile, verifyBlocks } from '../../../../core/duckdb/database-blocks.ts';
import { type Connection, Database, table, text } from '../../../../core/duckdb/duckdb.ts';
import { nothingPublished } from '../../../../core/errors/errors.ts';
import { writeWhole } from '../../../../core/files/atomic-file.ts';
import { giveUserMode } from '../../../../core/files/private-files.ts';
import { typedRows } from '../../../../core/text/typed-rows.ts';
import { publicationOf } from '../ops/ops-publication.ts';
import { attachPublished } from './attach-published.ts';
import { readPublication } from './read-publication.ts';
import type { PublishedPlace } from './read-published.ts';

const TableName = z.strictObject({ schema: z.string(), name: z.string() });

/** A complete copy of a published warehouse. */
export interface Backup {
  readonly file: string;
  readonly bytes: number;
  /** The publication that was copied. */
  readonly publication_id: string | null;
  readonly tables: readonly { readonly name: string; readonly rows: number }[];
}

/**
 * Copies the published warehouse under DuckDB's lock, because no publication writes to a file that has a reader.
 * Renames the copy to its final name only after every block matches its checksum and every table has the rows of the
 * original.
 *
 * @throws CrawlhouseError `nothing_published`, `locked`, `damaged_warehouse`
 */
export async function backUp(place: PublishedPlace, file: string, signal: AbortSignal): Promise<Backup> {
  const { warehouse } = place;
  if (!existsSync(warehouse)) throw nothingPublished(warehouse);
  await using database = await Database.openIn(place);
  const connection = await database.connect();
  await readPublication(connection, warehouse);
  return await writeWhole(file, async (growing) => {
    for (;;) {
      signal.throwIfAborted();
      const copied = await copyLocked(connection, warehouse, growing, signal);
      if (copied !== null) return { file, ...copied };
    }
  });
}

/** @returns null if another file was published meanwhile */
async function copyLocked(
  connection: Connection,
  warehouse: string,
  growing: string,
  signal: AbortSignal,
): Promise<Omit<Backup, 'file'> | null> {
  // It stays open until DuckDB has closed the file too: closing any handle of a process ends its locks on that file.
  const source = await open(warehouse, 'r');
  try {
    await attachPublished(connection, warehouse, 'original');
    try {
      const { ino } = await source.stat({ bigint: true });
      if ((await stat(warehouse, { bigint: true })).ino !== ino) return null;
      await rm(growing, { force: true });
      await pipeline(
        source.createReadStream({ start: 0, autoClose: false }),
        createWriteStream(growing, { flags: 'wx', mode: 0o600 }),
        { signal },
      );
      const { bytes, tables, publication_id } = await verify(connection, growing, signal);
      await giveUserMode(growing);
      return { bytes, publication_id, tables };
    } finally {
      await connection.run('DETACH original');
    }
  } finally {
    await source.close();
  }
}

/** @throws CrawlhouseError `damaged_warehouse` if a block or the rows of a table differ */
async function verify(
  connection: Connection,
  copy: string,
  signal: AbortSignal,
): Promise<Omit<Backup, 'file'>> {
  await verifyBlocks(copy, signal);
  await connection.run(`ATTACH ${text(copy)} AS copied (READ_ONLY)`);
  try {
    const [original, copied] = [
      await rowsByTable(connection, 'original'),
      await rowsByTable(connection, 'copied'),
    ];
    for (const [name, rows] of original)
      if (copied.get(name) !== rows)
        throw damagedFile(copy, `${name} has ${copied.get(name)} rows, and ${rows} in the original`);
    const { id } = await publicationOf(connection, 'copied');
    const tables = [...copied].map(([name, rows]) => ({ name, rows }));
    return { bytes: (await stat(copy)).size, publication_id: id, tables };
  } finally {
    await connection.run('DETACH copied');
  }
}

async function rowsByTable(connection: Connection, catalog: string): Promise<Map<string, number>> {
  const names = typedRows(
    TableName,
    await connection.rows(
      `SELECT schema_name AS schema, table_name AS name FROM duckdb_tables()
       WHERE database_name = ? ORDER BY ALL`,
      [catalog],
    ),
  );
  const counts = new Map<string, number>();
  for (const { schema, name } of names) {
    const rows = await connection.scalar(`SELECT count(*) FROM ${table(catalog, schema, name)}`);
    counts.set(`${schema}.${name}`, Number(rows));
  }
  return counts;
}
