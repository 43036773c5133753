import { z } from 'zod';
import { Dataset, SOURCE_KINDS } from './unit.ts';

export const ROUTES = ['auto', 'stream', 'export', 'search', 'aggs'] as const;
export type Route = (typeof ROUTES)[number];

export const FORMATS = ['auto', 'csv', 'json', 'parquet'] as const;
export type Format = (typeof FORMATS)[number];

export const ON_REJECT = ['fail', 'quarantine'] as const;
export const SCHEMA_CHANGE = ['variant', 'evolve', 'freeze'] as const;
export type SchemaChangeRule = (typeof SCHEMA_CHANGE)[number];

/**
 * The entry of a column in a pipeline file: its type, or an object. The service reports the type of a crawl's column,
 * so such an entry only states which changes are allowed.
 */
const DeclaredColumn = z.union([
  z.string(),
  z.strictObject({
    type: z.string().optional(),
    /** Defaults to one. */
    arity: z.enum(['one', 'many']).optional(),
    /** For an enum. Other values are loaded and recorded. */
    values: z.array(z.string()).min(1).optional(),
    /** Defaults to that of the dataset. */
    schema_change: z.enum(SCHEMA_CHANGE).optional(),
    /** A dimension of ranking performance that some services lack. */
    optional: z.literal(true).optional(),
    /** Whether the field may have a type that does not fit its column. If absent, the unit is refused. */
    retype: z.literal('allow').optional(),
  }),
]);
type DeclaredColumn = z.infer<typeof DeclaredColumn>;

/** A pipeline file, which describes one dataset (interface.md, "A pipeline file"). */
export const Pipeline = z
  .strictObject({
    dataset: Dataset.describe('The table of raw, such as crawl_links.'),
    description: z.string().min(1).describe('The kind of the rows.'),
    source: z
      .strictObject({
        kind: z.enum(SOURCE_KINDS).describe('The kind of the source.'),
        data_type: z
          .string()
          .describe(
            'For a crawl: pages, links, clusters, structured_data or requests; else the name of the list.',
          ),
      })
      .describe('Where the rows come from (docs/routes.md).'),
    window: z
      .enum(['day', 'week', 'month'])
      .nullable()
      .default(null)
      .describe('For a source with dates: the span of one unit.'),
    route: z
      .enum(ROUTES)
      .default('auto')
      .describe(
        'auto: the faster of stream and export; any other route applies to every unit (docs/routes.md).',
      ),
    format: z.enum(FORMATS).default('auto').describe('auto: CSV if it loses nothing, else JSON lines.'),
    fields: z
      .strictObject({
        include: z.array(z.string()).default(['*']).describe('The fields to request.'),
        exclude: z.array(z.string()).default([]).describe('The requested fields to leave out.'),
      })
      .default({ include: ['*'], exclude: [] })
      .describe('Fields by name; * matches any characters; an unknown name is an error.'),
    filter: z
      .unknown()
      .optional()
      .describe(
        "A filter in the service's language (docs/client.md#filters); it also applies to the reported count.",
      ),
    columns: z
      .record(z.string(), DeclaredColumn)
      .default({})
      .describe('Types of columns for sources without a field schema (docs/warehouse.md).'),
    on_reject: z.enum(ON_REJECT).optional().describe('Overrides the on_reject setting.'),
    schema_change: z.enum(SCHEMA_CHANGE).optional().describe('Overrides the schema_change setting.'),
    unarchive: z
      .enum(['skip', 'unarchive', 'unarchive-fast'])
      .default('skip')
      .describe('Whether to skip archived crawls or to restore them, up to unarchive_per_run in each run.'),
    keep: z
      .strictObject({
        crawls: z
          .union([z.literal('all'), z.int().positive()])
          .describe('all, or the number of crawls of each project.'),
      })
      .default({ crawls: 'all' })
      .describe('The latest crawls to keep (docs/ledger.md#retention-and-dropping-data).'),
    reload_last: z
      .int()
      .positive()
      .nullable()
      .default(null)
      .describe(
        'Days: each run loads windows again that ended within this time, because the service may change them.',
      ),
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
