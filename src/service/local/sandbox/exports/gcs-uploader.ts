import { createReadStream } from 'node:fs';
import { pipeline } from 'node:stream/promises';
import type { FileToUpload, Uploader } from './uploader.ts';

/** From here on an upload can be taken up again where it broke. */
const RESUMABLE_FROM = 8 * 1024 * 1024;
const CHUNK = 8 * 1024 * 1024;

export interface GcsBucket {
  readonly endpoint: string;
  readonly bucket: string;
}

/**
 * A bucket of Google Cloud Storage. Google itself is asked with the credentials of its standard chain, any other
 * endpoint, as emulators are, with none.
 */
export async function gcsUploader({ endpoint, bucket: name }: GcsBucket): Promise<Uploader> {
  // Loaded on demand: the SDK takes long to load, and most sandboxes never export.
  const { IdempotencyStrategy, Storage } = await import('@google-cloud/storage');
  const isGoogle = /(^|\.)googleapis\.com$/.test(new URL(endpoint).hostname);
  const storage = new Storage({
    apiEndpoint: endpoint,
    // Every key is new, so an upload may be sent again.
    retryOptions: { idempotencyStrategy: IdempotencyStrategy.RetryAlways, maxRetries: 3, totalTimeout: 60 },
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
      await pipeline(createReadStream(path), bucket.file(key).createWriteStream(options), { signal });
    },
    [Symbol.dispose]() {},
  };
}
