import { z } from 'zod';
import { type Connection, given, listed, table } from '../../../../core/duckdb/duckdb.ts';
import { type Typed, typedRows } from '../../../../core/text/typed-rows.ts';
import { baseColumn } from '../../../project/model/column-name.ts';
import type { Manifest } from '../../../project/model/manifest.ts';
import type { RawTablePlan, SchemaChange } from '../raw/raw-table.ts';

const FieldColumn = z.strictObject({ field: z.string(), column_name: z.string() });

const UnitColumns = z.strictObject({ columns: z.string(), unit: z.string() });

const FIELD = given('?', ['unit', 'dataset', 'field', 'type', 'arity', 'column_name']);

/**
 * The fields of a dataset after a load. The next load on the same connection uses them instead of reading those of all
 * units.
 */
interface KnownFields {
  readonly registry: Map<string, string>;
  /** The unit that was loaded last, by project. */
  readonly last: Map<string | null, { readonly unit: string; readonly fields: readonly UnitField[] }>;
}

const UnitField = z.strictObject({ field: z.string(), type: z.string(), arity: z.string() });
type UnitField = Typed<typeof UnitField>;

const KNOWN = new WeakMap<Connection, Map<string, KnownFields>>();

/** Keeps the fields of a dataset after the committed load of a unit. */
export function keepFields(
  connection: Connection,
  { name, unit: { dataset, source } }: Manifest,
  { targets }: RawTablePlan,
  registry: ReadonlyMap<string, string>,
): void {
  const datasets = KNOWN.get(connection) ?? new Map<string, KnownFields>();
  KNOWN.set(connection, datasets);
  const known = datasets.get(dataset) ?? { registry: new Map(registry), last: new Map() };
  datasets.set(dataset, known);
  for (const { field, column } of targets) known.registry.set(field, baseColumn(field, column));
  const fields = targets.map(({ field, described: { type, arity } }) => ({ field, type, arity }));
  known.last.set(source.project_id, {
    unit: name,
    fields: fields.toSorted((field, other) => (field.field < other.field ? -1 : 1)),
  });
}

/** Forgets the kept fields of a dataset, or of all, because fields of units were removed. */
export function forgetFields(connection: Connection, dataset?: string): void {
  if (dataset === undefined) KNOWN.delete(connection);
  else KNOWN.get(connection)?.delete(dataset);
}

/** Adds the fields of units that have none. */
export async function recordFields(
  connection: Connection,
  loads: readonly { readonly staged: { readonly manifest: Manifest }; readonly plan: RawTablePlan }[],
): Promise<void> {
  const fields = loads.flatMap(({ staged: { manifest }, plan }) =>
    plan.targets.map(({ field, column, described: { type, arity } }) => ({
      unit: manifest.name,
      dataset: manifest.unit.dataset,
      field,
      type,
      arity,
      column_name: column,
    })),
  );
  await connection.run(`INSERT INTO ops.unit_fields BY NAME SELECT ${FIELD}`, [JSON.stringify(fields)]);
}

/** Removes the fields of units. */
export async function removeFields(connection: Connection, units: readonly string[]): Promise<void> {
  await connection.run(`DELETE FROM ops.unit_fields WHERE unit IN ${listed('?')}`, [JSON.stringify(units)]);
}

/** Returns field → column over all units of a dataset. The column of a field never changes. */
export async function fieldRegistry(
  connection: Connection,
  dataset: string,
): Promise<ReadonlyMap<string, string>> {
  const known = KNOWN.get(connection)?.get(dataset);
  if (known) return known.registry;
  const rows = typedRows(
    FieldColumn,
    await connection.rows('SELECT DISTINCT field, column_name FROM ops.unit_fields WHERE dataset = ?', [
      dataset,
    ]),
  );
  return new Map(rows.map(({ field, column_name }) => [field, baseColumn(field, column_name)]));
}

export async function loadedFieldNames(
  connection: Connection,
  dataset: string,
): Promise<ReadonlySet<string>> {
  return new Set((await fieldRegistry(connection, dataset)).keys());
}

/** Returns the columns that each unit was loaded with, in the order of their names. */
export async function columnsOfUnits(
  connection: Connection,
  catalog: string,
  dataset: string,
  units: readonly string[],
): Promise<{ readonly unit: string; readonly columns: readonly string[] }[]> {
  const rows = typedRows(
    UnitColumns,
    await connection.rows(
      `SELECT unit, CAST(to_json(list(column_name ORDER BY column_name)) AS VARCHAR) AS columns
       FROM ${table(catalog, 'ops', 'unit_fields')}
       WHERE dataset = ? AND unit IN ${listed('?')} GROUP BY unit ORDER BY unit`,
      [dataset, JSON.stringify(units)],
    ),
  );
  return rows.map(({ unit, columns }) => ({ unit, columns: JSON.parse(columns) as string[] }));
}

/**
 * Returns how the fields of a unit differ from those of the last loaded unit of the same project: missing fields, and
 * fields with another type or arity.
 */
export async function fieldChanges(connection: Connection, manifest: Manifest): Promise<SchemaChange[]> {
  const { dataset, source } = manifest.unit;
  const last = KNOWN.get(connection)?.get(dataset)?.last.get(source.project_id);
  const before =
    last && last.unit !== manifest.name
      ? last.fields
      : typedRows(
          UnitField,
          await connection.rows(
            `SELECT field, type, arity FROM ops.unit_fields WHERE unit = (
               SELECT unit FROM ops.loads WHERE dataset = ? AND project_id IS NOT DISTINCT FROM ? AND unit <> ?
               ORDER BY loaded_at DESC, unit DESC LIMIT 1)
             ORDER BY field`,
            [dataset, source.project_id, manifest.name],
          ),
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
