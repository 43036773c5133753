import { z } from 'zod';

/** Field types in the specification (api-spec.md §2.14, spec-notes.md 13). */
export const FIELD_TYPES = [
  'natural',
  'integer',
  'float',
  'percentage',
  'ratio',
  'hash',
  'enum',
  'bool',
  'string',
  'object',
  'date',
  'datetime',
] as const;

/** A field schema record (api-spec.md §2.14). Types, actions and methods are open strings (spec-notes.md 12). */
export const FieldRecord = z
  .looseObject({
    name: z.string().min(1),
    type: z.string(),
    arity: z.string(),
    values: z.array(z.string()).nullish(),
    actions: z.array(z.string()).nullish(),
    agg_dimension: z.boolean().nullish(),
    agg_metric_methods: z.array(z.string()).nullish(),
    can_display: z.boolean().nullish(),
    can_filter: z.boolean().nullish(),
    can_sort: z.boolean().nullish(),
    /** Not in the specification. */
    description: z.string().nullish(),
  })
  .meta({ id: 'FieldRecord' });
export type FieldRecord = z.infer<typeof FieldRecord>;

export const FieldsResponse = z.looseObject({ fields: z.array(FieldRecord) });

/** Data types of a crawl report (api-spec.md §2.13). */
export const CRAWL_DATA_TYPES = ['pages', 'links', 'clusters', 'structured_data'] as const;
/**
 * Data types that only crawls by the local service have. The specification does not have them: they are requested only
 * for a crawl whose record lists a feature of that name.
 */
export const LOCAL_DATA_TYPES = ['requests'] as const;
export type CrawlDataType = (typeof CRAWL_DATA_TYPES)[number] | (typeof LOCAL_DATA_TYPES)[number];

/** Granularities of log monitoring pages (api-spec.md §2.13). */
export const GRANULARITIES = ['days', 'weeks', 'months'] as const;
export type Granularity = (typeof GRANULARITIES)[number];
