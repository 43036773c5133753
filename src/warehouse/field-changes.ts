import type { Connection } from '../core/duckdb.ts';
import type { Manifest } from '../model/manifest.ts';
import type { SchemaChange } from './raw-table.ts';

interface FieldBefore {
  readonly field: string;
  readonly type: string;
  readonly arity: string;
}

/**
 * What the fields of a unit are no longer, beside the unit of the same project that was loaded last: one is gone, or
 * the service gives it another type or arity.
 */
export async function fieldChanges(connection: Connection, manifest: Manifest): Promise<SchemaChange[]> {
  const { dataset, source } = manifest.unit;
  const before = await connection.rows<Record<keyof FieldBefore, string>>(
    `SELECT field, type, arity FROM ops.unit_fields WHERE unit = (
       SELECT unit FROM ops.loads WHERE dataset = ? AND project_id IS NOT DISTINCT FROM ? AND unit <> ?
       ORDER BY loaded_at DESC, unit DESC LIMIT 1)
     ORDER BY field`,
    [dataset, source.project_id, manifest.name],
  );
  const now = new Map(manifest.columns.map((column) => [column.field, column]));
  return before.flatMap(({ field, type, arity }): SchemaChange[] => {
    const one = now.get(field);
    if (one === undefined) return [{ field, change: 'vanished', before: type, after: null }];
    const changes: SchemaChange[] = [];
    if (one.type !== type) changes.push({ field, change: 'retyped', before: type, after: one.type });
    if (one.arity !== arity) changes.push({ field, change: 'arity', before: arity, after: one.arity });
    return changes;
  });
}
