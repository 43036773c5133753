import { z } from 'zod';
import { lookUp } from '../../../core/text/look-up.ts';
import { FieldRecord } from '../../api/resources/fields.ts';

/**
 * How a column is stored. A typed kind is used only if every value returns on the wire unchanged. Otherwise the column
 * is `json`: the raw JSON text of each value. A `date` is found without reading the days around it; others are `text`.
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

const KIND_OF_TYPE: Readonly<Record<string, ColumnKind>> = {
  natural: 'int',
  integer: 'int',
  float: 'float',
  percentage: 'float',
  ratio: 'float',
  bool: 'bool',
  string: 'text',
  enum: 'text',
  hash: 'text',
  date: 'text',
  datetime: 'text',
};

/** The kind that fits a field's values when they keep to its type. */
export function kindOfField(field: FieldRecord): ColumnKind {
  const kind = lookUp(KIND_OF_TYPE, field.type) ?? 'json';
  if (field.arity !== 'many') return kind;
  return kind === 'text' ? 'texts' : 'json';
}

/** Columns for fields whose values keep to their types. */
export function columnsOf(fields: readonly FieldRecord[]): Column[] {
  return fields.map((field, index) => ({ id: `c${index}`, kind: kindOfField(field), field }));
}

export function isMany(column: Column): boolean {
  return column.field.arity === 'many';
}
