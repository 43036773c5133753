import { z } from 'zod';
import { OqlTree } from './oql.ts';

/** Aggregation methods of crawl data (api-spec.md §4.1). */
export const AGG_METHODS = ['min', 'max', 'avg', 'sum', 'value_count', 'cardinality'] as const;
export type AggMethod = (typeof AGG_METHODS)[number];

const bound = z.union([z.number(), z.bigint()]).meta({ wire: { type: 'number' } });

/** A bucket by ranges: `from` in, `to` out; only for numeric fields (api-spec.md §4.1). */
export const AggRange = z.strictObject({ name: z.string(), from: bound.optional(), to: bound.optional() });
export type AggRange = z.infer<typeof AggRange>;

/** One aggregate query of crawl data (api-spec.md §4.1); without `value` it counts. */
export const AggregateQuery = z
  .strictObject({
    oql: OqlTree.nullish(),
    fields: z
      .array(z.strictObject({ name: z.string(), ranges: z.array(AggRange).min(1).optional() }))
      .optional(),
    /** `<field_name>:<aggregation_type>` */
    value: z.string().optional(),
  })
  .meta({ id: 'AggregateQuery' });
export type AggregateQuery = z.input<typeof AggregateQuery>;

export const AggregateBody = z
  .strictObject({ aggs: z.array(AggregateQuery).min(1) })
  .meta({ id: 'AggregateBody' });
export type AggregateBody = z.input<typeof AggregateBody>;

/** The column that counts, where a query gives no `value` (wire-facts.md). */
export const COUNT_COLUMN = 'page_count';

/** One table an aggregate query; it may carry an error of its own instead (wire-facts.md). */
export const Aggregate = z
  .looseObject({
    cols: z.array(z.string()).optional(),
    rows: z.array(z.array(z.unknown())).optional(),
    error: z.unknown().optional(),
  })
  .meta({ id: 'Aggregate' });
export type Aggregate = z.infer<typeof Aggregate>;

export const AggregateResponse = z.looseObject({ aggs: z.array(Aggregate) });
export type AggregateResponse = z.infer<typeof AggregateResponse>;
