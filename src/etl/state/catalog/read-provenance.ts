import { z } from 'zod';
import { text } from '../../../core/duckdb/duckdb.ts';
import { columnsOf, type Typed, typedRows } from '../../../core/text/typed-rows.ts';
import { COUNTS } from '../../project/model/runs/six-counts.ts';
import type { CatalogReader } from './catalog.ts';

const Text = z.string().nullable();
const COUNT_NAMES = COUNTS.join(', ');

/** A row of ops.loads: the rows that an answer rests on. Times are in UTC. */
export const ProvenLoad = z.strictObject({
  unit: z.string(),
  dataset: z.string(),
  source_kind: z.string(),
  project_id: Text,
  window_from: Text,
  window_to: Text,
  loaded_at: Text,
  ...columnsOf(COUNTS, z.union([z.number(), z.bigint()]).nullable()),
  content_sha256: Text,
  fingerprint: Text,
});
export type ProvenLoad = Typed<typeof ProvenLoad>;

const Built = z.strictObject({ name: z.string(), definition: Text });

export const ProvenPublication = z.strictObject({ id: Text, published_at: Text });

/** Returns the loads of datasets by unit: those of one project and of the workspaces, or those of all projects. */
export async function readProvenLoads(
  warehouse: CatalogReader,
  { datasets, project }: { readonly datasets: readonly string[]; readonly project: string | null },
  signal: AbortSignal,
): Promise<readonly ProvenLoad[]> {
  const rows = await warehouse.rows(
    `SELECT unit, dataset, source_kind, project_id, CAST(window_from AS VARCHAR) AS window_from,
       CAST(window_to AS VARCHAR) AS window_to, CAST(loaded_at AS VARCHAR) AS loaded_at, ${COUNT_NAMES}, content_sha256,
       fingerprint
     FROM ops.loads
     WHERE dataset IN (${['', ...datasets].map(text).join(', ')})
       AND ($project IS NULL OR project_id = $project OR project_id IS NULL)
     ORDER BY unit`,
    signal,
    new Map([['project', project]]),
  );
  return typedRows(ProvenLoad, rows);
}

/** Returns the hash of each model's SQL, and of the SQL of all models that it reads, as the publication was built. */
export async function readDefinitions(
  warehouse: CatalogReader,
  signal: AbortSignal,
): Promise<ReadonlyMap<string, string | null>> {
  const rows = await warehouse.rows('SELECT name, definition FROM ops.models ORDER BY name', signal);
  return new Map(typedRows(Built, rows).map(({ name, definition }) => [name, definition]));
}

export async function readPublication(
  warehouse: CatalogReader,
  signal: AbortSignal,
): Promise<Typed<typeof ProvenPublication>> {
  const rows = await warehouse.rows(
    'SELECT id, CAST(published_at AS VARCHAR) AS published_at FROM ops.publication',
    signal,
  );
  return typedRows(ProvenPublication, rows)[0] ?? { id: null, published_at: null };
}
