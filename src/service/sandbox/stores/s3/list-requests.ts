import { listObjects } from '../list-objects.ts';
import type { StoreAnswer } from '../store-server.ts';
import { awsEncoded } from './canonical-request.ts';
import { S3Error } from './s3-error.ts';
import type { S3Request } from './s3-request.ts';
import { xmlDocument } from './xml.ts';

const MOST_KEYS = 1000;

/** ListObjectsV2. */
export function listObjectsV2({ folder, request, bucket }: S3Request): StoreAnswer {
  const { query } = request;
  if (query.get('list-type') !== '2') throw new S3Error('NotImplemented', 'Only list-type=2 is served here');
  const asked = query.get('max-keys') ?? String(MOST_KEYS);
  if (!/^\d+$/.test(asked)) throw new S3Error('InvalidArgument', 'max-keys is not a whole number');
  const token = query.get('continuation-token');
  const prefix = query.get('prefix') ?? '';
  const delimiter = query.get('delimiter') ?? '';
  const limit = Math.min(MOST_KEYS, Number(asked));
  const after = token === null ? (query.get('start-after') ?? '') : decodeToken(token);
  const page = listObjects(folder.index.objects(bucket, prefix, after), { prefix, delimiter, limit, after });
  const encoded = query.get('encoding-type') === 'url';
  const name = (key: string): string => (encoded ? awsEncoded(key).replaceAll('%2F', '/') : key);
  const body = xmlDocument('ListBucketResult', {
    Name: bucket,
    Prefix: name(prefix),
    ...(delimiter === '' ? {} : { Delimiter: name(delimiter) }),
    MaxKeys: limit,
    ...(encoded ? { EncodingType: 'url' } : {}),
    KeyCount: page.objects.length + page.prefixes.length,
    IsTruncated: page.next !== undefined,
    ...(token === null ? {} : { ContinuationToken: token }),
    ...(page.next === undefined ? {} : { NextContinuationToken: encodeToken(page.next) }),
    Contents: page.objects.map((object) => ({
      Key: name(object.key),
      LastModified: new Date(object.updatedAt).toISOString(),
      ETag: `"${object.etag}"`,
      Size: object.size,
      StorageClass: 'STANDARD',
    })),
    CommonPrefixes: page.prefixes.map((common) => ({ Prefix: name(common) })),
  });
  return { status: 200, body };
}

function encodeToken(key: string): string {
  return Buffer.from(key).toString('base64url');
}

function decodeToken(token: string): string {
  const key = Buffer.from(token, 'base64url').toString();
  if (encodeToken(key) !== token)
    throw new S3Error('InvalidArgument', 'The continuation token provided is incorrect');
  return key;
}
