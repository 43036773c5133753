import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import type { Readable } from 'node:stream';
import {
  AbortMultipartUploadCommand,
  CompleteMultipartUploadCommand,
  CreateMultipartUploadCommand,
  DeleteObjectCommand,
  GetObjectCommand,
  HeadObjectCommand,
  type HeadObjectCommandOutput,
  ListObjectsV2Command,
  type ListObjectsV2CommandOutput,
  PutObjectCommand,
  S3Client,
  UploadPartCommand,
} from '@aws-sdk/client-s3';
import type { CrawlhouseError } from '../../errors/errors.ts';
import { type Asked, NetworkStore, unlessChanged } from '../network-store.ts';
import type { ByteRange, Checksum, ObjectStore, StoredObject } from '../object-store.ts';
import {
  isNetworkError,
  retryAfterMs,
  type SettingNames,
  type StoreFailure,
  storeError,
} from '../store-errors.ts';
import type { NetworkOptions } from '../store-kind.ts';

/** S3's own limit. */
const MOST_PARTS = 10_000;

/** The fields of `HeadObject` that determine the check of the content. */
export type HeadFacts = Pick<
  HeadObjectCommandOutput,
  | 'ETag'
  | 'ContentLength'
  | 'ServerSideEncryption'
  | 'SSECustomerAlgorithm'
  | 'ChecksumCRC32C'
  | 'ChecksumType'
>;

export interface S3Options extends NetworkOptions, S3Place {
  /** Of an S3-compatible store, where the bucket is part of the path. Default: Amazon's endpoint for the region. */
  readonly endpoint?: string | undefined;
}

/** Parallel requests about the parts of an object. */
const HEADS_AT_ONCE = 8;
const SILENT = { trace() {}, debug() {}, info() {}, warn() {}, error() {} };

/** `store_b`: a bucket of S3 or of a compatible store. Credentials come from Amazon's standard chain. */
export class S3Store extends NetworkStore implements ObjectStore {
  readonly #client: S3Client;
  readonly #place: S3Place;

  constructor(options: S3Options) {
    super(options.retry);
    const idleMs = options.idleMs ?? 60_000;
    this.#place = { bucket: options.bucket, region: options.region, names: options.names };
    this.#client = new S3Client({
      region: options.region,
      ...(options.endpoint ? { endpoint: options.endpoint, forcePathStyle: true } : {}),
      // Only our own retries, so that one policy applies.
      maxAttempts: 1,
      // The SDK would write to stderr; its errors contain the same.
      logger: SILENT,
      requestHandler: { connectionTimeout: 10_000, requestTimeout: idleMs, throwOnRequestTimeout: true },
    });
  }

  async *list(prefix: string, signal: AbortSignal): AsyncGenerator<StoredObject> {
    const where = this.url(prefix);
    const ask = (ContinuationToken: string | undefined): Promise<ListObjectsV2CommandOutput> => {
      const query = { Bucket: this.#place.bucket, Prefix: prefix, ContinuationToken };
      return this.#client.send(new ListObjectsV2Command(query), { abortSignal: signal });
    };
    const tokenOf = ({ NextContinuationToken: next, IsTruncated }: ListObjectsV2CommandOutput) => {
      if (next === undefined && IsTruncated)
        throw new Error('a page of the listing has no link to the next page');
      return next;
    };
    for await (const page of this.pages(where, signal, ask, tokenOf))
      for (const { Key: key, Size: size, ETag: version } of page.Contents ?? []) {
        if (key === undefined || size === undefined || version === undefined)
          throw this.error(new Error('a listed object lacks key, size or ETag'), 'list', where);
        yield { key, url: this.url(key), size, version, hashes: {} };
      }
  }

  async checksum(object: StoredObject, signal: AbortSignal): Promise<Checksum> {
    const whole = await this.#head(object, undefined, signal);
    if (!tellsParts(whole)) return checksumOf(whole, []);
    const first = await this.#head(object, 1, signal);
    const { parts } = tagOf(whole);
    // A store without support for parts returns the whole object.
    if (first.PartsCount !== parts) return { kind: 'length' };
    const sizes = [first.ContentLength ?? 0];
    for (let part = 2; part <= parts; part += HEADS_AT_ONCE) {
      const numbers = Array.from({ length: Math.min(HEADS_AT_ONCE, parts - part + 1) }, (_, i) => part + i);
      const heads = await Promise.all(numbers.map((number) => this.#head(object, number, signal)));
      sizes.push(...heads.map((head) => head.ContentLength ?? 0));
    }
    return checksumOf(whole, sizes);
  }

  async read(
    object: StoredObject,
    range: ByteRange,
    signal: AbortSignal,
  ): Promise<AsyncIterable<Uint8Array>> {
    const command = new GetObjectCommand({
      ...this.#version(object),
      Range: `bytes=${range.from}-${range.to - 1}`,
    });
    const answer = await this.once('object', object.url, signal, () =>
      this.#client.send(command, { abortSignal: signal }),
    );
    return this.bytes(answer.Body as Readable, object, signal);
  }

  remove(object: StoredObject, signal: AbortSignal): Promise<void> {
    return unlessChanged(async () => {
      // Some S3-compatible stores ignore a condition on a deletion.
      await this.#head(object, undefined, signal);
      await this.repeat('object', object.url, signal, () =>
        this.#client.send(new DeleteObjectCommand(this.#version(object)), { abortSignal: signal }),
      );
    });
  }

  async put(key: string, file: string, signal: AbortSignal): Promise<void> {
    const repeat = <T>(send: () => Promise<T>): Promise<T> =>
      this.repeat('object', this.url(key), signal, send);
    await uploadToS3(this.#client, { Bucket: this.#place.bucket, Key: key }, { file, repeat }, signal);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#client.destroy();
  }

  #head(
    object: StoredObject,
    part: number | undefined,
    signal: AbortSignal,
  ): Promise<HeadObjectCommandOutput> {
    const command = new HeadObjectCommand({
      ...this.#version(object),
      ...(part === undefined ? { ChecksumMode: 'ENABLED' } : { PartNumber: part }),
    });
    return this.repeat('object', object.url, signal, () =>
      this.#client.send(command, { abortSignal: signal }),
    );
  }

  #version(object: StoredObject) {
    return { Bucket: this.#place.bucket, Key: object.key, IfMatch: object.version };
  }

  url(key: string): string {
    return `s3://${this.#place.bucket}/${key}`;
  }

  protected error(thrown: unknown, asked: Asked, url: string): CrawlhouseError {
    return s3Error(thrown, asked, url, this.#place);
  }
}

/** Returns an ETag's hexadecimal digits and its number of parts: 0 for an object that was uploaded in one piece. */
function tagOf({ ETag }: HeadFacts): { readonly tag: string; readonly parts: number } {
  const [, tag = '', parts = '0'] = /^"?([0-9a-f]{32})(?:-(\d+))?"?$/i.exec(ETag ?? '') ?? [];
  return { tag: tag.toLowerCase(), parts: Number(parts) };
}

/** Returns whether the check of the ETag needs the sizes of the parts. */
export function tellsParts(head: HeadFacts): boolean {
  const { parts } = tagOf(head);
  return parts > 0 && parts <= MOST_PARTS && madeOfMd5(head) && wholeCrc32c(head) === undefined;
}

/**
 * Returns the check of an object's bytes: the first available of an ETag that is an MD5, a CRC-32C of the whole
 * object, an ETag of parts with known sizes, and the length.
 */
export function checksumOf(head: HeadFacts, partSizes: readonly number[]): Checksum {
  const { tag, parts } = tagOf(head);
  if (tag !== '' && parts === 0 && madeOfMd5(head)) return { kind: 'md5', hex: tag };
  const crc32c = wholeCrc32c(head);
  if (crc32c !== undefined) return { kind: 'crc32c', value: crc32c };
  const sum = partSizes.reduce((total, size) => total + size, 0);
  if (partSizes.length === 0 || partSizes.length !== parts || sum !== head.ContentLength) {
    return { kind: 'length' };
  }
  return { kind: 'etag', etag: `${tag}-${parts}`, partSizes };
}

/** Returns whether an ETag is an MD5 of the content, which it is not under a KMS key or a customer's key. */
function madeOfMd5({ ServerSideEncryption, SSECustomerAlgorithm }: HeadFacts): boolean {
  return SSECustomerAlgorithm === undefined && !ServerSideEncryption?.startsWith('aws:kms');
}

/** A checksum of type COMPOSITE combines the parts' checksums and has the form `value-N`. */
function wholeCrc32c({ ChecksumCRC32C, ChecksumType }: HeadFacts): number | undefined {
  if (ChecksumCRC32C === undefined || ChecksumType === 'COMPOSITE') return undefined;
  const bytes = Buffer.from(ChecksumCRC32C, 'base64');
  return bytes.length === 4 && !ChecksumCRC32C.includes('-') ? bytes.readUInt32BE() : undefined;
}

export interface S3Place {
  readonly bucket: string;
  readonly region: string;
  /** Default: the names of `store_b`. */
  readonly names?: SettingNames | undefined;
}

interface SdkError {
  readonly name?: string;
  readonly message?: string;
  readonly Region?: string;
  readonly $metadata?: { readonly httpStatusCode?: number };
  readonly $response?: { readonly headers?: Readonly<Record<string, string>> };
}

const ACCESS: ReadonlySet<string> = new Set([
  'AccessDenied',
  'AuthorizationHeaderMalformed',
  'CredentialsProviderError',
  'ExpiredToken',
  'ExpiredTokenException',
  'InvalidAccessKeyId',
  'InvalidToken',
  'RequestTimeTooSkewed',
  'SignatureDoesNotMatch',
  'TokenRefreshRequired',
  // versitygw's name for an unknown key.
  'XAdminUserNotFound',
]);
const CHANGED: ReadonlySet<string> = new Set(['NoSuchKey', 'NotFound', 'PreconditionFailed', 'InvalidRange']);
const BUSY: ReadonlySet<string> = new Set(['SlowDown', 'RequestTimeout', 'InternalError', 'Throttling']);
export function s3Error(thrown: unknown, asked: Asked, url: string, place: S3Place): CrawlhouseError {
  const error = thrown as SdkError;
  const headers = error.$response?.headers ?? {};
  const actual = error.Region ?? headers['x-amz-bucket-region'];
  const said = error.message && error.message !== 'UnknownError' ? error.message : '';
  const status = error.$metadata?.httpStatusCode;
  return storeError(s3Failure(error, asked, actual !== undefined && actual !== place.region), {
    url,
    reason: [error.name === 'Error' ? '' : error.name, said, status ? `(${status})` : '']
      .filter(Boolean)
      .join(' '),
    ...(place.names ?? { setting: 'store_b' }),
    bucket: place.bucket,
    credentials:
      'credentials come from the standard chain of AWS: AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, a profile, or the role of the machine',
    region: { set: place.region, actual },
    retryAfterMs: retryAfterMs(headers['retry-after']),
  });
}

function s3Failure(error: SdkError, asked: Asked, elsewhere: boolean): StoreFailure {
  const name = error.name ?? '';
  const status = error.$metadata?.httpStatusCode;
  // A broken body is a connection error, whatever the stream reports.
  if (asked === 'body') return 'connection';
  if (elsewhere || status === 301 || status === 307) return 'wrong_region';
  if (name === 'NoSuchBucket' || name === 'InvalidBucketName') return 'no_bucket';
  if (ACCESS.has(name)) return 'access';
  if (BUSY.has(name) || status === 429 || (status !== undefined && status >= 500)) return 'unavailable';
  // A key in cold storage: refused with 403 despite sufficient permissions.
  if (name === 'InvalidObjectState') return 'refused';
  if (status === 401 || status === 403) return 'access';
  if (CHANGED.has(name) || status === 404 || status === 412 || status === 416) {
    return asked === 'list' ? 'no_bucket' : 'changed';
  }
  return status === undefined && isNetworkError(error) ? 'connection' : 'refused';
}

/** Above this size, a file is uploaded in parts. */
const PART_BYTES = 64 * 1024 * 1024;

interface Destination {
  readonly Bucket: string;
  readonly Key: string;
}

type Repeat = <T>(send: () => Promise<T>) => Promise<T>;

/**
 * Uploads a file, one part after the other. Sends a failed part again separately. A failed upload leaves no parts
 * behind.
 */
export async function uploadToS3(
  client: Pick<S3Client, 'send'>,
  destination: Destination,
  { file, repeat }: { readonly file: string; readonly repeat: Repeat },
  signal: AbortSignal,
): Promise<void> {
  const { size } = await stat(file);
  const part = Math.max(PART_BYTES, Math.ceil(size / MOST_PARTS));
  const send = { abortSignal: signal };
  if (size <= part) {
    await repeat(() => {
      const Body = createReadStream(file);
      return client.send(new PutObjectCommand({ ...destination, Body, ContentLength: size }), send);
    });
    return;
  }
  const { UploadId } = await repeat(() =>
    client.send(
      new CreateMultipartUploadCommand({
        ...destination,
        ChecksumAlgorithm: 'CRC32C',
        ChecksumType: 'FULL_OBJECT',
      }),
      send,
    ),
  );
  const upload = { ...destination, UploadId };
  try {
    const Parts = [];
    for (let from = 0, PartNumber = 1; from < size; from += part, PartNumber++) {
      const to = Math.min(size, from + part);
      const { ETag, ChecksumCRC32C } = await repeat(() => {
        const Body = createReadStream(file, { start: from, end: to - 1 });
        const own = { PartNumber, Body, ContentLength: to - from, ChecksumAlgorithm: 'CRC32C' } as const;
        return client.send(new UploadPartCommand({ ...upload, ...own }), send);
      });
      Parts.push({ PartNumber, ETag, ChecksumCRC32C });
    }
    const complete = { ...upload, ChecksumType: 'FULL_OBJECT', MultipartUpload: { Parts } } as const;
    await repeat(() => client.send(new CompleteMultipartUploadCommand(complete), send));
  } catch (error) {
    // The earlier failure has its own error.
    await client.send(new AbortMultipartUploadCommand(upload)).catch(() => {});
    throw error;
  }
}
