import { z } from 'zod';
import { Dataset, SOURCE_KINDS } from './unit.ts';

export const ROUTES = ['auto', 'stream', 'export', 'search', 'aggs'] as const;
export type Route = (typeof ROUTES)[number];

export const FORMATS = ['auto', 'csv', 'json', 'parquet'] as const;
export type Format = (typeof FORMATS)[number];

export const ON_REJECT = ['fail', 'quarantine'] as const;
export const SCHEMA_CHANGE = ['evolve', 'freeze'] as const;

/**
 * The entry of a column in a pipeline file: its type, or more. The service gives the type of a crawl's column, so its
 * entry only says what may change.
 */
const DeclaredColumn = z.union([
  z.string(),
  z.strictObject({
    type: z.string().optional(),
    /** Absent: one. */
    arity: z.enum(['one', 'many']).optional(),
    /** Of an enum: another value is loaded and recorded. */
    values: z.array(z.string()).min(1).optional(),
    /** Absent: as the dataset's. */
    schema_change: z.enum(SCHEMA_CHANGE).optional(),
    /** A dimension of ranking performance that not each service has. */
    optional: z.literal(true).optional(),
    /** May it come with a type that its column has no room for? Absent: the unit is refused. */
    retype: z.literal('allow').optional(),
  }),
]);
type DeclaredColumn = z.infer<typeof DeclaredColumn>;

/** A pipeline file: one dataset (interface.md, "A pipeline file"). */
export const Pipeline = z
  .strictObject({
    dataset: Dataset,
    description: z.string().min(1),
    source: z.strictObject({ kind: z.enum(SOURCE_KINDS), data_type: z.string() }),
    window: z.enum(['day', 'week', 'month']).nullable().default(null),
    /** `auto` takes the quicker one of the stream and a data export; any other name is kept for every unit. */
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
  })
  .superRefine(({ source, columns }, context) => {
    const isReported = source.kind === 'crawl' && source.data_type !== 'fields';
    for (const [name, column] of Object.entries(columns)) {
      const message = columnProblem(column, isReported) ?? optionalProblem(column, source.kind);
      if (message) context.addIssue({ code: 'custom', path: ['columns', name], message });
    }
  });
export type Pipeline = z.infer<typeof Pipeline>;

function optionalProblem(column: DeclaredColumn, kind: string): string | null {
  if (typeof column === 'string' || !column.optional || kind === 'ranking_performance') return null;
  return 'optional is for dimensions of ranking performance; elsewhere a column may be missing anyway';
}

/** @param isReported whether the service reports the type of the column (`GET …/fields`) */
function columnProblem(column: DeclaredColumn, isReported: boolean): string | null {
  const { type, arity, values } = typeof column === 'string' ? { type: column } : column;
  if (isReported) {
    const isDeclared = type !== undefined || arity !== undefined || values !== undefined;
    return isDeclared
      ? 'the service gives type, arity and values; only schema_change and retype work here'
      : null;
  }
  if (type === undefined) return 'type is missing: the service does not give it';
  return values && type !== 'enum' ? `values are for the type enum, not ${type}` : null;
}
