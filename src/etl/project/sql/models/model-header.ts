import { z } from 'zod';

const Severity = z.enum(['error', 'warn']).default('error');
const TestName = z.string().min(1).optional();
const Value = z.union([z.string(), z.number(), z.boolean()]);

const TESTS = [
  'not_null',
  'unique',
  'accepted_values',
  'relationships',
  'row_count',
  'freshness',
  'query',
] as const;
const oneTest = (test: object): boolean => TESTS.filter((kind) => Object.hasOwn(test, kind)).length === 1;

const MartName = z.string().regex(/^mart\.[a-z][a-z0-9_]*$/, 'a model is named mart.<name>, in lower case');
const Count = z.number().int().min(0);
/** A duration such as `3 days`. */
const Span = z.string().regex(/^\d+ (hours?|days?)$/, 'is a number of hours or days, as in 3 days');

/** A test of a model. It has exactly one of these keys. */
const ModelTest = z
  .strictObject({
    not_null: z.string().optional(),
    unique: z.array(z.string()).min(1).optional(),
    accepted_values: z.strictObject({ column: z.string(), values: z.array(Value).min(1) }).optional(),
    /** Each value of the column is in the field of another model. */
    relationships: z.strictObject({ column: z.string(), to: MartName, field: z.string() }).optional(),
    row_count: z.strictObject({ between: z.tuple([Count, Count]) }).optional(),
    /** The newest value of a column of times is not older than this. A model without rows passes. */
    freshness: z.strictObject({ column: z.string(), within: Span }).optional(),
    query: z.string().min(1).optional(),
    severity: Severity,
    name: TestName,
  })
  .refine(oneTest, `a test has exactly one of ${TESTS.join(', ')}`);
export type ModelTest = z.infer<typeof ModelTest>;

/** A test of a column. `not_null` and `unique` may be written as one word. */
const ColumnTest = z.preprocess(
  (value) => (value === 'not_null' || value === 'unique' ? { [value]: true } : value),
  z
    .strictObject({
      not_null: z.literal(true).optional(),
      unique: z.literal(true).optional(),
      accepted_values: z.array(Value).min(1).optional(),
      severity: Severity,
      name: TestName,
    })
    .refine(oneTest, 'a test of a column has exactly one of not_null, unique, accepted_values'),
);

/** A column: its description, or an object. */
const Column = z.preprocess(
  (value) => (typeof value === 'string' ? { description: value } : value),
  z.strictObject({
    description: z.string().min(1),
    /** For a column of the grain: NULL is a valid value, so it is not tested for NULL. */
    nullable: z.boolean().default(false),
    tests: z.array(ColumnTest).default([]),
  }),
);

/** The columns that make a row unique, or `{columns, severity}`; an explicit null if none do. */
const Grain = z.preprocess(
  (value) => (Array.isArray(value) ? { columns: value } : value),
  z
    .strictObject(
      {
        columns: z
          .array(z.string())
          .min(1, 'names no column: write grain: null if no columns make a row unique'),
        severity: Severity,
      },
      {
        error: ({ input }) =>
          input === undefined
            ? 'is missing: name the columns that make a row unique, or write null if none do'
            : undefined,
      },
    )
    .nullable(),
);

/** Columns that partition a model, and a SELECT of what each partition is made from. */
const Incremental = z.strictObject({
  by: z.preprocess((value) => (typeof value === 'string' ? [value] : value), z.array(z.string()).min(1)),
  partitions: z.string().min(1),
  /** Models that are read only within the partitions, by these columns; null means the columns of `by`. */
  within: z
    .union([
      z.array(z.string()).transform((names) => Object.fromEntries(names.map((name) => [name, null]))),
      z.record(z.string(), z.array(z.string()).min(1)),
    ])
    .default({}),
});
export type Incremental = z.infer<typeof Incremental>;

/** Fields that the SQL is repeated for, each in its own SELECT. */
const Each = z.strictObject({
  source: z.string().regex(/^raw\.[a-z][a-z0-9_]*$/, 'is a table of raw'),
  /** Names, or prefixes of names: `page_group_*`. */
  fields: z.array(z.string().min(1)).min(1),
  lists_only: z.boolean().default(false),
});
export type Each = z.infer<typeof Each>;

/** The header of a model (docs/models.md). */
export const ModelHeader = z.strictObject({
  name: MartName,
  /** A seed is a table whose rows are in a file, `seeds/<name>.csv`. */
  kind: z.enum(['view', 'table', 'seed']),
  /**
   * Turns an expensive view into a table if rows are not in the file, because each query would compute the view again.
   */
  materialize: z.literal('table', 'only table is possible').optional(),
  description: z.string().min(1),
  grain: Grain,
  columns: z.record(z.string(), Column),
  /** For a seed: rows of a project replace all rows with the same values in these columns, by default in the grain. */
  replaces: z.array(z.string()).min(1).optional(),
  /** For a seed: columns that a file may omit. */
  optional: z.array(z.string()).min(1).optional(),
  /** Former names of columns, with the current ones. They remain as columns for one version. */
  renamed: z.record(z.string(), z.string()).default({}),
  reads: z
    .record(
      z.string().regex(/^(raw|ops)\.[a-z][a-z0-9_]*$/, 'only tables of raw and ops are declared'),
      z.record(z.string(), z.string()),
    )
    .default({}),
  each: Each.optional(),
  incremental: Incremental.optional(),
  tests: z.array(ModelTest).default([]),
});
export type ModelHeader = z.infer<typeof ModelHeader>;
