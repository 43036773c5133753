import { once } from 'node:events';
import type { ReadStream } from 'node:fs';
import { truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { S3Client } from '@aws-sdk/client-s3';
import { expect, test } from 'vitest';
import { uploadToS3 } from '../../../../src/core/stores/s3/s3-store.ts';
import { retriable, retry } from '../../../../src/core/time/retry.ts';
import { temporaryFolder } from '../../../support/temporary.ts';

interface Sent {
  readonly constructor: { readonly name: string };
  readonly input: { readonly PartNumber?: number; readonly Body?: ReadStream };
}

/** A client whose second part fails so often; what it was asked. */
function failing(times: number): { readonly client: Pick<S3Client, 'send'>; readonly asked: string[] } {
  const asked: string[] = [];
  const send = async (sent: Sent) => {
    const { PartNumber, Body } = sent.input;
    asked.push(
      `${sent.constructor.name.replace('Command', '')}${PartNumber === undefined ? '' : ` ${PartNumber}`}`,
    );
    if (Body) {
      Body.destroy();
      await once(Body, 'close');
    }
    const failures = asked.filter((one) => one === 'UploadPart 2').length;
    if (PartNumber === 2 && failures <= times) throw retriable('connection', 'reset');
    return { UploadId: 'u', ETag: 'e', ChecksumCRC32C: 'c' };
  };
  return { client: { send: send as unknown as S3Client['send'] }, asked };
}

const { signal } = new AbortController();
const repeat = <T>(send: () => Promise<T>): Promise<T> =>
  retry(send, { policy: { attempts: 3, baseMs: 1, maxMs: 1 } });

async function largeFile(): Promise<string> {
  const file = join(await temporaryFolder(), 'large');
  await writeFile(file, '');
  await truncate(file, 150 * 1024 * 1024);
  return file;
}

test('only a failed part is sent again', async () => {
  const { client, asked } = failing(2);
  await uploadToS3(client, { Bucket: 'b', Key: 'k' }, { file: await largeFile(), repeat }, signal);
  expect(asked).toEqual([
    'CreateMultipartUpload',
    'UploadPart 1',
    'UploadPart 2',
    'UploadPart 2',
    'UploadPart 2',
    'UploadPart 3',
    'CompleteMultipartUpload',
  ]);
});

test('a part that always fails aborts the upload, and nothing remains', async () => {
  const { client, asked } = failing(9);
  const put = uploadToS3(client, { Bucket: 'b', Key: 'k' }, { file: await largeFile(), repeat }, signal);
  await expect(put).rejects.toMatchObject({ code: 'connection' });
  expect(asked.slice(-2)).toEqual(['UploadPart 2', 'AbortMultipartUpload']);
});
