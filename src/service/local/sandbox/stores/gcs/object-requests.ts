import { byteRange } from '../byte-range.ts';
import { listObjects } from '../list-objects.ts';
import type { StoreAnswer } from '../store-server.ts';
import { GcsError } from './gcs-error.ts';
import { type GcsRequest, jsonAnswer, objectOf } from './gcs-request.ts';
import { objectResource } from './object-resource.ts';

const MOST_RESULTS = 1000;

/** The objects of a bucket: `prefix`, `delimiter`, `startOffset`, `maxResults`, `pageToken`. */
export function listResources({ folder, request, bucket, base }: GcsRequest): StoreAnswer {
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

/** One object: its metadata or, with `alt=media`, its bytes. */
export async function getResource(call: GcsRequest, key: string, download: boolean): Promise<StoreAnswer> {
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

export async function deleteResource(call: GcsRequest, key: string): Promise<StoreAnswer> {
  await call.folder.delete(objectOf(call, key));
  return { status: 204 };
}
