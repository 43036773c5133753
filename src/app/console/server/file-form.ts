import multipart, { type MultipartFile } from '@fastify/multipart';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { bytesText } from '../../../core/text/amounts.ts';
import type { SentFile } from '../forms/console-form.ts';

/** The file of a request, which is still being received. */
const received = new WeakMap<FastifyRequest, SentFile>();
/** The fields and their headers. */
const FORM_BYTES = 100_000;
/** After a refusal, the time for a browser to send the rest, so that it shows the answer. */
const REST_MS = 5000;

interface FileForm {
  readonly path: string;
  readonly mostBytes: number;
}

export function fileOf(request: FastifyRequest): SentFile | undefined {
  return received.get(request);
}

/**
 * A route that accepts a form with a file. The fields before the file are read first, so that the guard checks the
 * token before any byte of the file is stored.
 */
export function fileForm(
  app: FastifyInstance,
  { path, mostBytes }: FileForm,
  answer: (request: FastifyRequest, reply: FastifyReply) => Promise<FastifyReply>,
): void {
  app.register(async (scope) => {
    await scope.register(multipart, {
      limits: { fileSize: mostBytes, files: 1, fields: 10, fieldSize: 2000, parts: 12 },
      throwFileSizeLimit: false,
    });
    scope.addHook('preValidation', async (request) => {
      if (request.person === null || !request.isMultipart()) return;
      if (Number(request.headers['content-length']) > mostBytes + FORM_BYTES)
        throw refusal(413, `The file is larger than ${bytesText(mostBytes)}.`);
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
        received.set(request, sentFile(part));
        return fields;
      }
    }
  } catch (thrown) {
    if (thrown instanceof Error && 'statusCode' in thrown) throw thrown;
    throw refusal(400, 'The form cannot be read.');
  }
}

function sentFile({ filename, file }: MultipartFile): SentFile {
  return { name: filename, content: file, isCut: () => file.truncated };
}

function refusal(statusCode: number, message: string): Error {
  return Object.assign(new Error(message), { statusCode });
}
