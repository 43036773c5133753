import multipart, { type Multipart, type MultipartFile } from '@fastify/multipart';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { CrawlhouseError } from '../../../core/errors/errors.ts';
import { bytesText } from '../../../core/text/amounts.ts';
import type { SentFile } from '../forms/console-form.ts';

/** The files of a request, which are still being received. */
const received = new WeakMap<FastifyRequest, AsyncIterable<SentFile>>();
const MOST_FILES = 20;
/** The fields and their headers. */
const FORM_BYTES = 100_000;
/** After a refusal, the time for a browser to send the rest, so that it shows the answer. */
const REST_MS = 5000;

interface FileForm {
  readonly path: string;
  readonly mostBytes: number;
}

export function filesOf(request: FastifyRequest): AsyncIterable<SentFile> | undefined {
  return received.get(request);
}

/**
 * Registers a route that accepts a form with files. The fields before the files are read first, so that the guard
 * checks the token before any byte of a file is stored.
 */
export function fileForm(
  app: FastifyInstance,
  { path, mostBytes }: FileForm,
  answer: (request: FastifyRequest, reply: FastifyReply) => Promise<FastifyReply>,
): void {
  app.register(async (scope) => {
    await scope.register(multipart, {
      limits: { fileSize: mostBytes, files: MOST_FILES, fields: 10, fieldSize: 2000, parts: MOST_FILES + 12 },
      throwFileSizeLimit: false,
    });
    scope.addHook('preValidation', async (request) => {
      if (request.person === null || !request.isMultipart()) return;
      if (Number(request.headers['content-length']) > mostBytes + FORM_BYTES)
        throw refusal(413, `The files are larger than ${bytesText(mostBytes)}.`);
      request.body = await readFields(request);
    });
    scope.addHook('onResponse', async ({ raw }) => {
      if (raw.readableEnded || raw.destroyed) return;
      // Bytes that the browser still sends would block its next request.
      raw.unpipe();
      raw.resume();
      const timer = setTimeout(() => raw.destroy(), REST_MS);
      raw.once('close', () => clearTimeout(timer));
    });
    scope.post(path, answer);
  });
}

async function readFields(request: FastifyRequest): Promise<URLSearchParams> {
  const fields = new URLSearchParams();
  const parts = request.parts();
  try {
    for (;;) {
      const { done, value: part } = await parts.next();
      if (done === true) return fields;
      if (part.type === 'field') fields.append(part.fieldname, String(part.value));
      else {
        received.set(request, filesFrom(part, parts));
        return fields;
      }
    }
  } catch (thrown) {
    if (thrown instanceof Error && 'statusCode' in thrown) throw thrown;
    throw refusal(400, 'The form cannot be read.');
  }
}

/** @throws CrawlhouseError `usage` for more files than a form may have, and where the rest does not arrive */
async function* filesFrom(
  first: MultipartFile,
  parts: AsyncIterator<Multipart>,
): AsyncGenerator<SentFile, void> {
  yield sentFile(first);
  for (;;) {
    const next = await parts.next().catch((cause: unknown) => {
      const isTooMany = cause instanceof Error && 'code' in cause && cause.code === 'FST_FILES_LIMIT';
      throw isTooMany
        ? new CrawlhouseError('usage', `only the first ${MOST_FILES} files were received`, { cause })
        : new CrawlhouseError('usage', 'the upload was cut off', { cause, hint: 'upload the file again' });
    });
    if (next.done === true) return;
    if (next.value.type === 'file') yield sentFile(next.value);
  }
}

function sentFile({ filename, file }: MultipartFile): SentFile {
  return { name: filename, content: file, isCut: () => file.truncated };
}

function refusal(statusCode: number, message: string): Error {
  return Object.assign(new Error(message), { statusCode });
}
