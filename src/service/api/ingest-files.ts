import { FormData } from 'undici';
import { z } from 'zod';
import { endpoint } from './endpoint.ts';
import { openEnum } from './open-enum.ts';
import { listQuery, NoQuery, pageOf } from './pagination.ts';

const INGEST_FILE_STATUSES = ['UPLOADING', 'UPLOADED', 'PROCESSING', 'PROCESSED', 'ERROR'] as const;

/** The fields that a list of ingest files can be sorted and filtered by (api-spec.md §2.9). */
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

export const LIST_INGEST_FILES = endpoint({
  method: 'GET',
  path: '/projects/{project_id}/ingest_files',
  scope: 'projects:read',
  summary: 'Ingest files of a project; its key is `user_files`',
  source: '§4.8',
  query: listQuery(INGEST_FILE_LIST_FIELDS),
  answers: 'json',
  response: pageOf('user_files', IngestFile),
  result: 'user_files',
  errors: ['invalid_request_parameters', 'resource_not_found'],
  repeatable: true,
});

export const GET_INGEST_FILE = endpoint({
  method: 'GET',
  path: '/projects/{project_id}/ingest_files/{ingest_file_id}',
  scope: 'projects:read',
  summary: 'One ingest file',
  source: '§4.8',
  query: NoQuery,
  answers: 'json',
  response: z.looseObject({ user_file: IngestFile }),
  result: 'user_file',
  errors: ['invalid_request_parameters', 'resource_not_found'],
  repeatable: true,
});

/** The form of an upload. */
export function fileForm(file: { readonly name: string; readonly content: Blob }): FormData {
  const form = new FormData();
  form.set('file', file.content, file.name);
  return form;
}

/** The answer has no body: the list tells the new file's id (spec-notes.md 8). */
export const UPLOAD_INGEST_FILE = endpoint({
  method: 'POST',
  path: '/projects/{project_id}/ingest_files',
  scope: 'projects:write',
  summary: 'Upload an ingest file',
  source: '§4.8',
  query: NoQuery,
  body: z.strictObject({
    file: z.instanceof(Blob).meta({ wire: { type: 'string', contentMediaType: 'application/octet-stream' } }),
  }),
  sends: 'multipart',
  answers: 'none',
  errors: ['invalid_request', 'invalid_request_parameters', 'resource_not_found', 'duplicate_entry'],
  repeatable: false,
});

export const DELETE_INGEST_FILE = endpoint({
  method: 'DELETE',
  path: '/projects/{project_id}/ingest_files/{ingest_file_id}',
  scope: 'projects:write',
  summary: 'Delete an ingest file',
  source: '§4.8',
  query: NoQuery,
  answers: 'none',
  errors: ['invalid_request_parameters', 'resource_not_found'],
  repeatable: true,
});
