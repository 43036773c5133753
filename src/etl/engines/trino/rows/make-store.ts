import { z } from 'zod';
import { ident } from '../../../../core/duckdb/duckdb.ts';
import { typedRows } from '../../../../core/text/typed-rows.ts';
import type { RelationNames } from '../client/relation-names.ts';
import type { TrinoClient } from '../client/trino-client.ts';

const StoredTable = z.strictObject({ table_name: z.string() });

const POINTERS = '(token bigint, seq bigint, relation varchar, unit varchar, load_id varchar)';

/** Creates the missing schemas of a warehouse and tables of its pointers. */
export async function makeStore(
  { client, catalog }: { readonly client: TrinoClient; readonly catalog: string },
  names: RelationNames,
  signal: AbortSignal | undefined,
): Promise<void> {
  // They come last.
  const made = typedRows(StoredTable, await client.rows(names.storedTables, {}, signal));
  const present = made.map(({ table_name }) => table_name);
  if (present.includes('visible') && present.includes('candidate')) return;
  for (const schema of ['store', 'work', 'raw', 'mart', 'ops'] as const)
    await client.run(`CREATE SCHEMA IF NOT EXISTS ${ident(catalog)}.${names.schema(schema)}`, {}, signal);
  for (const table of [names.visible, names.candidate])
    await client.run(
      `CREATE TABLE IF NOT EXISTS ${table} ${POINTERS} WITH (partitioning = ARRAY['token'])`,
      {},
      signal,
    );
}
