import { existsSync } from 'node:fs';
import { type Connection, Database, type DuckdbSettings, ident } from '../../../../core/duckdb/duckdb.ts';
import { CATALOG } from '../schema.ts';
import { attachPublished } from './attach-published.ts';

/** The path of the published warehouse and the limits for reading it. The settings contain all of it. */
export interface PublishedPlace extends DuckdbSettings {
  readonly warehouse: string;
}

/** Reads from the published warehouse, even during a run; undefined when there is none yet. */
export async function readPublished<T>(
  settings: PublishedPlace,
  read: (connection: Connection) => Promise<T>,
): Promise<T | undefined> {
  if (!existsSync(settings.warehouse)) return undefined;
  await using database = await Database.openIn(settings);
  const connection = await database.connect();
  await attachPublished(connection, settings.warehouse, CATALOG);
  await connection.run(`USE ${ident(CATALOG)}`);
  return await read(connection);
}
