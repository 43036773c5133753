import { randomBytes } from 'node:crypto';
import type { DataExportRequest } from '../../api/data-exports.ts';
import type { CrawlDataType } from '../../api/fields.ts';
import { refuseUnlessReported } from '../resources/crawl-state.ts';
import { datasetOf } from '../resources/dataset-of.ts';
import { find } from '../resources/find.ts';
import { invalidParameter, Refusal } from '../resources/refusal.ts';
import type { Document, Resources } from '../resources/resources.ts';
import type { ExportJob } from './data-exports.ts';
import { exportColumns } from './export-columns.ts';
import { findSecret } from './find-secret.ts';

const DATA_TYPES: Readonly<Record<DataExportRequest['data_type'], CrawlDataType>> = {
  page: 'pages',
  link: 'links',
};
/** An object's key may have 1,024 bytes in both clouds; the name in it needs some. */
const LONGEST_PREFIX = 900;

/**
 * Checks a data export against the stored resources (api-spec.md §4.9; wire-facts.md, "export gate").
 *
 * @throws Refusal
 */
export function exportJob(resources: Resources, workspace: Document, request: DataExportRequest): ExportJob {
  const features = workspace.subscription_features as readonly string[] | null | undefined;
  if (!features?.includes('data_export')) {
    const message = `the workspace ${workspace.id} lacks the feature data_export`;
    throw new Refusal('forbidden', message, { code: 'missing_feature' });
  }
  if (request.output_format !== 'csv' && request.output_format_parameters?.csv_delimiter !== undefined)
    throw new Refusal('invalid_request', `csv_delimiter does not go with ${request.output_format}`);
  checkTarget(resources, workspace, request);
  const crawl = find(resources, 'crawls', request.resource_id);
  const dataType = DATA_TYPES[request.data_type];
  refuseUnlessReported(crawl, dataType);
  const dataset = datasetOf(resources, crawl.id, dataType);
  const columns = exportColumns(dataset.columns, request);
  return { id: randomBytes(12).toString('hex'), request, dataset, columns };
}

function checkTarget(resources: Resources, workspace: Document, request: DataExportRequest): void {
  const at = `target_parameters.${request.target}`;
  const prefix =
    request.target === 'store_a'
      ? request.target_parameters.store_a_prefix
      : request.target_parameters.store_b_prefix;
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
  if (Buffer.byteLength(prefix) > LONGEST_PREFIX || /[\x00-\x1f\x7f]/.test(prefix))
    throw invalidParameter(
      `${at}_prefix`,
      'format',
      `has more than ${LONGEST_PREFIX} bytes or a control character`,
    );
  if (request.target === 'store_a') return;
  const uri = request.target_parameters.store_b_credentials;
  if (!uri.startsWith(`secrets://${workspace.id}/`))
    throw invalidParameter(`${at}_credentials`, 'conflict', `names another workspace than ${workspace.id}`);
  const secret = findSecret(resources, uri);
  if (secret.type !== 'store_b_credentials')
    throw invalidParameter(`${at}_credentials`, 'conflict', `names a secret of the type ${secret.type}`);
}

type Exported = Pick<DataExportRequest, 'output_format' | 'output_format_parameters' | 'resource_id'> & {
  readonly data_type: string;
  readonly target: string;
  readonly target_parameters: object;
};

/** The record of a new export (api-spec.md §2.12). */
export function exportRecord(id: string, request: Exported, requestedAt: number): Document {
  const { output_format, output_format_parameters: parameters } = request;
  return {
    id,
    data_type: request.data_type,
    resource_id: request.resource_id,
    output_format,
    output_format_parameters:
      output_format === 'csv' ? { csv_delimiter: parameters?.csv_delimiter ?? ';' } : null,
    output_row_count: null,
    output_size_in_bytes: null,
    requested_at: requestedAt,
    expiration_date: null,
    status: 'REQUESTED',
    export_failure_reason: null,
    target: request.target,
    target_parameters: request.target_parameters,
  };
}
