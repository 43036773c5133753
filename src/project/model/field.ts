import { z } from 'zod';
import { lookUp } from '../../core/text/look-up.ts';

/** The service's own name of a field. No SQL can name what is empty or has a NUL. */
export const FieldName = z
  .string()
  .min(1, 'a field has a name')
  .refine((name) => !name.includes('\0'), { error: 'the name of a field has no NUL' });

/**
 * A field as an export carries it: the service's own name, type and arity (api-spec.md §2.14). Types are open: one
 * that nobody knows is loaded as JSON.
 */
export const Field = z.object({
  name: z.string().min(1),
  type: z.string(),
  arity: z.enum(['one', 'many']),
  /** Of an enum whose values the service lists. */
  values: z.array(z.string()).optional(),
  /** False where a search can't filter by it; the same for sorting. */
  can_filter: z.boolean().optional(),
  can_sort: z.boolean().optional(),
  /** The service's own words about it. */
  description: z.string().optional(),
  /** True where every row has a value of it. */
  required: z.boolean().optional(),
});
export type Field = z.infer<typeof Field>;

/** The family of a service's type, which decides the conversion of its values. */
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
 * The most columns of a table of the warehouse. DuckDB has no limit, but memory has. With the default `memory_limit`,
 * 5,000 rows of 1,500 columns are loaded; with 2,000 columns, they are not (docs/decisions/warehouse.md).
 */
export const MOST_COLUMNS = 1500;

/** A whole number beyond 2^63 widens its column to this. Never HUGEINT: DuckDB writes that to Parquet as DOUBLE. */
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

/** The DuckDB types that the column of a field may have: a whole number's may be the wide one. */
export function columnTypes(field: Field): readonly string[] {
  return [...new Set([columnType(field), columnType(field, true)])];
}

/** The DuckDB type of a field's column, as DuckDB itself prints it; `widened` for whole numbers beyond 2^63. */
export function columnType(field: Field, widened = false): string {
  const family = typeFamily(field.type);
  const element = family === 'whole' && widened ? WIDE_WHOLE : SQL_TYPES[family];
  // An unknown type is raw JSON, whose arrays need no list of their own.
  return field.arity === 'many' && family !== 'json' ? `${element}[]` : element;
}
