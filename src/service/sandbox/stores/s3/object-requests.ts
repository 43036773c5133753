import { byteRange } from '../object-folder.ts';
import type { IndexedObject } from '../object-index.ts';
import type { StoreAnswer, StoreRequest } from '../store-server.ts';
import { receiveBody, receiveText, type S3Request } from './receive-body.ts';
import { S3Error } from './s3-error.ts';
import { elements, xmlDocument, xmlText } from './xml.ts';

const KEPT_HEADERS = /^(content-(type|disposition|language)|cache-control|expires|x-amz-meta-.+)$/;
const MOST_DELETED = 1000;

export async function putObject(call: S3Request): Promise<StoreAnswer> {
  const { folder, request, bucket, key } = call;
  const exists = folder.index.object(bucket, key) !== undefined;
  if (request.headers['if-none-match'] === '*' && exists) throw preconditionFailed('If-None-Match');
  const { checksums, ...received } = await receiveBody(call);
  const stored = await folder.put(received, {
    bucket,
    key,
    checksums,
    headers: keptHeaders(request.headers),
  });
  return { status: 200, headers: { etag: `"${stored.etag}"`, ...checksumHeaders(stored) } };
}

/** GetObject and HeadObject, whole, a range or a part. */
export async function getObject({ folder, request, bucket, key }: S3Request): Promise<StoreAnswer> {
  const object = folder.index.object(bucket, key);
  if (object === undefined) throw new S3Error('NoSuchKey', 'The specified key does not exist', { Key: key });
  const { headers, query } = request;
  if (headers['if-match'] !== undefined && !names(headers['if-match'], object))
    throw preconditionFailed('If-Match');
  const described = describe(object);
  if (headers['if-none-match'] !== undefined && names(headers['if-none-match'], object))
    return { status: 304, headers: described };
  const part = query.get('partNumber');
  const range = part === null ? byteRange(headers.range, object.size) : partRange(object, Number(part));
  if (range === 'unsatisfiable') {
    const details = { ActualObjectSize: String(object.size) };
    throw new S3Error('InvalidRange', 'The requested range is not satisfiable', details);
  }
  const partial = range !== undefined;
  const length = partial ? range.last - range.first + 1 : object.size;
  const wantsChecksum = headers['x-amz-checksum-mode']?.toUpperCase() === 'ENABLED' && !partial;
  const answer = {
    status: partial ? 206 : 200,
    headers: {
      ...described,
      'content-length': String(length),
      ...(partial ? { 'content-range': `bytes ${range.first}-${range.last}/${object.size}` } : {}),
      ...(part !== null ? { 'x-amz-mp-parts-count': String(object.parts?.length ?? 1) } : {}),
      ...(wantsChecksum ? checksumHeaders(object) : {}),
    },
  };
  if (request.method === 'HEAD' || length === 0) return answer;
  return { ...answer, body: await folder.read(object, range) };
}

/** DeleteObject, which also succeeds for a missing key. */
export async function deleteObject({ folder, bucket, key }: S3Request): Promise<StoreAnswer> {
  const object = folder.index.object(bucket, key);
  if (object !== undefined) await folder.delete(object);
  return { status: 204 };
}

export async function deleteObjects(call: S3Request): Promise<StoreAnswer> {
  const xml = await receiveText(call);
  const keys = elements(xml, 'Object').map((object) => xmlText(elements(object, 'Key')[0] ?? ''));
  if (keys.length === 0 || keys.length > MOST_DELETED)
    throw new S3Error('MalformedXML', `The XML names ${keys.length} objects, not 1 to ${MOST_DELETED}`);
  for (const key of keys) await deleteObject({ ...call, key });
  const quiet = elements(xml, 'Quiet')[0] === 'true';
  const deleted = quiet ? [] : keys.map((key) => ({ Key: key }));
  return { status: 200, body: xmlDocument('DeleteResult', { Deleted: deleted }) };
}

/** Returns the headers of an upload that its object is served with. */
export function keptHeaders(headers: StoreRequest['headers']): Record<string, string> {
  const encoding = (headers['content-encoding'] ?? '')
    .split(/\s*,\s*/)
    .filter((coding) => coding !== '' && coding !== 'aws-chunked')
    .join(', ');
  const kept = Object.entries(headers).filter(([name]) => KEPT_HEADERS.test(name));
  return {
    'content-type': 'binary/octet-stream',
    ...Object.fromEntries(kept),
    ...(encoding === '' ? {} : { 'content-encoding': encoding }),
  };
}

function checksumHeaders({ checksums, parts }: IndexedObject): Record<string, string> {
  if (parts !== undefined) return {};
  const sums = Object.entries(checksums).map(([name, value]) => [`x-amz-checksum-${name}`, value] as const);
  if (sums.length === 0) return {};
  return { ...Object.fromEntries(sums), 'x-amz-checksum-type': 'FULL_OBJECT' };
}

function describe(object: IndexedObject): Record<string, string> {
  return {
    ...object.headers,
    etag: `"${object.etag}"`,
    'last-modified': new Date(object.updatedAt).toUTCString(),
    'accept-ranges': 'bytes',
  };
}

function names(header: string, object: IndexedObject): boolean {
  return header === '*' || header.split(/\s*,\s*/).some((tag) => tag.replace(/^W\/|"/g, '') === object.etag);
}

function partRange({ parts, size }: IndexedObject, number: number) {
  const sizes = parts ?? [size];
  const length = sizes[number - 1];
  if (length === undefined) throw new S3Error('InvalidRange', 'The requested partnumber is not satisfiable');
  const first = sizes.slice(0, number - 1).reduce((sum, part) => sum + part, 0);
  return length === 0 ? undefined : { first, last: first + length - 1 };
}

function preconditionFailed(condition: string): S3Error {
  const message = 'At least one of the pre-conditions you specified did not hold';
  return new S3Error('PreconditionFailed', message, { Condition: condition });
}
