import { randomBytes } from 'node:crypto';
import type { DataExportRequest } from '../../../client/resources/data-exports.ts';
import type { CrawlDataType } from '../../../client/resources/fields.ts';
import type { Column } from '../../fields/column.ts';
import { datasetOf, find, refuseUnlessReported } from '../../resources/find.ts';
import { forbidden, invalidParameter, notFound, Refusal } from '../../resources/refusal.ts';
import type { Resources, StoredResource } from '../../resources/resources.ts';
import type { ExportJob } from './export-jobs.ts';
import { findSecret } from './find-secret.ts';

const SEGMENTATION = 'page_group_';

const DATA_TYPES: Readonly<Record<DataExportRequest['data_type'], CrawlDataType>> = {
  page: 'pages',
  link: 'links',
};
/** An object's key may have 1,024 bytes in both clouds; the name in it needs some of them. */
const LONGEST_PREFIX = 900;

/**
 * Checks a data export against the stored resources (api-spec.md §4.9; wire-facts.md, "export gate").
 *
 * @throws Refusal
 */
export function exportJob(
  resources: Resources,
  workspace: StoredResource,
  request: DataExportRequest,
): ExportJob {
  const features = workspace.subscription_features as readonly string[] | null | undefined;
  if (!features?.includes('data_export'))
    throw forbidden(`the workspace ${workspace.id} lacks the feature data_export`, 'missing_feature');
  if (request.output_format !== 'csv' && request.output_format_parameters?.csv_delimiter !== undefined)
    throw new Refusal('invalid_request', `csv_delimiter does not apply to ${request.output_format}`);
  checkTarget(resources, workspace, request);
  const crawl = find(resources, 'crawls', request.resource_id);
  const dataType = DATA_TYPES[request.data_type];
  refuseUnlessReported(crawl, dataType);
  const dataset = datasetOf(resources, crawl.id, dataType);
  const columns = exportColumns(dataset.columns, request);
  return { id: randomBytes(12).toString('hex'), request, dataset, columns };
}

function checkTarget(resources: Resources, workspace: StoredResource, request: DataExportRequest): void {
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

/**
 * Returns the columns of a data export: those of the streamed export, but only the requested segmentations
 * (`page_group_…`), by the name of the field or the segmentation. The request for all segmentations overrides the list
 * (api-spec.md §4.9).
 *
 * @throws Refusal for an unknown segmentation, and for names that Parquet cannot distinguish
 */
function exportColumns(columns: readonly Column[], request: DataExportRequest): readonly Column[] {
  const isAll = request.include_all_page_group_lists === true;
  const included = new Set(isAll ? [] : (request.page_group_lists_included ?? []).map(fieldOf));
  const names = new Set(columns.map((column) => column.field.name));
  for (const name of included) if (!names.has(name)) throw notFound(`the segmentation ${name}`);
  const chosen = columns.filter(({ field }) => {
    if (field.can_display === false) return false;
    const segmentation = field.name.startsWith(SEGMENTATION);
    return !segmentation || isAll || included.has(field.name);
  });
  if (request.output_format === 'parquet') refuseAlike(chosen);
  return chosen;
}

function fieldOf(name: string): string {
  return name.startsWith(SEGMENTATION) ? name : `${SEGMENTATION}${name}`;
}

function refuseAlike(columns: readonly Column[]): void {
  const seen = new Map<string, string>();
  for (const { field } of columns) {
    const other = seen.get(field.name.toLowerCase());
    if (other !== undefined) {
      const message = `Parquet cannot contain both ${other} and ${field.name}, which differ only in case: use csv or json`;
      throw new Refusal('invalid_request', message);
    }
    seen.set(field.name.toLowerCase(), field.name);
  }
}
