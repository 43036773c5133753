import { z } from 'zod';
import { CrawlhouseError } from '../../core/errors/errors.ts';
import { asErrorObject, serviceError } from '../http/service-error.ts';
import { OqlTree } from '../oql/oql.ts';

/** Aggregation methods of crawl data (api-spec.md §4.1). */
export const AGG_METHODS = ['min', 'max', 'avg', 'sum', 'value_count', 'cardinality'] as const;
export type AggMethod = (typeof AGG_METHODS)[number];

const bound = z.union([z.number(), z.bigint()]).meta({ wire: { type: 'number' } });

/** A bucket by ranges: `from` inclusive, `to` exclusive; only for numeric fields (api-spec.md §4.1). */
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

/** The column of the count, if a query gives no `value` (wire-facts.md). */
export const COUNT_COLUMN = 'page_count';

/** One table for each aggregate query, or an error instead (wire-facts.md). */
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

export type AggregateRow = Readonly<Record<string, unknown>>;

/**
 * Returns the requested columns of an aggregate's table as records.
 *
 * @param path of the request, for messages
 * @throws CrawlhouseError `contract_broken` if this is not such a table, or the error instead of a table
 */
export function aggregateRows(
  table: Aggregate | undefined,
  columns: readonly string[],
  path: string,
): AggregateRow[] {
  const said = asErrorObject(table?.error);
  if (said) throw serviceError({ method: 'POST', path }, 200, said, undefined);
  const { cols, rows } = table ?? {};
  const broken = (problem: string): CrawlhouseError =>
    new CrawlhouseError('contract_broken', `POST ${path} answered an aggregate ${problem}`);
  if (cols === undefined || rows === undefined)
    throw broken(`without a table${table?.error === undefined ? '' : `: ${JSON.stringify(table.error)}`}`);
  const places = columns.map((name) => ({ name, at: cols.indexOf(name) }));
  const lacking = places.find(({ name, at }) => at === -1 || cols.lastIndexOf(name) !== at);
  if (lacking)
    throw broken(`whose columns are ${cols.join(', ')}: ${lacking.name} is not there exactly once`);
  return rows.map((row, index) => {
    if (row.length !== cols.length)
      throw broken(`whose row ${index + 1} has ${row.length} values for ${cols.length} columns`);
    return Object.fromEntries(places.map(({ name, at }) => [name, row[at]]));
  });
}
