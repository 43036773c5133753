import { randomBytes } from 'node:crypto';
import { Readable } from 'node:stream';
import {
  AbortMultipartUploadCommand,
  CompleteMultipartUploadCommand,
  CreateBucketCommand,
  CreateMultipartUploadCommand,
  DeleteObjectCommand,
  DeleteObjectsCommand,
  GetObjectCommand,
  HeadObjectCommand,
  ListBucketsCommand,
  ListObjectsV2Command,
  PutObjectCommand,
  type S3Client,
  UploadPartCommand,
} from '@aws-sdk/client-s3';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { runs } from '../../../../support/runs.ts';
import { temporaryFolder } from '../../../../support/temporary.ts';
import { builtInStores, openOn, s3Of } from '../stores-support.ts';

const MB = 1024 * 1024;

async function read(s3: S3Client, Bucket: string, Key: string, Range?: string): Promise<Buffer> {
  const { Body } = await s3.send(new GetObjectCommand({ Bucket, Key, ...(Range ? { Range } : {}) }));
  return Buffer.from((await Body?.transformToByteArray()) ?? []);
}

test('an object is returned as put, with its type and metadata, complete or in part', async () => {
  const { stores } = await builtInStores();
  const [s3, Bucket, Key] = [s3Of(stores), stores.store_b.bucket, "a b/ü+'()*!~&=?.txt"];
  const Body = randomBytes(100_000);
  const put = await s3.send(
    new PutObjectCommand({ Bucket, Key, Body, ContentType: 'text/csv', Metadata: { unit: 'x y' } }),
  );
  expect(await read(s3, Bucket, Key)).toEqual(Body);
  const head = await s3.send(new HeadObjectCommand({ Bucket, Key }));
  expect(head).toMatchObject({
    ContentLength: 100_000,
    ContentType: 'text/csv',
    Metadata: { unit: 'x y' },
    ETag: put.ETag,
  });
  expect(await read(s3, Bucket, Key, 'bytes=10-19')).toEqual(Body.subarray(10, 20));
  expect(await read(s3, Bucket, Key, 'bytes=99990-')).toEqual(Body.subarray(99_990));
  expect(await read(s3, Bucket, Key, 'bytes=-5')).toEqual(Body.subarray(99_995));
  await expect(read(s3, Bucket, Key, 'bytes=100000-')).rejects.toThrow('not satisfiable');
  const stale = new GetObjectCommand({ Bucket, Key, IfMatch: '"0123"' });
  await expect(s3.send(stale)).rejects.toMatchObject({ name: 'PreconditionFailed' });
  const fresh = new GetObjectCommand({ Bucket, Key, IfMatch: put.ETag });
  expect((await s3.send(fresh)).ContentLength).toBe(100_000);
  await s3.send(new DeleteObjectCommand({ Bucket, Key }));
  await s3.send(new DeleteObjectCommand({ Bucket, Key }));
  await expect(read(s3, Bucket, Key)).rejects.toMatchObject({ name: 'NoSuchKey' });
});

test('a stream is sent in chunks with a trailing checksum, and a wrong one is refused', async () => {
  const { stores } = await builtInStores();
  const [s3, Bucket] = [s3Of(stores), stores.store_b.bucket];
  const pieces = [randomBytes(70_000), randomBytes(1), randomBytes(200_000)];
  const Body = Readable.from(pieces);
  await s3.send(new PutObjectCommand({ Bucket, Key: 'stream', Body, ContentLength: 270_001 }));
  expect(await read(s3, Bucket, 'stream')).toEqual(Buffer.concat(pieces));
  for (const checksum of [{ ChecksumCRC32C: 'AAAAAA==' }, { ContentMD5: 'AAAAAAAAAAAAAAAAAAAAAA==' }]) {
    const wrong = new PutObjectCommand({ Bucket, Key: 'wrong', Body: 'text', ...checksum });
    await expect(s3.send(wrong)).rejects.toMatchObject({ name: 'BadDigest' });
  }
  await expect(read(s3, Bucket, 'wrong')).rejects.toMatchObject({ name: 'NoSuchKey' });
});

test('keys are listed in the order of their bytes, page by page, each once', async () => {
  const { stores } = await builtInStores();
  const [s3, Bucket] = [s3Of(stores), stores.store_b.bucket];
  const keys = ['a', 'a/1', 'a/2', 'a/b/3', 'a0', 'b/ü', 'b/\u{1f375}', 'b/\uff5e', 'B'];
  for (const Key of keys) await s3.send(new PutObjectCommand({ Bucket, Key, Body: Key }));
  const pages: string[][] = [];
  for (let token: string | undefined; ; ) {
    const page = await s3.send(new ListObjectsV2Command({ Bucket, MaxKeys: 2, ContinuationToken: token }));
    pages.push((page.Contents ?? []).map(({ Key = '' }) => Key));
    token = page.NextContinuationToken;
    expect(page.IsTruncated).toBe(token !== undefined);
    if (token === undefined) break;
  }
  expect(pages.map((page) => page.length)).toEqual([2, 2, 2, 2, 1]);
  expect(pages.flat()).toEqual(keys.toSorted((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b))));
  const folder = await s3.send(new ListObjectsV2Command({ Bucket, Prefix: 'a/', Delimiter: '/' }));
  expect(folder.Contents?.map(({ Key }) => Key)).toEqual(['a/1', 'a/2']);
  expect(folder.CommonPrefixes).toEqual([{ Prefix: 'a/b/' }]);
  const encoded = new ListObjectsV2Command({ Bucket, Prefix: 'b/', EncodingType: 'url' });
  expect((await s3.send(encoded)).Contents?.[0]?.Key).toBe('b/%C3%BC');
  const gone = await s3.send(
    new DeleteObjectsCommand({
      Bucket,
      Delete: { Objects: [{ Key: 'a' }, { Key: 'a/1' }, { Key: 'none' }] },
    }),
  );
  expect(gone.Deleted?.map(({ Key }) => Key)).toEqual(['a', 'a/1', 'none']);
  expect((await s3.send(new ListObjectsV2Command({ Bucket }))).KeyCount).toBe(keys.length - 2);
});

test('pages with a delimiter contain every common prefix and key once', async () => {
  const { stores } = await builtInStores();
  const s3 = s3Of(stores);
  let buckets = 0;
  const key = fc.string({ unit: fc.constantFrom('a', 'b', '/', '0'), minLength: 1, maxLength: 5 });
  await fc.assert(
    fc.asyncProperty(
      fc.uniqueArray(key, { maxLength: 12 }),
      fc.integer({ min: 1, max: 4 }),
      async (keys, MaxKeys) => {
        const Bucket = `pages-${buckets++}`;
        await s3.send(new CreateBucketCommand({ Bucket }));
        for (const Key of keys) await s3.send(new PutObjectCommand({ Bucket, Key, Body: '.' }));
        const found: string[] = [];
        for (let token: string | undefined; ; ) {
          const asked = { Bucket, MaxKeys, Delimiter: '/', ContinuationToken: token };
          const page = await s3.send(new ListObjectsV2Command(asked));
          found.push(...(page.Contents ?? []).map(({ Key = '' }) => Key));
          found.push(...(page.CommonPrefixes ?? []).map(({ Prefix = '' }) => Prefix));
          token = page.NextContinuationToken;
          if (token === undefined) break;
        }
        const wanted = new Set(
          keys.map((one) => (one.includes('/') ? one.slice(0, one.indexOf('/') + 1) : one)),
        );
        expect(found.toSorted()).toEqual([...wanted].toSorted());
      },
    ),
    { numRuns: runs(25) },
  );
});

test('parts are combined into one object, and inconsistent parts are refused', async () => {
  const { stores } = await builtInStores();
  const [s3, Bucket, Key] = [s3Of(stores), stores.store_b.bucket, 'parts'];
  const { UploadId } = await s3.send(new CreateMultipartUploadCommand({ Bucket, Key, ContentType: 'x/y' }));
  const upload = { Bucket, Key, UploadId };
  const bodies = [randomBytes(5 * MB), randomBytes(5 * MB), randomBytes(10)];
  const Parts: { PartNumber: number; ETag: string | undefined }[] = [];
  for (const [index, Body] of bodies.entries()) {
    const PartNumber = index + 1;
    Parts.push({
      PartNumber,
      ETag: (await s3.send(new UploadPartCommand({ ...upload, PartNumber, Body }))).ETag,
    });
  }
  const complete = (parts: typeof Parts) =>
    s3.send(new CompleteMultipartUploadCommand({ ...upload, MultipartUpload: { Parts: parts } }));
  await expect(complete(Parts.toReversed())).rejects.toMatchObject({ name: 'InvalidPartOrder' });
  await expect(complete([{ PartNumber: 9, ETag: '"x"' }])).rejects.toMatchObject({ name: 'InvalidPart' });
  const late = await s3.send(new UploadPartCommand({ ...upload, PartNumber: 4, Body: 'end' }));
  await expect(complete([...Parts, { PartNumber: 4, ETag: late.ETag }])).rejects.toMatchObject({
    name: 'EntityTooSmall',
  });
  await expect(read(s3, Bucket, Key)).rejects.toMatchObject({ name: 'NoSuchKey' });
  const { ETag } = await complete(Parts);
  expect(ETag).toMatch(/^"[0-9a-f]{32}-3"$/);
  expect((await read(s3, Bucket, Key)).equals(Buffer.concat(bodies))).toBe(true);
  const part = await s3.send(new HeadObjectCommand({ Bucket, Key, PartNumber: 2 }));
  expect(part).toMatchObject({ ContentLength: 5 * MB, PartsCount: 3, ETag });
  await expect(complete(Parts)).rejects.toMatchObject({ name: 'NoSuchUpload' });
  const second = await s3.send(new CreateMultipartUploadCommand({ Bucket, Key: 'other' }));
  const other = { Bucket, Key: 'other', UploadId: second.UploadId };
  await s3.send(new UploadPartCommand({ ...other, PartNumber: 1, Body: 'x' }));
  await s3.send(new AbortMultipartUploadCommand(other));
  await expect(s3.send(new UploadPartCommand({ ...other, PartNumber: 1, Body: 'x' }))).rejects.toMatchObject({
    name: 'NoSuchUpload',
  });
});

test('a request with a wrong key, secret, region or bucket is refused with the reason', async () => {
  const { stores } = await builtInStores();
  const { bucket: Bucket } = stores.store_b;
  const put = () => new PutObjectCommand({ Bucket, Key: 'k', Body: 'x' });
  await expect(s3Of(stores, { secret_key: 'other' }).send(put())).rejects.toMatchObject({
    name: 'SignatureDoesNotMatch',
  });
  await expect(s3Of(stores, { access_key: 'OTHER' }).send(put())).rejects.toMatchObject({
    name: 'InvalidAccessKeyId',
  });
  await expect(s3Of(stores, { region: 'us-east-1' }).send(put())).rejects.toMatchObject({
    name: 'AuthorizationHeaderMalformed',
    Region: 'eu-west-1',
  });
  const s3 = s3Of(stores);
  await expect(s3.send(new PutObjectCommand({ Bucket: 'none', Key: 'k', Body: 'x' }))).rejects.toMatchObject({
    name: 'NoSuchBucket',
  });
  await expect(
    s3.send(new PutObjectCommand({ Bucket, Key: 'k'.repeat(1025), Body: 'x' })),
  ).rejects.toMatchObject({ name: 'KeyTooLongError' });
  expect((await s3.send(new ListObjectsV2Command({ Bucket }))).KeyCount).toBe(0);
  expect((await fetch(`${stores.store_b.endpoint}/${Bucket}/k`)).status).toBe(403);
  expect((await s3.send(new ListBucketsCommand({}))).Buckets?.map(({ Name }) => Name)).toEqual([Bucket]);
});

test('a signed request modified in transit is refused', async () => {
  const { stores } = await builtInStores();
  const { endpoint, bucket } = stores.store_b;
  const s3 = s3Of(stores);
  await s3.send(new PutObjectCommand({ Bucket: bucket, Key: 'k', Body: 'x' }));
  const signed: { path: string; headers: Record<string, string> }[] = [];
  const seen = (next: (args: unknown) => unknown) => (args: { request: (typeof signed)[number] }) => {
    signed.push({ path: args.request.path, headers: { ...args.request.headers } });
    return next(args);
  };
  s3.middlewareStack.addRelativeTo(seen as never, {
    relation: 'after',
    toMiddleware: 'awsAuthMiddleware',
    name: 'seen',
  });
  await read(s3, bucket, 'k');
  const [{ path, headers } = { path: '', headers: {} }] = signed;
  const again = (changes: Record<string, string>, at = path) =>
    fetch(`${endpoint}${at}?x-id=GetObject`, { headers: { ...headers, ...changes } }).then((answer) =>
      answer.text(),
    );
  expect(await again({})).toBe('x');
  expect(await again({}, `/${bucket}/other`)).toContain('SignatureDoesNotMatch');
  expect(await again({ 'x-amz-date': '20010101T000000Z' })).toContain('RequestTimeTooSkewed');
  expect(await again({ 'x-amz-acl': 'public-read' })).toContain('were not signed');
});

test('objects and the keys of the account survive a restart; unfinished uploads do not', async () => {
  const folder = await temporaryFolder();
  const first = await openOn(folder);
  const Bucket = first.stores.store_b.bucket;
  await s3Of(first.stores).send(new PutObjectCommand({ Bucket, Key: 'kept', Body: 'text' }));
  await first[Symbol.asyncDispose]();
  await using second = await openOn(folder);
  expect(second.stores.store_b).toMatchObject({ ...first.stores.store_b, endpoint: expect.any(String) });
  expect(String(await read(s3Of(second.stores), Bucket, 'kept'))).toBe('text');
});

test('faults affect only the named store', async () => {
  const { stores, faults } = await builtInStores();
  const [s3, Bucket] = [s3Of(stores), stores.store_b.bucket];
  await s3.send(new PutObjectCommand({ Bucket, Key: 'k', Body: randomBytes(300_000) }));
  faults.add([{ match: { path: '/k' }, kind: 'status' }]);
  expect((await read(s3, Bucket, 'k')).length).toBe(300_000);
  faults.clear();
  faults.add([{ match: { at: 'store_b', path: '/k' }, kind: 'status', status: 503, times: 1 }]);
  await expect(read(s3, Bucket, 'k')).rejects.toMatchObject({ name: 'SlowDown' });
  faults.add([{ match: { at: 'store_b' }, kind: 'truncate', after_bytes: 1000, times: 1 }]);
  await expect(read(s3, Bucket, 'k')).rejects.toThrow();
  faults.add([{ match: { at: 'store_b' }, kind: 'reset', times: 1 }]);
  await expect(read(s3, Bucket, 'k')).rejects.toThrow();
  expect((await read(s3, Bucket, 'k')).length).toBe(300_000);
});
