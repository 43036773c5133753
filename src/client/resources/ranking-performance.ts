import { z } from 'zod';
import { section } from '../endpoint.ts';
import { OqlTree } from '../oql/oql.ts';
import { AggregateResponse } from './aggregates.ts';
import { DataExportResponse, OutputFormatParameters } from './data-exports.ts';
import { FieldsResponse } from './fields.ts';

/** Methods of ranking performance (api-spec.md §4.2); two of them apply to one field each. */
const RANKING_METHODS = ['sum', 'cardinality', 'weighted_average', 'ctr'] as const;
export type RankingMethod = (typeof RANKING_METHODS)[number];
export const RANKING_METHOD_FIELDS: Readonly<Partial<Record<RankingMethod, string>>> = {
  weighted_average: 'position',
  ctr: 'clicks',
};

const Sort = z.strictObject({ field: z.string(), order: z.enum(['asc', 'desc']) });

/** An aggregate query of ranking performance (api-spec.md §4.2). */
export const RankingQuery = z
  .strictObject({
    fields: z.array(z.union([z.string(), z.strictObject({ name: z.string() })])).optional(),
    oql: OqlTree.nullish(),
    value: z
      .array(z.strictObject({ field: z.string(), method: z.enum(RANKING_METHODS), alias: z.string().min(1) }))
      .optional(),
    sort: z.union([Sort, z.array(Sort)]).optional(),
    post_aggs_oql: OqlTree.nullish(),
    limit: z.int().nonnegative().optional(),
    offset: z.int().nonnegative().optional(),
  })
  .meta({ id: 'RankingQuery' });
export type RankingQuery = z.input<typeof RankingQuery>;

export const RankingBody = z.strictObject({ aggs: z.array(RankingQuery).min(1) }).meta({ id: 'RankingBody' });
export type RankingBody = z.input<typeof RankingBody>;

/** An asynchronous export; the query's `oql` must filter on `date` (api-spec.md §4.2). */
export const RankingExportInput = z
  .strictObject({
    request: RankingQuery,
    output_format: z.enum(['csv', 'json']),
    output_format_parameters: OutputFormatParameters.nullish(),
  })
  .meta({ id: 'RankingExportInput' });
export type RankingExportInput = z.input<typeof RankingExportInput>;

const { get, post } = section('§4.2', 'projects');

export const GET_RANKING_FIELDS = get(
  '/data/project/{project_id}/ranking_performance/fields',
  'Fields of ranking performance',
  { response: FieldsResponse, result: 'fields' },
);

export const AGGREGATE_RANKING = post(
  '/data/project/{project_id}/ranking_performance/aggs',
  'Aggregate ranking performance',
  {
    body: RankingBody,
    response: AggregateResponse,
    errors: ['invalid_request', 'invalid_request_parameters', 'resource_not_found', 'quota_error'],
    repeatable: true,
    scope: 'projects:read',
  },
);

export const EXPORT_RANKING = post(
  '/data/project/{project_id}/ranking_performance/async-export',
  'Export ranking performance to the download center',
  {
    body: RankingExportInput,
    response: DataExportResponse,
    result: 'data_export',
    errors: ['invalid_request', 'invalid_request_parameters', 'resource_not_found', 'quota_error'],
    scope: 'projects:read',
  },
);
