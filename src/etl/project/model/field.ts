import { z } from 'zod';
import { lookUp } from '../../../core/text/look-up.ts';

/** The service's name of a field. SQL cannot name a column that is empty or contains a NUL. */
export const FieldName = z
  .string()
  .min(1, 'a field has a name')
  .refine((name) => !name.includes('\0'), { error: 'the name of a field has no NUL' });

/**
 * A field of an export: the service's name, type and arity (api-spec.md §2.14). Types are open: an unknown type is
 * loaded as JSON.
 */
export const Field = z.object({
  name: z.string().min(1),
  type: z.string(),
  arity: z.enum(['one', 'many']),
  /** The values of an enum, where the service lists them. */
  values: z.array(z.string()).optional(),
  /** False if a search cannot filter by the field; also applies to sorting. */
  can_filter: z.boolean().optional(),
  can_sort: z.boolean().optional(),
  /** The service's description. */
  description: z.string().optional(),
  /** True if every row has a value. */
  required: z.boolean().optional(),
});
export type Field = z.infer<typeof Field>;

/** The family of a service's type. It decides the conversion of the values. */
export type TypeFamily = 'whole' | 'real' | 'bool' | 'date' | 'datetime' | 'text' | 'json';

const FAMILIES: Readonly<Record<string, TypeFamily>> = {
  natural: 'whole',
  integer: 'whole',
  float: 'real',
  percentage: 'real',
  ratio: 'real',
  bool: 'bool',
  date: 'date',
  datetime: 'datetime',
  string: 'text',
  hash: 'text',
  enum: 'text',
  object: 'json',
};

export function typeFamily(type: string): TypeFamily {
  return lookUp(FAMILIES, type) ?? 'json';
}

/**
 * The maximum number of columns of a table. DuckDB has no limit, but memory does. With the default `memory_limit`,
 * 5,000 rows with 1,500 columns can be loaded, but not with 2,000 columns (docs/decisions/warehouse.md).
 */
export const MOST_COLUMNS = 1500;

/** The type of a column after a whole number beyond 2^63. Never HUGEINT, which DuckDB writes to Parquet as DOUBLE. */
export const WIDE_WHOLE = 'DECIMAL(38,0)';

const SQL_TYPES: Readonly<Record<TypeFamily, string>> = {
  whole: 'BIGINT',
  real: 'DOUBLE',
  bool: 'BOOLEAN',
  date: 'DATE',
  datetime: 'TIMESTAMP WITH TIME ZONE',
  text: 'VARCHAR',
  json: 'JSON',
};

/** Returns the DuckDB types that the column of a field may have. Columns of whole numbers may be wide. */
export function columnTypes(field: Field): readonly string[] {
  return [...new Set([columnType(field), columnType(field, true)])];
}

/** Returns the DuckDB type of a field's column, in DuckDB's spelling; `widened` for whole numbers beyond 2^63. */
export function columnType(field: Field, widened = false): string {
  const family = typeFamily(field.type);
  const element = family === 'whole' && widened ? WIDE_WHOLE : SQL_TYPES[family];
  // An unknown type is raw JSON, which can contain arrays itself.
  return field.arity === 'many' && family !== 'json' ? `${element}[]` : element;
}
