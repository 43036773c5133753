import type { Logger } from '../../../../core/logs/logger.ts';
import type { ObjectFolder } from '../object-folder.ts';
import { listObjects } from '../object-index.ts';
import type { Store, StoreAnswer, StoreRequest } from '../store-server.ts';
import { deleteObject, deleteObjects, getObject, putObject } from './object-requests.ts';
import type { S3Request } from './receive-body.ts';
import { S3Error, type S3ErrorCode } from './s3-error.ts';
import { awsEncoded, checkSignature } from './signature.ts';
import { abortUpload, completeUpload, createUpload, uploadPart } from './upload-requests.ts';
import { xmlDocument } from './xml.ts';

const MOST_KEYS = 1000;

const LONGEST_KEY = 1024;
const BUCKET_NAME = /^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/;
const FAULT_CODES: Readonly<Record<number, S3ErrorCode>> = {
  400: 'InvalidRequest',
  403: 'AccessDenied',
  404: 'NoSuchKey',
  409: 'BucketAlreadyOwnedByYou',
  412: 'PreconditionFailed',
  500: 'InternalError',
  503: 'SlowDown',
};

/**
 * A small S3, path style: the part that the official SDK needs to put, read, list and delete objects. Checks
 * signatures.
 */
export class ServedS3 implements Store {
  readonly place = 'store_b';
  readonly #folder: ObjectFolder;
  readonly #region: string;
  readonly #logger: Logger;

  constructor(folder: ObjectFolder, region: string, logger: Logger) {
    this.#folder = folder;
    this.#region = region;
    this.#logger = logger;
  }

  async answer(request: StoreRequest): Promise<StoreAnswer> {
    const payloadHash = checkSignature(request, {
      region: this.#region,
      secretOf: (key) =>
        this.#folder.index.accounts().find((account) => account.accessKey === key)?.secretKey,
      now: Date.now(),
    });
    const { bucket, key } = targetOf(request.path);
    const call = { folder: this.#folder, request, bucket, key, payloadHash };
    if (bucket === '') return this.#listBuckets(request);
    if (key === '' && request.method === 'PUT' && request.rawQuery === '') return this.#createBucket(bucket);
    if (!this.#folder.index.hasBucket(bucket))
      throw new S3Error('NoSuchBucket', 'The specified bucket does not exist', { BucketName: bucket });
    if (key === '') return this.#answerBucket(call);
    if (Buffer.byteLength(key) > LONGEST_KEY) throw new S3Error('KeyTooLongError', 'Your key is too long');
    return answerObject(call);
  }

  refusal(error: unknown, request: StoreRequest): StoreAnswer {
    const known = error instanceof S3Error;
    if (!known)
      this.#logger.error('store failed on a request', { method: request.method, error: String(error) });
    const said = known ? error : new S3Error('InternalError', 'We encountered an internal error');
    return errorAnswer(said, request.path);
  }

  faulty(status: number): StoreAnswer {
    const code = FAULT_CODES[status] ?? (status >= 500 ? 'InternalError' : 'InvalidRequest');
    return { ...errorAnswer(new S3Error(code, 'the sandbox produced this fault on request'), ''), status };
  }

  #listBuckets({ method }: StoreRequest): StoreAnswer {
    if (method !== 'GET') throw notAllowed();
    const buckets = this.#folder.index
      .buckets()
      .map(({ name, createdAt }) => ({ Name: name, CreationDate: new Date(createdAt).toISOString() }));
    const owner = { ID: 'sandbox', DisplayName: 'sandbox' };
    const body = xmlDocument('ListAllMyBucketsResult', { Owner: owner, Buckets: { Bucket: buckets } });
    return { status: 200, body };
  }

  #createBucket(bucket: string): StoreAnswer {
    if (!BUCKET_NAME.test(bucket)) throw new S3Error('InvalidBucketName', 'The bucket name is not valid');
    if (this.#folder.index.hasBucket(bucket))
      throw new S3Error('BucketAlreadyOwnedByYou', 'You own the bucket already', { BucketName: bucket });
    this.#folder.ensureBucket(bucket);
    return { status: 200, headers: { location: `/${bucket}` } };
  }

  async #answerBucket(call: S3Request): Promise<StoreAnswer> {
    const { method, query } = call.request;
    if (method === 'HEAD') return { status: 200, headers: { 'x-amz-bucket-region': this.#region } };
    if (method === 'GET' && query.has('location'))
      return {
        status: 200,
        body: xmlDocument('LocationConstraint', {}).replace('></', `>${this.#region}</`),
      };
    if (method === 'GET') return listObjectsV2(call);
    if (method === 'POST' && query.has('delete')) return deleteObjects(call);
    throw notAllowed();
  }
}

async function answerObject(call: S3Request): Promise<StoreAnswer> {
  const { method, query, headers } = call.request;
  if (headers['x-amz-copy-source'] !== undefined)
    throw new S3Error('NotImplemented', 'Copies are not made here');
  const inParts = query.has('uploadId');
  if (method === 'GET' && inParts) throw new S3Error('NotImplemented', 'Parts are not listed here');
  if (method === 'GET' || method === 'HEAD') return getObject(call);
  if (method === 'PUT') return inParts ? uploadPart(call) : putObject(call);
  if (method === 'DELETE') return inParts ? abortUpload(call) : deleteObject(call);
  if (method === 'POST' && query.has('uploads')) return createUpload(call);
  if (method === 'POST' && inParts) return completeUpload(call);
  throw notAllowed();
}

function targetOf(path: string): { readonly bucket: string; readonly key: string } {
  const [, bucket = '', key = ''] = /^\/([^/]*)\/?(.*)$/s.exec(path) ?? [];
  try {
    return { bucket: decodeURIComponent(bucket), key: decodeURIComponent(key) };
  } catch {
    throw new S3Error('InvalidArgument', 'The path is not percent-encoded UTF-8');
  }
}

function notAllowed(): S3Error {
  return new S3Error('MethodNotAllowed', 'The specified method is not allowed against this resource');
}

function errorAnswer(error: S3Error, path: string): StoreAnswer {
  const fields = { Code: error.code, Message: error.message, Resource: path, ...error.details };
  const region = error.details.Region;
  return {
    status: error.status,
    headers: {
      'content-type': 'application/xml',
      ...(region === undefined ? {} : { 'x-amz-bucket-region': region }),
    },
    body: xmlDocument('Error', fields),
  };
}

/** ListObjectsV2. */
function listObjectsV2({ folder, request, bucket }: S3Request): StoreAnswer {
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
