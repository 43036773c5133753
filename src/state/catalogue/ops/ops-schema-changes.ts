import { z } from 'zod';
import { type Connection, given, isoTime } from '../../../core/duckdb/duckdb.ts';
import type { Manifest } from '../../../project/model/manifest.ts';
import type { RawTablePlan } from '../raw/raw-table.ts';
import { exactRows } from './ops-rows.ts';

const CHANGE = given('$4', ['field', 'change', 'before', 'after']);

/** Adds what a unit changes in the columns of its dataset. The columns that a table is made with are no change. */
export async function recordSchemaChanges(
  connection: Connection,
  { name, unit }: Manifest,
  plan: RawTablePlan,
  runId: string,
): Promise<void> {
  const changes = plan.exists ? plan.changes : plan.changes.filter((change) => change.change !== 'added');
  if (changes.length === 0) return;
  await connection.run(
    `INSERT INTO ops.schema_changes SELECT $1, $2, field, change, before, after, $3, now() FROM (SELECT ${CHANGE})`,
    [unit.dataset, name, runId, JSON.stringify(changes)],
  );
}

/** Adds values that the schema does not foresee, each once a dataset: they are loaded and refuse no unit. */
export async function recordNotes(connection: Connection, manifest: Manifest, runId: string): Promise<void> {
  if (manifest.notes.length === 0) return;
  const { dataset } = manifest.unit;
  await connection.run(
    `INSERT INTO ops.schema_changes SELECT $1, $2, n.field, n.change, n.before, n.after, $3, now()
     FROM (SELECT ${CHANGE}) AS n
     WHERE NOT EXISTS (FROM ops.schema_changes AS known WHERE known.dataset = $1 AND known.field = n.field
       AND known.change = n.change AND known.after = n.after)`,
    [dataset, manifest.name, runId, JSON.stringify(manifest.notes)],
  );
}

/** A change of a dataset's fields, for people; the time is ISO 8601, UTC. */
export const KnownChange = z.strictObject({
  unit: z.string(),
  field: z.string(),
  change: z.string(),
  before: z.string().nullable(),
  after: z.string().nullable(),
  changed_at: z.string(),
});
export type KnownChange = z.infer<typeof KnownChange>;

/** The last changes of a dataset, the newest first. */
export async function lastSchemaChanges(
  connection: Connection,
  dataset: string,
  limit: number,
): Promise<KnownChange[]> {
  return await exactRows(
    connection,
    `SELECT unit, field, change, before, after, ${isoTime('changed_at')} AS changed_at
     FROM ops.schema_changes WHERE dataset = ? ORDER BY ops.schema_changes.changed_at DESC, field, unit LIMIT ${limit}`,
    [dataset],
  );
}
