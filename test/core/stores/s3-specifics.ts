import { randomBytes } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import {
  type CompletedPart,
  CompleteMultipartUploadCommand,
  CreateMultipartUploadCommand,
  S3Client,
  UploadPartCommand,
} from '@aws-sdk/client-s3';
import { expect, test } from 'vitest';
import { temporaryFolder } from '../../support/temporary.ts';
import { Bench } from './object-store-contract.ts';
import { awsEnvironment, openServer, type S3Server } from './store-server.ts';

const MB = 1024 * 1024;

/** What only S3 has: keys, regions, objects that came in parts. */
export function s3Specifics(name: string, server: () => S3Server): void {
  test.for([
    ['an unknown key', { accessKey: 'AKIAUNKNOWN' }],
    ['a wrong secret', { secretKey: 'not-the-secret' }],
  ] as const)(
    `${name}: %s is an access error that names the standard credential chain`,
    async ([, wrong]) => {
      const one = new Bench(await openServer({ ...server(), ...wrong }));
      await expect(one.list()).rejects.toMatchObject({
        code: 'store_access',
        message: expect.not.stringContaining('not-the-secret'),
        hint: expect.stringContaining('AWS_ACCESS_KEY_ID'),
      });
    },
  );

  test(`${name}: missing credentials are an access error`, async () => {
    const one = new Bench(await openServer(server()));
    awsEnvironment(undefined, undefined);
    await expect(one.list()).rejects.toMatchObject({ code: 'store_access' });
  });

  test(`${name}: a bucket of another region is a configuration error that names the right one`, async () => {
    const { region } = server();
    const one = new Bench(await openServer({ ...server(), region: 'ap-south-2' }));
    await expect(one.list()).rejects.toMatchObject({
      code: 'bad_settings',
      message: expect.stringContaining(
        `store_b.region: the bucket ${server().bucket} is not in ap-south-2 but in ${region}`,
      ),
      hint: `set store_b.region to ${region}`,
    });
  });

  test(`${name}: a multipart object of any part size is checked against its ETag`, async () => {
    const one = new Bench(await openServer(server()));
    const parts = [5 * MB, 6 * MB + 1, 5 * MB + 17, 100].map((size) => randomBytes(size));
    await uploadParts(server(), `${one.prefix}parts`, parts);
    const [object] = await one.list();
    if (!object) throw new Error('not listed');
    const whole = await one.whole(object, { rangeBytes: 4 * MB + 3 });
    expect([whole.bytes.equals(Buffer.concat(parts)), whole.verified]).toEqual([true, 'etag']);
  });
}

/** Apart, because it takes its time. */
export function s3LargeUpload(name: string, server: () => S3Server): void {
  test(`${name}: a file above 64 MB is uploaded in parts and checked by CRC-32C`, async () => {
    const one = new Bench(await openServer(server()));
    const content = Buffer.concat([randomBytes(MB), Buffer.alloc(64 * MB)]);
    const file = join(await temporaryFolder(), 'file');
    await writeFile(file, content);
    await one.store.put(`${one.prefix}large`, file, new AbortController().signal);
    const [object] = await one.list();
    if (!object) throw new Error('not listed');
    expect(object.version).toMatch(/-2"$/);
    const whole = await one.whole(object);
    expect([whole.bytes.equals(content), whole.verified]).toEqual([true, 'crc32c']);
  });
}

/** Uploads parts as most writers do: no checksum but the ETags. */
async function uploadParts(server: S3Server, key: string, parts: readonly Buffer[]): Promise<void> {
  const { endpoint, region, accessKey, secretKey, bucket } = server;
  const client = new S3Client({
    endpoint,
    region,
    forcePathStyle: true,
    credentials: { accessKeyId: accessKey, secretAccessKey: secretKey },
    requestChecksumCalculation: 'WHEN_REQUIRED',
  });
  const object = { Bucket: bucket, Key: key };
  const { UploadId } = await client.send(new CreateMultipartUploadCommand(object));
  const done: CompletedPart[] = [];
  for (const [index, Body] of parts.entries()) {
    const part = { PartNumber: index + 1 };
    const { ETag } = await client.send(new UploadPartCommand({ ...object, ...part, UploadId, Body }));
    done.push({ ...part, ...(ETag ? { ETag } : {}) });
  }
  await client.send(
    new CompleteMultipartUploadCommand({ ...object, UploadId, MultipartUpload: { Parts: done } }),
  );
  client.destroy();
}
