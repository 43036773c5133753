import { createHash, randomBytes } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { crc32c } from '../../../../../src/core/files/crc32c.ts';
import { gcsUploader } from '../../../../../src/service/sandbox/exports/uploader.ts';
import { temporaryFolder } from '../../../../support/temporary.ts';
import { bucketOf, builtInStores } from '../stores-support.ts';

function crc32cOf(bytes: Buffer): string {
  const sum = Buffer.alloc(4);
  sum.writeUInt32BE(crc32c(bytes));
  return sum.toString('base64');
}

test('an object is returned as uploaded, directly or resumably, complete or in part', async () => {
  const { stores } = await builtInStores();
  const bucket = bucketOf(stores);
  const body = randomBytes(700_000);
  for (const resumable of [false, true]) {
    const file = bucket.file(`a b/ü?#%/${resumable}`);
    await file.save(body, { resumable, contentType: 'text/csv', metadata: { metadata: { unit: 'x' } } });
    expect((await file.download())[0]).toEqual(body);
    const [metadata] = await file.getMetadata();
    expect(metadata).toMatchObject({
      name: `a b/ü?#%/${resumable}`,
      bucket: stores.store_a.bucket,
      contentType: 'text/csv',
      size: '700000',
      metadata: { unit: 'x' },
      md5Hash: createHash('md5').update(body).digest('base64'),
      crc32c: crc32cOf(body),
    });
    expect((await file.download({ start: 10, end: 19 }))[0]).toEqual(body.subarray(10, 20));
    await file.delete();
    await expect(file.download()).rejects.toMatchObject({ code: 404 });
  }
});

test('a large file is uploaded in chunks', async () => {
  const { stores } = await builtInStores();
  const path = join(await temporaryFolder(), 'large');
  const body = randomBytes(3_000_000);
  await writeFile(path, body);
  const bucket = bucketOf(stores);
  await bucket.upload(path, { destination: 'large', resumable: true, chunkSize: 256 * 1024 });
  expect((await bucket.file('large').download())[0].equals(body)).toBe(true);
});

test('a broken resumable upload continues where it stopped', async () => {
  const { stores } = await builtInStores();
  const { endpoint, bucket } = stores.store_a;
  const begin = await fetch(`${endpoint}/upload/storage/v1/b/${bucket}/o?uploadType=resumable&name=r`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: '{}',
  });
  const session = begin.headers.get('location') ?? '';
  const put = (range: string, body = '') =>
    fetch(session, { method: 'PUT', headers: { 'content-range': range }, body });
  const first = await put('bytes 0-2/9', 'abc');
  expect([first.status, first.headers.get('range')]).toEqual([308, 'bytes=0-2']);
  expect((await put('bytes 5-8/9', 'fghi')).status).toBe(503);
  const asked = await put('bytes */9');
  expect([asked.status, asked.headers.get('range')]).toEqual([308, 'bytes=0-2']);
  // Bytes that are there already may come again.
  expect((await put('bytes 2-8/9', 'cdefghi')).status).toBe(200);
  expect(String((await bucketOf(stores).file('r').download())[0])).toBe('abcdefghi');
  expect((await put('bytes */9')).status).toBe(410);
});

test('a new upload replaces the object with a new generation, which conditions check', async () => {
  const { stores } = await builtInStores();
  const file = bucketOf(stores).file('k');
  await file.save('one', { resumable: false });
  const [{ generation: first }] = await file.getMetadata();
  await file.save('two', { resumable: false });
  const [{ generation: second }] = await file.getMetadata();
  expect(Number(second)).toBeGreaterThan(Number(first));
  const bucket = bucketOf(stores);
  await expect(bucket.file('k', { generation: Number(first) }).download()).rejects.toMatchObject({
    code: 404,
  });
  expect(String((await bucket.file('k', { generation: Number(second) }).download())[0])).toBe('two');
  const created = file.save('three', { resumable: false, preconditionOpts: { ifGenerationMatch: 0 } });
  await expect(created).rejects.toMatchObject({ code: 412 });
  expect(String((await file.download())[0])).toBe('two');
});

test('a wrong checksum is refused, and leaves nothing', async () => {
  const { stores } = await builtInStores();
  const bucket = bucketOf(stores);
  const saved = bucket.file('k').save('text', { resumable: false, metadata: { md5Hash: 'AAAA' } });
  await expect(saved).rejects.toMatchObject({ code: 400 });
  expect(await bucket.file('k').exists()).toEqual([false]);
});

test('objects are listed by prefix, page by page, each once', async () => {
  const { stores } = await builtInStores();
  const bucket = bucketOf(stores);
  const keys = ['a/1', 'a/2', 'a/b/3', 'a/b/4', 'a/c', 'b'];
  for (const key of keys) await bucket.file(key).save(key, { resumable: false });
  const pages: string[][] = [];
  for (let pageToken: string | undefined; ; ) {
    const asked = { prefix: 'a/', maxResults: 2, autoPaginate: false, ...(pageToken ? { pageToken } : {}) };
    const [files, next] = await bucket.getFiles(asked);
    pages.push(files.map(({ name }) => name));
    pageToken = (next as { pageToken?: string } | null)?.pageToken;
    if (pageToken === undefined) break;
  }
  expect(pages).toEqual([['a/1', 'a/2'], ['a/b/3', 'a/b/4'], ['a/c']]);
  const [files, , answer] = await bucket.getFiles({ prefix: 'a/', delimiter: '/', autoPaginate: false });
  expect(files.map(({ name }) => name)).toEqual(['a/1', 'a/2', 'a/c']);
  expect((answer as { prefixes?: string[] }).prefixes).toEqual(['a/b/']);
});

test('a missing bucket returns the error that the SDK expects, and a bucket can be created', async () => {
  const { stores, faults } = await builtInStores();
  const { storage } = bucketOf(stores);
  const other = storage.bucket('other-bucket');
  expect(await other.exists()).toEqual([false]);
  await expect(other.file('k').save('x', { resumable: false })).rejects.toMatchObject({ code: 404 });
  await other.create();
  await other.file('k').save('x', { resumable: false });
  expect(await other.file('k').exists()).toEqual([true]);
  faults.add([{ match: { at: 'store_a' }, kind: 'status', status: 403, times: 1 }]);
  await expect(other.file('k').download()).rejects.toMatchObject({ code: 403 });
});

test('an upload with a broken connection is sent again, and refused keys are not', async () => {
  const { stores, faults } = await builtInStores();
  using uploader = await gcsUploader(stores.store_a);
  const path = join(await temporaryFolder(), 'part');
  const body = randomBytes(50_000);
  await writeFile(path, body);
  const file = { path, size: body.length, key: 'again', contentType: 'text/csv' };
  const match = { at: 'store_a', method: 'POST' } as const;
  faults.add([{ match, kind: 'reset', times: 2 }]);
  await uploader.upload(file, new AbortController().signal);
  expect((await bucketOf(stores).file('again').download())[0].equals(body)).toBe(true);
  faults.add([{ match, kind: 'status', status: 403, times: 1 }]);
  await expect(uploader.upload(file, new AbortController().signal)).rejects.toThrow();
});
