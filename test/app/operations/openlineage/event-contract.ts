import { z } from 'zod';

/**
 * The events as the specification describes them (https://openlineage.io/spec/2-0-2/OpenLineage.json and its facets),
 * and no key beside. The integration suite holds the same events against the classes of its Python client.
 */
const Base = z.object({
  _producer: z.string().regex(/^urn:crawlhouse:\d/),
  _schemaURL: z.string().regex(/^(https:\/\/openlineage\.io\/spec\/|urn:crawlhouse:)/),
});
const facet = <T extends z.ZodRawShape>(shape: T) => z.strictObject({ ...Base.shape, ...shape });
const Count = z.int().nonnegative().nullable();
const Job = z.strictObject({ namespace: z.string().min(1), name: z.string().min(1) });
const Field = z.strictObject({ ...Job.shape, field: z.string().min(1) });

const RunFacets = z.strictObject({
  parent: facet({ run: z.strictObject({ runId: z.uuid() }), job: Job }).optional(),
  errorMessage: facet({ message: z.string(), programmingLanguage: z.string() }).optional(),
  crawlhouse_run: facet({ run_id: z.uuid(), status: z.string() }).optional(),
  crawlhouse_unit: facet({
    unit: z.string(),
    route: z.string().nullable(),
    format: z.string().nullable(),
    attempts: z.int(),
    bytes: Count,
    counts: z.strictObject({
      reported: Count,
      received: Count,
      staged: Count,
      rejected: Count,
      loaded: Count,
      queryable: Count,
    }),
  }).optional(),
});
const JobFacets = z.strictObject({
  jobType: facet({
    processingType: z.literal('BATCH'),
    integration: z.literal('CRAWLHOUSE'),
    jobType: z.enum(['COMMAND', 'UNIT', 'MODEL', 'TEST']),
  }),
  sql: facet({ query: z.string(), dialect: z.literal('duckdb') }).optional(),
});
const DatasetFacets = z.strictObject({
  schema: facet({
    fields: z.array(
      z.strictObject({
        name: z.string().min(1),
        type: z.string().optional(),
        description: z.string().optional(),
        ordinal_position: z.int().positive(),
      }),
    ),
  }).optional(),
  documentation: facet({ description: z.string() }).optional(),
  columnLineage: facet({
    fields: z.record(z.string(), z.strictObject({ inputFields: z.array(Field).min(1) })),
  }).optional(),
});
const Assertion = z.strictObject({
  assertion: z.string(),
  success: z.boolean(),
  severity: z.enum(['error', 'warn']),
  actual: z.string(),
  expected: z.string(),
  content: z.string(),
  contentType: z.literal('sql'),
});

export const EventContract = z.strictObject({
  eventType: z.enum(['START', 'COMPLETE', 'FAIL', 'ABORT']),
  eventTime: z.iso.datetime(),
  producer: z.string().regex(/^urn:crawlhouse:\d/),
  schemaURL: z.literal('https://openlineage.io/spec/2-0-2/OpenLineage.json#/$defs/RunEvent'),
  run: z.strictObject({ runId: z.uuid(), facets: RunFacets }),
  job: z.strictObject({ ...Job.shape, facets: JobFacets }),
  inputs: z.array(
    z.strictObject({
      ...Job.shape,
      inputFacets: z
        .strictObject({ dataQualityAssertions: facet({ assertions: z.array(Assertion).min(1) }) })
        .optional(),
    }),
  ),
  outputs: z.array(
    z.strictObject({
      ...Job.shape,
      facets: DatasetFacets.optional(),
      outputFacets: z.strictObject({ outputStatistics: facet({ rowCount: z.int() }) }).optional(),
    }),
  ),
});
export type CheckedEvent = z.output<typeof EventContract>;
