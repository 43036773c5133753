import { createReadStream } from 'node:fs';
import { open } from 'node:fs/promises';
import { pipeline } from 'node:stream/promises';

/** A file to upload, and the key of its object. */
interface FileToUpload {
  readonly path: string;
  readonly size: number;
  readonly key: string;
  readonly contentType: string;
}

/** A bucket that exports are written to, through the official SDK of its cloud. */
export interface Uploader extends Disposable {
  /** Creates the bucket if it is missing. */
  ensureBucket(): Promise<void>;
  /** Uploads a file whole; the object exists when this resolves. Memory does not grow with the file. */
  upload(file: FileToUpload, signal: AbortSignal): Promise<void>;
}

/** From this size on, a broken upload can be resumed. */
const RESUMABLE_FROM = 8 * 1024 * 1024;
const CHUNK = 8 * 1024 * 1024;
const MOST_RETRIES = 3;

/**
 * Returns a bucket of Google Cloud Storage. Requests to Google use the credentials of its standard chain; requests to
 * other endpoints, such as emulators, use none.
 */
export async function gcsUploader({
  endpoint,
  bucket: name,
}: Readonly<Record<'endpoint' | 'bucket', string>>): Promise<Uploader> {
  // Loaded on demand: the SDK takes long to load, and most sandboxes never export.
  const { IdempotencyStrategy, Storage } = await import('@google-cloud/storage');
  const isGoogle = /(^|\.)googleapis\.com$/.test(new URL(endpoint).hostname);
  const storage = new Storage({
    apiEndpoint: endpoint,
    // Every key is new, so an upload may be sent again.
    retryOptions: {
      idempotencyStrategy: IdempotencyStrategy.RetryAlways,
      maxRetries: MOST_RETRIES,
      totalTimeout: 60,
    },
    ...(isGoogle ? { useAuthWithCustomEndpoint: true } : { projectId: 'sandbox' }),
  });
  const bucket = storage.bucket(name);
  return {
    async ensureBucket() {
      const [exists] = await bucket.exists();
      if (!exists) await bucket.create();
    },
    async upload({ path, size, key, contentType }: FileToUpload, signal) {
      const resumable = size >= RESUMABLE_FROM;
      const options = {
        resumable,
        validation: 'crc32c',
        contentType,
        ...(resumable ? { chunkSize: CHUNK } : {}),
      };
      for (let tries = 1; ; tries++)
        try {
          const object = bucket.file(key).createWriteStream(options);
          return await pipeline(createReadStream(path), object, { signal });
        } catch (error) {
          // The SDK repeats requests, but not streams, whose bytes are gone.
          const isPassing = storage.retryOptions.retryableErrorFn?.(error as Error) ?? false;
          if (signal.aborted || tries > MOST_RETRIES || !isPassing) throw error;
        }
    },
    [Symbol.dispose]() {},
  };
}

/**
 * Maximum size of a file that is sent in one request. A larger file is sent in parts, each read as a whole so that it
 * can be sent again.
 */
const PART = 16 * 1024 * 1024;
const MOST_PARTS = 10_000;

type S3Bucket = Readonly<Record<'endpoint' | 'region' | 'bucket' | 'accessKey' | 'secretKey', string>>;

/** Returns a bucket of Amazon S3, or of a store with the same protocol. */
export async function s3Uploader(target: S3Bucket): Promise<Uploader> {
  // Loaded on demand: the SDK takes long to load, and most sandboxes never export.
  const s3 = await import('@aws-sdk/client-s3');
  const client = new s3.S3Client({
    endpoint: target.endpoint,
    region: target.region,
    forcePathStyle: true,
    credentials: { accessKeyId: target.accessKey, secretAccessKey: target.secretKey },
  });
  const { bucket: Bucket } = target;

  const uploadParts = async (
    { size, key: Key, contentType: ContentType }: FileToUpload,
    read: (first: number, length: number) => Promise<Buffer>,
    abortSignal: AbortSignal,
  ): Promise<void> => {
    const begun = await client.send(new s3.CreateMultipartUploadCommand({ Bucket, Key, ContentType }), {
      abortSignal,
    });
    const upload = { Bucket, Key, UploadId: begun.UploadId };
    const partSize = Math.max(PART, Math.ceil(size / MOST_PARTS));
    try {
      const Parts: { PartNumber: number; ETag: string | undefined }[] = [];
      for (let first = 0; first < size; first += partSize) {
        const PartNumber = Parts.length + 1;
        const Body = await read(first, Math.min(partSize, size - first));
        const part = new s3.UploadPartCommand({ ...upload, PartNumber, Body });
        const { ETag } = await client.send(part, { abortSignal });
        Parts.push({ PartNumber, ETag });
      }
      const complete = new s3.CompleteMultipartUploadCommand({ ...upload, MultipartUpload: { Parts } });
      await client.send(complete, { abortSignal });
    } catch (error) {
      // Parts without an object would cost money.
      await client.send(new s3.AbortMultipartUploadCommand(upload)).catch(() => {});
      throw error;
    }
  };

  return {
    async ensureBucket() {
      try {
        await client.send(new s3.HeadBucketCommand({ Bucket }));
      } catch (error) {
        if ((error as { $metadata?: { httpStatusCode?: number } }).$metadata?.httpStatusCode !== 404)
          throw error;
        await client.send(new s3.CreateBucketCommand({ Bucket }));
      }
    },
    async upload(file, abortSignal) {
      const handle = await open(file.path, 'r');
      const read = async (first: number, length: number): Promise<Buffer> => {
        const { buffer } = await handle.read(Buffer.alloc(length), 0, length, first);
        return buffer;
      };
      try {
        if (file.size > PART) return await uploadParts(file, read, abortSignal);
        const Body = await read(0, file.size);
        const { key: Key, contentType: ContentType } = file;
        await client.send(new s3.PutObjectCommand({ Bucket, Key, ContentType, Body }), { abortSignal });
      } finally {
        await handle.close();
      }
    },
    [Symbol.dispose]() {
      client.destroy();
    },
  };
}
