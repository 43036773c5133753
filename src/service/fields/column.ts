import { z } from 'zod';
import { FieldRecord } from '../../client/resources/fields.ts';

/**
 * How a column is stored. A typed kind is used only if every value returns on the wire unchanged. Otherwise the column
 * is `json`: the raw JSON text of each value. A `date` is found without reading adjacent days; others are `text`.
 */
export const ColumnKind = z.enum(['int', 'float', 'bool', 'date', 'text', 'texts', 'json']);
export type ColumnKind = z.infer<typeof ColumnKind>;

/**
 * A field of a dataset and the place of its values. `id` is positional (`c0`, `c1`, …): DuckDB's own column names are
 * case-insensitive, the service's are not.
 */
export const Column = z.object({ id: z.string(), kind: ColumnKind, field: FieldRecord });
export type Column = z.infer<typeof Column>;

export const SQL_TYPES: Readonly<Record<ColumnKind, string>> = {
  int: 'BIGINT',
  float: 'DOUBLE',
  bool: 'BOOLEAN',
  date: 'DATE',
  text: 'VARCHAR',
  texts: 'VARCHAR[]',
  json: 'VARCHAR',
};

/** Types of numbers. */
export const WHOLE: readonly string[] = ['natural', 'integer'];
export const REAL: readonly string[] = ['float', 'percentage', 'ratio'];

export type ValueKind = 'number' | 'bool' | 'text' | 'date' | 'datetime' | 'opaque';

/** Returns how filters and aggregates treat the values of a type. */
export function valueKind({ type }: Pick<FieldRecord, 'type'>): ValueKind {
  if (WHOLE.includes(type) || REAL.includes(type)) return 'number';
  if (['string', 'enum', 'hash'].includes(type)) return 'text';
  return type === 'bool' || type === 'date' || type === 'datetime' ? type : 'opaque';
}

/** Returns the kind that fits a field's values if they conform to its type. */
export function kindOfField({ type, arity }: FieldRecord): ColumnKind {
  const values = valueKind({ type });
  const isText = ['text', 'date', 'datetime'].includes(values);
  if (arity === 'many') return isText ? 'texts' : 'json';
  if (values === 'number') return WHOLE.includes(type) ? 'int' : 'float';
  return isText ? 'text' : values === 'bool' ? 'bool' : 'json';
}

/** Returns columns for fields whose values conform to their types. */
export function columnsOf(fields: readonly FieldRecord[]): Column[] {
  return fields.map((field, index) => ({ id: `c${index}`, kind: kindOfField(field), field }));
}

export function isMany(column: Column): boolean {
  return column.field.arity === 'many';
}
