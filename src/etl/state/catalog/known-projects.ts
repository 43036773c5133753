import { z } from 'zod';
import { typedRows } from '../../../core/text/typed-rows.ts';
import type { CatalogReader } from './catalog.ts';

const Names = z.strictObject({ names: z.array(z.string()).nullable() });

/** The tables and columns that name projects. */
const NAMED_IN = [
  ['ops', 'loads', 'project_id'],
  ['raw', 'projects', 'id'],
  ['raw', 'projects', 'name'],
] as const;

/**
 * Returns names and identifiers of all projects with data in a published warehouse. Each query returns one row, because
 * the reader may limit rows.
 */
export async function knownProjects(warehouse: CatalogReader, signal: AbortSignal): Promise<string[]> {
  const list = async (sql: string): Promise<string[]> => {
    const rows = await warehouse.rows(`SELECT array_agg(DISTINCT name) AS names FROM (${sql})`, signal);
    return [...(typedRows(Names, rows)[0]?.names ?? [])];
  };
  const places = NAMED_IN.map((place) => `'${place.join('.')}'`).join(', ');
  const there = await list(
    `SELECT schema_name || '.' || table_name || '.' || column_name AS name FROM duckdb_columns()
     WHERE database_name = current_database() AND name IN (${places})`,
  );
  const selects = NAMED_IN.filter((place) => there.includes(place.join('.'))).map(
    ([schema, table, column]) =>
      `SELECT ${column} AS name FROM ${schema}.${table} WHERE ${column} IS NOT NULL`,
  );
  return selects.length === 0 ? [] : list(selects.join(' UNION ALL '));
}
