import type { Connection } from '../core/duckdb.ts';
import type { Manifest } from '../model/manifest.ts';
import type { RawTablePlan } from './raw-table.ts';

/** Writes the fields of a unit to `ops.unit_fields`, and changes of its dataset's columns to `ops.schema_changes`. */
export async function recordFields(
  connection: Connection,
  manifest: Manifest,
  plan: RawTablePlan,
  runId: string,
): Promise<void> {
  const { name, unit } = manifest;
  await connection.run('DELETE FROM ops.unit_fields WHERE unit = ?', [name]);
  const types = new Map(manifest.columns.map((column) => [column.field, column]));
  const fields = plan.targets.map(({ field, column }) => {
    const { type, arity } = types.get(field) ?? { type: 'unknown', arity: 'one' };
    return { field, type, arity, column };
  });
  await connection.run(
    `INSERT INTO ops.unit_fields SELECT ?, ?, f.field, f.type, f.arity, f."column"
     FROM (SELECT unnest(from_json(?, '[{"field":"VARCHAR","type":"VARCHAR","arity":"VARCHAR","column":"VARCHAR"}]')) AS f)`,
    [name, unit.dataset, JSON.stringify(fields)],
  );
  const changes = plan.exists ? plan.changes : plan.changes.filter((change) => change.change !== 'added');
  await connection.run(
    `INSERT INTO ops.schema_changes SELECT ?, ?, c.field, c.change, c.before, c.after, ?, now()
     FROM (SELECT unnest(from_json(?, '[{"field":"VARCHAR","change":"VARCHAR","before":"VARCHAR","after":"VARCHAR"}]')) AS c)`,
    [unit.dataset, name, runId, JSON.stringify(changes)],
  );
}

/** Values that the schema does not foresee are loaded and told of, each once a dataset: they refuse no unit. */
export async function recordNotes(connection: Connection, manifest: Manifest, runId: string): Promise<void> {
  if (manifest.notes.length === 0) return;
  const { dataset } = manifest.unit;
  await connection.run(
    `INSERT INTO ops.schema_changes SELECT $1, $2, n.field, n.change, n.before, n.after, $3, now()
     FROM (SELECT unnest(from_json($4, '[{"field":"VARCHAR","change":"VARCHAR","before":"VARCHAR","after":"VARCHAR"}]')) AS n)
     WHERE NOT EXISTS (FROM ops.schema_changes AS known WHERE known.dataset = $1 AND known.field = n.field
       AND known.change = n.change AND known.after = n.after)`,
    [dataset, manifest.name, runId, JSON.stringify(manifest.notes)],
  );
}
