import { FormData } from 'undici';
import { z } from 'zod';
import { openEnum, resultOf, section } from '../endpoint.ts';
import { listQuery, pageOf } from '../http/pagination.ts';

const INGEST_FILE_STATUSES = ['UPLOADING', 'UPLOADED', 'PROCESSING', 'PROCESSED', 'ERROR'] as const;

/** The fields to sort and filter ingest files by (api-spec.md §2.9). */
export const INGEST_FILE_LIST_FIELDS = ['id', 'name', 'status', 'kind', 'created_at'] as const;

/** An ingest file (api-spec.md §2.9); `size` counts characters, `created_at` is UTC milliseconds. */
export const IngestFile = z
  .looseObject({
    id: z.string(),
    project_id: z.string().nullish(),
    name: z.string(),
    status: openEnum(INGEST_FILE_STATUSES),
    kind: openEnum(['ingest', 'seed']),
    created_at: z.int().nullish(),
    detailed_invalid_lines: z.record(z.string(), z.int()).nullish(),
    error_message: z.string().nullish(),
    fields: z.record(z.string(), z.string()).nullish(),
    valid_lines: z.int().nullish(),
    invalid_lines: z.int().nullish(),
    lines_errors_messages: z.record(z.string(), z.array(z.string())).nullish(),
    size: z.int().nullish(),
  })
  .meta({ id: 'IngestFile' });
export type IngestFile = z.infer<typeof IngestFile>;

const { get, post, remove } = section('§4.8', 'projects');

export const LIST_INGEST_FILES = get(
  '/projects/{project_id}/ingest_files',
  'Ingest files of a project; its key is `user_files`',
  { query: listQuery(INGEST_FILE_LIST_FIELDS), ...pageOf('user_files', IngestFile) },
);

export const GET_INGEST_FILE = get(
  '/projects/{project_id}/ingest_files/{ingest_file_id}',
  'One ingest file',
  resultOf('user_file', IngestFile),
);

export function fileForm(file: { readonly name: string; readonly content: Blob }): FormData {
  const form = new FormData();
  form.set('file', file.content, file.name);
  return form;
}

/** The response has no body: the new file's id is in the list (spec-notes.md 8). */
export const UPLOAD_INGEST_FILE = post('/projects/{project_id}/ingest_files', 'Upload an ingest file', {
  body: z.strictObject({
    file: z.instanceof(Blob).meta({ wire: { type: 'string', contentMediaType: 'application/octet-stream' } }),
  }),
  sends: 'multipart',
  answers: 'none',
  errors: ['invalid_request', 'invalid_request_parameters', 'resource_not_found', 'duplicate_entry'],
});

export const DELETE_INGEST_FILE = remove(
  '/projects/{project_id}/ingest_files/{ingest_file_id}',
  'Delete an ingest file',
);
