import multipart, { type Multipart } from '@fastify/multipart';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import {
  DELETE_INGEST_FILE,
  GET_INGEST_FILE,
  INGEST_FILE_LIST_FIELDS,
  LIST_INGEST_FILES,
  UPLOAD_INGEST_FILE,
} from '../../../client/resources/ingest-files.ts';
import { find } from '../../resources/find.ts';
import { invalidParameter, Refusal } from '../../resources/refusal.ts';
import { publicView } from '../../resources/resources.ts';
import { serveList } from '../list-page.ts';
import { type Context, serve } from '../serve.ts';

/** The longest file, in bytes; not in the specification. */
const LARGEST_FILE = 256 * 1024 * 1024;
const LONGEST_NAME = 255;
/** RFC 2046. */
const BOUNDARY = /boundary=(?:"[^"]{1,70}"|[^\s;"]{1,70}(?![^\s;]))/i;

/** Ingest files (api-spec.md §2.9, §4.8). */
export function ingestFileRoutes(api: FastifyInstance, context: Context): void {
  const { resources, rows, ingestFiles } = context;
  serveList(api, LIST_INGEST_FILES, { rows, names: INGEST_FILE_LIST_FIELDS }, ({ project_id }) =>
    resources.list('ingest_files', find(resources, 'projects', project_id).id),
  );
  serve(api, GET_INGEST_FILE, ({ parameters }) => {
    const project = find(resources, 'projects', parameters.project_id);
    return { user_file: publicView(find(resources, 'ingest_files', parameters.ingest_file_id, project.id)) };
  });
  serve(api, DELETE_INGEST_FILE, async ({ parameters }) => {
    const project = find(resources, 'projects', parameters.project_id);
    await ingestFiles.remove(find(resources, 'ingest_files', parameters.ingest_file_id, project.id).id);
  });
  // In a separate scope, because no other endpoint accepts a form.
  api.register(async (forms) => {
    await forms.register(multipart, { limits: { fileSize: LARGEST_FILE, fields: 10, parts: 10 } });
    serve(forms, UPLOAD_INGEST_FILE, async ({ parameters, request }) => {
      const project = find(resources, 'projects', parameters.project_id);
      await receiveForm(request, context, project.id);
    });
  });
}

/** Takes the part `file` of a form, streaming; refuses any other part, and then stores nothing of the form. */
async function receiveForm(
  request: FastifyRequest,
  { ingestFiles }: Context,
  projectId: string,
): Promise<void> {
  if (!request.isMultipart())
    throw new Refusal('invalid_request', 'the body is not multipart/form-data with a part file');
  let received: string | undefined;
  let cut: Error | undefined;
  try {
    for await (const part of partsOf(request)) {
      if (part.type !== 'file' || part.fieldname !== 'file' || received !== undefined)
        throw invalidParameter(part.fieldname, 'unknown', 'is not the one part file, with a file name');
      part.file.once('error', (error) => {
        cut = error;
      });
      received = (await ingestFiles.receive(projectId, nameOf(part.filename), part.file)).id;
      if (part.file.truncated)
        throw new Refusal('invalid_request', `the file is longer than ${LARGEST_FILE} bytes`);
    }
  } catch (error) {
    if (received !== undefined) await ingestFiles.remove(received);
    // Bytes that the sender still writes would block its next request.
    request.raw.unpipe();
    request.raw.resume();
    throw error === cut ? unreadable(cut as Error, request) : error;
  }
  if (received === undefined) throw invalidParameter('file', 'required', 'is missing');
  ingestFiles.process(received);
}

/** Returns the parts of a form. Errors of the parser about a broken form are the sender's to fix. */
async function* partsOf(request: FastifyRequest): AsyncGenerator<Multipart> {
  try {
    yield* request.parts();
  } catch (thrown) {
    throw unreadable(thrown as Error, request);
  }
}

function unreadable(error: Error, { headers }: FastifyRequest): Error {
  if (error instanceof Refusal || 'statusCode' in error) return error;
  const hint = BOUNDARY.test(headers['content-type'] ?? '')
    ? ''
    : ': it needs a boundary of 1 to 70 characters';
  return new Refusal('invalid_request', `the form can't be read (${error.message})${hint}`);
}

function nameOf(filename: string): string {
  if (filename !== '' && filename.length <= LONGEST_NAME) return filename;
  throw invalidParameter('file', 'format', `its file name must have 1 to ${LONGEST_NAME} characters`);
}
