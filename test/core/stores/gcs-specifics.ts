import { gzipSync } from 'node:zlib';
import { Storage } from '@google-cloud/storage';
import { expect, test } from 'vitest';
import { faultyProxy } from './faulty-proxy.ts';
import { Bench } from './object-store-contract.ts';
import { openServer, type StoreServer } from './store-server.ts';

/** What only Google has: objects that it would unpack on the way. */
export function gcsSpecifics(name: string, server: () => StoreServer): void {
  test(`${name}: an object with Content-Encoding gzip is read as stored`, async () => {
    const { endpoint, bucket } = server();
    // Google leaves the bytes as they are for whoever says that gzip will do; no emulator unpacks them.
    const proxy = await faultyProxy(endpoint, (request, _times, headers) =>
      request.includes('alt=media') && headers['accept-encoding'] !== 'gzip' ? { status: 400 } : undefined,
    );
    const one = new Bench(await openServer({ ...server(), endpoint: proxy.endpoint }));
    const packed = gzipSync('content that is worth packing'.repeat(100));
    await new Storage({ apiEndpoint: endpoint, projectId: 'test' })
      .bucket(bucket)
      .file(`${one.prefix}packed.csv`)
      .save(packed, { resumable: false, metadata: { contentEncoding: 'gzip' } });
    const [object] = await one.list();
    if (!object) throw new Error('not listed');
    const whole = await one.whole(object, { rangeBytes: 100 });
    expect([object.size, whole.bytes.equals(packed), whole.verified]).toEqual([packed.length, true, 'md5']);
  });

  test(`${name}: a file above 16 MB is uploaded resumably`, async () => {
    const one = new Bench(await openServer(server()));
    const content = Buffer.alloc(17 * 1024 * 1024, 'abcdefg');
    const object = await one.stored('large', content);
    const whole = await one.whole(object);
    expect([whole.bytes.equals(content), whole.verified]).toEqual([true, 'md5']);
  });
}
