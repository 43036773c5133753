import { text } from 'node:stream/consumers';
import type { Logger } from '../../../../core/logs/logger.ts';
import { byteRange, type ObjectFolder } from '../object-folder.ts';
import { listObjects } from '../object-index.ts';
import type { Store, StoreAnswer, StoreRequest } from '../store-server.ts';
import { GcsError, type GcsRequest, jsonAnswer, objectOf } from './gcs-request.ts';
import { objectResource } from './object-resource.ts';
import { parseMetadata, UploadRequests } from './upload-requests.ts';

const PATH = /^\/(?:(upload|download)\/)?storage\/v1\/b(?:\/([^/]+))?(?:\/(o)(?:\/(.+))?)?\/?$/;
const BUCKET_NAME = /^[a-z0-9][a-z0-9._-]{1,61}[a-z0-9]$/;

/**
 * A small Google Cloud Storage: the part of its JSON API that the official SDK needs to upload, read, list and delete
 * objects. Like emulators, it needs no credentials.
 */
export class ServedGcs implements Store {
  readonly place = 'store_a';
  readonly #folder: ObjectFolder;
  readonly #logger: Logger;
  readonly #uploads = new UploadRequests();

  constructor(folder: ObjectFolder, logger: Logger) {
    this.#folder = folder;
    this.#logger = logger;
  }

  async answer(request: StoreRequest): Promise<StoreAnswer> {
    const [all, kind, bucket, objects, key] = PATH.exec(request.path) ?? [];
    if (all === undefined) throw new GcsError(404, 'Not Found');
    if (bucket === undefined) return this.#buckets(request);
    const call: GcsRequest = {
      folder: this.#folder,
      request,
      bucket: decoded(bucket),
      base: `http://${request.headers.host}`,
    };
    if (!this.#folder.index.hasBucket(call.bucket))
      throw new GcsError(404, 'The specified bucket does not exist.');
    if (kind === 'upload') return this.#uploads.answer(call);
    const { method } = request;
    if (objects === undefined && method === 'GET') return jsonAnswer(bucketResource(call.bucket));
    if (objects !== undefined && key === undefined && method === 'GET') return listResources(call);
    if (key !== undefined && (method === 'GET' || method === 'HEAD'))
      return getResource(call, decoded(key), kind === 'download');
    if (key !== undefined && method === 'DELETE') {
      await call.folder.delete(objectOf(call, decoded(key)));
      return { status: 204 };
    }
    throw new GcsError(501, `${method} ${request.path} is not served here`);
  }

  refusal(error: unknown, request: StoreRequest): StoreAnswer {
    if (error instanceof GcsError) return jsonAnswer(error, error.status);
    this.#logger.error('store failed on a request', { method: request.method, error: String(error) });
    return jsonAnswer(new GcsError(500, 'Internal Error'), 500);
  }

  faulty(status: number): StoreAnswer {
    return jsonAnswer(new GcsError(status, 'the sandbox produced this fault on request'), status);
  }

  async #buckets({ method, body }: StoreRequest): Promise<StoreAnswer> {
    if (method === 'GET')
      return jsonAnswer({
        kind: 'storage#buckets',
        items: this.#folder.index.buckets().map(({ name }) => bucketResource(name)),
      });
    if (method !== 'POST') throw new GcsError(405, 'Method Not Allowed');
    const { name = '' } = parseMetadata(await text(body));
    if (!BUCKET_NAME.test(name)) throw new GcsError(400, `Invalid bucket name: '${name}'`);
    if (this.#folder.index.hasBucket(name)) throw new GcsError(409, 'You already own this bucket.');
    this.#folder.ensureBucket(name);
    return jsonAnswer(bucketResource(name));
  }
}

function bucketResource(name: string): Record<string, unknown> {
  return { kind: 'storage#bucket', id: name, name, location: 'EU', storageClass: 'STANDARD' };
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    throw new GcsError(400, 'The path is not percent-encoded UTF-8');
  }
}

const MOST_RESULTS = 1000;

/** Returns the objects of a bucket: `prefix`, `delimiter`, `startOffset`, `maxResults`, `pageToken`. */
function listResources({ folder, request, bucket, base }: GcsRequest): StoreAnswer {
  const { query } = request;
  const prefix = query.get('prefix') ?? '';
  const delimiter = query.get('delimiter') ?? '';
  const asked = Number(query.get('maxResults') ?? MOST_RESULTS);
  if (!Number.isInteger(asked) || asked < 0) throw new GcsError(400, 'Invalid argument: maxResults');
  const after = Buffer.from(query.get('pageToken') ?? '', 'base64url').toString();
  const window = { prefix, delimiter, limit: Math.min(asked || MOST_RESULTS, MOST_RESULTS), after };
  const page = listObjects(folder.index.objects(bucket, prefix, after), window);
  return jsonAnswer({
    kind: 'storage#objects',
    ...(page.next === undefined ? {} : { nextPageToken: Buffer.from(page.next).toString('base64url') }),
    ...(page.prefixes.length === 0 ? {} : { prefixes: page.prefixes }),
    items: page.objects.map((object) => objectResource(object, base)),
  });
}

/** Returns one object: its metadata or, with `alt=media`, its bytes. */
async function getResource(call: GcsRequest, key: string, download: boolean): Promise<StoreAnswer> {
  const object = objectOf(call, key);
  const { request, folder, base } = call;
  if (!download && request.query.get('alt') !== 'media') return jsonAnswer(objectResource(object, base));
  const range = byteRange(request.headers.range, object.size);
  if (range === 'unsatisfiable') throw new GcsError(416, `The requested range cannot be satisfied.`);
  const length = range === undefined ? object.size : range.last - range.first + 1;
  const answer: StoreAnswer = {
    status: range === undefined ? 200 : 206,
    headers: {
      ...object.headers,
      etag: object.etag,
      'last-modified': new Date(object.updatedAt).toUTCString(),
      'accept-ranges': 'bytes',
      'content-length': String(length),
      'x-goog-generation': object.generation,
      'x-goog-hash': `crc32c=${object.checksums.crc32c},md5=${object.checksums.md5}`,
      'x-goog-stored-content-encoding': object.headers['content-encoding'] ?? 'identity',
      'x-goog-stored-content-length': String(object.size),
      ...(range === undefined
        ? {}
        : { 'content-range': `bytes ${range.first}-${range.last}/${object.size}` }),
    },
  };
  if (request.method === 'HEAD' || length === 0) return answer;
  return { ...answer, body: await folder.read(object, range) };
}
