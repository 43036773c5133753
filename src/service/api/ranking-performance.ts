import { z } from 'zod';
import { AggregateResponse } from './aggregates.ts';
import { DataExportResponse, OutputFormatParameters } from './data-exports.ts';
import { endpoint } from './endpoint.ts';
import { FieldsResponse } from './fields.ts';
import { OqlTree } from './oql.ts';
import { NoQuery } from './pagination.ts';

/** Methods of ranking performance (api-spec.md §4.2); two of them are bound to one field each. */
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

const common = { scope: 'projects:read', source: '§4.2' } as const;

export const GET_RANKING_FIELDS = endpoint({
  ...common,
  method: 'GET',
  path: '/data/project/{project_id}/ranking_performance/fields',
  summary: 'Fields of ranking performance',
  query: NoQuery,
  answers: 'json',
  response: FieldsResponse,
  result: 'fields',
  errors: ['invalid_request_parameters', 'resource_not_found'],
  repeatable: true,
});

export const AGGREGATE_RANKING = endpoint({
  ...common,
  method: 'POST',
  path: '/data/project/{project_id}/ranking_performance/aggs',
  summary: 'Aggregate ranking performance',
  query: NoQuery,
  body: RankingBody,
  answers: 'json',
  response: AggregateResponse,
  errors: ['invalid_request', 'invalid_request_parameters', 'resource_not_found', 'quota_error'],
  repeatable: true,
});

export const EXPORT_RANKING = endpoint({
  ...common,
  method: 'POST',
  path: '/data/project/{project_id}/ranking_performance/async-export',
  summary: 'Export ranking performance to the download center',
  query: NoQuery,
  body: RankingExportInput,
  answers: 'json',
  response: DataExportResponse,
  result: 'data_export',
  errors: ['invalid_request', 'invalid_request_parameters', 'resource_not_found', 'quota_error'],
  repeatable: false,
});
