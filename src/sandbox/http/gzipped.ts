import { pipeline, Readable } from 'node:stream';
import { createGzip } from 'node:zlib';

/** The bytes as one gzip member. Level 1: a local server is asked for speed, not for bytes. */
export async function* gzipped(body: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  const gzip = createGzip({ level: 1, chunkSize: 64 * 1024 });
  // An error of the source destroys the gzip stream, which then throws below.
  pipeline(Readable.from(body, { objectMode: false }), gzip, () => {});
  for await (const piece of gzip) yield piece as Buffer;
}
