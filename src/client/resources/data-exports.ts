import { z } from 'zod';
import { openEnum, resultOf, STATE_ERRORS, section } from '../endpoint.ts';
import { listQuery, pageOf } from '../http/pagination.ts';

/** Data types of a workspace's data exports: singular here, plural in paths (spec-notes.md 5). */
const EXPORT_DATA_TYPES = ['page', 'link'] as const;
const EXPORT_FORMATS = ['csv', 'json', 'parquet'] as const;
export type ExportFormat = (typeof EXPORT_FORMATS)[number];
const EXPORT_TARGETS = ['store_a', 'store_b'] as const;
export type ExportTarget = (typeof EXPORT_TARGETS)[number];
export const CSV_DELIMITERS = [',', ';', '\t'] as const;

/** The fields to sort and filter data exports by; the target is not one of them (api-spec.md §2.12). */
export const DATA_EXPORT_LIST_FIELDS = [
  'id',
  'status',
  'requested_at',
  'created_at',
  'size_bytes',
  'row_count',
  'data_type',
  'output_format',
  'resource_id',
] as const;

/** A data export (api-spec.md §2.12); times are UTC milliseconds, `status` is an open string. */
export const DataExport = z
  .looseObject({
    id: z.string(),
    data_type: openEnum([...EXPORT_DATA_TYPES, 'keyword']),
    resource_id: z.string(),
    output_format: z.string(),
    output_format_parameters: z.looseObject({ csv_delimiter: z.string().nullish() }).nullish(),
    output_row_count: z.number().nullish(),
    output_size_in_bytes: z.number().nullish(),
    requested_at: z.int().nullish(),
    expiration_date: z.int().nullish(),
    status: openEnum(['REQUESTED', 'EXPORTING', 'UPLOADING', 'DONE', 'FAILED']),
    export_failure_reason: z.string().nullish(),
    target: openEnum([...EXPORT_TARGETS, 'download_center']),
    target_parameters: z.record(z.string(), z.unknown()).nullish(),
  })
  .meta({ id: 'DataExport' });
export type DataExport = z.infer<typeof DataExport>;

/** The target of an export to `store_a` (api-spec.md §4.9). */
const StoreAParameters = z
  .strictObject({ store_a_bucket: z.string().min(1), store_a_prefix: z.string() })
  .meta({ id: 'StoreAParameters' });

/**
 * The target of an export to `store_b`; the credentials are `secrets://<workspace_id>/<secret_name>` (api-spec.md
 * §4.9).
 */
const StoreBParameters = z
  .strictObject({
    store_b_credentials: z
      .string()
      .regex(/^secrets:\/\/[^/]+\/[^/]+$/, 'must read secrets://<workspace_id>/<secret_name>'),
    store_b_bucket: z.string().min(1),
    store_b_region: z.string().min(1),
    store_b_prefix: z.string(),
  })
  .meta({ id: 'StoreBParameters' });

export const OutputFormatParameters = z.strictObject({ csv_delimiter: z.enum(CSV_DELIMITERS).optional() });

const WHAT = {
  data_type: z.enum(EXPORT_DATA_TYPES),
  resource_id: z.string().min(1),
  output_format: z.enum(EXPORT_FORMATS),
  output_format_parameters: OutputFormatParameters.nullish(),
  page_group_lists_included: z.array(z.string()).optional(),
  include_all_page_group_lists: z.boolean().optional(),
};

/** A data export to create: its target determines its parameters (api-spec.md §4.9). */
export const DataExportInput = z
  .discriminatedUnion('target', [
    z.strictObject({ ...WHAT, target: z.literal('store_a'), target_parameters: StoreAParameters }),
    z.strictObject({ ...WHAT, target: z.literal('store_b'), target_parameters: StoreBParameters }),
  ])
  .meta({ id: 'DataExportInput' });
/** The request after validation by the service. */
export type DataExportRequest = z.output<typeof DataExportInput>;
/** The request of a client. The service checks that the parameters fit the target. */
export type DataExportInput = Omit<DataExportRequest, 'target' | 'target_parameters'> & {
  readonly target: ExportTarget;
  readonly target_parameters: DataExportRequest['target_parameters'];
};

/**
 * Returns the stage of a data export. States are open strings (wire-facts.md): names that indicate failure mean failed,
 * and any other unknown state means in progress.
 */
export function dataExportStage(status: string): 'done' | 'failed' | 'open' {
  if (/^(done|completed?|finished|success(ful)?)$/i.test(status)) return 'done';
  return /fail|error|cancel|abort|expired/i.test(status) ? 'failed' : 'open';
}

export const DataExportResponse = z.looseObject({ data_export: DataExport });

const { get, post } = section('§4.9', 'account');

export const LIST_DATA_EXPORTS = get(
  '/workspaces/{workspace_id}/data_exports',
  'Data exports of a workspace; its key is `account`',
  { query: listQuery(DATA_EXPORT_LIST_FIELDS), ...pageOf('account', DataExport) },
);

export const GET_DATA_EXPORT = get(
  '/workspaces/{workspace_id}/data_exports/{data_export_id}',
  'One data export',
  resultOf('data_export', DataExport),
);

export const CREATE_DATA_EXPORT = post(
  '/workspaces/{workspace_id}/data_exports',
  'Export the pages or links of a crawl to an object store',
  {
    body: z.strictObject({ data_export: DataExportInput as z.ZodType<DataExportRequest, DataExportInput> }),
    errors: [...STATE_ERRORS, 'quota_error'],
    ...resultOf('data_export', DataExport),
  },
);
