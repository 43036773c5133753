import type { Connection } from '../core/duckdb.ts';
import type { Manifest } from '../model/manifest.ts';
import type { RawTablePlan } from './raw-table.ts';

const CHANGE_JSON = `[{"field":"VARCHAR","change":"VARCHAR","before":"VARCHAR","after":"VARCHAR"}]`;

/** Adds what a unit changes in the columns of its dataset. The columns that a table is made with are no change. */
export async function recordSchemaChanges(
  connection: Connection,
  { name, unit }: Manifest,
  plan: RawTablePlan,
  runId: string,
): Promise<void> {
  const changes = plan.exists ? plan.changes : plan.changes.filter((change) => change.change !== 'added');
  await connection.run(
    `INSERT INTO ops.schema_changes SELECT ?, ?, c.field, c.change, c.before, c.after, ?, now()
     FROM (SELECT unnest(from_json(?, '${CHANGE_JSON}')) AS c)`,
    [unit.dataset, name, runId, JSON.stringify(changes)],
  );
}

/** Adds values that the schema does not foresee, each once a dataset: they are loaded and refuse no unit. */
export async function recordNotes(connection: Connection, manifest: Manifest, runId: string): Promise<void> {
  if (manifest.notes.length === 0) return;
  const { dataset } = manifest.unit;
  await connection.run(
    `INSERT INTO ops.schema_changes SELECT $1, $2, n.field, n.change, n.before, n.after, $3, now()
     FROM (SELECT unnest(from_json($4, '${CHANGE_JSON}')) AS n)
     WHERE NOT EXISTS (FROM ops.schema_changes AS known WHERE known.dataset = $1 AND known.field = n.field
       AND known.change = n.change AND known.after = n.after)`,
    [dataset, manifest.name, runId, JSON.stringify(manifest.notes)],
  );
}
