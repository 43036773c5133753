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
    dataset: Dataset.describe('The table of raw, such as crawl_links.'),
    description: z.string().min(1).describe('What a row is.'),
    source: z
      .strictObject({
        kind: z.enum(SOURCE_KINDS).describe('What the rows are of.'),
        data_type: z
          .string()
          .describe('Of a crawl: pages, links, clusters, structured_data, requests; else the list.'),
      })
      .describe('Where the rows come from (docs/routes.md).'),
    window: z
      .enum(['day', 'week', 'month'])
      .nullable()
      .default(null)
      .describe('Of a source with dates: the days of one unit.'),
    route: z
      .enum(ROUTES)
      .default('auto')
      .describe('auto: the quicker of stream and export; any other is kept for every unit (docs/routes.md).'),
    format: z.enum(FORMATS).default('auto').describe('auto: CSV where it loses nothing, else JSON lines.'),
    fields: z
      .strictObject({
        include: z.array(z.string()).default(['*']).describe('Names that are asked for.'),
        exclude: z.array(z.string()).default([]).describe('Names of these that are left out.'),
      })
      .default({ include: ['*'], exclude: [] })
      .describe('Fields by name; * is any characters; an unknown name is refused.'),
    filter: z
      .unknown()
      .optional()
      .describe(
        "A filter in the service's language (docs/client.md#filters); the count is taken under it too.",
      ),
    columns: z
      .record(z.string(), DeclaredColumn)
      .default({})
      .describe('Types of columns, of sources that have no list of fields (docs/warehouse.md).'),
    on_reject: z.enum(ON_REJECT).optional().describe('In place of the setting on_reject.'),
    schema_change: z.enum(SCHEMA_CHANGE).optional().describe('In place of the setting schema_change.'),
    unarchive: z
      .enum(['skip', 'unarchive', 'unarchive-fast'])
      .default('skip')
      .describe('Archived crawls are skipped, or restored, as many a run as unarchive_per_run says.'),
    keep: z
      .strictObject({
        crawls: z.union([z.literal('all'), z.int().positive()]).describe('all, or how many of each project.'),
      })
      .default({ crawls: 'all' })
      .describe('The last crawls that stay (docs/ledger.md#retention-and-dropping-data).'),
    reload_last: z
      .int()
      .positive()
      .nullable()
      .default(null)
      .describe(
        'Days: each run loads windows again that ended less long ago, because the service may change them.',
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
