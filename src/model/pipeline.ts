import { z } from 'zod';
import { SOURCE_KINDS } from './unit.ts';

export const ROUTES = ['auto', 'stream', 'export', 'search', 'aggs'] as const;
export type Route = (typeof ROUTES)[number];

export const FORMATS = ['auto', 'csv', 'json', 'parquet'] as const;
export type Format = (typeof FORMATS)[number];

export const ON_REJECT = ['fail', 'quarantine'] as const;
export const SCHEMA_CHANGE = ['evolve', 'freeze'] as const;

/** A declared column: a type, or a type with an arity. */
const DeclaredColumn = z.union([
  z.string(),
  z.strictObject({ type: z.string(), arity: z.enum(['one', 'many']).default('one') }),
]);

/** A pipeline file: one dataset (interface.md, "A pipeline file"). */
export const Pipeline = z.strictObject({
  dataset: z.string().regex(/^[a-z][a-z0-9_]*$/, 'a dataset is named in lower case: letters, digits, _'),
  description: z.string().min(1),
  source: z.strictObject({ kind: z.enum(SOURCE_KINDS), data_type: z.string() }),
  window: z.enum(['day', 'week', 'month']).nullable().default(null),
  route: z.enum(ROUTES).default('auto'),
  format: z.enum(FORMATS).default('auto'),
  fields: z
    .strictObject({ include: z.array(z.string()).default(['*']), exclude: z.array(z.string()).default([]) })
    .default({ include: ['*'], exclude: [] }),
  filter: z.unknown().optional(),
  columns: z.record(z.string(), DeclaredColumn).default({}),
  on_reject: z.enum(ON_REJECT).optional(),
  schema_change: z.enum(SCHEMA_CHANGE).optional(),
  unarchive: z.enum(['skip', 'unarchive', 'unarchive-fast']).default('skip'),
  keep: z
    .strictObject({ crawls: z.union([z.literal('all'), z.int().positive()]) })
    .default({ crawls: 'all' }),
  reload_last: z.int().positive().nullable().default(null),
});
export type Pipeline = z.infer<typeof Pipeline>;
