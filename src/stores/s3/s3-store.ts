import type { Readable } from 'node:stream';
import {
  DeleteObjectCommand,
  GetObjectCommand,
  HeadObjectCommand,
  type HeadObjectCommandOutput,
  ListObjectsV2Command,
  type ListObjectsV2CommandOutput,
  S3Client,
} from '@aws-sdk/client-s3';
import { DEFAULT_RETRY, type RetryPolicy } from '../../core/time/retry.ts';
import { PageTokens } from '../list-objects.ts';
import type { ByteRange, Checksum, ObjectStore, StoredObject } from '../object-store.ts';
import { retryStore } from '../retry-store.ts';
import type { NetworkOptions } from '../store-kind.ts';
import { type S3Place, s3Error } from './s3-errors.ts';
import { uploadToS3 } from './s3-upload.ts';

/** S3's own limit. */
const MOST_PARTS = 10_000;

/** The parts of `HeadObject` that show how to check the content. */
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
  /** Of an S3-compatible store; the bucket is then part of the path. None: Amazon's own of the region. */
  readonly endpoint?: string | undefined;
}

/** Parts of an object asked about at once. */
const HEADS_AT_ONCE = 8;
const SILENT = { trace() {}, debug() {}, info() {}, warn() {}, error() {} };

/** `store_b`: a bucket of S3 or of a compatible store. Credentials come from Amazon's standard chain. */
export class S3Store implements ObjectStore {
  readonly #client: S3Client;
  readonly #place: S3Place;
  readonly #retry: RetryPolicy;

  constructor(options: S3Options) {
    const idleMs = options.idleMs ?? 60_000;
    this.#place = { bucket: options.bucket, region: options.region, names: options.names };
    this.#retry = options.retry ?? DEFAULT_RETRY;
    this.#client = new S3Client({
      region: options.region,
      ...(options.endpoint ? { endpoint: options.endpoint, forcePathStyle: true } : {}),
      // Only our own retries, so that one policy decides and counts.
      maxAttempts: 1,
      // The SDK would write to stderr by itself; its errors say the same.
      logger: SILENT,
      requestHandler: { connectionTimeout: 10_000, requestTimeout: idleMs, throwOnRequestTimeout: true },
    });
  }

  async *list(prefix: string, signal: AbortSignal): AsyncGenerator<StoredObject> {
    const where = this.#url(prefix);
    const tokens = new PageTokens();
    let token: string | undefined;
    do {
      const page: ListObjectsV2CommandOutput = await this.#repeat('list', where, signal, () =>
        this.#client.send(
          new ListObjectsV2Command({
            Bucket: this.#place.bucket,
            Prefix: prefix,
            ...(token === undefined ? {} : { ContinuationToken: token }),
          }),
          { abortSignal: signal },
        ),
      );
      for (const { Key: key, Size: size, ETag: version } of page.Contents ?? []) {
        if (key === undefined || size === undefined || version === undefined) {
          throw s3Error(new Error('a listed object lacks key, size or ETag'), 'list', where, this.#place);
        }
        yield { key, url: this.#url(key), size, version, hashes: {} };
      }
      token = page.NextContinuationToken;
      try {
        if (token !== undefined) tokens.take(token);
        else if (page.IsTruncated) throw new Error('a page of the listing does not lead to the next');
      } catch (error) {
        throw s3Error(error, 'list', where, this.#place);
      }
    } while (token !== undefined);
  }

  async checksum(object: StoredObject, signal: AbortSignal): Promise<Checksum> {
    const whole = await this.#head(object, undefined, signal);
    if (!tellsParts(whole)) return checksumOf(whole, []);
    const first = await this.#head(object, 1, signal);
    const { parts } = tagOf(whole);
    // A store that does not know parts answers with the whole object.
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
    const answer = await this.#once('object', object.url, signal, () =>
      this.#client.send(command, { abortSignal: signal }),
    );
    return this.#bytes(answer.Body as Readable, object, signal);
  }

  async *#bytes(body: Readable, object: StoredObject, signal: AbortSignal): AsyncGenerator<Uint8Array> {
    const stop = (): void => void body.destroy(new Error('aborted'));
    signal.addEventListener('abort', stop, { once: true });
    try {
      yield* body as AsyncIterable<Uint8Array>;
    } catch (error) {
      signal.throwIfAborted();
      throw s3Error(error, 'body', object.url, this.#place);
    } finally {
      signal.removeEventListener('abort', stop);
      body.destroy();
    }
  }

  async remove(object: StoredObject, signal: AbortSignal): Promise<void> {
    try {
      // Not every S3-compatible store honours a condition on a deletion.
      await this.#head(object, undefined, signal);
      await this.#repeat('object', object.url, signal, () =>
        this.#client.send(new DeleteObjectCommand(this.#version(object)), { abortSignal: signal }),
      );
    } catch (error) {
      if ((error as { code?: unknown }).code !== 'object_changed') throw error;
    }
  }

  async put(key: string, file: string, signal: AbortSignal): Promise<void> {
    const repeat = <T>(send: () => Promise<T>): Promise<T> =>
      this.#repeat('object', this.#url(key), signal, send);
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
    return this.#repeat('object', object.url, signal, () =>
      this.#client.send(command, { abortSignal: signal }),
    );
  }

  #version(object: StoredObject) {
    return { Bucket: this.#place.bucket, Key: object.key, IfMatch: object.version };
  }

  #url(key: string): string {
    return `s3://${this.#place.bucket}/${key}`;
  }

  #repeat<T>(asked: 'list' | 'object', url: string, signal: AbortSignal, send: () => Promise<T>): Promise<T> {
    return retryStore(() => this.#once(asked, url, signal, send), { policy: this.#retry, signal });
  }

  async #once<T>(
    asked: 'list' | 'object',
    url: string,
    signal: AbortSignal,
    send: () => Promise<T>,
  ): Promise<T> {
    try {
      return await send();
    } catch (error) {
      signal.throwIfAborted();
      throw s3Error(error, asked, url, this.#place);
    }
  }
}

/** An ETag's hexadecimal digits and its number of parts: 0 for an object that came in one piece. */
function tagOf({ ETag }: HeadFacts): { readonly tag: string; readonly parts: number } {
  const [, tag = '', parts = '0'] = /^"?([0-9a-f]{32})(?:-(\d+))?"?$/i.exec(ETag ?? '') ?? [];
  return { tag: tag.toLowerCase(), parts: Number(parts) };
}

/** Whether the check of the ETag needs the sizes of the parts. */
export function tellsParts(head: HeadFacts): boolean {
  const { parts } = tagOf(head);
  return parts > 0 && parts <= MOST_PARTS && madeOfMd5(head) && wholeCrc32c(head) === undefined;
}

/**
 * The check of an object's bytes. In this order: the ETag if it is an MD5, a CRC-32C of the whole, the ETag of parts of
 * known sizes, or the length.
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

/** Under a KMS key or a customer's key, an ETag is not an MD5 of the content. */
function madeOfMd5({ ServerSideEncryption, SSECustomerAlgorithm }: HeadFacts): boolean {
  return SSECustomerAlgorithm === undefined && !ServerSideEncryption?.startsWith('aws:kms');
}

/** A checksum of type COMPOSITE is one of the parts' checksums and reads `value-N`. */
function wholeCrc32c({ ChecksumCRC32C, ChecksumType }: HeadFacts): number | undefined {
  if (ChecksumCRC32C === undefined || ChecksumType === 'COMPOSITE') return undefined;
  const bytes = Buffer.from(ChecksumCRC32C, 'base64');
  return bytes.length === 4 && !ChecksumCRC32C.includes('-') ? bytes.readUInt32BE() : undefined;
}
