import { z } from 'zod';
import { type Connection, given, isoTime } from '../../../../core/duckdb/duckdb.ts';
import type { Manifest } from '../../../project/model/manifest.ts';
import { hasColumns } from '../catalog.ts';
import type { RawTablePlan } from '../raw/raw-table.ts';
import { exactRows } from './ops-rows.ts';

const CHANGE = given('$4', ['field', 'change', 'before', 'after'], { value_count: 'BIGINT' });

/** Records the changes of a unit to the columns of its dataset. The first columns of a table are not changes. */
export async function recordSchemaChanges(
  connection: Connection,
  { name, unit }: Manifest,
  plan: RawTablePlan,
  runId: string,
): Promise<void> {
  const changes = plan.exists ? plan.changes : plan.changes.filter((change) => change.change !== 'added');
  if (changes.length === 0) return;
  await connection.run(
    `INSERT INTO ops.schema_changes SELECT $1, $2, field, change, before, after, $3, now(), value_count
     FROM (SELECT ${CHANGE})`,
    [unit.dataset, name, runId, JSON.stringify(changes)],
  );
}

/** Records values outside of the schema, each once per dataset. They are loaded and refuse no unit. */
export async function recordNotes(connection: Connection, manifest: Manifest, runId: string): Promise<void> {
  if (manifest.notes.length === 0) return;
  const { dataset } = manifest.unit;
  await connection.run(
    `INSERT INTO ops.schema_changes SELECT $1, $2, n.field, n.change, n.before, n.after, $3, now(), NULL
     FROM (SELECT ${CHANGE}) AS n
     WHERE NOT EXISTS (FROM ops.schema_changes AS known WHERE known.dataset = $1 AND known.field = n.field
       AND known.change = n.change AND known.after = n.after)`,
    [dataset, manifest.name, runId, JSON.stringify(manifest.notes)],
  );
}

/** A change to the fields of a dataset, for output. The time is ISO 8601, UTC. */
export const KnownChange = z.strictObject({
  unit: z.string(),
  field: z.string(),
  change: z.string(),
  before: z.string().nullable(),
  after: z.string().nullable(),
  changed_at: z.string(),
});
export type KnownChange = z.infer<typeof KnownChange>;

/** Returns the last changes of a dataset, newest first. */
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

/** A change to the fields of a dataset by the last units of a project. */
const FieldChange = z.object({
  project_id: z.string().nullable(),
  dataset: z.string(),
  field: z.string(),
  change: z.string(),
  before: z.string().nullable(),
  after: z.string().nullable(),
  /** The column of a variant and the number of its values; null if they were not counted. */
  column_name: z.string().nullable(),
  value_count: z.number().nullish(),
  changed_at: z.string(),
});
export type FieldChange = z.infer<typeof FieldChange>;

/**
 * Returns the changes of fields by the last run that loaded new units of a project's dataset. A first run has nothing
 * to compare with.
 */
export async function lastFieldChanges(connection: Connection): Promise<FieldChange[]> {
  // Published by an early version.
  if (!(await hasColumns(connection, 'ops.loads', ['source_ended_at']))) return [];
  const rows = await exactRows(
    connection,
    `WITH units AS (
       SELECT unit, dataset, project_id, coalesce(project_id, source_id) AS owner, run_id,
         coalesce(${isoTime('source_ended_at')}, window_from, ${isoTime('loaded_at')}) AS since
       FROM ops.loads),
     lasts AS (SELECT owner, dataset, arg_max(run_id, since) AS run_id FROM units GROUP BY owner, dataset),
     formers AS (
       SELECT units.owner, units.dataset, max(units.since) AS since FROM units JOIN lasts USING (owner, dataset)
       WHERE units.run_id <> lasts.run_id GROUP BY units.owner, units.dataset)
     SELECT changes.* EXCLUDE (changed_at), units.project_id, fields.column_name, ${isoTime('changes.changed_at')} AS changed_at
     FROM ops.schema_changes AS changes
     JOIN units ON units.unit = changes.unit AND units.run_id = changes.run_id
     JOIN lasts ON lasts.owner = units.owner AND lasts.dataset = units.dataset AND lasts.run_id = units.run_id
     JOIN formers ON formers.owner = units.owner AND formers.dataset = units.dataset AND formers.since < units.since
     LEFT JOIN ops.unit_fields AS fields ON fields.unit = changes.unit AND fields.field = changes.field
     WHERE changes.change IN ('added', 'widened', 'variant', 'vanished', 'retyped', 'arity')
     ORDER BY changes.dataset, changes.field, changes.changed_at`,
  );
  return z.array(FieldChange).parse(rows);
}
