import type { DataExportRequest } from '../../client/resources/data-exports.ts';
import type { Resources, StoredResource } from './resources.ts';
import { WORKSPACE_ID } from './seed.ts';

const SOURCES = { crawls: 'crawl', projects: 'project' } as const;

/**
 * Returns the `export_failure_reason` if the rows could not be read. The resource may have been deleted while the
 * export waited or ran. For other errors, this is only the first line, because the rest contains internal table names.
 */
export function readingFailure(
  resources: Resources,
  kind: keyof typeof SOURCES,
  id: string,
  error: unknown,
): string {
  if (resources.get(kind, id) === undefined)
    return `the ${SOURCES[kind]} ${id} was deleted before it was exported`;
  const [first] = (error instanceof Error ? error.message : String(error)).split('\n');
  return `the export failed: ${first}`;
}

/** Changes the record of an export, if it still exists. */
export function updateExport(
  resources: Resources,
  id: string,
  changes: Readonly<Record<string, unknown>>,
): void {
  const known = resources.get('data_exports', id);
  if (known !== undefined) resources.put('data_exports', WORKSPACE_ID, { ...known, ...changes });
}

type Exported = Pick<DataExportRequest, 'output_format' | 'output_format_parameters' | 'resource_id'> & {
  readonly data_type: string;
  readonly target: string;
  readonly target_parameters: object;
};

/** Returns the record of a new export (api-spec.md §2.12). */
export function exportRecord(id: string, request: Exported, requestedAt: number): StoredResource {
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
