import { randomBytes } from 'node:crypto';
import type { StoreAnswer } from '../store-server.ts';
import { finishUpload, parseMetadata } from './finish-upload.ts';
import { GcsError } from './gcs-error.ts';
import { checkConditions, type GcsRequest, jsonAnswer } from './gcs-request.ts';
import { objectResource } from './object-resource.ts';
import { relatedBody } from './related-body.ts';
import { ResumableUpload } from './resumable-upload.ts';

const LONGEST_NAME = 1024;
const RESUME_INCOMPLETE = 308;
/** The answer to the cancellation of a resumable upload. */
const CANCELLED = 499;

/**
 * Uploads of the JSON API: `media`, `multipart` and `resumable`. Uploads in progress are lost when the sandbox ends.
 */
export class UploadRequests {
  readonly #resumable = new Map<string, ResumableUpload>();

  async answer(call: GcsRequest): Promise<StoreAnswer> {
    const { query, method } = call.request;
    const type = query.get('uploadType');
    const id = query.get('upload_id');
    if (id !== null) return this.#resume(call, id);
    if (method !== 'POST') throw new GcsError(405, 'Method Not Allowed');
    if (type === 'media') return media(call);
    if (type === 'multipart') return multipart(call);
    if (type === 'resumable') return this.#begin(call);
    throw new GcsError(400, `Invalid upload type ${type}`);
  }

  async #begin(call: GcsRequest): Promise<StoreAnswer> {
    const { folder, request, bucket, base } = call;
    const pieces: Buffer[] = [];
    for await (const piece of request.body) pieces.push(piece);
    const metadata = parseMetadata(Buffer.concat(pieces).toString('utf8'));
    const key = nameOf(call, metadata.name);
    checkConditions(request, folder.index.object(bucket, key));
    const contentType = request.headers['x-upload-content-type'];
    const id = randomBytes(24).toString('base64url');
    this.#resumable.set(id, new ResumableUpload(folder, bucket, { key, metadata, contentType }));
    const query = new URLSearchParams(request.query);
    query.set('upload_id', id);
    const path = `/upload/storage/v1/b/${encodeURIComponent(bucket)}/o`;
    return { status: 200, headers: { location: `${base}${path}?${query}` } };
  }

  async #resume(call: GcsRequest, id: string): Promise<StoreAnswer> {
    const { request, bucket, base } = call;
    const upload = this.#resumable.get(id);
    if (upload?.bucket !== bucket) throw new GcsError(410, 'The requested upload no longer exists');
    if (request.method === 'DELETE') {
      this.#resumable.delete(id);
      await upload.cancel();
      return { status: CANCELLED };
    }
    if (request.method !== 'PUT') throw new GcsError(405, 'Method Not Allowed');
    const received = await upload.take(request.body, request.headers['content-range']);
    if (received === undefined) {
      const range = upload.size === 0 ? {} : { range: `bytes=0-${upload.size - 1}` };
      return { status: RESUME_INCOMPLETE, headers: range };
    }
    this.#resumable.delete(id);
    return jsonAnswer(objectResource(await finishUpload(call, upload.upload, received), base));
  }
}

async function media(call: GcsRequest): Promise<StoreAnswer> {
  const { folder, request, base } = call;
  const key = nameOf(call, undefined);
  const received = await folder.receive(request.body, ['md5', 'crc32c']);
  const upload = { key, metadata: {}, contentType: request.headers['content-type'] };
  return jsonAnswer(objectResource(await finishUpload(call, upload, received), base));
}

async function multipart(call: GcsRequest): Promise<StoreAnswer> {
  const { folder, request, base } = call;
  const body = await relatedBody(request.body, request.headers['content-type'] ?? '');
  const metadata = parseMetadata(body.metadata);
  const key = nameOf(call, metadata.name);
  const received = await folder.receive(body.media, ['md5', 'crc32c']);
  const upload = { key, metadata, contentType: body.contentType };
  return jsonAnswer(objectResource(await finishUpload(call, upload, received), base));
}

function nameOf({ request }: GcsRequest, inBody: string | undefined): string {
  const name = request.query.get('name') ?? inBody ?? '';
  if (name === '') throw new GcsError(400, 'Required parameter: name');
  if (Buffer.byteLength(name) > LONGEST_NAME || /[\r\n]/.test(name))
    throw new GcsError(400, 'The name of the object is too long or holds a line break');
  return name;
}
