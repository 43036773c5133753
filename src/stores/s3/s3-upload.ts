import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import {
  AbortMultipartUploadCommand,
  CompleteMultipartUploadCommand,
  CreateMultipartUploadCommand,
  PutObjectCommand,
  type S3Client,
  UploadPartCommand,
} from '@aws-sdk/client-s3';

/** Above this a file goes up in parts. */
const PART_BYTES = 64 * 1024 * 1024;
/** The limit of S3. */
const MOST_PARTS = 10_000;

interface Destination {
  readonly Bucket: string;
  readonly Key: string;
}

/** Repeats a request where that may help. */
type Repeat = <T>(send: () => Promise<T>) => Promise<T>;

/**
 * Uploads a file, one part after the other. A part that fails is sent again by itself; an upload that fails leaves no
 * parts behind.
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
