import { z } from 'zod';
import { type Connection, table } from '../../../../core/duckdb/duckdb.ts';
import { type Typed, typedRows } from '../../../../core/text/typed-rows.ts';
import { CATALOG } from '../schema.ts';

/** Identity of a warehouse file: its publication, and the one that it was made from. */
export const Publication = z.strictObject({
  id: z.string().nullable(),
  base_id: z.string().nullable(),
  dirty: z.boolean(),
  version: z.number(),
});
export type Publication = Typed<typeof Publication>;

/** @param catalog the name under which the file is attached */
export async function publicationOf(connection: Connection, catalog: string): Promise<Publication> {
  const rows = typedRows(
    Publication,
    await connection.rows(`SELECT id, base_id, dirty, version FROM ${table(catalog, 'ops', 'publication')}`),
  );
  const row = rows[0];
  if (!row) throw new Error('ops.publication is empty');
  return row;
}

/** Returns when the warehouse was published, in UTC; null before its first publication. */
export async function publishedAt(connection: Connection): Promise<string | null> {
  const found = await connection.scalar(
    `SELECT strftime(published_at AT TIME ZONE 'UTC', '%Y-%m-%dT%H:%M:%SZ') FROM ops.publication`,
  );
  return typeof found === 'string' ? found : null;
}

/** Stores in the working copy the identity of its next publication and of the publication that it replaces. */
export async function beginPublication(
  connection: Connection,
  id: string,
  baseId: string | null,
): Promise<void> {
  await connection.run('UPDATE ops.publication SET base_id = ?, id = ?, published_at = now()', [baseId, id]);
}

export async function markDirty(connection: Connection): Promise<void> {
  await connection.run('UPDATE ops.publication SET dirty = true');
}

export async function markClean(connection: Connection, catalog = CATALOG): Promise<void> {
  await connection.run(`UPDATE ${table(catalog, 'ops', 'publication')} SET dirty = false`);
}
